import { concatMap, defer, from, map, of, timer } from 'rxjs';
import type { Delta } from '../delta.ts';
import { onDemand } from '../demand.ts';
import { ConfigError } from '../errors.ts';
import { toolCall } from '../message.ts';
import type { Message, ToolCall, ToolResult } from '../message.ts';
import type { Model, ModelRequest } from '../model.ts';
import { planCalls } from './embedded-plan.ts';
import type { Plan, PlannedCall } from './embedded-plan.ts';

export interface EmbeddedOptions {
  /** Pause before each token on the request's scheduler, milliseconds. Default: 0, which means none at all: no tick either. */
  readonly delayMs?: number;
}

/**
 * A small rule-based model: it calls tools and reports their results, offline and always in the same way. It is no
 * language model and says so when it cannot help.
 *
 * - It cuts the last user message into clauses and gives each to the tool whose name, description and JSON Schema fit
 *   best, if the clause fills the required arguments; all calls (at most 16) are made in one turn.
 * - `call add {"a":1,"b":2}` in the prompt calls exactly that, the argument text verbatim.
 * - With results at hand it answers with one sentence for each, failures too, and says what it could not call and why.
 * - A call does not wait for another: "and multiply the result by 3" is beyond it.
 * - `usage` is its own count, words parted by white space: of the system text, messages, argument texts and results that
 *   it was sent, and of what it says. Tool descriptions are not counted.
 *
 * Contract:
 * - starts: on subscribing; without `delayMs` it says everything synchronously.
 * - leaves: stops at once, between two tokens as well.
 * - fails: never, whatever the prompt holds; the time taken grows in step with its length, never faster.
 *   A `delayMs` that is no duration throws a `config` error from here.
 *
 * @example
 * ```ts
 * import { embedded } from 'rx-tool-loop/embedded';
 *
 * const model = embedded({ delayMs: 20 });
 * ```
 */
export function embedded(options: EmbeddedOptions = {}): Model {
  const { delayMs = 0 } = options;
  if (!(delayMs >= 0 && delayMs < Infinity)) {
    throw new ConfigError(`embedded: delayMs is ${delayMs}; give a number of milliseconds, 0 or more.`);
  }
  return {
    id: 'embedded',
    provider: 'embedded',
    capabilities: ['tools', 'parallel-tools'],
    stream: (request) =>
      defer(() => {
        const deltas$ = from(reply(request)).pipe(onDemand(request.demand));
        if (delayMs === 0) return deltas$;
        const later = (delta: Delta) => timer(delayMs, request.scheduler).pipe(map(() => delta));
        return deltas$.pipe(concatMap((delta) => (isToken(delta) ? later(delta) : of(delta))));
      }),
  };
}

function isToken({ type }: Delta): boolean {
  return type === 'text' || type === 'tool-call-arguments';
}

function* reply(request: ModelRequest): Generator<Delta, void> {
  const messages = request.messages;
  const { prompt, calls, results } = sincePrompt(messages);
  const plan = planCalls(prompt, request.tools, request.toolChoice);
  const open = unanswered(plan.calls, results);
  const inputTokens = wordCount(request.system ?? '') + messages.reduce((sum, message) => sum + messageWords(message), 0);
  let outputTokens = 0;
  if (open.length > 0) {
    for (const [index, { name, rawArguments }] of open.entries()) {
      const id = request.ids('call');
      yield { type: 'tool-call-start', index, id, name };
      for (const chunk of tokensOf(rawArguments)) yield { type: 'tool-call-arguments', index, chunk };
      yield { type: 'tool-call-end', index, call: toolCall(id, name, rawArguments) };
      outputTokens += wordCount(rawArguments);
    }
  } else {
    const text = results.length > 0 ? report(results, calls, plan) : excuse(request, plan);
    const block = request.ids('block');
    for (const token of tokensOf(text)) yield { type: 'text', block, text: token };
    outputTokens = wordCount(text);
  }
  yield { type: 'usage', usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens } };
  yield { type: 'finish', reason: open.length > 0 ? 'tool-use' : 'stop', model: 'embedded' };
}

interface Round {
  readonly prompt: string;
  readonly calls: ReadonlyMap<string, ToolCall>;
  readonly results: readonly ToolResult[];
}

/** The last user message, and what has been called and answered since. */
function sincePrompt(messages: readonly Message[]): Round {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const asked = messages[at];
  const later = messages.slice(at + 1);
  const parts = later.flatMap((message) => (message.role === 'assistant' ? message.content : []));
  return {
    prompt: asked?.role === 'user' ? asked.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n') : '',
    calls: new Map(parts.flatMap((part) => (part.type === 'tool-call' ? [[part.call.id, part.call]] : []))),
    results: later.flatMap((message) => (message.role === 'tool' ? message.results : [])),
  };
}

/** Counted by tool and not compared by arguments, so that a host that rewrites arguments cannot make it ask for ever. */
function unanswered(calls: readonly PlannedCall[], results: readonly ToolResult[]): PlannedCall[] {
  const answered = new Map<string, number>();
  for (const { name } of results) answered.set(name, (answered.get(name) ?? 0) + 1);
  return calls.filter(({ name }) => {
    const count = answered.get(name) ?? 0;
    answered.set(name, count - 1);
    return count <= 0;
  });
}

function report(results: readonly ToolResult[], calls: ReadonlyMap<string, ToolCall>, plan: Plan): string {
  const sentences = results.map((result) => {
    const said = textOf(result);
    if (result.isError) return sentence(`The tool ${result.name} failed: ${said || 'it did not say why'}`);
    const given = argumentsOf(calls.get(result.callId));
    return sentence(`The tool ${result.name} ${said === '' ? 'gives no text' : `gives ${said}`}${given === '' ? '' : ` for ${given}`}`);
  });
  return [...sentences, ...plan.notes].join(' ');
}

function excuse({ tools, toolChoice }: ModelRequest, plan: Plan): string {
  const names = tools.map(({ name }) => name).join(', ');
  return [
    'I am a small rule-based model, not a language model: I can only call tools and report their results.',
    tools.length === 0 ? 'I was given no tools.' : `The tools I was given: ${names}.`,
    ...(toolChoice === 'none' && tools.length > 0 ? ['This request does not let me call them.'] : []),
    ...plan.notes,
  ].join(' ');
}

function textOf({ content }: ToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n').trim();
}

/** The values of a call's arguments, cut to 80 characters: enough to tell two calls of one tool apart. */
function argumentsOf(call: ToolCall | undefined): string {
  const given = call?.arguments;
  const values = typeof given === 'object' && given !== null ? Object.values(given) : given === undefined ? [] : [given];
  const text = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ');
  const short = Array.from(text.slice(0, 200));
  return short.length > 80 ? `${short.slice(0, 80).join('')}…` : short.join('');
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Words with the white space behind them; joined again they are the text. */
function tokensOf(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

function wordCount(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

function messageWords(message: Message): number {
  if (message.role === 'tool') return message.results.reduce((sum, result) => sum + wordCount(textOf(result)), 0);
  const words = message.content.map((part) => {
    if (part.type === 'tool-call') return wordCount(part.call.rawArguments ?? JSON.stringify(part.call.arguments) ?? '');
    return 'text' in part ? wordCount(part.text) : 0;
  });
  return words.reduce((sum, count) => sum + count, 0);
}
