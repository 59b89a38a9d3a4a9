import { describe, expect, it } from '@jest/globals';
import { ofHook, ofOutput, ofStream, refusal } from '../../lib/loop/correction.ts';
import { userMessage } from '../../lib/message.ts';
import { loopUnit } from '../support/loop-unit.ts';

const output = { schema: { type: 'object' }, repairs: 2 };

describe('corrections', () => {
  it('of a stream say what broke, and count in a row', () => {
    const { run, state } = loopUnit({ policy: { streamFailure: { feedback: 4 } } }, { failures: 1 });
    expect(ofStream(run, state, 'It broke.')).toEqual({ cause: 'stream', count: 2, max: 4, reason: 'It broke.', message: userMessage('Your last response failed and was not completed: It broke. Please respond again.') });
  });

  it('of a hook say what it says, bounded by the steps of the run', () => {
    const { run, state } = loopUnit({ budget: { maxSteps: 5 } }, { corrections: 1 });
    expect(ofHook(run, state, { type: 'correct', message: 'Shorter.' })).toEqual({ cause: 'hook', count: 2, max: 5, reason: 'A hook asks for something else.', message: userMessage('Shorter.') });
    const message = userMessage('x');
    expect(ofHook(run, state, { type: 'correct', message, reason: 'Long.' })).toMatchObject({ reason: 'Long.', message });
    expect(ofHook(loopUnit({ budget: { maxSteps: Infinity } }).run, state, { type: 'correct', message })).toMatchObject({ count: 2, max: 2 });
  });

  it('of the output say where and why, each once', () => {
    const { run, state } = loopUnit({ output }, { repairs: 1 });
    const wrong = (path: string, reason: string) => ofOutput(run, state, { ok: false, path, reason, text: 'secret' });
    expect(wrong('a', 'a: too long.')).toMatchObject({ cause: 'output', count: 2, max: 2, reason: 'a: too long.' });
    expect(wrong('a', 'too long.').reason).toBe('a: too long.');
    expect(wrong('', 'the answer is not JSON.').message).toEqual(userMessage('Your answer is not the output that was asked for: the answer is not JSON. Give the whole output again.'));
    expect(JSON.stringify(wrong('', 'x'))).not.toContain('secret');
  });

  it('answer the call that was the output with an error', () => {
    expect(refusal({ ok: false, path: '', reason: 'No.', text: '' })).toEqual({ content: [{ type: 'text', text: 'No.' }], isError: true, error: { kind: 'invalid-input', message: 'No.', retryable: false } });
  });
});
