import { buildResumeArray, HttpAgent } from '@ag-ui/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { from } from 'rxjs';
import type { Checkpoint, LoopEvent } from '../../lib/index.ts';
import { fromAgUi } from '../../lib/projections/ag-ui.ts';
import type { AgUiAsked, AgUiEvent, AgUiInput, AgUiMessage } from '../../lib/projections/ag-ui.ts';
import { hear } from '../support/ag-ui-client.ts';
import type { Heard } from '../support/ag-ui-client.ts';
import { approval, approved, beside, clientTool, nested, nestedApproval, nestedFailure } from '../support/hosted-runs.ts';
import { closeServers, serve } from '../support/loopback.ts';
import { agUiServer } from './ag-ui-server.ts';

// People, clients with tools of their own, sub-agents and host events, over HTTP to the protocol's own client.

let checkpoint: Checkpoint | undefined;
let asked: AgUiAsked | undefined;

/** Suspends, and goes on where the input answers; any input that is wrong is refused with status 400. */
const suspending = (first: { readonly events: LoopEvent[]; readonly checkpoint: Checkpoint }) => (input: AgUiInput) => {
  asked = fromAgUi(input, { checkpoint });
  if (checkpoint !== undefined && asked.answers !== undefined) return from(approved());
  ({ checkpoint } = first);
  return from(first.events);
};

let origin = '';
beforeAll(async () => {
  origin = await serve(agUiServer({
    approval: suspending(approval()), client: suspending(clientTool()), nestedApproval: suspending(nestedApproval()),
    nested: () => from(nested()), nestedFailure: () => from(nestedFailure()), beside: () => from(beside()),
  }));
});
afterAll(closeServers);

const agentOf = (name: string): HttpAgent => {
  checkpoint = undefined;
  return new HttpAgent({ url: `${origin}/${name}`, threadId: 'thread', initialMessages: [{ id: 'm1', role: 'user', content: 'go' }], initialState: { kept: true } });
};
const ofType = <Type extends AgUiEvent['type']>({ events }: Heard, type: Type): Extract<AgUiEvent, { type: Type }>[] =>
  events.filter((event): event is Extract<AgUiEvent, { type: Type }> => event.type === type);
const rolesOf = (messages: readonly AgUiMessage[]): string[] => messages.map(({ role }) => role).filter((role) => role !== 'activity');
const activityOf = (messages: readonly AgUiMessage[], type: string): unknown =>
  messages.flatMap((one) => (one.role === 'activity' && one.activityType === type ? [one.content] : []));

describe('a run that waits for a person', () => {
  it('ends in an interrupt, with the state and the messages said right before', async () => {
    const agent = agentOf('approval');
    const heard = await hear(agent);
    expect(heard.warnings).toEqual([]);
    expect(heard.events.slice(-3).map(({ type }) => type)).toEqual(['STATE_SNAPSHOT', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED']);
    expect(heard.state).toEqual({ kept: true });
    expect(agent.pendingInterrupts).toEqual([{
      id: 'q1', reason: 'tool_call', message: 'May remove run?', toolCallId: 'c1', metadata: { toolName: 'remove', arguments: { n: 1 } },
      responseSchema: {
        type: 'object', required: ['approved'],
        properties: { approved: { type: 'boolean' }, editedArgs: { type: 'object', properties: { n: { type: 'number' } } }, reason: { type: 'string' } },
      },
    }]);
    expect(rolesOf(heard.messages)).toEqual(['user', 'assistant', 'tool']);
  });

  it('goes on with the answers, and repeats nothing', async () => {
    const agent = agentOf('approval');
    await hear(agent);
    agent.addMessage({ id: 'shot', role: 'tool', toolCallId: 'c2', content: 'a picture' });
    const resume = buildResumeArray(agent.pendingInterrupts, { q1: { status: 'resolved', payload: { approved: true, editedArgs: { n: 2 } } } });
    const heard = await hear(agent, { resume });
    expect(asked?.answers).toEqual({
      q1: { type: 'approve', arguments: { n: 2 } },
      q2: { type: 'result', content: [{ type: 'text', text: 'a picture' }], isError: false },
    });
    expect(heard.warnings).toEqual([]);
    expect(ofType(heard, 'TOOL_CALL_START')).toEqual([]);
    expect(ofType(heard, 'TOOL_CALL_RESULT').map(({ toolCallId }) => toolCallId)).toEqual(['c1', 'c2']);
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
    expect(ofType(heard, 'SUBAGENT_FINISHED')).toMatchObject([{ subagentRunId: 'child', outcome: { type: 'suspended', interruptIds: ['q1'] } }]);
    expect(agent.pendingInterrupts).toMatchObject([{ id: 'q1', toolCallId: 'd1', subagentRunId: 'child' }]);
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
    expect(asked?.answers).toEqual({ q2: { type: 'result', content: [{ type: 'text', text: 'no camera' }], isError: true } });
    expect(asked?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });
});

describe('a run with sub-agents', () => {
  it('tells each as one, with its own name, caller and messages', async () => {
    const heard = await hear(agentOf('nested'));
    expect(heard.warnings).toEqual([]);
    expect(ofType(heard, 'SUBAGENT_STARTED')).toEqual([
      { type: 'SUBAGENT_STARTED', subagentRunId: 'child', name: 'helper', parentToolCallId: 'c1' },
      { type: 'SUBAGENT_STARTED', subagentRunId: 'inner', name: 'looker', parentSubagentRunId: 'child', parentToolCallId: 'd1' },
    ]);
    expect(ofType(heard, 'SUBAGENT_FINISHED').map(({ subagentRunId, result }) => [subagentRunId, result])).toEqual([
      ['inner', { reason: 'answer', text: 'Seen.' }], ['child', { reason: 'answer', text: 'Helped.' }],
    ]);
    const text = heard.messages.flatMap((one) => (one.role === 'assistant' && one.content !== undefined ? [`${one.subagentRunId ?? 'run'}: ${one.content}`] : []));
    expect(text.sort()).toEqual(['child: Helped.', 'inner: Seen.', 'run: All done.']);
    // The next input is about the run's own conversation.
    expect(fromAgUi({ threadId: 't', runId: 'r', messages: heard.messages }).messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(heard.events.at(-1)).toMatchObject({ usage: [{ model: 'm', inputTokens: 50, outputTokens: 10 }] });
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
      ['session.title', { title: 'A talk' }],
      ['correction', { step: 0, cause: 'hook', count: 1, max: 2 }],
      ['compaction', { removed: 4, kept: 2 }],
      ['chart', { points: 3 }],
    ]);
    expect(heard.messages.flatMap((one) => (one.role === 'activity' || one.content === '' ? [] : [[one.role, one.content]]))).toEqual([
      ['user', 'go'], ['assistant', 'Right words'], ['user', 'And hurry.'], ['assistant', 'Enough.'],
    ]);
  });
});
