import { buildResumeArray, HttpAgent } from '@ag-ui/client';
import type { AbstractAgent } from '@ag-ui/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { foldState, historyOf, initialState } from '../../lib/index.ts';

import { fromAgUi, toAgUi } from '../../lib/projections/ag-ui.ts';
import type { AgUiAsked, AgUiEvent, AgUiInput, AgUiMessage } from '../../lib/projections/ag-ui.ts';
import { hear, InProcessAgent } from '../support/ag-ui-client.ts';
import type { Heard } from '../support/ag-ui-client.ts';
import { conversationOf } from '../support/conversation-of.ts';
import { closeServers, serve } from '../support/loopback.ts';
import { agUiServer } from './ag-ui-server.ts';
import { hostedRuns, HostedSession } from './hosted-session.ts';
import type { HostedName } from './hosted-session.ts';

// People, clients with tools of their own, sub-agents and host events, over HTTP to the protocol's own client.

let asked: AgUiAsked | undefined;
let session = new HostedSession('approval');

/** Suspends, and goes on where the input answers; any input that is wrong is refused with status 400. */
const served = (input: AgUiInput) => {
  asked = fromAgUi(input, { checkpoint: session.checkpoint });
  return session.ask(asked);
};

let origin = '';
beforeAll(async () => {
  origin = await serve(agUiServer(Object.fromEntries(Object.keys(hostedRuns).map((name) => [name, served]))));
});
afterAll(closeServers);

/** The protocol's own client over HTTP, and a class of one's own over a run in the same process. */
const makeAgent: Readonly<Record<string, (name: string, messages: readonly AgUiMessage[], state: object) => AbstractAgent>> = {
  HttpAgent: (name, messages, initialState) => new HttpAgent({ url: `${origin}/${name}`, threadId: 'thread', initialMessages: [...messages] as never, initialState }),
  AbstractAgent: (_name, messages, state) => new InProcessAgent((input) => served(input).pipe(toAgUi({ input })), messages, state),
};
const ofType = <Type extends AgUiEvent['type']>({ events }: Heard, type: Type): Extract<AgUiEvent, { type: Type }>[] =>
  events.filter((event): event is Extract<AgUiEvent, { type: Type }> => event.type === type);
const rolesOf = (messages: readonly AgUiMessage[]): string[] => messages.map(({ role }) => role).filter((role) => role !== 'activity');
const activityOf = (messages: readonly AgUiMessage[], type: string): unknown =>
  messages.flatMap((one) => (one.role === 'activity' && one.activityType === type ? [one.content] : []));

describe.each(Object.keys(makeAgent))('%s', (kind) => {
  const agentOf = (name: HostedName): AbstractAgent => {
    session = new HostedSession(name);
    return makeAgent[kind]?.(name, [{ id: 'm1', role: 'user', content: 'go' }], { kept: true }) as AbstractAgent;
  };

  describe('a run that waits for a person', () => {
    it('ends in an interrupt, with the state and the messages said right before', async () => {
      const agent = agentOf('approval');
      const heard = await hear(agent);
      expect(heard.warnings).toEqual([]);
      expect(heard.events.slice(-3).map(({ type }) => type)).toEqual(['STATE_SNAPSHOT', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED']);
      expect(heard.state).toEqual({ kept: true });
      expect(agent.pendingInterrupts).toEqual([{
        id: 'request-1', reason: 'tool_call', toolCallId: 'c1', metadata: { toolName: 'remove', arguments: { n: 1 } },
        responseSchema: {
          type: 'object', required: ['approved'],
          properties: { approved: { type: 'boolean' }, editedArgs: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }, reason: { type: 'string' } },
        },
      }]);
      expect(rolesOf(heard.messages)).toEqual(['user', 'assistant', 'tool']);
    });

    it('goes on with the answers, and repeats nothing', async () => {
      const agent = agentOf('approval');
      await hear(agent);
      agent.addMessage({ id: 'shot', role: 'tool', toolCallId: 'c2', content: 'a picture' });
      const resume = buildResumeArray(agent.pendingInterrupts, { 'request-1': { status: 'resolved', payload: { approved: true, editedArgs: { n: 2 } } } });
      const heard = await hear(agent, { resume });
      expect(asked?.answers).toEqual({
        'request-1': { type: 'approve', arguments: { n: 2 } },
        'request-2': { type: 'result', content: [{ type: 'text', text: 'a picture' }], isError: false },
      });
      expect(heard.warnings).toEqual([]);
      expect(ofType(heard, 'TOOL_CALL_START')).toEqual([]);
      expect(ofType(heard, 'TOOL_CALL_RESULT').map(({ toolCallId }) => toolCallId)).toEqual(['c1']);
      expect(heard.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
      expect(agent.pendingInterrupts).toEqual([]);
    });

    it('is not resumed by an answer to something else', async () => {
      const agent = agentOf('approval');
      await hear(agent);
      agent.pendingInterrupts = [];
      await expect(hear(agent, { resume: [{ interruptId: 'old', status: 'cancelled' }] })).rejects.toThrow('input.resume[0].interruptId is "old"');
    });

    it('names the sub-agent whose call it is', async () => {
      const agent = agentOf('nestedApproval');
      const heard = await hear(agent);
      expect(heard.warnings).toEqual([]);
      expect(ofType(heard, 'SUBAGENT_FINISHED')).toMatchObject([{ subagentRunId: 'run-1', outcome: { type: 'suspended', interruptIds: ['request-1'] } }]);
      expect(agent.pendingInterrupts).toMatchObject([{ id: 'request-1', toolCallId: 'd1', subagentRunId: 'run-1' }]);

      const resumed = await hear(agent, { resume: buildResumeArray(agent.pendingInterrupts, { 'request-1': { status: 'resolved', payload: { approved: true } } }) });
      expect(resumed.warnings).toEqual([]);
      expect(ofType(resumed, 'SUBAGENT_FINISHED')).toMatchObject([{ subagentRunId: 'run-1', outcome: { type: 'success' } }]);
      expect(activityOf(resumed.messages, 'TOOL')).toMatchObject([{ toolName: 'helper', status: 'done' }, { toolName: 'remove', status: 'done' }]);
    });
  });

  describe("a run that calls a client's own tool", () => {
    it('succeeds, names the call, and goes on with its result', async () => {
      const agent = agentOf('client');
      const tool = { name: 'screenshot', description: 'Takes a picture.', parameters: { type: 'object', properties: { n: { type: 'number' } } } };
      const heard = await hear(agent, { tools: [tool] });
      expect(heard.warnings).toEqual([]);
      expect(asked?.tools).toMatchObject([{ name: 'screenshot', runsOn: 'client', parameters: tool.parameters }]);
      expect(heard.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success', pendingToolCallIds: ['c2'] } });

      agent.addMessage({ id: 'shot', role: 'tool', toolCallId: 'c2', content: 'no camera', error: 'no camera' });
      await hear(agent, { tools: [tool] });
      expect(asked?.answers).toEqual({ 'request-1': { type: 'result', content: [{ type: 'text', text: 'no camera' }], isError: true } });
      expect(asked?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    });
  });

  describe('a run with sub-agents', () => {
    it('tells each as one, with its own name, caller and messages', async () => {
      const heard = await hear(agentOf('nested'));
      expect(heard.warnings).toEqual([]);
      expect(ofType(heard, 'SUBAGENT_STARTED')).toEqual([
        { type: 'SUBAGENT_STARTED', subagentRunId: 'run-1', name: 'helper', parentToolCallId: 'c1' },
        { type: 'SUBAGENT_STARTED', subagentRunId: 'run-2', name: 'looker', parentSubagentRunId: 'run-1', parentToolCallId: 'd1' },
      ]);
      expect(ofType(heard, 'SUBAGENT_FINISHED').map(({ subagentRunId, result }) => [subagentRunId, result])).toEqual([
        ['run-2', { reason: 'answer', text: 'Seen.' }], ['run-1', { reason: 'answer', text: 'Helped.' }],
      ]);
      const text = heard.messages.flatMap((one) => (one.role === 'assistant' && one.content !== undefined ? [`${one.subagentRunId ?? 'run'}: ${one.content}`] : []));
      expect(text.sort()).toEqual(['run-1: Helped.', 'run-2: Seen.', 'run: All done.']);
      // The next input is about the run's own conversation.
      expect(fromAgUi({ threadId: 't', runId: 'r', messages: heard.messages }).messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
      expect(heard.events.at(-1)).toMatchObject({ usage: [{ model: 'scripted', inputTokens: 50, outputTokens: 10 }] });
    });

    it('closes one that broke off before the result that says so, and masks why', async () => {
      const heard = await hear(agentOf('nestedFailure'));
      expect(heard.warnings).toEqual([]);
      const types = heard.events.map(({ type }) => type);
      expect(types.slice(types.indexOf('SUBAGENT_ERROR') - 2, types.indexOf('SUBAGENT_ERROR') + 3)).toEqual([
        'TEXT_MESSAGE_END', 'STEP_FINISHED', 'SUBAGENT_ERROR', 'ACTIVITY_SNAPSHOT', 'TOOL_CALL_RESULT',
      ]);
      expect(JSON.stringify(heard.events)).not.toContain('secret');
    });
  });

  describe('what stands beside a conversation', () => {
    it('arrives as activities, state and custom events', async () => {
      const heard = await hear(agentOf('beside'));
      expect(heard.warnings).toEqual([]);
      expect(activityOf(heard.messages, 'STATUS')).toEqual([{ text: '' }]);
      expect(activityOf(heard.messages, 'PLAN')).toEqual([{ entries: [{ content: 'Look', status: 'completed' }, { content: 'Say', status: 'completed' }] }]);
      expect(heard.state).toEqual({ kept: true, seen: 1 });
      expect(ofType(heard, 'CUSTOM').map(({ name, value }) => [name, value])).toEqual([
        ['correction', { step: 0, cause: 'hook', count: 1, max: 10 }],
        ['chart', { points: 3 }],
        ['compaction', { removed: 5, kept: 1 }],
        ['session.title', { title: 'A talk' }],
      ]);
      expect(heard.messages.flatMap((one) => (one.role === 'activity' || one.content === '' ? [] : [[one.role, one.content]]))).toEqual([
        ['user', 'go'], ['assistant', 'Right words'], ['assistant', 'More.'], ['tool', 'worked'], ['user', 'And hurry.'], ['assistant', 'Enough.'],
      ]);
    });
  });

  it.each(Object.keys(hostedRuns) as HostedName[])('holds in the end the state and the conversation of the run "%s"', async (name) => {
    const agent = agentOf(name);
    let heard = await hear(agent);
    if (agent.pendingInterrupts.length > 0) {
      const answers = Object.fromEntries(agent.pendingInterrupts.map(({ id }) => [id, { status: 'resolved' as const, payload: { approved: true } }]));
      if (name === 'approval') agent.addMessage({ id: 'shot', role: 'tool', toolCallId: 'c2', content: 'a picture' });
      heard = await hear(agent, { resume: buildResumeArray(agent.pendingInterrupts, answers) });
    }
    const end = heard.events.at(-1);
    if (end?.type === 'RUN_FINISHED' && end.outcome?.type === 'success' && end.outcome.pendingToolCallIds !== undefined) {
      for (const toolCallId of end.outcome.pendingToolCallIds) agent.addMessage({ id: `of ${toolCallId}`, role: 'tool', toolCallId, content: 'there' });
      heard = await hear(agent);
    }
    expect(heard.warnings).toEqual([]);
    const { events } = session;
    expect(heard.state).toEqual({ kept: true, ...(events.reduce(foldState, initialState()).shared as object) });
    // A shorter transcript is the model's: the person's conversation stays.
    if (events.some(({ type }) => type === 'compaction')) return;
    const last = events.at(-1);
    const ours = last?.type === 'done' ? historyOf(last.outcome) : [];
    expect(conversationOf(fromAgUi({ threadId: 't', runId: 'r', messages: heard.messages }).messages)).toEqual(conversationOf(ours));
  });
});
