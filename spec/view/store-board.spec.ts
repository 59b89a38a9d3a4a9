import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Observable, VirtualTimeScheduler } from 'rxjs';
import { ConfigError, initialState } from '../../lib/index.ts';
import type { LoopState } from '../../lib/index.ts';
import { StoreBoard } from '../../lib/view/store-board.ts';
import type { StoreUpdates } from '../../lib/view/store-board.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const first = initialState();
const state = (title: string): LoopState => ({ ...first, title });
const [a, b, c] = ['a', 'b', 'c'].map(state) as [LoopState, LoopState, LoopState];

function boardOf(updates: StoreUpdates) {
  const faults: unknown[] = [];
  const board = new StoreBoard(first, updates, (error) => faults.push(error));
  const told: (string | undefined)[] = [];
  return { board, faults, told, read: () => board.add(({ title }) => told.push(title)) };
}

// prettier-ignore
describe('StoreBoard', () => {
  it('shows the last of the states of a while, to all readers in one go', loopMarbles(({ cold, expectValues, scheduler }) => {
    const states = ' -ab---c----|';
    const one = '    0---b----c---';
    const other = '  --0-b----c---';

    const { board } = boardOf({ ms: 3, scheduler });
    const shown$ = new Observable<LoopState>((subscriber) => board.add((now) => (expect(board.shown).toBe(now), subscriber.next(now))));
    const letters = { 0: first, a, b, c };
    cold(states, letters).subscribe((value) => (board.put(value), expect(board.shown).not.toBe(value)));

    expectValues(shown$).toBe(one, letters);
    expectValues(shown$, '--^').toBe(other, letters);
  }));
});

describe('the readers of a board', () => {
  it('hear what is on show at once, and then what changes, until they leave', () => {
    const { board, told, read } = boardOf('none');
    board.put(a);
    const leave = read();
    board.put(b);
    leave();
    leave();
    board.put(c);
    expect(told).toEqual(['a', 'b']);
    expect(board.readerCount).toBe(0);
  });

  it('hear nothing of a state that is on show', () => {
    const { board, told, read } = boardOf('none');
    read();
    board.put(a);
    board.put(a);
    board.flush();
    expect(told).toEqual([undefined, 'a']);
  });

  it('may be one function twice', () => {
    const { board } = boardOf('none');
    const listener = jest.fn();
    const leave = board.add(listener);
    board.add(listener);
    leave();
    board.put(a);
    expect(board.readerCount).toBe(1);
    expect(listener).toHaveBeenCalledTimes(3);
  });

  it('all hear of one state before any hears of the next', () => {
    const { board, told, read } = boardOf('none');
    board.add(({ title }) => (title === 'a' ? board.put(b) : undefined));
    read();
    board.put(a);
    expect(told).toEqual([undefined, 'a', 'b']);
    expect(board.shown).toBe(b);
  });

  it('wait for the next time with what one of them changes', () => {
    const scheduler = new VirtualTimeScheduler();
    const { board, told, read } = boardOf({ frame: scheduler });
    board.add(({ title }) => (title === 'a' ? board.put(b) : undefined));
    read();
    board.put(a);
    expect(told).toEqual([undefined]);
    board.flush();
    expect(told).toEqual([undefined, 'a']);
    scheduler.flush();
    expect(told).toEqual([undefined, 'a', 'b']);
  });

  it('that left while others were told hear nothing', () => {
    const { board, told, read } = boardOf('none');
    const leaving: (() => void)[] = [];
    board.add(() => leaving.forEach((leave) => leave()));
    leaving.push(read());
    board.put(a);
    expect(told).toEqual([undefined]);
  });

  it('are told although another throws, which is reported', () => {
    const { board, told, faults, read } = boardOf('none');
    board.add(() => {
      throw 'broken';
    });
    read();
    board.put(a);
    expect(told).toEqual([undefined, 'a']);
    expect(faults).toEqual(['broken', 'broken']);
  });
});

describe('the time of a board', () => {
  const holder = globalThis as { requestAnimationFrame?: unknown; cancelAnimationFrame?: unknown };
  let frames = new Map<number, () => void>();
  let asked = 0;
  const frame = (): void => {
    const due = [...frames.values()];
    frames.clear();
    due.forEach((work) => work());
  };

  beforeEach(() => {
    jest.useFakeTimers();
    frames = new Map();
    asked = 0;
    holder.requestAnimationFrame = (work: () => void) => (frames.set(++asked, work), asked);
    holder.cancelAnimationFrame = (id: number) => frames.delete(id);
  });
  afterEach(() => {
    jest.useRealTimers();
    delete holder.requestAnimationFrame;
    delete holder.cancelAnimationFrame;
  });

  it('is the next frame, and one for any number of states', () => {
    const { board, told, read } = boardOf({ frame: true });
    read();
    [a, b, c].forEach((one) => board.put(one));
    expect([told.length, asked]).toEqual([1, 1]);
    frame();
    expect(told).toEqual([undefined, 'c']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is a timer where no frame comes, and the frame that comes then says nothing', () => {
    const { board, told, read } = boardOf({ frame: true });
    read();
    board.put(a);
    jest.advanceTimersByTime(99);
    expect(told).toEqual([undefined]);
    jest.advanceTimersByTime(1);
    expect(told).toEqual([undefined, 'a']);
    expect(frames.size).toBe(0);
    frame();
    expect(told).toHaveLength(2);
  });

  it('is a timer where there are no frames at all', () => {
    delete holder.requestAnimationFrame;
    const { board, told, read } = boardOf({ frame: true });
    read();
    board.put(a);
    jest.advanceTimersByTime(100);
    expect(told).toEqual([undefined, 'a']);
  });

  it('is over when all is shown: nothing is left scheduled', () => {
    const { board } = boardOf({ frame: true });
    board.put(a);
    board.flush();
    expect([board.shown, frames.size, jest.getTimerCount()]).toEqual([a, 0, 0]);
  });

  it.each([{ ms: -1 }, { ms: NaN }, { ms: Infinity }])('is refused where it is none: $ms', (updates) => {
    expect(() => boardOf(updates)).toThrow(ConfigError);
    expect(() => boardOf(updates)).toThrow(/no number of milliseconds/);
  });
});
