import { describe, it } from '@jest/globals';
import { graceOver } from '../../lib/invoke/grace-over.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// prettier-ignore
describe('graceOver', () => {
  it('emits once, so long after the stop', loopMarbles(({ cold, scheduler, time, expectValues }) => {
    const stop$ = cold('      --x--x');
    const graceMs = time('      ---|');
    expectValues(graceOver({ stop$, scheduler, graceMs })).toBe('-----(x|)', { x: 'x' });
  }));

  it('gives hooks that wait one after another one time together', loopMarbles(({ cold, scheduler, time, expectValues }) => {
    const signal$ = cold('    -x       ');
    const graceMs = time('    ----|    ');
    const grace = {};
    const first$ = graceOver({ signal$, scheduler, graceMs, grace });
    const second$ = graceOver({ signal$: cold('(x|)'), scheduler, graceMs, grace });
    expectValues(first$).toBe('-----(x|)', { x: 'x' });
    expectValues(second$, '---^').toBe('-----(x|)', { x: 'x' });
    expectValues(graceOver({ signal$: cold('(x|)'), scheduler, graceMs, grace }), '-------^').toBe('-------(x|)', { x: 'x' });
  }));

  it('emits at the stop without grace', loopMarbles(({ cold, scheduler, expectValues }) => {
    expectValues(graceOver({ stop$: cold('--x'), scheduler, graceMs: 0 })).toBe('--(x|)', { x: 'x' });
  }));

  it('hears the signal of the bodies alone, where that is another', loopMarbles(({ cold, scheduler, expectValues }) => {
    expectValues(graceOver({ stop$: cold('-x'), signal$: cold('----y'), scheduler, graceMs: 0 })).toBe('----(y|)', { y: 'y' });
  }));

  it('never emits where nothing can stop the run', loopMarbles(({ scheduler, expectValues }) => {
    expectValues(graceOver({ scheduler, graceMs: 0 })).toBe('-');
  }));
});
