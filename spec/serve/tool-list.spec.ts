import { describe, expect, it } from '@jest/globals';
import { take, takeUntil, timer } from 'rxjs';
import type { Tool } from '../../lib/index.ts';
import { ToolList } from '../../lib/serve/tool-list.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const set = (name: string): readonly Tool[] => [{ name } as Tool];
const sets = { a: set('a'), b: set('b'), c: set('c') };
const { a, b, c } = sets;

describe('ToolList', () => {
  it('has the latest set for whoever begins, and each later one for whoever runs', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const list = new ToolList(a);
    const changes$ = cold('--b-c', sets);
    changes$.pipe(takeUntil(timer(6))).subscribe((tools) => list.set(tools));
    expectValues(list.latest$, '  ^-----!').toBe('a-b-c-', sets);
    expectValues(list.latest$, '  ---^--!').toBe('---bc-', sets);
    expectValues(list.latest$, '  ^--!').toBe('a-b', sets);
    expectSubscriptions(changes$.subscriptions).toBe('^-----!');
  }));

  it('knows the latest set, and forgets who has left', () => {
    const list = new ToolList(a);
    const seen: unknown[] = [];
    const reading = list.latest$.subscribe((tools) => seen.push(tools));
    list.latest$.pipe(take(1)).subscribe((tools) => seen.push(tools));
    list.set(b);
    reading.unsubscribe();
    list.set(c);
    expect(seen.length).toBe(3);
    expect(seen[2]).toBe(b);
    expect(list.latest).toBe(c);
  });

  it('lets a reader leave while it is told', () => {
    const list = new ToolList(a);
    const seen: unknown[] = [];
    list.latest$.pipe(take(2)).subscribe((tools) => seen.push(tools));
    list.latest$.subscribe((tools) => seen.push(tools));
    list.set(b);
    list.set(c);
    expect(seen).toHaveLength(5);
  });
});
