import { describe, expect, it } from '@jest/globals';
import { firstValueFrom, map, NEVER, of } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Checkpoint } from '../../lib/index.ts';
import { uiMessagesPosted } from '../../lib/projections/ui-messages-posted.ts';
import { approval } from '../support/hosted-runs.ts';

const { checkpoint } = approval();
const suspended = (runId: string): Observable<Checkpoint | undefined> => of(runId === 'run' ? checkpoint : undefined);
const posted = (body: unknown) => firstValueFrom(uiMessagesPosted(body, suspended, (messageId) => map((event) => `${messageId} ${event.type}`)));
const user = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'go' }] };
const decided = (id: string) => ({
  id, role: 'assistant',
  parts: [{ type: 'step-start' }, { type: 'dynamic-tool', toolName: 'remove', toolCallId: 'c1', state: 'approval-responded', input: { n: 1 }, approval: { id: 'q1', approved: true } }],
});
const chat = (...messages: readonly object[]) => ({ id: 'chat', trigger: 'submit-message', messages, plan: 'pro' });

describe('a body that a transport of the AI SDK posts', () => {
  it.each([[undefined], [{ prompt: 'go', messages: [user] }], [{ messages: [{ role: 'user', content: [] }] }], [{ messages: [null] }]])('is none in the words of the door: %j', async (body) => {
    expect(await posted(body)).toBeUndefined();
  });

  it('is a new run in the thread of the chat, with what its app adds', async () => {
    const one = await posted(chat(user));
    expect(one?.body).toEqual({ plan: 'pro', threadId: 'chat', onRequest: 'suspend', messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }] });
    expect(one).toMatchObject({ isLost: false });
  });

  it('goes on with the run that has the id of the message, whose start is said again', async () => {
    const one = await posted(chat(user, decided('run')));
    expect(one).toMatchObject({ goesOn: { runId: 'run', answers: { q1: { type: 'approve' } } }, isLost: false });
    expect(one && (await firstValueFrom(NEVER.pipe(one.encode)))).toBe('run run-start');
  });

  it('is lost where no such run is suspended', async () => {
    const one = await posted(chat(user, decided('old')));
    expect(one).toMatchObject({ isLost: true });
    expect(one && (await firstValueFrom(of({ type: 'title', runId: 'old', title: '' } as const).pipe(one.encode)))).toBe('old title');
  });
});
