import { HttpAgent } from '@ag-ui/client';
import type { AbstractAgent } from '@ag-ui/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { concat, EMPTY, NEVER, of, Subject, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import * as z from 'zod';
import { defineTool, historyOf, ModelError, toolLoop } from '../../lib/index.ts';
import type { Delta, LoopEvent, Message, Tool, ToolLoopOptions } from '../../lib/index.ts';
import { scripted } from '../../lib/deltas/scripted.ts';
import type { ScriptedTurn } from '../../lib/deltas/scripted.ts';
import { fromAgUi, toAgUi } from '../../lib/projections/ag-ui.ts';
import type { AgUiEvent, AgUiInput, AgUiMessage } from '../../lib/projections/ag-ui.ts';
import { call, finish, reasoning, text } from '../../marbles/index.ts';
import { hear, InProcessAgent } from '../support/ag-ui-client.ts';
import type { Heard } from '../support/ag-ui-client.ts';
import { conversationOf } from '../support/conversation-of.ts';
import { closeServers, serve } from '../support/loopback.ts';
import { agUiServer } from './ag-ui-server.ts';

// Real runs, read by the protocol's own client, over HTTP and in the same process. It checks the order of every event.

const number = z.object({ n: z.number() });
const tools: readonly Tool[] = [
  defineTool({ name: 'double', description: 'Doubles.', input: number, parallelSafe: true, run: ({ n }) => 2 * n }),
  defineTool({ name: 'fail', description: 'Fails.', input: number, run: () => { throw new Error('secret path'); } }),
  defineTool({
    name: 'plan', description: 'Plans.', input: number,
    run: (_input, { plan }) => {
      plan([{ content: 'Look', status: 'in-progress' }]);
      plan([{ content: 'Look', status: 'completed' }]);
      return 'planned';
    },
  }),
];
const cut = new ModelError('model-transport', 'The stream broke at secret.', { retryable: true });
const busy = new ModelError('model-http', 'Busy: secret.', { status: 503, retryable: true });
const stop$ = new Subject<void>();
let leftModel = 0;

const runs: Readonly<Record<string, { readonly turns: readonly ScriptedTurn[]; readonly options?: Partial<ToolLoopOptions> }>> = {
  plain: { turns: [{ text: ['Hello ', 'you.'], usage: { inputTokens: 9, outputTokens: 2 } }] },
  reasoning: { turns: [[reasoning('Hm, ', 'r'), { type: 'reasoning', block: 'r', text: 'so.', meta: { signature: 's' } }, text('Yes.', 'b'), finish('stop')]] },
  parallel: { turns: [{ text: 'Let me see.', calls: [{ name: 'double', arguments: { n: 1 } }, { name: 'double', arguments: { n: 2 } }] }, { text: '2 and 4.' }] },
  failing: { turns: [{ calls: [{ name: 'fail', arguments: { n: 1 } }] }, { text: 'It failed.' }] },
  retry: { turns: [{ error: busy }, { text: 'At last.' }], options: { retry: { initialDelayMs: 1, jitter: 0 } } },
  retract: {
    turns: [[reasoning('Bad thought', 'r'), text('Bad words', 'b'), ...call('double', { n: 1 }, { id: 'c' }), { type: 'error', error: cut }], { text: 'Good words.' }],
    options: { policy: { streamFailure: { retract: 2 } }, retry: { initialDelayMs: 1, jitter: 0 } },
  },
  correction: { turns: [{ text: 'Half an', error: cut }, { text: 'A whole answer.' }] },
  // What was begun and cut is no call.
  dangling: { turns: [[text('Let me', 'b'), ...call('double', { n: 1 }, { id: 'c' }).slice(0, -1), finish('length')]] },
  error: { turns: [{ text: 'So far', error: new ModelError('model-http', 'No credit at secret.', { status: 402 }) }] },
  cancel: { turns: [concat(of<Delta>(text('I begin', 'b')), NEVER)], options: { abort$: stop$ } },
  title: { turns: [{ calls: [{ name: 'plan', arguments: { n: 1 } }] }, { text: 'All done.' }], options: { title: () => 'A talk' } },
  leave: { turns: [concat(of<Delta>(text('I begin', 'b')), NEVER).pipe(tap({ unsubscribe: () => (leftModel += 1) }))] },
  limit: { turns: [{ calls: [{ name: 'double', arguments: { n: 1 } }] }], options: { budget: { maxSteps: 1 }, policy: { budgetEnd: 'stop' } } },
};

/** What the served run came to, on this side. */
let kept: readonly Message[] = [];
const keep = tap<LoopEvent>({
  next: (event) => { if (event.type === 'done') kept = historyOf(event.outcome); },
  error: (error: { run: { messages: readonly Message[] } }) => (kept = error.run.messages),
});

const served = Object.fromEntries(
  Object.entries(runs).map(([name, { turns, options }]) => [
    name,
    (input: AgUiInput): Observable<LoopEvent> => {
      const { messages, threadId, runId } = fromAgUi(input);
      return toolLoop({ model: scripted(turns), messages, tools, threadId, runId, ...options }).pipe(keep);
    },
  ]),
);

let origin = '';
beforeAll(async () => void (origin = await serve(agUiServer(served))));
afterAll(closeServers);

const go: readonly AgUiMessage[] = [{ id: 'm1', role: 'user', content: 'go' }];
/** The protocol's own client over HTTP, and a class of one's own over a run in the same process. */
const makeAgent: Readonly<Record<string, (name: string) => AbstractAgent>> = {
  HttpAgent: (name) => new HttpAgent({ url: `${origin}/${name}`, threadId: 'thread', initialMessages: [...go] as never }),
  AbstractAgent: (name) => new InProcessAgent((input) => (served[name]?.(input) ?? EMPTY).pipe(toAgUi({ input })), go),
};
const typesOf = ({ events }: Heard): string[] => events.map(({ type }) => type).filter((type) => type !== 'TEXT_MESSAGE_CONTENT');
const of$ = <Type extends AgUiEvent['type']>({ events }: Heard, type: Type): Extract<AgUiEvent, { type: Type }>[] =>
  events.filter((event): event is Extract<AgUiEvent, { type: Type }> => event.type === type);
const again = (messages: readonly AgUiMessage[]): readonly Message[] =>
  fromAgUi({ threadId: 'thread', runId: 'next', messages: messages.filter(({ role }) => role !== 'activity') }).messages;

describe.each(Object.keys(makeAgent))('a run that is read by %s', (kind) => {
  const agentOf = (name: string): AbstractAgent => makeAgent[kind]?.(name) as AbstractAgent;
  const ask = (name: string): Promise<Heard> => {
    kept = [];
    return hear(agentOf(name));
  };

  it.each(Object.keys(runs).filter((name) => name !== 'cancel' && name !== 'leave' && name !== 'correction'))(
    'leaves its conversation with the client: %s',
    async (name) => {
      const heard = await ask(name);
      expect(heard.warnings).toEqual([]);
      expect(conversationOf(again(heard.messages))).toEqual(conversationOf(kept));
      expect(JSON.stringify(heard.events)).not.toContain('secret');
    },
  );

  it('brackets an answer', async () => {
    const heard = await ask('plain');
    expect(typesOf(heard)).toEqual(['RUN_STARTED', 'STEP_STARTED', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_END', 'STEP_FINISHED', 'RUN_FINISHED']);
    expect(heard.events.at(-1)).toEqual({
      type: 'RUN_FINISHED', threadId: 'thread', runId: 'asked', result: { reason: 'answer', text: 'Hello you.' }, outcome: { type: 'success' },
      usage: [{ model: 'scripted', inputTokens: 9, outputTokens: 2, totalTokens: 11 }],
    });
  });

  it('keeps reasoning and its seal apart from the text', async () => {
    const { messages } = await ask('reasoning');
    expect(messages.slice(1)).toMatchObject([
      { role: 'reasoning', content: 'Hm, so.', encryptedValue: '{"signature":"s"}' },
      { role: 'assistant', content: 'Yes.' },
    ]);
    expect(again(messages).at(-1)?.role).toBe('assistant');
  });

  it('has one message for a step and its parallel calls, and each result behind it', async () => {
    const { messages } = await ask('parallel');
    expect(messages.filter(({ role }) => role !== 'activity').map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant']);
    expect(messages[1]).toMatchObject({ content: 'Let me see.', toolCalls: [{ function: { arguments: '{"n":1}' } }, { function: { arguments: '{"n":2}' } }] });
  });

  it('says which result is a failure, and masks it', async () => {
    const [result] = of$(await ask('failing'), 'TOOL_CALL_RESULT');
    expect(result).toMatchObject({ content: 'The tool failed (other).', metadata: { isError: true, kind: 'other' } });
  });

  it('says that it tries again', async () => {
    const [retry] = of$(await ask('retry'), 'CUSTOM');
    expect(retry).toMatchObject({ name: 'retry', value: { step: 0, attempt: 1, count: 1, delayMs: 1 } });
    expect(JSON.stringify(retry)).not.toContain('Busy');
  });

  it('takes back what was withdrawn', async () => {
    const heard = await ask('retract');
    expect(JSON.stringify(heard.messages)).not.toContain('Bad');
    expect(of$(heard, 'MESSAGES_SNAPSHOT')).toHaveLength(1);
    // The only reasoning cannot be removed, only emptied.
    expect(heard.messages.map(({ role, content }) => [role, content])).toEqual([['user', 'go'], ['reasoning', ''], ['assistant', 'Good words.']]);
  });

  it('keeps a broken answer that the model was corrected for', async () => {
    const heard = await ask('correction');
    expect(heard.warnings).toEqual([]);
    expect(heard.messages.map(({ content }) => content)).toEqual(['go', 'Half an', 'A whole answer.']);
    expect(of$(heard, 'CUSTOM')).toMatchObject([{ name: 'correction', value: { step: 0, cause: 'stream', count: 1 } }]);
  });

  it('takes back a call that was cut', async () => {
    const { messages } = await ask('dangling');
    expect(messages).toMatchObject([{ content: 'go' }, { role: 'assistant', content: 'Let me' }]);
    expect(messages[1]).not.toHaveProperty('toolCalls');
  });

  it('ends a failed run with RUN_ERROR, its code and nothing of its text', async () => {
    const heard = await ask('error');
    expect(heard.events.at(-1)).toEqual({ type: 'RUN_ERROR', message: 'The run failed.', code: 'model-http' });
    expect(typesOf(heard).slice(-3)).toEqual(['TEXT_MESSAGE_END', 'STEP_FINISHED', 'RUN_ERROR']);
  });

  it('keeps the plan as an activity, and tells the title', async () => {
    const heard = await ask('title');
    expect(heard.messages.flatMap((one) => (one.role === 'activity' && one.activityType === 'PLAN' ? [one.content] : []))).toEqual([{ entries: [{ content: 'Look', status: 'completed' }] }]);
    expect(of$(heard, 'CUSTOM').map(({ name, value }) => [name, value])).toEqual([['session.title', { title: 'A talk' }]]);
  });

  it('ends a budget with success and its reason', async () => {
    expect((await ask('limit')).events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' }, result: { reason: 'max-steps' } });
  });

  it('ends a run that was stopped with the outcome cancelled', async () => {
    const agent = agentOf('cancel');
    agent.subscribe({ onTextMessageContentEvent: () => stop$.next() });
    const heard = await hear(agent);
    expect(heard.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
    expect(heard.messages.at(-1)).toMatchObject({ content: 'I begin' });
  });

  it('is left by a client that leaves', async () => {
    leftModel = 0;
    const agent = agentOf('leave');
    agent.subscribe({ onTextMessageContentEvent: () => agent.abortRun() });
    await hear(agent);
    const isLeft = async (): Promise<void> => { while (leftModel === 0) await new Promise((resolve) => setImmediate(resolve)); };
    await isLeft();
    expect(leftModel).toBe(1);
  });
});
