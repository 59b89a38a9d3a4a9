import { describe, expect, it } from '@jest/globals';
import { Subject } from 'rxjs';
import type { Hooks, ResultAnswer, ToolAnswer } from '../../lib/hooks.ts';
import { CallRecord } from '../../lib/invoke/call-record.ts';
import { afterTool, beforeTool } from '../../lib/loop/tool-hooks.ts';
import { toolCall } from '../../lib/message.ts';
import type { ToolResult } from '../../lib/message.ts';
import { hear } from '../support/invoke-context.ts';
import { loopUnit } from '../support/loop-unit.ts';

const call = toolCall('c', 'add', '{"a":1}');
const result: ToolResult = { callId: 'c', name: 'add', content: [{ type: 'text', text: '1' }], isError: false, output: 1 };
const error = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (thrown) {
    return thrown;
  }
};

const before = (...answers: unknown[]) => {
  const { run, state } = loopUnit({ hooks: answers.map((said): Hooks => ({ beforeTool: () => said as ToolAnswer })) });
  return beforeTool(run, state, call);
};

describe('beforeTool', () => {
  it('runs a call that no hook minds', () => {
    expect(before(undefined, { type: 'run' })).toEqual({ call, answer: { type: 'run' } });
  });

  it('chains rewrites; each hook sees what the ones before it made', () => {
    const seen: unknown[] = [];
    const hooks: Hooks[] = [{ beforeTool: () => ({ type: 'rewrite', arguments: { a: 2 } }) }, { beforeTool: (one) => void seen.push(one) }];
    const { run, state } = loopUnit({ hooks });
    expect(beforeTool(run, state, call)).toEqual({ call: { id: 'c', name: 'add', arguments: { a: 2 } }, answer: { type: 'run' } });
    expect(seen).toEqual([{ id: 'c', name: 'add', arguments: { a: 2 } }]);
  });

  it('asks no further than the first that decides, but one that asks a person may be overruled', () => {
    expect(before({ type: 'skip', reason: 'x' }, { type: 'stop' })).toMatchObject({ answer: { type: 'skip' } });
    expect(before({ type: 'ask' }, { type: 'block', reason: 'x' })).toMatchObject({ answer: { type: 'block' } });
    expect(before({ type: 'ask' }, { type: 'run' })).toMatchObject({ answer: { type: 'ask' } });
  });

  it.each([
    ['run', 'has the type undefined'], [{ type: 'go' }, 'has the type "go"'], [{ type: 'skip' }, 'needs a text as its reason'], [{ type: 'block', reason: 5 }, 'needs a text as its reason'],
    [{ type: 'rewrite', arguments: { n: 1n } }, 'rewrites the arguments to something that is no JSON: '],
  ])('fails for the answer %p', (said, why) => {
    expect(error(() => before(said))).toMatchObject({ code: 'hook', message: expect.stringContaining(`An answer of beforeTool ${why}`) });
  });

  it('waits for a hook', () => {
    const later = new Subject<ToolAnswer>();
    const heard = hear(before(later));
    later.next({ type: 'ask' });
    expect(heard.values).toMatchObject([{ answer: { type: 'ask' } }]);
  });
});

const after = (...answers: unknown[]) => {
  const { run, state } = loopUnit({ hooks: answers.map((said): Hooks => ({ afterTool: () => said as ResultAnswer })) });
  return { run, said: () => afterTool(run, state, new CallRecord(call, 3), call, result) };
};

describe('afterTool', () => {
  it('keeps a result that no hook minds', () => {
    expect(after(undefined, { type: 'keep' }).said()).toBe(result);
  });

  it('rewrites what the model reads, and nothing else', () => {
    expect(after({ type: 'rewrite', content: 'x' }).said()).toEqual({ ...result, content: [{ type: 'text', text: 'x' }] });
    expect(after({ type: 'rewrite', content: [], isError: true }).said()).toEqual({ ...result, content: [], isError: true });
  });

  it('keeps the result of a call at which a hook stops the run', () => {
    const { run, said } = after({ type: 'stop', reason: 'Enough.' }, { type: 'rewrite', content: 'x' });
    expect(said()).toBe(result);
    expect(run.stops?.stopped).toEqual({ reason: 'stopped', text: 'Enough.', callId: 'c', index: 3 });
  });

  it.each([
    ['keep', 'has the type undefined'], [{ type: 'go' }, 'has the type "go"'], [{ type: 'rewrite' }, 'rewrites the content to something'], [{ type: 'rewrite', content: 5 }, 'rewrites the content to something'],
  ])('fails for the answer %j', (answer, why) => {
    expect(error(() => after(answer).said())).toMatchObject({ code: 'hook', message: expect.stringContaining(`An answer of afterTool ${why}`) });
  });

  it('waits for a hook', () => {
    const later = new Subject<ResultAnswer>();
    const heard = hear(after(later).said());
    later.next({ type: 'rewrite', content: 'x' });
    expect(heard.values).toMatchObject([{ content: [{ text: 'x' }] }]);
  });
});
