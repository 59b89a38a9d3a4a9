import { describe, expect, it } from '@jest/globals';
import type { Checkpoint } from '../../lib/checkpoint.ts';
import { checkShape } from '../../lib/loop/checkpoint-shape.ts';
import { checkpoint } from '../support/examples.ts';

type Json = { [key: string]: Json };

const fresh = (): Json => JSON.parse(JSON.stringify(checkpoint)) as Json;

/** The example with another value at a path; undefined takes the part away. */
function damaged(path: string, value: unknown): Checkpoint {
  const whole = fresh();
  const keys = path.match(/[^.[\]]+/g) as string[];
  const last = keys.pop() as string;
  const at = keys.reduce((part, key) => part[key] as Json, whole);
  if (value === undefined) delete at[last];
  else at[last] = value as Json;
  return whole as unknown as Checkpoint;
}

const NEEDED = [
  'runId', 'messages', 'input', 'step', 'attempt', 'model', 'steps', 'completion', 'completion.text', 'completion.toolCalls', 'counters', 'counters.calls', 'counters.toolCalls',
  'counters.failures', 'counters.repairs', 'counters.invalidCalls', 'counters.corrections', 'counters.warned', 'counters.elapsedMs', 'counters.repeats', 'counters.repeats.text',
  'counters.repeats.text.key', 'counters.repeats.text.count', 'counters.repeats.calls', 'ids', 'ids.calls', 'ids.blocks', 'messages[0].role', 'unread.steering', 'unread.followUp', 'wait.reason',
  'batch.turn', 'batch.turn.role', 'batch.turn.content', 'batch.calls', 'batch.calls[0].call', 'batch.calls[0].call.id', 'batch.calls[0].call.name',
  'batch.calls[0].request.id', 'batch.calls[0].request.kind', 'batch.calls[0].request.callId', 'batch.calls[0].request.call', 'batch.calls[0].answer.type',
  'batch.calls[0].settled.call', 'batch.calls[0].settled.elapsedMs', 'batch.calls[0].settled.result', 'batch.calls[0].settled.result.callId', 'batch.calls[0].settled.result.content',
  'batch.calls[0].verdict.content', 'batch.calls[0].nested.runId', 'batch.calls[0].nested.counters.calls',
];
const OPTIONAL = ['usage', 'nestedUsage', 'retracted', 'unread', 'wait', 'batch', 'counters.context', 'batch.calls[0].effective', 'batch.calls[0].request', 'batch.calls[0].answer', 'batch.calls[0].settled', 'batch.calls[0].verdict', 'batch.calls[0].nested', 'wait.delayMs', 'wait.from'];

describe('checkShape', () => {
  it('takes a checkpoint with every field, and one with those alone that are needed', () => {
    expect(() => checkShape(checkpoint)).not.toThrow();
    for (const path of OPTIONAL) expect(() => checkShape(damaged(path, undefined))).not.toThrow();
  });

  it.each(NEEDED)('names %s where it is missing, or of another kind', (path) => {
    const message = `resumeToolLoop: the checkpoint is damaged at ${path}.`;
    expect(() => checkShape(damaged(path, undefined))).toThrow(message);
    expect(() => checkShape(damaged(path, true))).toThrow(message);
    expect(() => checkShape(damaged(path, null))).toThrow(message);
  });

  it.each(OPTIONAL.filter((path) => path !== 'batch.calls[0].nested'))('names %s where it is of another kind', (path) => {
    expect(() => checkShape(damaged(path, 'x'))).toThrow(`damaged at ${path}.`);
    expect(() => checkShape(damaged(path, null))).toThrow(`damaged at ${path}.`);
  });

  it.each([['model', -1], ['model', 0.5], ['step', '1'], ['counters.calls', -1], ['ids.calls', [1]], ['messages', [null]], ['messages[0].content', [{}]], ['batch.calls', [null]], ['steps', [1]]])('names %s where it is %j', (path, value) => {
    expect(() => checkShape(damaged(path, value))).toThrow(/^resumeToolLoop: the checkpoint is damaged at /);
  });

  it.each([undefined, null, 'x', 1])('refuses what is no object: %j', (value) => {
    expect(() => checkShape(value as never)).toThrow('the checkpoint is no object; give the one that the run gave out.');
  });

  it('refuses another version, of a run inside too', () => {
    expect(() => checkShape(damaged('version', 2))).toThrow('the checkpoint has version 2, and this release reads version 1.');
    expect(() => checkShape([] as never)).toThrow('has version undefined');
    expect(() => checkShape(damaged('batch.calls[0].nested.version', 2))).toThrow('the checkpoint at batch.calls[0].nested has version 2');
  });
});
