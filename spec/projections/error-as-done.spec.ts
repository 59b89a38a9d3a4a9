import { describe, expect, it } from '@jest/globals';
import { concat, of, throwError } from 'rxjs';
import { errorAsDone, ModelError, RunError, toolLoop } from '../../lib/index.ts';
import type { LoopEvent, RunRecord } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const record: RunRecord = { runId: 'r', steps: [], usage: { inputTokens: 3 }, messages: [], completion: { text: 'so far', toolCalls: [] } };
const failing = (error: unknown): unknown[] => {
  const seen: unknown[] = [];
  concat(of<LoopEvent>({ type: 'run-start', runId: 'r' }), throwError(() => error))
    .pipe(errorAsDone())
    .subscribe({ next: (event) => seen.push(event), error: (caught: unknown) => seen.push(caught), complete: () => seen.push('complete') });
  return seen;
};

describe('errorAsDone', () => {
  it('turns a failed run into a done with what it had come to', () => {
    const cause = new ModelError('model-http', 'The provider answered 503.', { status: 503, retryable: true });
    expect(failing(new RunError(cause, record))[1]).toEqual({
      type: 'done',
      runId: 'r',
      outcome: {
        reason: 'error',
        completion: { text: 'so far', toolCalls: [] },
        messages: [],
        steps: [],
        usage: { inputTokens: 3 },
        error: { code: 'model-http', message: 'The provider answered 503.', retryable: true, status: 503 },
      },
    });
  });

  it('completes after it', () => {
    expect(failing(new RunError(new Error('x'), record)).at(-1)).toBe('complete');
  });

  it('masks an error that is not from here', () => {
    expect(failing(new RunError(new Error('key sk-123'), record))[1]).toMatchObject({ outcome: { error: { code: 'other', message: 'The run failed.', retryable: false } } });
  });

  it('passes on what is no failure of a run', () => {
    const error = new Error('an operator threw');
    expect(failing(error)[1]).toBe(error);
    const misuse = new ModelError('model-http', 'x');
    expect(failing(misuse)[1]).toBe(misuse);
  });

  // prettier-ignore
  it('ends a drawn run with done instead of an error', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('-t-#');
    const events = '    -t-(L|)';

    const events$ = toolLoop({ model: script(turn1), prompt: 'go', preset: 'strict' }).pipe(errorAsDone());

    expectEvents(events$).toBe(events).having('L', { outcome: { reason: 'error', error: { code: 'model-transport' } } });
    expectSubscriptions(turn1).toBe('^--!');
  }));

  it('leaves a run that ends well alone', loopMarbles(({ turn, script, expectEvents }) => {
    expectEvents(toolLoop({ model: script(turn('-t-(z|)')), prompt: 'go' }).pipe(errorAsDone())).toBe('-t-(zL|)');
  }));
});
