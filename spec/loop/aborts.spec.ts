import { describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import { aborts } from '../../lib/loop/aborts.ts';
import { hear } from '../support/invoke-context.ts';

describe('aborts', () => {
  it('is the Observable that was given, or never emits where none was', () => {
    const abort$ = of(1);
    expect(aborts(abort$)).toBe(abort$);
    expect(hear(aborts(undefined)).values).toEqual([]);
  });

  it('hears a signal that fires, and one that has', () => {
    const controller = new AbortController();
    const heard = hear(aborts(controller.signal));
    expect(heard.values).toEqual([]);
    controller.abort();
    expect(heard.values).toEqual([undefined]);
    expect(hear(aborts(controller.signal)).values).toEqual([undefined]);
  });

  it('no longer hears it when it is left', () => {
    const controller = new AbortController();
    const heard = hear(aborts(controller.signal));
    heard.leave();
    controller.abort();
    expect(heard.values).toEqual([]);
  });
});
