import { describe, expect, it } from '@jest/globals';
import { EMPTY, filter, map, NEVER, Observable, of, Subject, take, throwError } from 'rxjs';
import type { Delta } from '../../lib/delta.ts';
import { ModelError } from '../../lib/errors.ts';
import { claimIds } from '../../lib/fold/claim-ids.ts';
import { Step, step } from '../../lib/fold/step.ts';
import { call, finish, text } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

let count = 0;
const claims = () => claimIds((kind) => `${kind}-own-${++count}`);
const end = (index: number, id: string): Delta => ({ type: 'tool-call-end', index, call: { id, name: 'add', arguments: {} } });
const start = (index: number, id: string): Delta => ({ type: 'tool-call-start', index, id, name: 'add' });

/** What a step says of these deltas: everything but the Step, and the Step. */
function run(deltas: Observable<Delta>, ids = claims()): { said: Delta[]; step: Step } {
  const said: Delta[] = [];
  let closing: Step | undefined;
  deltas.pipe(step(ids, 'test model')).subscribe((value) => {
    if (value instanceof Step) closing = value;
    else said.push(value);
  });
  if (closing === undefined) throw new Error('the step did not close');
  return { said, step: closing };
}

const failure = (deltas: Observable<Delta>): unknown => run(deltas).step.failure?.error;

describe('step', () => {
  // prettier-ignore
  it('forwards the deltas and closes with the whole step', loopMarbles(({ turn, expectValues, expectSubscriptions }) => {
    const deltas = turn('  -t-c-(y|)');
    const expected = '     -t-c-(yS|)';
    const drawn: Record<string, string> = { text: 't', 'tool-call-end': 'c', finish: 'y' };

    const step$ = deltas.pipe(
      step(claims(), 'm'),
      map((value) => (value instanceof Step ? 'S' : drawn[value.type])),
      filter((letter) => letter !== undefined),
    );

    expectValues(step$).toBe(expected);
    expectSubscriptions(deltas).toBe('^----!');
  }));

  // prettier-ignore
  it('leaves the model when the subscriber leaves', loopMarbles(({ turn, expectValues, expectSubscriptions }) => {
    const deltas = turn('-t-t-t-');

    expectValues(deltas.pipe(step(claims(), 'm'), take(2))).toBe('-a-(b|)', { a: expect.objectContaining({ text: 'hi' }), b: expect.objectContaining({ text: 'hi' }) });
    expectSubscriptions(deltas).toBe('^--!');
  }));

  it('holds the finish until the model has completed', () => {
    const said: (Delta | Step)[] = [];
    new Observable<Delta>((subscriber) => {
      subscriber.next(finish('stop'));
      expect(said).toEqual([]);
      subscriber.next({ type: 'usage', usage: { inputTokens: 1 } });
      subscriber.complete();
    }).pipe(step(claims(), 'm')).subscribe((value) => said.push(value));
    expect(said).toEqual([{ type: 'usage', usage: { inputTokens: 1 } }, finish('stop'), expect.any(Step)]);
  });

  it('passes deltas on as the same objects where their ids stand', () => {
    const delta = text('hi', 'b1');
    expect(run(of(delta, finish('stop'))).said[0]).toBe(delta);
  });

  it('swallows signs of life', () => {
    expect(run(of<Delta[]>({ type: 'alive' }, finish('stop'))).said).toEqual([finish('stop')]);
  });

  it('says whether something was shown', () => {
    expect(run(of<Delta[]>({ type: 'usage', usage: {} }, finish('stop'))).step.shown).toBe(false);
    expect(run(of(text('hi', 'b'), finish('stop'))).step.shown).toBe(true);
  });

  it.each([
    ['an error notification', throwError(() => new ModelError('model-http', 'no')), { code: 'model-http', retryable: false }],
    ['an error delta', of<Delta>({ type: 'error', error: new ModelError('model-stream', 'no', { retryable: true }) }), { code: 'model-stream', retryable: true }],
    ['a stream without a finish', of(text('hi', 'b')), { code: 'model-transport', retryable: true, message: 'The stream of test model ended before its finish.' }],
    ['an empty stream', of<Delta>(), { code: 'model-transport', retryable: true }],
    ['a finish with reason error', of<Delta>({ type: 'finish', reason: 'error', rawFinish: 'MALFORMED' }), { code: 'model-stream', retryable: true, message: expect.stringContaining('MALFORMED') }],
    ['a finish with reason aborted', of(finish('aborted')), { code: 'model-stream', retryable: true }],
    ['tool-use without a complete call', of(start(0, 'a'), finish('tool-use')), { code: 'model-protocol', retryable: true }],
    ['a second finish', of(finish('stop'), finish('stop')), { code: 'model-protocol', message: 'test model sent "finish" after its finish.' }],
    ['text after the finish', of(finish('stop'), text('more', 'b')), { code: 'model-protocol', message: 'test model sent "text" after its finish.' }],
    ['an end without a start', of(end(0, 'a')), { code: 'model-protocol' }],
  ])('closes with a failure for %s', (_name, deltas, error) => {
    expect(failure(deltas)).toMatchObject(error);
    expect(run(deltas).said.some(({ type }) => type === 'finish')).toBe(false);
    expect(run(deltas).step.finish).toBeUndefined();
  });

  it('passes a foreign error on, untouched', () => {
    const error = { odd: true };
    expect(failure(throwError(() => error))).toBe(error);
  });

  it('swallows a second end of a call', () => {
    const { said, step: closing } = run(of(start(0, 'a'), end(0, 'a'), end(0, 'a'), finish('tool-use')));
    expect(said.map(({ type }) => type)).toEqual(['tool-call-start', 'tool-call-end', 'finish']);
    expect(closing.calls).toHaveLength(1);
  });

  it('stops reading after a contradiction', () => {
    let produced = 0;
    const deltas = new Observable<Delta>((subscriber) => {
      subscriber.next(end(0, 'a'));
      while (!subscriber.closed && produced < 100) { produced++; subscriber.next(text('x', 'b')); }
    });
    expect(failure(deltas)).toMatchObject({ code: 'model-protocol' });
    expect(produced).toBe(0);
  });

  it('keeps the failure and what was said before it', () => {
    const { said, step: closing } = run(of(text('hi', 'b'), end(5, 'a')));
    expect(said).toEqual([text('hi', 'b')]);
    expect(closing.parts).toEqual([{ type: 'text', block: 'b', text: 'hi' }]);
  });

  it('never closes while the model is silent', () => {
    const said: unknown[] = [];
    NEVER.pipe(step(claims(), 'm')).subscribe((value) => said.push(value));
    expect(said).toEqual([]);
  });

  describe('what a broken step had shown', () => {
    const parts = (deltas: Observable<Delta>): Pick<Step, 'blocks' | 'callIds'> => {
      const { blocks, callIds } = run(deltas).step;
      return { blocks, callIds };
    };
    const thought: Delta = { type: 'reasoning', block: 'k', text: 'hm' };

    it('is the ids of its blocks, each once, and of its calls, the unfinished ones too', () => {
      const deltas = of<Delta[]>(text('a', 'x'), text('b', 'y'), text('c', 'x'), thought, start(0, 'c'), end(0, 'c'), start(1, 'd'));
      expect(parts(deltas)).toEqual({ blocks: ['x', 'y', 'k'], callIds: ['c', 'd'] });
    });

    it('is their own ids, where those were replaced', () => {
      const { said, step: closing } = run(of<Delta[]>(text('a', 'x'), { ...thought, block: 'x' }, start(0, '')));
      expect(closing.blocks).toEqual(said.flatMap((delta) => ('block' in delta ? [delta.block] : [])));
      expect(closing.callIds).toEqual([expect.stringMatching(/^call-own-/)]);
    });

    it('is nothing where nothing came', () => {
      expect(parts(throwError(() => 'x'))).toEqual({ blocks: [], callIds: [] });
    });

    it('keeps reasoning that was shown and then replaced', () => {
      expect(parts(of<Delta[]>(thought, { type: 'reasoning-replace', text: 'better' }, text('a', 'x')))).toEqual({ blocks: ['k', 'x'], callIds: [] });
    });
  });

  describe('a stop', () => {
    const stopping = (stop: Observable<unknown>, deltas: Observable<Delta>): { said: (Delta | Step)[]; ended: boolean } => {
      const heard: { said: (Delta | Step)[]; ended: boolean } = { said: [], ended: false };
      deltas.pipe(step(claims(), 'm', { stop$: stop })).subscribe({ next: (value) => heard.said.push(value), complete: () => (heard.ended = true) });
      return heard;
    };

    // prettier-ignore
    it('closes the step with what was said, and leaves the model', loopMarbles(({ turn, cold, expectValues, expectSubscriptions }) => {
      const deltas = turn('  -t-c-t-(y|)');
      const stop = cold('    ----x       ');
      const expected = '     -t--(S|)    ';
      const letters: Record<string, string> = { text: 't' };

      const step$ = deltas.pipe(
        step(claims(), 'm', { stop$: stop }),
        map((value) => (value instanceof Step ? 'S' : letters[value.type])),
        filter((letter) => letter !== undefined),
      );

      expectValues(step$).toBe(expected);
      expectSubscriptions(deltas).toBe('^---!');
      expectSubscriptions(stop).toBe('^---!');
    }));

    it('is no failure and no success: the step says that it was stopped', () => {
      const { said, ended } = stopping(of(1), of(text('hi', 'b'), finish('stop')));
      expect(said).toEqual([expect.objectContaining({ stopped: true, finish: undefined, failure: undefined, shown: false, parts: [], calls: [] })]);
      expect(ended).toBe(true);
    });

    it('does not reach the model that would be asked after it', () => {
      let asked = 0;
      const deltas = new Observable<Delta>(() => void asked++);
      stopping(of(1), deltas);
      expect(asked).toBe(0);
    });

    it('keeps complete calls, and leaves out reasoning that is half', () => {
      const stop = new Subject<void>();
      const source = new Subject<Delta>();
      const { said } = stopping(stop, source);
      for (const delta of [start(0, 'c'), end(0, 'c'), start(1, 'd'), { type: 'reasoning', block: 'k', text: 'hm' } as const]) source.next(delta);
      stop.next();
      const closing = said.at(-1) as Step;
      expect(closing).toMatchObject({ stopped: true, shown: true, calls: [{ id: 'c' }], blocks: ['k'], callIds: ['c', 'd'] });
      expect(closing.parts.map(({ type }) => type)).toEqual(['tool-call']);
      expect(source.observed).toBe(false);
    });

    it('comes too late for a step that has closed, or is closing', () => {
      const stop = new Subject<void>();
      const said: (Delta | Step)[] = [];
      of(text('hi', 'b'), finish('stop')).pipe(step(claims(), 'm', { stop$: stop })).subscribe((value) => {
        said.push(value);
        if (value instanceof Step || value.type === 'finish') stop.next();
      });
      stop.next();
      expect(said.filter((value) => value instanceof Step)).toEqual([expect.objectContaining({ stopped: false, finish: finish('stop') })]);
      expect(stop.observed).toBe(false);
    });

    it('means nothing where it completes', () => {
      expect(stopping(EMPTY, of(finish('stop'))).said.at(-1)).toMatchObject({ stopped: false });
    });
  });

  describe('ids', () => {
    it('replaces an empty call id everywhere, and keeps a start and its end together', () => {
      const { said, step: closing } = run(of(start(0, ''), end(0, ''), finish('tool-use')));
      const id = (said[0] as { id: string }).id;
      expect(id).toMatch(/^call-own-/);
      expect(said[1]).toMatchObject({ call: { id } });
      expect(closing.calls[0]).toEqual({ id, name: 'add', arguments: {} });
    });

    it("keeps a repeated call's provider id in meta", () => {
      const { step: closing } = run(of(start(0, 'same'), end(0, 'same'), start(1, 'same'), end(1, 'same'), finish('tool-use')));
      expect(closing.calls[0]?.id).toBe('same');
      expect(closing.calls[1]?.id).not.toBe('same');
      expect(closing.calls[1]?.meta).toEqual({ providerId: 'same' });
    });

    it('fixes the id at the start, whatever the end says', () => {
      const { step: closing } = run(of(start(0, 'a'), end(0, 'b'), finish('tool-use')));
      expect(closing.calls[0]).toMatchObject({ id: 'a' });
    });

    it('gives a block that an earlier step used a new id, the same for all its pieces', () => {
      const ids = claims();
      run(of(text('one', 'b'), finish('stop')), ids);
      const { said } = run(of(text('two', 'b'), text('!', 'b'), text('other', 'c'), text('?', 'b'), finish('stop')), ids);
      const blocks = said.flatMap((delta) => (delta.type === 'text' ? [delta.block] : []));
      expect(blocks[0]).toMatch(/^block-own-/);
      expect(blocks).toEqual([blocks[0], blocks[0], 'c', blocks[0]]);
    });

    it('tells a text block and a reasoning block of one id apart', () => {
      const { said } = run(of<Delta[]>(text('a', 'x'), { type: 'reasoning', block: 'x', text: 'b' }, text('c', 'x'), finish('stop')));
      const blocks = said.flatMap((delta) => ('block' in delta ? [delta.block] : []));
      expect(blocks[0]).toBe('x');
      expect(blocks[1]).not.toBe('x');
      expect(blocks[2]).toBe('x');
    });

    it('renames a source with the text block that it stands for', () => {
      const ids = claims();
      run(of(text('one', 'b'), finish('stop')), ids);
      const { said } = run(of<Delta[]>(text('two', 'b'), { type: 'source', block: 'b', url: 'u' }, { type: 'source', url: 'v' }, finish('stop')), ids);
      const blocks = said.map((delta) => ('block' in delta ? delta.block : undefined));
      expect(blocks).toEqual([expect.stringMatching(/^block-own-/), blocks[0], undefined, undefined]);
    });

    it('takes calls as a kit writes them', () => {
      expect(run(of(...call('add', { a: 1 }), finish('tool-use'))).step.calls[0]).toMatchObject({ name: 'add', arguments: { a: 1 } });
    });
  });
});
