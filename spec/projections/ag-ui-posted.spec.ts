import { describe, expect, it } from '@jest/globals';
import { firstValueFrom, of } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Checkpoint } from '../../lib/index.ts';
import { toAgUi } from '../../lib/projections/ag-ui.ts';
import { agUiPosted } from '../../lib/projections/ag-ui-posted.ts';
import { approval } from '../support/hosted-runs.ts';

const { checkpoint } = approval();
const asked: string[] = [];
const suspended = (runId: string): Observable<Checkpoint | undefined> => {
  asked.push(runId);
  return of(runId === 'run' ? checkpoint : undefined);
};
const posted = (body: unknown) => firstValueFrom(agUiPosted(body, suspended, (input) => toAgUi({ input })));
const user = { id: 'm1', role: 'user', content: 'go' };
const said = (id: string) => ({ id, role: 'assistant', toolCalls: [{ id: 'c1', type: 'function', function: { name: 'remove', arguments: '{"n":1}' } }] });
const input = (more: object = {}) => ({ threadId: 't', runId: 'next', messages: [user], tools: [], context: [], ...more });
const resolved = { interruptId: 'q1', status: 'resolved', payload: { approved: true } };

describe('a body that an AG-UI client posts', () => {
  it.each([[undefined], [{ prompt: 'go', messages: [user] }], [{ messages: [{ role: 'user', content: [] }] }], [{ messages: [null] }]])('is none in the words of the door: %j', async (body) => {
    expect(await posted(body)).toBeUndefined();
  });

  it('is a new run, with the tools of the client in words that a log can keep', async () => {
    const tools = [{ name: 'look', description: 'Looks.', parameters: { type: 'object' } }, { name: 'ping', description: 'Pings.' }];
    expect(await posted(input({ tools, state: { a: 1 } }))).toMatchObject({
      body: { threadId: 't', runId: 'next', onRequest: 'suspend', clientTools: tools, state: { a: 1 }, messages: [{ role: 'user' }] }, isLost: false,
    });
  });

  it('goes on with the run of the last message of the assistant, not of a sub-agent', async () => {
    asked.length = 0;
    const nested = { id: 'child/text/1', role: 'assistant', content: 'Hm.', subagentRunId: 'child' };
    const one = await posted(input({ messages: [user, said('run/calls/c1'), nested], resume: [resolved] }));
    expect(asked).toEqual(['run']);
    expect(one).toMatchObject({ goesOn: { runId: 'run', answers: { q1: { type: 'approve' } } }, isLost: false });
  });

  it.each(['old/calls/c1', 'without'])('is lost where no such run is suspended: %s', async (id) => {
    expect(await posted(input({ messages: [user, said(id)], resume: [resolved] }))).toMatchObject({ isLost: true });
  });

  it('begins a new run with words of the user, and refuses them beside a decision', async () => {
    const messages = [user, said('run/calls/c1'), { id: 'm2', role: 'user', content: 'No.' }];
    const one = await posted(input({ messages, resume: [{ interruptId: 'q1', status: 'cancelled' }] }));
    expect(one?.goesOn).toBeUndefined();
    expect(one?.isLost).toBe(false);
    await expect(posted(input({ messages, resume: [resolved] }))).rejects.toThrow('send the answer first');
  });
});
