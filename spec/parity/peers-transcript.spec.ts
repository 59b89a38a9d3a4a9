import { describe, expect, it } from '@jest/globals';
import { defer, lastValueFrom, map, of, Subject, throwError, timer, VirtualTimeScheduler } from 'rxjs';
import type { Observable } from 'rxjs';
import * as z from 'zod';
import { completeToolLoop, defineTool, historyOf, openRequests, resumeToolLoop, toolLoop, toOutcome, userMessage } from '../../lib/index.ts';
import type { ApprovalAnswer, Checkpoint, Delta, Message, Outcome, Tool, ToolLoopOptions } from '../../lib/index.ts';
import { call, fakeTool, finish, script, text } from '../../marbles/index.ts';
import { play } from '../support/play.ts';
import { transcriptFaults } from '../support/valid-transcript.ts';

// What is left of a run that did not end as it should, and answers that come later. The numbers are those of docs/peers.md.

const prompt = 'go';
const answer = of(text('over', 'b'), finish('stop'));
const asks = (...names: string[]): Observable<Delta> => of(...names.flatMap((name, index) => call(name, {}, { id: name, index })), finish('tool-use'));
const tool = (name: string, ran: string[], traits: object = {}): Tool =>
  defineTool({ name, description: `Is ${name}.`, input: z.object({}), run: () => (ran.push(name), `did ${name}`), ...traits }) as Tool;
const complete = (options: ToolLoopOptions): Promise<Outcome> => lastValueFrom(completeToolLoop(options));

/** A run that waits for whom nobody asks: its outcome, and the same options for who goes on. */
async function suspendedAt(names: readonly string[], ran: string[], traits: object = { needsApproval: true }) {
  const tools = names.map((name) => tool(name, ran, traits));
  const outcome = await complete({ model: script(asks(...names)), tools, prompt });
  const checkpoint = JSON.parse(JSON.stringify(outcome.checkpoint)) as Checkpoint;
  const goOn = (answers: Record<string, ApprovalAnswer>, ...turns: Observable<Delta>[]) => {
    const model = script(...turns);
    return { model, ended: lastValueFrom(resumeToolLoop(checkpoint, answers, { model, tools }).pipe(toOutcome())) };
  };
  return { outcome, checkpoint, goOn, ids: openRequests(checkpoint).map(({ id }) => id) };
}

describe('a history', () => {
  it('has a result for a tool that threw, and the next request is a good one [#40]', async () => {
    const outcome = await complete({ model: script(asks('add'), answer), tools: [fakeTool(throwError(() => new Error('No.')))], prompt });
    expect(outcome.messages.at(-1)).toMatchObject({ role: 'tool', results: [{ callId: 'add', isError: true }] });
    expect(transcriptFaults(historyOf(outcome))).toEqual([]);
  });

  it('of a run that was stopped in a tool has its result, and goes on with the next prompt [#41] [#44] [#110]', async () => {
    const abort$ = new Subject<void>();
    const model = script(asks('add'));
    const stopping = defineTool({ name: 'add', description: 'Stops.', input: z.object({}), run: () => defer(() => (abort$.next(), new Subject<never>())) });
    const stopped = await complete({ model, tools: [stopping], prompt, abort$, timeouts: { graceMs: 0 } });
    expect(stopped.reason).toBe('aborted');

    const next = script(answer);
    const outcome = await complete({ model: next, tools: [stopping], messages: historyOf(stopped), prompt: 'and now?' });
    expect(outcome.reason).toBe('answer');
    expect(next.requests[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(transcriptFaults(next.requests[0]?.messages ?? [])).toEqual([]);
  });

  it('with arguments that are no JSON has an error result beside them, and the run goes on [#47]', async () => {
    const model = script(of(...call('add', '{"a": 1', { id: 'c', index: 0 }), finish('tool-use')), answer);
    expect((await complete({ model, tools: [tool('add', [])], prompt })).reason).toBe('answer');
    expect(transcriptFaults(model.requests[1]?.messages ?? [])).toEqual([]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', results: [{ callId: 'c', isError: true }] });
  });

  it('of a run that waits leaves the open turn out, so that the user may say something else [#49]', async () => {
    const { outcome } = await suspendedAt(['send'], []);
    expect(outcome.reason).toBe('suspended');
    const messages: readonly Message[] = [...historyOf(outcome), userMessage('Never mind.')];
    expect(transcriptFaults(messages)).toEqual([]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'user']);
  });

  it('is made shorter once at a time, and what is said meanwhile is kept [#46]', () => {
    const scheduler = new VirtualTimeScheduler();
    const steering$ = new Subject<string>();
    const lengths: number[] = [];
    const model = script(asks('add'), answer, answer);
    const compact = (messages: readonly Message[]) => {
      lengths.push(messages.length);
      if (lengths.length === 2) scheduler.schedule(() => steering$.next('and this'), 5);
      return timer(10, scheduler).pipe(map(() => messages));
    };
    const { events } = play(toolLoop({ model, tools: [tool('add', [])], prompt, steering$, compact, scheduler }));
    scheduler.flush();
    expect(lengths.slice(0, 2)).toEqual([1, 3]);
    expect(events.at(-1)).toMatchObject({ type: 'done', outcome: { reason: 'answer' } });
    expect(model.requests.at(-1)?.messages.at(-1)).toEqual(userMessage('and this'));
  });
});

describe('an answer', () => {
  it('after another one sends each output once [#43]', async () => {
    const ran: string[] = [];
    const first = await suspendedAt(['send'], ran);
    const tools = [tool('send', ran, { needsApproval: true })];
    const second = await first.goOn({ [first.ids[0] as string]: { type: 'approve' } }, of(...call('send', {}, { id: 'again', index: 0 }), finish('tool-use'))).ended;
    const checkpoint = second.checkpoint as Checkpoint;
    const model = script(answer);
    await lastValueFrom(resumeToolLoop(checkpoint, { [openRequests(checkpoint)[0]?.id as string]: { type: 'approve' } }, { model, tools }));
    const results = model.requests[0]?.messages.flatMap((message) => (message.role === 'tool' ? message.results.map(({ callId }) => callId) : []));
    expect([results, ran]).toEqual([['send', 'again'], ['send', 'send']]);
  });

  it('to a request that was never made is refused before anything runs [#50]', async () => {
    const ran: string[] = [];
    const { goOn } = await suspendedAt(['send'], ran);
    expect(() => goOn({ forged: { type: 'approve' } }, answer)).toThrow(/"forged" is for a request that is not open/);
    expect(ran).toEqual([]);
  });

  it('to one of several leaves the others open, whichever comes first [#52]', async () => {
    const ran: string[] = [];
    const { goOn, ids } = await suspendedAt(['send', 'pay'], ran);
    const half = await goOn({ [ids[1] as string]: { type: 'approve' } }).ended;
    expect([half.reason, openRequests(half.checkpoint as Checkpoint).map(({ callId }) => callId), ran]).toEqual(['suspended', ['send'], []]);
    const model = script(answer);
    const tools = ['send', 'pay'].map((name) => tool(name, ran, { needsApproval: true }));
    await lastValueFrom(resumeToolLoop(half.checkpoint as Checkpoint, { [ids[0] as string]: { type: 'decline' } }, { model, tools }));
    expect(ran).toEqual(['pay']);
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({ results: [{ callId: 'send', isError: true }, { callId: 'pay', isError: false }] });
  });

  it('goes to its own call, and what has run does not run again [#53]', async () => {
    const ran: string[] = [];
    const traits = { needsApproval: true, parallelSafe: true };
    const { goOn, ids } = await suspendedAt(['send', 'pay'], ran, traits);
    const half = await goOn({ [ids[1] as string]: { type: 'approve' } }).ended;
    expect(ran).toEqual(['pay']);
    const tools = ['send', 'pay'].map((name) => tool(name, ran, traits));
    await lastValueFrom(resumeToolLoop(JSON.parse(JSON.stringify(half.checkpoint)) as Checkpoint, { [ids[0] as string]: { type: 'approve' } }, { model: script(answer), tools }));
    expect(ran).toEqual(['pay', 'send']);
  });

  it('of a client is followed by one request, and no more [#106]', async () => {
    const { goOn, ids } = await suspendedAt(['look'], [], { runsOn: 'client' });
    const { model, ended } = goOn({ [ids[0] as string]: { type: 'result', content: 'seen' } }, answer);
    expect((await ended).reason).toBe('answer');
    expect(model.requests.length).toBe(1);
  });
});
