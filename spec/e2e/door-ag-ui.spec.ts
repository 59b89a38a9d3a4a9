import { buildResumeArray, HttpAgent } from '@ag-ui/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { foldState, historyOf, initialState } from '../../lib/index.ts';
import { fromAgUi } from '../../lib/projections/ag-ui.ts';
import { hear } from '../support/ag-ui-client.ts';
import type { Heard } from '../support/ag-ui-client.ts';
import { conversationOf } from '../support/conversation-of.ts';
import { doorSetups, openDoor } from './door-runs.ts';
import type { OpenDoor } from './door-runs.ts';

// The protocol's own client at the door: it posts its input to /runs, answers in its next input, and brings its own tools.

let door: OpenDoor;
beforeAll(async () => void (door = await openDoor()));
afterAll(() => door.close());

const SCREENSHOT = { name: 'screenshot', description: 'Takes a picture.', parameters: { type: 'object', properties: { n: { type: 'number' } } } };
let count = 0;
const agentOf = (thread: string): HttpAgent =>
  new HttpAgent({ url: `${door.url}?format=ag-ui`, threadId: thread, initialMessages: [{ id: 'm1', role: 'user', content: 'go' }], initialState: { kept: true } });
/** One request; the client makes an id for each. */
const ask = (agent: HttpAgent, more: Parameters<typeof hear>[1] = {}): Promise<Heard> => hear(agent, { runId: `asked-${(count += 1)}`, ...more });
const approved = { status: 'resolved' as const, payload: { approved: true } };
const resumeOf = (agent: HttpAgent) => buildResumeArray(agent.pendingInterrupts, Object.fromEntries(agent.pendingInterrupts.map(({ id }) => [id, approved])));

/** Asks, and answers whatever is asked, until the run has ended. */
async function finish(agent: HttpAgent, name: string): Promise<Heard> {
  const tools = name === 'client' ? [SCREENSHOT] : [];
  let heard = await ask(agent, { tools });
  const end = heard.events.at(-1);
  const pending = end?.type === 'RUN_FINISHED' && end.outcome?.type === 'success' ? (end.outcome.pendingToolCallIds ?? []) : [];
  for (const toolCallId of name === 'approval' ? ['c2'] : pending) agent.addMessage({ id: `of ${toolCallId}`, role: 'tool', toolCallId, content: 'there' });
  const isOpen = agent.pendingInterrupts.length > 0;
  if (isOpen || pending.length > 0) heard = await ask(agent, { tools, ...(isOpen && { resume: resumeOf(agent) }) });
  return heard;
}

const endings: Readonly<Record<string, object>> = {
  error: { type: 'RUN_ERROR', code: 'model-http', message: 'The run failed.' },
  cancel: { type: 'RUN_FINISHED', outcome: { type: 'cancelled' } },
};

describe('HttpAgent at the door', () => {
  it.each([...Object.keys(doorSetups), 'cancel'])('holds in the end the state and the conversation of the run "%s"', async (name) => {
    const heard = await finish(agentOf(name), name);
    expect(heard.warnings).toEqual([]);
    expect(heard.events[0]).toMatchObject({ type: 'RUN_STARTED', threadId: name, runId: `asked-${count}` });
    expect(heard.events.at(-1)).toMatchObject(endings[name] ?? { type: 'RUN_FINISHED', outcome: { type: 'success' } });
    expect(JSON.stringify(heard)).not.toContain('secret');
    if (name === 'error') return expect(heard.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'So far' });
    const events = await door.eventsOf(name);
    expect(heard.state).toEqual({ kept: true, ...(events.reduce(foldState, initialState()).shared as object) });
    const last = events.at(-1);
    // What the model is told of its own failure is not for the person.
    const corrections = new Set(events.flatMap((event) => (event.type === 'correction' ? [JSON.stringify(event.message)] : [])));
    const ours = last?.type === 'done' ? historyOf(last.outcome).filter((message) => !corrections.has(JSON.stringify(message))) : [];
    expect(conversationOf(fromAgUi({ threadId: 't', runId: 'r', messages: heard.messages }).messages)).toEqual(conversationOf(ours));
  });

  it('goes on with an approval in the same run, and hears nothing twice', async () => {
    const agent = agentOf('approval.once');
    const first = await ask(agent);
    expect(first.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'interrupt' } });
    const runId = door.runIdOf('approval.once');
    agent.addMessage({ id: 'shot', role: 'tool', toolCallId: 'c2', content: 'a picture' });
    const second = await ask(agent, { resume: resumeOf(agent) });
    expect(second.events.filter(({ type }) => type === 'TOOL_CALL_START')).toEqual([]);
    expect(second.events.flatMap((event) => (event.type === 'TOOL_CALL_RESULT' ? [event.toolCallId] : []))).toEqual(['c1']);
    expect(door.runIdOf('approval.once')).toBe(runId);
    expect((await door.eventsOf('approval.once')).filter(({ type }) => type === 'run-start')).toHaveLength(1);
  });

  it('is told that a decision came too late', async () => {
    const agent = agentOf('decision.twice');
    await ask(agent);
    const resume = resumeOf(agent);
    await ask(agent, { resume });
    agent.pendingInterrupts = [];
    await expect(ask(agent, { resume })).rejects.toThrow('No suspended run waits for this answer');
  });

  it('begins a new run when the user says something else than an answer', async () => {
    const agent = agentOf('decision.else');
    await ask(agent);
    const runId = door.runIdOf('decision.else');
    const resume = agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: 'cancelled' as const }));
    agent.addMessage({ id: 'm2', role: 'user', content: 'Stop that.' });
    const heard = await ask(agent, { resume });
    expect(door.runIdOf('decision.else')).not.toBe(runId);
    expect(heard.messages.find(({ id }) => id === 'm2')).toMatchObject({ content: 'Stop that.' });
  });

  it("is refused a tool that is the server's, and words beside a decision", async () => {
    await expect(ask(agentOf('plain.twice'), { tools: [{ ...SCREENSHOT, name: 'double' }] })).rejects.toThrow('There is a tool \\"double\\" already');
    const agent = agentOf('decision.words');
    await ask(agent);
    agent.addMessage({ id: 'm2', role: 'user', content: 'And then?' });
    await expect(ask(agent, { resume: resumeOf(agent) })).rejects.toThrow('send the answer first');
  });
});
