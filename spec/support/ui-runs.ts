import { concat, NEVER, of, throwError, timer } from 'rxjs';
import type { Observable } from 'rxjs';
import { scripted } from '../../lib/deltas/scripted.ts';
import type { ScriptedTurn } from '../../lib/deltas/scripted.ts';
import { ModelError, toolLoop } from '../../lib/index.ts';
import type { Delta, LoopEvent, Outcome, ToolCall, ToolLoopOptions, ToolResult } from '../../lib/index.ts';
import { fakeTool } from '../../marbles/index.ts';

// Real runs that a chat is served, by name, and lists of events for what is seen of one event at a time.

const options = { prompt: 'go', runId: 'run1', ids: (kind: string) => `${kind}${(count += 1)}`, retry: { initialDelayMs: 1, jitter: 0 } };
let count = 0;

const add = fakeTool(of(3), { parallelSafe: true });
const mul = fakeTool(of(1, 6), { name: 'mul', parallelSafe: true });
const bad = fakeTool(throwError(() => new Error('The password is hunter2.')), { name: 'bad' });
const slow = fakeTool(NEVER, { name: 'slow' });

const run = (turns: readonly ScriptedTurn[], more: Partial<ToolLoopOptions> = {}): Observable<LoopEvent> =>
  toolLoop({ ...options, model: scripted(turns), tools: [add, mul, bad, slow], ...more } as ToolLoopOptions);

const broken = new ModelError('model-stream', 'The key sk-1 is out of order.', { retryable: true });
const calls = [{ name: 'add', arguments: { a: 1, b: 2 }, id: 'c1' }, { name: 'mul', arguments: { a: 2, b: 3 }, id: 'c2' }];

export const realRuns = {
  plain: () => run([{ text: ['Hello ', 'there.'], usage: { inputTokens: 3, outputTokens: 2 } }]),
  reasoning: () => run([[
    { type: 'reasoning', block: 'r', text: 'Let me ' }, { type: 'reasoning', block: 'r', text: 'see.', meta: { signature: 's1' } },
    { type: 'text', block: 't', text: 'Yes.' }, { type: 'opaque', block: 'o', data: 'sealed' },
    { type: 'source', url: 'https://example.test/a', title: 'A' }, { type: 'file', block: 'f', mediaType: 'text/plain', data: 'aGk=' }, { type: 'finish', reason: 'stop' },
  ]]),
  replaced: () => run([[
    { type: 'text', block: 't', text: 'So:' }, { type: 'reasoning', block: 'r', text: 'secret' }, { type: 'reasoning-replace', text: 'summary' },
    { type: 'text', block: 'u', text: 'Yes.' }, { type: 'finish', reason: 'stop' },
  ]]),
  tools: () => run([{ text: 'Adding.', calls }, { text: '3 and 6.' }]),
  failing: () => run([{ calls: [{ name: 'bad', id: 'c1' }, { name: 'nope', arguments: 'not json', id: 'c2' }] }, { text: 'Sorry.' }]),
  invalid: () => run([{ calls: [{ name: 'add', arguments: '{"a":', id: 'c1' }] }, { text: 'Sorry.' }]),
  retry: () => run([{ error: broken }, { text: 'Back.' }]),
  retract: () => run([{ text: 'Wrong', calls: calls.slice(0, 1), error: broken }, { text: 'Right.' }], { policy: { streamFailure: { retract: 1 } }, retry: { count: 0 } }),
  correction: () => run([{ text: 'Half', error: broken }, { text: 'Whole.' }], { retry: { count: 0 } }),
  cancel: () => run([{ text: 'Wait.', calls: [{ name: 'slow', id: 'c1' }] }], { abort$: timer(1), timeouts: { graceMs: 0 } }),
  error: () => run([{ text: 'Half', calls: calls.slice(0, 1), error: new ModelError('model-http', 'The key sk-1 is wrong.', { status: 401 }) }]),
  limit: () => run([{ calls }], { budget: { maxSteps: 1 } }),
} satisfies Record<string, () => Observable<LoopEvent>>;

/** Says that it works, and goes on until it is left. */
export const stoppable = (): Observable<LoopEvent> => run([concat(of<Delta>({ type: 'warning', text: 'Looking.' }), NEVER)]);

const runId = 'run1';
const said = { runId, step: 0 };
const outcome = (more: Partial<Outcome> = {}): Outcome =>
  ({ reason: 'answer', completion: { text: '', toolCalls: [] }, messages: [], steps: [], usage: { inputTokens: 5 }, ...more });
const done = (more?: Partial<Outcome>): LoopEvent => ({ type: 'done', runId, outcome: outcome(more) });
const callOf = (id: string, name: string, args: unknown): ToolCall => ({ id, name, arguments: args, rawArguments: JSON.stringify(args) });
const ok = (call: ToolCall, output: unknown): ToolResult =>
  ({ callId: call.id, name: call.name, content: [{ type: 'text', text: typeof output === 'string' ? output : JSON.stringify(output) }], isError: false, output });

/** A step that asks for these calls. */
export const asking = (step: number, ...made: readonly ToolCall[]): LoopEvent[] => [
  { type: 'step-start', runId, step, attempt: 1, model: 'm' },
  ...made.flatMap((call, index): LoopEvent[] => [
    { type: 'delta', runId, step, delta: { type: 'tool-call-start', index, id: call.id, name: call.name } },
    { type: 'delta', runId, step, delta: { type: 'tool-call-arguments', index, chunk: call.rawArguments ?? '' } },
    { type: 'delta', runId, step, delta: { type: 'tool-call-end', index, call } },
  ]),
  { type: 'step-end', runId, step, attempt: 1, usage: {}, finish: 'tool-use', toolCalls: made.length },
  ...made.map((call): LoopEvent => ({ type: 'tool-call', runId, step, callId: call.id, call })),
];

/** A step that answers. */
export const answering = (step: number, text: string): LoopEvent[] => [
  { type: 'step-start', runId, step, attempt: 1, model: 'm' },
  { type: 'delta', runId, step, delta: { type: 'text', block: `t${step}`, text } },
  { type: 'step-end', runId, step, attempt: 1, usage: {}, finish: 'stop', toolCalls: 0 },
];

/** A call that runs. */
export const running = (call: ToolCall, output: unknown, title?: string): LoopEvent[] => [
  { type: 'tool-start', ...said, callId: call.id, call, startedAt: 0, ...(title !== undefined && { title }) },
  { type: 'tool-commit', ...said, callId: call.id, call },
  { type: 'tool-result', ...said, callId: call.id, call, result: ok(call, output), elapsedMs: 1 },
];

export const refused = (call: ToolCall): LoopEvent => ({
  type: 'tool-result', ...said, callId: call.id, call, elapsedMs: 0,
  result: { callId: call.id, name: call.name, content: [{ type: 'text', text: 'No.' }], isError: true, error: { kind: 'refused', message: 'No.', retryable: false } },
});

const ask = callOf('c1', 'ask', { about: 'rx' });
const start: LoopEvent = { type: 'run-start', runId };

export const listed = {
  nested: [
    start, ...asking(0, ask), { type: 'tool-start', ...said, callId: 'c1', call: ask, startedAt: 0 },
    ...[{ type: 'run-start', runId: 'run2' } as const, ...answering(0, 'Rx is.'), done({ completion: { text: 'Rx is.', toolCalls: [] } })]
      .map((event): LoopEvent => ({ ...event, runId: 'run2', parent: { runId, callId: 'c1' } })),
    ...running(ask, 'Rx is.').slice(1), ...answering(1, 'It is.'), done(),
  ],
  host: [
    start, { type: 'status', runId, text: 'Looking.' }, { type: 'plan', runId, entries: [{ content: 'Look', status: 'pending' }] }, { type: 'title', runId, title: 'Rx' },
    { type: 'step-start', runId, step: 0, attempt: 1, model: 'm' }, { type: 'plan', runId, entries: [{ content: 'Look', status: 'completed' }] },
    { type: 'state', runId, patch: [{ op: 'add', path: '/seen', value: true }] }, { type: 'custom', runId, name: 'chart', data: { points: 2 } },
    { type: 'custom', runId, name: 'plan', data: 1 }, { type: 'status', runId, text: '' }, ...answering(0, 'Done.').slice(1), done(),
  ],
} satisfies Record<string, LoopEvent[]>;
