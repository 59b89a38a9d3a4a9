import { describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import { isLoopError, toolLoop, userMessage } from '../../lib/index.ts';
import type { LoopEvent, Model, RunError } from '../../lib/index.ts';
import { scripted } from '../../lib/deltas/scripted.ts';
import { fakeTool, finish, text, verifyEvents } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const add = fakeTool(of('3'));
const asking = () => scripted([{ calls: [{ name: 'add', arguments: { a: 1 } }] }, { text: 'three' }]);

function events(options: Parameters<typeof toolLoop>[0]): { seen: LoopEvent[]; error: RunError | undefined } {
  const seen: LoopEvent[] = [];
  let error: RunError | undefined;
  toolLoop(options as never).pipe(verifyEvents()).subscribe({ next: (event) => seen.push(event), error: (caught: RunError) => (error = caught) });
  return { seen, error };
}

describe('toolLoop', () => {
  it('says which run and which conversation it is', () => {
    const { seen } = events({ model: scripted([{ text: 'hi' }]), prompt: 'go', runId: 'r', threadId: 't' });
    expect(seen[0]).toEqual({ type: 'run-start', runId: 'r', threadId: 't' });
    expect(new Set(seen.map(({ runId }) => runId))).toEqual(new Set(['r']));
    expect(events({ model: scripted([{ text: 'hi' }]), prompt: 'go' }).seen[0]).not.toHaveProperty('threadId');
  });

  it('gives each subscriber a run of its own, with an id of its own', () => {
    const run$ = toolLoop({ model: scripted([{ text: 'a' }, { text: 'b' }]), prompt: 'go' });
    const runs: string[] = [];
    run$.subscribe(({ runId }) => runs.push(runId));
    run$.subscribe(({ runId }) => runs.push(runId));
    expect(new Set(runs).size).toBe(2);
  });

  it('asks the model with the whole conversation so far', () => {
    const model = asking();
    events({ model, prompt: 'go', system: 'Be brief.', tools: [add], messages: [userMessage('before')] });
    expect(model.requests.map(({ system, toolChoice, tools }) => [system, toolChoice, tools.map(({ name }) => name)])).toEqual([
      ['Be brief.', 'auto', ['add']],
      ['Be brief.', 'auto', ['add']],
    ]);
    expect(model.requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['user', 'user'],
      ['user', 'user', 'assistant', 'tool'],
    ]);
  });

  it('refuses a model without tools before its first call', () => {
    let asked = 0;
    const model: Model = { id: 'plain', provider: 'test', capabilities: [], stream: () => (asked++, of(text('hi', 'b'), finish('stop'))) };
    const { seen, error } = events({ model, prompt: 'go', tools: [add] });
    expect([asked, seen.map(({ type }) => type)]).toEqual([0, ['run-start']]);
    expect(error).toMatchObject({ code: 'unsupported', message: expect.stringContaining('test plain cannot call tools, but the run has some (add)') });
    expect(events({ model, prompt: 'go' }).error).toBeUndefined();
  });

  it('makes no call with a budget of 0, and N calls with one of N', () => {
    const none = asking();
    expect(events({ model: none, prompt: 'go', tools: [add], preset: 'strict', budget: { maxSteps: 0 } }).error).toMatchObject({ code: 'budget', run: { steps: [] } });
    expect(none.requests).toHaveLength(0);
    const one = asking();
    const { seen, error } = events({ model: one, prompt: 'go', tools: [add], preset: 'strict', budget: { maxSteps: 1 } });
    expect([one.requests.length, seen.at(-1)?.type]).toEqual([1, 'tool-result']);
    expect(error).toMatchObject({ cause: { budget: 'max-steps', limit: 1, used: 1 } });
    expect(events({ model: asking(), prompt: 'go', tools: [add], preset: 'strict', budget: { maxSteps: 2 } }).error).toBeUndefined();
  });

  it('ends with done where the policy stops at a budget, its transcript complete', () => {
    const { seen } = events({ model: asking(), prompt: 'go', tools: [add], budget: { maxSteps: 1 } });
    expect(seen.at(-1)).toMatchObject({ type: 'done', outcome: { reason: 'max-steps', messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }] } });
  });

  it('turns what a port throws into the failure of the run', () => {
    const ids = (): never => { throw new Error('no ids'); };
    const { error } = events({ model: scripted([[{ type: 'tool-call-start', index: 0, id: '', name: 'add' }]]), prompt: 'go', ids, runId: 'r' });
    expect(isLoopError(error)).toBe(true);
    expect(error).toMatchObject({ code: 'other', message: 'no ids' });
  });

  // prettier-ignore
  it('repeats a failed call while nothing was shown, then says it whole', loopMarbles(({ turn, script, time, expectEvents, expectSubscriptions }) => {
    const delay = time('---|');
    const turn1 = turn(' -#          ');
    const turn2 = turn('     -t-(z|) ');
    const events = '     -w---t-(zL|)';
    const model = script(turn1, turn2);

    expectEvents(toolLoop({ model, prompt: 'go', retry: { initialDelayMs: delay, jitter: 0 } })).toBe(events)
      .having('w', { count: 1, max: 3, attempt: 1, delayMs: delay, by: 'loop', reason: 'The stream broke.' });
    expectSubscriptions(turn1).toBe('^!');
    expectSubscriptions(turn2).toBe('----^--!');
  }));
});
