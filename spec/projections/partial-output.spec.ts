import { describe, expect, it } from '@jest/globals';
import { from, lastValueFrom, toArray } from 'rxjs';
import { toPartialOutput } from '../../lib/index.ts';
import type { LoopEvent, PartialOutputOptions } from '../../lib/index.ts';
import { delta, done, end, retract, start, step } from '../support/events.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const text = (words: string, number = 0): LoopEvent => delta(number, { type: 'text', block: 'b', text: words });
const begun = (name: string, index = 0): LoopEvent => delta(0, { type: 'tool-call-start', index, id: `c${index}`, name });
const written = (chunk: string, index = 0): LoopEvent => delta(0, { type: 'tool-call-arguments', index, chunk });
const ended = (json?: unknown): LoopEvent => done(1, '', { reason: 'output', completion: { text: '', toolCalls: [], ...(json !== undefined && { json }) } });
const readings = (run: LoopEvent[], options?: PartialOutputOptions): Promise<unknown[]> => lastValueFrom(from(run).pipe(toPartialOutput(options), toArray()));

// prettier-ignore
describe('toPartialOutput', () => {
  it('says the best reading so far, and the checked value last', loopMarbles(({ cold, expectValues }) => {
    const run = '     -a-b-c-(zL|)';
    const expected = '-A-B---(C|)';

    expectValues(cold(run, { a: text('{"n":1,'), b: text(' "s":"x'), c: text(' '), z: end(0), L: ended({ n: 1, s: 'x', more: true }) }).pipe(toPartialOutput()))
      .toBe('-A-B-D-(C|)', { A: { n: 1 }, B: { n: 1, s: 'x' }, D: { n: 1, s: 'x ' }, C: { n: 1, s: 'x', more: true } });
    expectValues(cold(run, { a: text('{"n":1,'), b: text('"m":2}'), c: text('\n'), z: end(0), L: ended({ n: 1, m: 3 }) }).pipe(toPartialOutput()))
      .toBe(expected, { A: { n: 1 }, B: { n: 1, m: 2 }, C: { n: 1, m: 3 } });
  }));

  it('says nothing of a run without an output, and ends and fails as it does', loopMarbles(({ cold, expectValues }) => {
    expectValues(cold('-t-|', { t: text('Hello.') }).pipe(toPartialOutput())).toBe('---|');
    expectValues(cold('-t-#', { t: text('[1') }).pipe(toPartialOutput())).toBe('-a-#', { a: [] });
    expectValues(cold<LoopEvent>('---').pipe(toPartialOutput())).toBe('---');
  }));

  it('leaves the run when its reader leaves, and reads for each anew', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const run = cold('-a-b-', { a: text('['), b: text('"x"') });
    expectValues(run.pipe(toPartialOutput()), '--!').toBe('-a', { a: [] });
    expectValues(run.pipe(toPartialOutput())).toBe('-a-b', { a: [], b: ['x'] });
    expectSubscriptions(run).toBe(['^-!', '^']);
  }));
});

describe('an output in the text', () => {
  it('begins at its first bracket, in whatever fence or sentence it stands', async () => {
    expect(await readings([text('Here it is:\n``'), text('`json\n'), text('{"a":'), text('1}'), text('\n```')])).toEqual([{}, { a: 1 }]);
  });

  it('keeps the identity of the parts that did not change', async () => {
    const [, one, two] = (await readings([text('{"a":'), text('{"b":1},"c":"x'), text('y')])) as { a: object }[];
    expect(two?.a).toBe(one?.a);
    expect(one).not.toBe(two);
  });

  it('says nothing more where the text is no JSON any more', async () => {
    expect(await readings([text('[1, two'), text(', 3]')])).toEqual([[1]]);
  });

  it('says the checked value only where it says something else', async () => {
    expect(await readings([text('{"a":1}'), ended({ a: 1 })])).toEqual([{ a: 1 }]);
    expect(await readings([text('{"a":1}'), ended({ a: 2 })])).toEqual([{ a: 1 }, { a: 2 }]);
    expect(await readings([ended(null), ended()])).toEqual([null]);
  });
});

describe('an output in a call', () => {
  it.each(['final_result', 'final_result_2'])('is read from the arguments of %s', async (name) => {
    expect(await readings([begun('search'), written('{"q":1}'), begun(name, 1), written('{"a":[', 1), written(',', 0), written('2]}', 1)])).toEqual([{ a: [] }, { a: [2] }]);
  });

  it('has the name that is asked for, and no other', async () => {
    expect(await readings([begun('answer'), written('{}')], { toolName: 'answer' })).toEqual([{}]);
    expect(await readings([begun('final_results'), written('{}'), begun('final_result_x', 1), written('{}', 1)])).toEqual([]);
  });

  it('takes the place of what a text before it seemed to say, or of nothing where that is said', async () => {
    const run = [text('I take [1'), text(']'), begun('final_result'), text('[2]'), written('{}')];
    expect(await readings(run)).toEqual([[], [1], undefined, {}]);
    expect(await readings(run, { from: 'tool' })).toEqual([{}]);
    expect(await readings(run, { from: 'text' })).toEqual([[], [1]]);
  });
});

describe('an attempt that begins anew', () => {
  it('takes back what was read', async () => {
    expect(await readings([start(), step(0), text('{"a":1'), text(','), retract(0, 1), step(0, 2), text('[')])).toEqual([{}, { a: 1 }, undefined, []]);
    expect(await readings([step(0), text('[0,'), end(0), step(1), text('{}', 1)])).toEqual([[0], undefined, {}]);
  });

  it('takes nothing back where nothing was read', async () => {
    expect(await readings([step(0), text('Hm.'), retract(0, 1), step(0, 2)])).toEqual([]);
  });

  it('is of this run: nested runs are not read', async () => {
    const parent = { runId: 'run1', callId: 'c' };
    expect(await readings([text('[1,'), { ...text('[9'), parent }, { ...step(0), parent }, text('2,')])).toEqual([[1], [1, 2]]);
  });
});
