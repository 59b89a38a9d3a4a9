import { describe, expect, it } from '@jest/globals';
import { take } from 'rxjs';
import { Latest } from '../../lib/serve/latest.ts';

describe('Latest', () => {
  it('gives whoever comes the latest value, then each that follows, until they leave', () => {
    const latest = new Latest(1);
    const heard: string[] = [];
    const early = latest.value$.subscribe((value) => heard.push(`a${value}`));
    latest.set(2);
    latest.value$.subscribe((value) => heard.push(`b${value}`));
    early.unsubscribe();
    latest.set(3);
    expect(heard).toEqual(['a1', 'a2', 'b2', 'b3']);
  });

  it('keeps nobody who leaves at once', () => {
    const latest = new Latest('x');
    const heard: string[] = [];
    latest.value$.pipe(take(1)).subscribe((value) => heard.push(value));
    latest.set('y');
    expect(heard).toEqual(['x']);
  });

  it('does not mind one who leaves while it tells', () => {
    const latest = new Latest(1);
    const heard: number[] = [];
    latest.value$.pipe(take(2)).subscribe((value) => heard.push(value));
    latest.value$.subscribe((value) => heard.push(value * 10));
    latest.set(2);
    expect(heard).toEqual([1, 10, 2, 20]);
  });
});
