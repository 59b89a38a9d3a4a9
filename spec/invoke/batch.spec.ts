import { describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import { batch } from '../../lib/invoke/batch.ts';
import type { BatchContext } from '../../lib/invoke/batch.ts';
import type { BatchEvent } from '../../lib/invoke/suspended.ts';
import { ToolError } from '../../lib/errors.ts';
import { toolCall } from '../../lib/message.ts';
import { sequential } from '../../lib/schedule.ts';
import type { Tool } from '../../lib/tool.ts';
import { fakeTool } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const calls = [toolCall('a', 'first', '{}'), toolCall('b', 'second', '{}')];
const context = (tools: readonly Tool[], change: Partial<BatchContext> = {}): BatchContext => ({
  runId: 'r',
  step: 0,
  tools: new Map(tools.map((tool) => [tool.name, tool])),
  scheduler: { now: () => 0 } as never,
  policy: { toolErrorText: 'whole' },
  schedule: sequential,
  graceMs: 0,
  isStopped: () => false,
  mayNotStart: () => undefined,
  later: () => undefined,
  ...change,
});
const shape = (event: BatchEvent): string => `${event.type} ${'callId' in event ? event.callId : ''}`;

function events(tools: readonly Tool[], change?: Partial<BatchContext>, notRun?: string): BatchEvent[] {
  const seen: BatchEvent[] = [];
  batch(calls, context(tools, change), notRun).subscribe((event) => seen.push(event));
  return seen;
}

const failing = (name: string): Tool => ({ ...fakeTool(of(), { name }), run: () => { throw new ToolError('network', 'secret detail'); } });

describe('batch', () => {
  // prettier-ignore
  it('announces all calls, then runs one after another', loopMarbles(({ tool, scheduler, expectValues, expectSubscriptions }) => {
    const first = tool('    -----1|               ', { name: 'first' });
    const second = tool('         -----2|         ', { name: 'second' });
    const expected = '      (cds)-(e1t)-(f2|)     ';
    const letters: Record<string, unknown> = {
      c: expect.objectContaining({ type: 'tool-call', callId: 'a' }), d: expect.objectContaining({ type: 'tool-call', callId: 'b' }),
      s: expect.objectContaining({ type: 'tool-start', callId: 'a' }), e: expect.objectContaining({ type: 'tool-commit', callId: 'a' }),
      1: expect.objectContaining({ type: 'tool-result', callId: 'a' }), t: expect.objectContaining({ type: 'tool-start', callId: 'b' }),
      f: expect.objectContaining({ type: 'tool-commit', callId: 'b' }), 2: expect.objectContaining({ type: 'tool-result', callId: 'b' }),
    };

    expectValues(batch(calls, context([first, second], { scheduler }))).toBe(expected, letters);
    expectSubscriptions(first).toBe('^-----!');
    expectSubscriptions(second).toBe('------^-----!');
  }));

  // prettier-ignore
  it('starts no further call when the subscriber leaves', loopMarbles(({ tool, scheduler, expectValues, expectSubscriptions }) => {
    const first = tool('    --1|   ', { name: 'first' });
    const second = tool('   ---2|  ', { name: 'second' });
    const leave = '         --!    ';

    expectValues(batch(calls, context([first, second], { scheduler })), leave).toBe('(cds)', {
      c: expect.objectContaining({ type: 'tool-call' }), d: expect.objectContaining({ type: 'tool-call' }), s: expect.objectContaining({ type: 'tool-start' }),
    });
    expectSubscriptions(first).toBe('^-!');
    expectSubscriptions(second).toBe([]);
  }));

  it('keeps call order and lets a failing call disturb no other', () => {
    expect(events([failing('first'), fakeTool(of('x'), { name: 'second' })]).map(shape)).toEqual([
      'tool-call a', 'tool-call b', 'tool-start a', 'tool-commit a', 'tool-result a', 'tool-start b', 'tool-commit b', 'tool-result b',
    ]);
  });

  it('gives every call an error result that says why, when none is to run', () => {
    const ran = fakeTool(of('x'), { name: 'first' });
    const seen = events([ran], {}, 'Not executed: cut.');
    expect(seen.map(shape)).toEqual(['tool-call a', 'tool-call b', 'tool-result a', 'tool-result b']);
    expect(seen[2]).toMatchObject({ result: { isError: true, content: [{ text: 'Not executed: cut.' }], error: { kind: 'cancelled' } }, elapsedMs: 0 });
    expect(ran.calls).toEqual([]);
  });

  it.each([
    ['whole', 'secret detail'],
    ['redacted', 'The tool failed (network). Trying again may help.'],
  ] as const)('tells the model of a failure as the policy %s says, and the program in full', (toolErrorText, text) => {
    const results = events([failing('first')], { policy: { toolErrorText } }).filter(({ type }) => type === 'tool-result');
    expect(results[0]).toMatchObject({ result: { content: [{ text }], error: { kind: 'network', message: 'secret detail', retryable: true } } });
    expect(results[1]).toMatchObject({ result: { content: [{ text: toolErrorText === 'whole' ? expect.stringContaining('second') : 'The tool failed (not-found).' }] } });
  });

  it('runs 10,000 calls behind one that waits without a deep stack', async () => {
    const many = Array.from({ length: 10_000 }, (_, at) => toolCall(`c${at}`, at === 0 ? 'slow' : 'fast', '{}'));
    const slow: Tool = { ...fakeTool(of(), { name: 'slow' }), run: () => Promise.resolve(1) };
    let results = 0;
    await batch(many, context([slow, fakeTool(of(1), { name: 'fast' })])).forEach(({ type }) => void (type === 'tool-result' && results++));
    expect(results).toBe(10_000);
  });
});
