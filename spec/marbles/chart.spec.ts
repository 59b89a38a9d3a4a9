import { describe, expect, it } from '@jest/globals';
import type { LoopEvent } from '../../lib/index.ts';
import { Chart } from '../../marbles/chart.ts';
import type { ChartOptions } from '../../marbles/chart.ts';
import { readTape } from '../../marbles/index.ts';
import { read } from '../guards/support/project.ts';
import { below, delta, end, retract, retry, start, step } from '../support/events.ts';
import { events as examples } from '../support/examples.ts';

function chartOf(events: readonly LoopEvent[], lanes: ChartOptions['lanes'] = 'call'): Chart {
  const chart = new Chart({ lanes });
  for (const [at, event] of events.entries()) chart.add({ at, event });
  return chart;
}

const recorded = (name: string, lanes: ChartOptions['lanes'] = 'call'): Chart => {
  const chart = new Chart({ lanes });
  for (const line of readTape(read(`docs/diagrams/${name}.jsonl`)).lines) chart.add(line);
  return chart;
};

const call = (id: string, name = 'add') => ({ runId: 'run1', step: 0, callId: id, call: { id, name, arguments: { n: id } } });
const began = (id: string, name?: string): LoopEvent => ({ type: 'tool-start', startedAt: 0, ...call(id, name) });
const ended = (id: string, name?: string, isError = false): LoopEvent => ({
  type: 'tool-result', ...call(id, name), result: { callId: id, name: name ?? 'add', content: [], isError } as never, elapsedMs: 1,
});
const text = (words: string): LoopEvent => delta(0, { type: 'text', block: 'b', text: words });
const lanesOf = (chart: Chart): string[] => chart.lanes.map(({ depth, name, detail }) => `${'  '.repeat(depth)}${name} ${detail}`.trimEnd());

describe('a chart', () => {
  it('has a lane for the model, each call and each nested run, from the outside in', () => {
    expect(lanesOf(recorded('nested'))).toEqual(['model model', '  research {"question":"What of bees?"}', '    model inner', '      find {"topic":"bees"}', '  send {"to":"Ada"}']);
  });

  it('has one lane for the calls of a tool that come one after another, and more for those at the same time', () => {
    const one = [start(), step(0), began('a'), ended('a'), began('b'), ended('b')];
    expect(lanesOf(chartOf(one, 'tool'))).toEqual(['model m', '  add']);
    expect(lanesOf(chartOf(one, 'call'))).toEqual(['model m', '  add {"n":"a"}', '  add {"n":"b"}']);
    const two = [start(), step(0), began('a'), began('b'), ended('a'), began('c'), began('d', 'find')];
    expect(lanesOf(chartOf(two, 'tool'))).toEqual(['model m', '  add', '  add', '  find']);
  });

  it('gives a nested run the lane of one that has ended', () => {
    const inner = (id: string, event: LoopEvent): LoopEvent => below(id, event, `in-${id}`);
    const runs = ['a', 'b'].flatMap((id) => [began(id, 'research'), inner(id, start()), inner(id, step(0)), ended(id, 'research')]);
    expect(lanesOf(chartOf([start(), step(0), ...runs], 'tool'))).toEqual(['model m', '  research', '    model m']);
  });

  it('keeps pieces of one stroke together, and never across an attempt', () => {
    const { marks } = chartOf([start(), step(0), text('a'), text('b'), retract(0, 1), step(0, 2), text('c'), text('d'), end(0)]);
    expect(marks.map(({ isMore }) => isMore)).toEqual([false, false, false, true, false, false, false, true, false]);
  });

  it('dims what was withdrawn, and what of it had started, and nothing else', () => {
    const chart = chartOf([start(), step(0), text('a'), began('c1'), retract(0, 1, [], ['c1']), step(0, 2), text('b'), end(0)]);
    expect(chart.marks.map(({ label, part }) => `${part?.isWithdrawn === true ? '-' : '+'} ${label}`)).toEqual([
      '+ run-start', '- 0 step-start', '- 0 text "a"', '- 0 tool-start add', '+ 0 retract', '+ 0 step-start attempt 2', '+ 0 text "b"', '+ 0 end stop',
    ]);
    expect(chart.lanes[0]?.spans.map(({ label, isWithdrawn }) => [label, isWithdrawn])).toEqual([['step 0', true], ['step 0, attempt 2', false]]);
  });

  it('knows the pauses before retries, the waits for answers and the bodies of calls', () => {
    const spans = (chart: Chart) => chart.lanes.flatMap((lane) => lane.spans.filter(({ kind }) => kind !== 'attempt').map(({ kind, label, from, to }) => [lane.name, kind, label, from.at, to?.at]));
    expect(spans(recorded('nested'))).toEqual([
      ['research', 'call', 'research', 120, 580], ['find', 'call', 'find', 240, 490], ['send', 'wait', 'approval', 700, 2200], ['send', 'call', 'send', 2200, 2280],
    ]);
    expect(spans(chartOf([start(), step(0), retry(0, 1), text('a')]))).toEqual([['model', 'pause', '5 ms', 2, 3]]);
    expect(spans(chartOf([start(), step(0), began('a')]))).toEqual([['add', 'call', 'add', 2, undefined]]);
  });

  it('counts, and says how the run ended', () => {
    const chart = recorded('troubles');
    expect(chart.counts).toEqual({ steps: 2, calls: 1, failedCalls: 1, retries: 2, withdrawn: 1, corrections: 0, requests: 0, nested: 0 });
    expect([chart.ending, chart.lanes[0]?.end?.kind]).toEqual(['answer', 'done']);
    expect(recorded('nested').counts).toMatchObject({ steps: 3, calls: 3, requests: 1, nested: 1 });
  });

  it('ends every lane where the run fails, also before it has begun', () => {
    const chart = chartOf([start(), step(0), began('a')]);
    chart.add({ at: 99, error: { code: 'model-http', message: 'Busy.', retryable: true } });
    expect([chart.ending, chart.lanes[0]?.end]).toEqual(['error model-http', expect.objectContaining({ kind: 'error', at: 99 })]);
    expect(chart.lanes.every((lane) => lane.spans.every(({ to }) => to !== undefined))).toBe(true);
    const early = new Chart({ lanes: 'call' });
    early.add({ at: 0, error: { code: 'config', message: 'No.', retryable: false } });
    expect(early.lanes.map(({ end: over }) => over?.kind)).toEqual(['error']);
  });

  it('lists on each lane what nobody must overlook', () => {
    const [model, add] = recorded('troubles').lanes;
    expect(model?.alarms.map(({ letter }) => letter)).toEqual(['w', 'e', 'w']);
    expect(add?.alarms.map(({ letter, tone }) => [letter, tone])).toEqual([['1', 'error']]);
  });

  it('puts each mark behind the one before it', () => {
    const { marks } = recorded('two-tools');
    expect(marks.every((mark, at) => at === 0 || mark.x > (marks[at - 1]?.x ?? 0))).toBe(true);
    expect(marks[0]?.x).toBe(0);
  });

  it('takes every event, with every field, at any place', () => {
    const all = Object.values(examples);
    expect(chartOf([...all, ...[...all].reverse()]).marks).toHaveLength(2 * all.length);
    for (const event of all) expect(chartOf([event]).marks).toHaveLength(1);
  });
});
