import { lastValueFrom, of, tap, VirtualTimeScheduler } from 'rxjs';
import { anthropic } from '../../lib/deltas/anthropic.ts';
import { openaiChat } from '../../lib/deltas/openai-chat.ts';
import { toolLoop } from '../../lib/index.ts';
import type { LoopEvent, Model, Outcome, RunError, ToolLoopOptions } from '../../lib/index.ts';
import { fakeTool, verifyEvents } from '../../marbles/index.ts';
import type { FakeTool } from '../../marbles/index.ts';
import { transcriptFaults } from '../support/valid-transcript.ts';
import type { FaultServer } from './fault-server.ts';

export interface WrittenCall {
  readonly id: string;
  /** In the pieces in which they are sent. */
  readonly input: readonly string[];
}

/** One wire, as its server writes it: each answer is a list of frames. */
export interface Wire {
  readonly name: string;
  readonly path: string;
  /** The header that holds the key. */
  readonly keyHeader: string;
  model(origin: string): Model;
  /** An answer in these pieces. */
  text(...pieces: readonly string[]): string[];
  /** Calls of the tool `add`, one after another, behind a word. */
  calls(...calls: readonly WrittenCall[]): string[];
  /** The same, a piece of each in turn. */
  interleaved(...calls: readonly WrittenCall[]): string[];
  /** An error in place of a frame. */
  errorFrame(type: string): string;
  /** An error as the body of a failure. */
  errorBody(type: string): string;
  /** A sign of life that says nothing. */
  readonly alive: string;
}

export const KEY = 'key-of-the-test-0123456789';
const add = { name: 'add' };

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'r1', model: 'test-model', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const chunkOfCall = (index: number, more: object, text: string): string =>
  chunk({ tool_calls: [{ index, ...more, function: { ...('id' in more && add), arguments: text } }] });
const chatEnd = (reason: string): string[] => [
  chunk({}, reason),
  `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } })}\n\n`,
  'data: [DONE]\n\n',
];

const openaiWire: Wire = {
  name: 'openai-chat',
  path: '/v1/chat/completions',
  keyHeader: 'authorization',
  alive: ': alive\n\n',
  model: (origin) => openaiChat({ model: 'test-model', baseUrl: `${origin}/v1`, apiKey: KEY }),
  text: (...pieces) => [chunk({ role: 'assistant', content: '' }), ...pieces.map((content) => chunk({ content })), ...chatEnd('stop')],
  calls: (...calls) => [
    chunk({ content: 'So' }),
    ...calls.flatMap(({ id, input }, index) => [chunkOfCall(index, { id, type: 'function' }, ''), ...input.map((piece) => chunkOfCall(index, {}, piece))]),
    ...chatEnd('tool_calls'),
  ],
  interleaved: (...calls) => [
    chunk({ content: 'So' }),
    ...calls.map(({ id }, index) => chunkOfCall(index, { id, type: 'function' }, '')),
    ...inTurn(calls).map(([index, piece]) => chunkOfCall(index, {}, piece)),
    ...chatEnd('tool_calls'),
  ],
  errorFrame: (type) => `data: ${openaiWire.errorBody(type)}\n\n`,
  errorBody: (type) => JSON.stringify({ error: { message: `It says ${type}.`, type, code: type } }),
};

const event = (data: { readonly type: string; readonly [field: string]: unknown }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const block = (index: number, start: object, pieces: readonly object[]): string[] => [
  event({ type: 'content_block_start', index, content_block: start }),
  ...pieces.map((delta) => event({ type: 'content_block_delta', index, delta })),
  event({ type: 'content_block_stop', index }),
];
const began = event({
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'test-model', content: [], usage: { input_tokens: 7, output_tokens: 1 } },
});
const textBlock = (index: number, ...pieces: readonly string[]): string[] =>
  block(index, { type: 'text', text: '' }, pieces.map((text) => ({ type: 'text_delta', text })));
const callBlock = (index: number, { id, input }: WrittenCall): string[] =>
  block(index, { type: 'tool_use', id, ...add, input: {} }, input.map((piece) => ({ type: 'input_json_delta', partial_json: piece })));
const ended = (reason: string): string[] => [
  event({ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 3 } }),
  event({ type: 'message_stop' }),
];

const anthropicWire: Wire = {
  name: 'anthropic',
  path: '/v1/messages',
  keyHeader: 'x-api-key',
  alive: event({ type: 'ping' }),
  model: (origin) => anthropic({ model: 'test-model', baseUrl: origin, apiKey: KEY }),
  text: (...pieces) => [began, ...textBlock(0, ...pieces), ...ended('end_turn')],
  calls: (...calls) => [began, ...textBlock(0, 'So'), ...calls.flatMap((call, at) => callBlock(at + 1, call)), ...ended('tool_use')],
  interleaved: (...calls) => {
    const blocks = calls.map((call, at) => callBlock(at + 1, call));
    const pieces = inTurn(calls.map((call, at) => ({ ...call, input: blocks[at]?.slice(1, -1) ?? [] })));
    const [starts, stops] = [blocks.map((frames) => frames[0] ?? ''), blocks.map((frames) => frames.at(-1) ?? '')];
    return [began, ...textBlock(0, 'So'), ...starts, ...pieces.map(([, frame]) => frame), ...stops, ...ended('tool_use')];
  },
  errorFrame: (type) => event({ type: 'error', error: { type, message: `It says ${type}.` } }),
  errorBody: (type) => JSON.stringify({ type: 'error', error: { type, message: `It says ${type}.` } }),
};

export const wires: readonly Wire[] = [openaiWire, anthropicWire];

function inTurn(calls: readonly WrittenCall[]): (readonly [index: number, piece: string])[] {
  const longest = Math.max(...calls.map(({ input }) => input.length));
  return Array.from({ length: longest }, (_, at) => at).flatMap((at) =>
    calls.flatMap(({ input }, index) => (input[at] === undefined ? [] : [[index, input[at]] as const])),
  );
}

/** All that came of one run. */
export interface Run {
  readonly events: readonly LoopEvent[];
  /** The events in words, adjacent deltas of one type as one, for comparing whole runs. */
  readonly story: readonly string[];
  /** Of an ending that is `done`. */
  readonly outcome: Outcome | undefined;
  readonly error: RunError | undefined;
  /** The tool `add`, which answers 5. */
  readonly add: FakeTool;
  /** What is wrong with the transcript; empty when nothing is. */
  readonly faults: readonly string[];
  /** Sockets that are still open, once the run is over. */
  readonly openSockets: number;
}

/** A clock for a run against a real server: it stands still but for `pass`, so that no limit depends on the machine. */
export function handClock(): { readonly scheduler: VirtualTimeScheduler; readonly pass: (ms: number) => void } {
  const scheduler = new VirtualTimeScheduler();
  const pass = (ms: number): void => {
    scheduler.maxFrames = scheduler.frame + ms;
    // The clock goes no further than what is due.
    scheduler.schedule(() => undefined, ms);
    scheduler.flush();
  };
  return { scheduler, pass };
}

const QUICK = { retry: { initialDelayMs: 1, maxDelayMs: 5, jitter: 0 } };

/**
 * Runs the loop against a fault server, with the default preset but short waits. A run that breaks the grammar of events
 * rejects.
 *
 * @param onEvent - sees each event
 */
export async function runAgainst(server: FaultServer, wire: Wire, options: Partial<ToolLoopOptions> = {}, onEvent: (event: LoopEvent) => void = () => undefined): Promise<Run> {
  const tool = fakeTool(of(5));
  const events: LoopEvent[] = [];
  const { retry, ...rest } = options;
  const run$ = toolLoop({ model: wire.model(server.origin), prompt: 'go', tools: [tool], ...rest, retry: { ...QUICK.retry, ...retry } });
  const failed = await lastValueFrom(run$.pipe(verifyEvents(), tap((said) => events.push(said)), tap(onEvent))).then(
    () => undefined,
    (error: RunError) => {
      if (error.run === undefined) throw error;
      return error;
    },
  );
  const last = events.at(-1);
  const outcome = last?.type === 'done' ? last.outcome : undefined;
  const messages = failed?.run.messages ?? [...(outcome?.messages ?? []), ...(outcome?.answer ? [outcome.answer] : [])];
  return { events, story: story(events, failed), outcome, error: failed, add: tool, faults: transcriptFaults(messages), openSockets: await server.quiet() };
}

function story(events: readonly LoopEvent[], error: RunError | undefined): string[] {
  const words = [...events.map(wordOf), ...(error ? [`error ${error.code}`] : [])].filter((word) => word !== '');
  return words.filter((word, at) => word !== words[at - 1] || !DELTAS.has(word));
}

const DELTAS = new Set(['text', 'call']);

function wordOf(said: LoopEvent): string {
  switch (said.type) {
    case 'delta': {
      if (said.delta.type === 'text') return 'text';
      return said.delta.type.startsWith('tool-call') ? 'call' : '';
    }
    case 'step-start':
      return `step ${said.step}`;
    case 'step-end':
      return `end ${said.finish}`;
    case 'retry':
      return `retry ${said.count}/${said.max}`;
    case 'correction':
      return `correction ${said.count}/${said.max}`;
    case 'tool-result':
      return said.result.isError ? `failed ${said.result.error?.kind}` : 'result';
    case 'done':
      return `done ${said.outcome.reason}`;
    case 'run-start':
      return '';
    default:
      return said.type;
  }
}
