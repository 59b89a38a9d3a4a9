import { describe, expect, it } from '@jest/globals';
import { ApprovalError, CheckpointError, HookError, OutputError, UnknownToolError } from '../lib/control-errors.ts';
import { isLoopError } from '../lib/errors.ts';

describe('control errors', () => {
  it.each([
    [new HookError('No.'), 'HookError', 'hook', 'No.'],
    [new UnknownToolError('ad', ['add', 'mul']), 'UnknownToolError', 'unknown-tool', 'The model called the tool "ad", but the step has add, mul.'],
    [new UnknownToolError('ad', []), 'UnknownToolError', 'unknown-tool', 'The model called the tool "ad", but no tools are available.'],
    [new OutputError('a[0]', 'too short.'), 'OutputError', 'output', 'The output that was asked for did not come: a[0]: too short.'],
    [new OutputError('', 'not JSON.'), 'OutputError', 'output', 'The output that was asked for did not come: not JSON.'],
    [new ApprovalError('q1', 'No.'), 'ApprovalError', 'approval', 'No.'],
    [new CheckpointError('it is old.'), 'CheckpointError', 'checkpoint', 'resumeToolLoop: it is old.'],
  ])('%s', (error, name, code, message) => {
    expect(error).toMatchObject({ name, code, message });
    expect(isLoopError(error)).toBe(true);
    expect(error).toBeInstanceOf(Error);
  });

  it('hold what a program may ask of them', () => {
    expect(new UnknownToolError('ad', ['add'])).toMatchObject({ toolName: 'ad', available: ['add'] });
    expect(new OutputError('a[0]', 'x')).toMatchObject({ path: 'a[0]' });
    expect(new ApprovalError('q1', 'x')).toMatchObject({ requestId: 'q1' });
  });

  it('keep what caused them', () => {
    const cause = new Error('boom');
    expect([new HookError('x', { cause }).cause, new ApprovalError('q', 'x', { cause }).cause]).toEqual([cause, cause]);
  });
});
