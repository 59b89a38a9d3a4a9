import { userMessage } from '../../lib/index.ts';
import type { ApprovalRequest, Checkpoint, LoopEvent, Outcome, ToolResult } from '../../lib/index.ts';
import { call, finish, text } from '../../marbles/index.ts';

// Runs with people, sub-agents and host events in them, as their grammar has them, written by hand.

const usage = { inputTokens: 10, outputTokens: 2 };
const outcome: Outcome = { reason: 'answer', completion: { text: '', toolCalls: [] }, messages: [], steps: [], usage };

/** Events of one run; those of a nested one have `parent`. */
export class Told {
  private readonly runId: string;
  private readonly nested: Pick<LoopEvent, 'parent'>;

  constructor(runId = 'run', parent?: LoopEvent['parent']) {
    this.runId = runId;
    this.nested = parent === undefined ? {} : { parent };
  }

  event(type: LoopEvent['type'], fields: object = {}): LoopEvent {
    return { type, runId: this.runId, ...this.nested, ...fields } as LoopEvent;
  }

  start = (fields: object = {}): LoopEvent => this.event('run-start', fields);
  step = (step: number, attempt = 1): LoopEvent => this.event('step-start', { step, attempt, model: 'm' });
  deltas = (step: number, ...deltas: readonly object[]): LoopEvent[] => deltas.map((delta) => this.event('delta', { step, delta }));
  end = (step: number, toolCalls = 0, fields: object = {}): LoopEvent =>
    this.event('step-end', { step, attempt: 1, usage, finish: toolCalls > 0 ? 'tool-use' : 'stop', toolCalls, ...fields });
  done = (more: Partial<Outcome> = {}): LoopEvent => this.event('done', { outcome: { ...outcome, ...more } });

  /** A step that asks for tools, up to its `tool-call`s. */
  asks(step: number, ...calls: readonly (readonly [id: string, name: string])[]): LoopEvent[] {
    const said = calls.flatMap(([id, name], index) => call(name, { n: 1 }, { id, index }));
    const tools = calls.map(([callId, name]) => this.event('tool-call', { step, callId, call: { id: callId, name, arguments: { n: 1 } } }));
    return [this.step(step), ...this.deltas(step, ...said, finish('tool-use')), this.end(step, calls.length), ...tools];
  }

  answers(step: number, words: string): LoopEvent[] {
    return [this.step(step), ...this.deltas(step, text(words, `b${step}`), finish('stop')), this.end(step), this.done({ completion: { text: words, toolCalls: [] } })];
  }

  begins = (step: number, id: string, name: string): LoopEvent =>
    this.event('tool-start', { step, callId: id, call: { id, name, arguments: { n: 1 } }, startedAt: 5, title: `Runs ${name}`, kind: 'execute' });

  result(step: number, id: string, name: string, fields: Partial<ToolResult> = {}): LoopEvent {
    const result = { callId: id, name, content: [{ type: 'text', text: `${name} is done` }], isError: false, ...fields };
    return this.event('tool-result', { step, callId: id, call: { id, name, arguments: { n: 1 } }, result, elapsedMs: 7 });
  }

  request = (id: string, kind: ApprovalRequest['kind'], callId: string, name: string): ApprovalRequest => ({
    id, kind, runId: this.runId, step: 0, callId, call: { id: callId, name, arguments: { n: 1 } },
    schema: { type: 'object', properties: { n: { type: 'number' } } }, reason: `May ${name} run?`,
  });

  asked({ runId, ...request }: ApprovalRequest): LoopEvent {
    return this.event('approval-request', request);
  }
}

/** A checkpoint that waits for these requests, and for those of nested runs. */
export function waiting(runId: string, requests: readonly ApprovalRequest[], nested?: { readonly callId: string; readonly checkpoint: Checkpoint }): Checkpoint {
  const calls = requests.map((request) => ({ call: request.call, request }));
  const inner = nested === undefined ? [] : [{ call: { id: nested.callId, name: 'helper', arguments: {} }, nested: nested.checkpoint }];
  const never = { key: '', count: 0 };
  return {
    version: 1, runId, messages: [userMessage('go')], input: 1, step: 0, attempt: 1, model: 0, steps: [], completion: { text: '', toolCalls: [] },
    counters: { calls: 1, toolCalls: 0, failures: 0, repairs: 0, invalidCalls: 0, corrections: 0, repeats: { text: never, calls: never }, warned: [], elapsedMs: 5 },
    ids: { calls: [], blocks: [] },
    batch: { turn: { role: 'assistant', content: [] }, announced: true, calls: [...calls, ...inner] },
  };
}

const run = new Told();

/** One call waits for a person, another for the client's own tool, a third has run. */
export const approval = (): { readonly events: LoopEvent[]; readonly checkpoint: Checkpoint } => {
  const requests = [run.request('q1', 'approval', 'c1', 'remove'), run.request('q2', 'result', 'c2', 'screenshot')];
  const checkpoint = waiting('run', requests);
  return {
    checkpoint,
    events: [
      run.start(), ...run.asks(0, ['c1', 'remove'], ['c2', 'screenshot'], ['c3', 'add']), ...requests.map((one) => run.asked(one)),
      run.begins(0, 'c3', 'add'), run.result(0, 'c3', 'add'), run.done({ reason: 'suspended', checkpoint }),
    ],
  };
};

/** What follows once the person has agreed and the client's tool has answered. */
export const approved = (): LoopEvent[] => [
  run.start({ resumed: true }), run.event('approval-answer', { step: 0, callId: 'c1', id: 'q1', kind: 'approval', answer: { type: 'approve' } }),
  run.begins(0, 'c1', 'remove'), run.result(0, 'c1', 'remove'), run.result(0, 'c2', 'screenshot'), ...run.answers(1, 'Removed.'),
];

/** Only the client's own tool is waited for. */
export const clientTool = (): { readonly events: LoopEvent[]; readonly checkpoint: Checkpoint } => {
  const request = run.request('q2', 'result', 'c2', 'screenshot');
  const checkpoint = waiting('run', [request]);
  return { checkpoint, events: [run.start(), ...run.asks(0, ['c2', 'screenshot']), run.asked(request), run.done({ reason: 'suspended', checkpoint })] };
};

/** A sub-agent with a sub-agent, both of which answer. */
export const nested = (): LoopEvent[] => {
  const child = new Told('child', { runId: 'run', callId: 'c1' });
  const inner = new Told('inner', { runId: 'child', callId: 'd1' });
  return [
    run.start(), ...run.asks(0, ['c1', 'helper']), run.begins(0, 'c1', 'helper'),
    child.start(), ...child.asks(0, ['d1', 'looker']), child.begins(0, 'd1', 'looker'),
    inner.start(), ...inner.answers(0, 'Seen.'), child.result(0, 'd1', 'looker'), ...child.answers(1, 'Helped.'),
    run.result(0, 'c1', 'helper'), ...run.answers(1, 'All done.'),
  ];
};

/** A sub-agent that breaks off in the middle of everything: only the error result of its call says so. */
export const nestedFailure = (): LoopEvent[] => {
  const child = new Told('child', { runId: 'run', callId: 'c1' });
  return [
    run.start(), ...run.asks(0, ['c1', 'helper']), run.begins(0, 'c1', 'helper'),
    child.start(), ...child.asks(0, ['d1', 'looker']), child.begins(0, 'd1', 'looker'), child.result(0, 'd1', 'looker'),
    child.step(1), ...child.deltas(1, text('Half an', 'x')),
    run.result(0, 'c1', 'helper', { isError: true, content: [{ type: 'text', text: 'secret' }], error: { kind: 'provider', message: 'secret', retryable: true } }),
    ...run.answers(1, 'It failed.'),
  ];
};

/** A sub-agent that waits for a person. */
export const nestedApproval = (): { readonly events: LoopEvent[]; readonly checkpoint: Checkpoint } => {
  const child = new Told('child', { runId: 'run', callId: 'c1' });
  const request = child.request('q1', 'approval', 'd1', 'remove');
  const inner = waiting('child', [request]);
  const checkpoint = waiting('run', [], { callId: 'c1', checkpoint: inner });
  return {
    checkpoint,
    events: [
      run.start(), ...run.asks(0, ['c1', 'helper']), run.begins(0, 'c1', 'helper'), child.start(), ...child.asks(0, ['d1', 'remove']), child.asked(request),
      run.done({ reason: 'suspended', checkpoint }),
    ],
  };
};

/** Everything that stands beside a conversation, and a step that a hook withdrew. */
export const beside = (): LoopEvent[] => [
  run.start(), run.event('status', { text: 'Thinking', data: { option: 'seed' } }),
  run.step(0), ...run.deltas(0, { type: 'reasoning', block: 'r0', text: 'Wrong thought' }, text('Wrong words', 'w0'), finish('stop')),
  run.event('step-retract', { step: 0, attempt: 1, reason: 'off topic', blocks: ['r0', 'w0'], callIds: [], usage, finish: 'stop' }),
  run.event('plan', { entries: [{ content: 'Look', status: 'in-progress' }, { content: 'Say', status: 'pending' }] }),
  run.event('title', { title: 'A talk' }), run.event('state', { patch: [{ op: 'add', path: '/seen', value: 1 }] }),
  run.step(0, 2), ...run.deltas(0, text('Right words', 'w1'), finish('stop')), run.end(0, 0, { attempt: 2 }),
  run.event('correction', { step: 0, cause: 'hook', count: 1, max: 2, reason: 'too short', message: userMessage('Say more.') }),
  run.event('compaction', { removed: 4, kept: 2, summary: [] }), run.event('steering', { messages: [userMessage('And hurry.')] }),
  run.event('custom', { name: 'chart', data: { points: 3 } }), run.event('plan', { entries: [{ content: 'Look', status: 'completed' }, { content: 'Say', status: 'completed' }] }),
  run.event('status', { text: '' }), ...run.answers(1, 'Enough.'),
];
