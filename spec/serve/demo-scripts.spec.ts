import { describe, expect, it } from '@jest/globals';
import { TestScheduler } from 'rxjs/testing';
import type { Observable } from 'rxjs';
import { map } from 'rxjs';
import type { Delta, ModelRequest } from '../../lib/index.ts';
import { demoScripts } from '../../lib/serve/demo-scripts.ts';

describe('the scripts of the demonstration', () => {
  it('each have words of their own, in small letters, and say what they show', () => {
    const words = demoScripts.flatMap((script) => script.words);
    expect(new Set(words).size).toBe(words.length);
    expect(words.every((word) => word === word.toLowerCase())).toBe(true);
    expect(demoScripts.every(({ shows, turns }) => shows !== '' && turns.length > 0)).toBe(true);
  });

  it('flood at a thousand deltas a second for five seconds, then finish', () => {
    const flood = demoScripts.find(({ words }) => words.includes('flood'))?.turns[0]?.(1) as (request: ModelRequest) => Observable<Delta>;
    const at: Record<string, number> = {};
    const scheduler = new TestScheduler(() => undefined);
    scheduler.run(() => {
      flood({ scheduler } as unknown as ModelRequest).pipe(map(({ type }) => type)).subscribe((type) => {
        at[type] = (at[type] ?? 0) + 1;
        at[`last ${type}`] = scheduler.now();
      });
    });
    expect(at).toMatchObject({ text: 5_000, 'last text': 5_000, usage: 1, finish: 1 });
  });
});
