import { describe, expect, it } from '@jest/globals';
import type { LoopEvent } from '../../lib/index.ts';
import { loopbackNotice } from '../../lib/projections/loopback-notice.ts';
import { correction, delta, fallback, retract, retry, start } from '../support/events.ts';

const request = (more: object): LoopEvent =>
  ({ type: 'approval-request', runId: 'run1', step: 0, callId: 'c', id: 'q', kind: 'approval', call: { id: 'c', name: 'rm', arguments: {} }, ...more }) as LoopEvent;

describe('loopbackNotice', () => {
  it.each<[string, LoopEvent, string | undefined]>([
    ['a retry', retry(0, 2), 'The model does not answer. Trying again in 5 ms (2 of 3).'],
    ['a fallback', fallback(0, 'a', 'b'), 'Going on with b.'],
    ['a retracted attempt', retract(0, 1), 'The answer is withdrawn, and begun anew.'],
    ['a broken answer', correction(0), 'The answer broke off. Asking again.'],
    ['an answer in a wrong form', correction(0, 1, { cause: 'output' }), 'The answer is not in the form that was asked for. Asking again.'],
    ['an answer that a hook sends back', correction(0, 1, { cause: 'hook' }), 'The answer is sent back. Asking again.'],
    ['a compaction', { type: 'compaction', runId: 'run1', removed: 3, kept: 1, summary: [] }, 'The conversation was shortened.'],
    ['a call that waits for approval', request({}), '"rm" waits for approval.'],
    ['a call of a tool of the client', request({ kind: 'result' }), 'The result of "rm" is awaited.'],
    ['a tool that asks', request({ kind: 'input' }), '"rm" asks for input.'],
    ['a request with a reason', request({ reason: 'It deletes files.' }), 'It deletes files.'],
    ['the start of a run', start(), undefined],
    ['a delta', delta(0, { type: 'text', block: 'b', text: 'hi' }), undefined],
  ])('has for %s a line, or none', (_name, event, line) => {
    expect(loopbackNotice(event)).toBe(line);
  });

  it('keeps the words of a provider out', () => {
    const secret = { reason: 'key sk-123' };
    for (const event of [retry(0, 1), fallback(0, 'a', 'b'), retract(0, 1), correction(0)]) {
      expect(loopbackNotice({ ...event, ...secret } as LoopEvent)).not.toContain('sk-123');
    }
  });
});
