import { isObservable } from 'rxjs';
import { scripted } from '../deltas/scripted.ts';
import type { ScriptedAnswer } from '../deltas/scripted.ts';
import type { Message, Model, ModelRequest } from '../index.ts';
import { demoPlace } from './demo-place.ts';
import type { DemoPlace } from './demo-place.ts';
import { demoScripts } from './demo-scripts.ts';
import type { DemoScript, DemoTurn } from './demo-scripts.ts';
import { demoWords } from './demo-words.ts';

/**
 * A scripted model for demonstrations of a screen: a word of the last prompt chooses what it shows. Without one of them it
 * says that it is scripted, and what it can show.
 *
 * It has a price and a window, so that what counts money and context has something to count; nothing is charged.
 *
 * @param delayMs - pause before each piece, milliseconds, on the request's scheduler
 * @internal
 */
export function demoModel(delayMs: number): Model {
  // The same message in another call: the loop asks again. Runs have messages of their own.
  const asked = new WeakMap<Message, number>();
  const attempt = ({ messages }: ModelRequest): number => {
    const last = messages.at(-1);
    if (last === undefined) return 0;
    const before = asked.get(last) ?? 0;
    asked.set(last, before + 1);
    return before;
  };
  return {
    id: 'demo',
    provider: 'scripted',
    capabilities: ['tools', 'parallel-tools', 'reasoning'],
    price: { input: 3, output: 15 },
    contextWindow: 8_000,
    stream: (request) => {
      const place = demoPlace(request, (text) => chosen(text) !== undefined);
      const script = chosen(place.prompt);
      const { slowness = 1 } = script ?? {};
      const turn = (): DemoTurn => counted(speech(script, place, attempt(request), request), request);
      return scripted([turn], { id: 'demo', delayMs: delayMs * slowness }).stream(request);
    },
  };
}

/** The keyword that comes first in a text. */
function chosen(text: string): DemoScript | undefined {
  const found = (text.toLowerCase().match(/\p{L}+/gu) ?? []).map((word) => demoScripts.find(({ keyword }) => keyword === word));
  return found.find((script) => script !== undefined);
}

function speech(script: DemoScript | undefined, place: DemoPlace, attempt: number, request: ModelRequest): DemoTurn {
  if (script === undefined) return { text: demoWords(`I am a scripted model: nothing in “${shortened(place.prompt)}” is a word that I know. ${list(request)}`) };
  const lacks = missing(script, request);
  if (lacks.length > 0) return { text: demoWords(`To show “${script.keyword}” I need the tool ${lacks.join(' and ')}, which this run does not have. ${list(request)}`) };
  return script.turn(place, attempt, request);
}

function list(request: ModelRequest): string {
  const lines = demoScripts.map((script) => `- **${script.keyword}**: ${script.shows}${missing(script, request).length > 0 ? ' (needs tools that are not here)' : ''}\n`);
  return `Write one of these words:\n\n${lines.join('')}`;
}

function missing({ needs }: DemoScript, { tools }: ModelRequest): readonly string[] {
  return needs.filter((name) => !tools.some((tool) => tool.name === name));
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** About four characters are a token. It counts what is said, and what was sent. */
function counted(turn: DemoTurn, { system = '', messages, tools }: ModelRequest): DemoTurn {
  if (isObservable(turn)) return turn;
  const { reasoning = '', text = '', calls = [], error } = turn;
  // A call that was refused costs nothing.
  if (error !== undefined && text === '') return turn;
  const thought = tokens(reasoning);
  return {
    ...turn,
    usage: {
      inputTokens: tokens([system, JSON.stringify(messages), JSON.stringify(tools)]),
      outputTokens: thought + tokens(text) + tokens(calls.map((call) => JSON.stringify(call))),
      reasoningTokens: thought,
    },
  };
}

function tokens(said: NonNullable<ScriptedAnswer['text']>): number {
  return Math.ceil((typeof said === 'string' ? said : said.join('')).length / 4);
}
