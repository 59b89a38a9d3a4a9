import { describe, expect, it } from '@jest/globals';
import { of, Subject, VirtualTimeScheduler } from 'rxjs';
import { ReaderClock } from '../../lib/loop/reader-clock.ts';

function at(scheduler: VirtualTimeScheduler, frame: number): void {
  scheduler.frame = frame;
}

describe('ReaderClock', () => {
  it('goes with the scheduler while the gate is open', () => {
    const scheduler = new VirtualTimeScheduler();
    const clock = new ReaderClock({ ready: () => of(undefined) }, scheduler);
    clock.ready().subscribe();
    at(scheduler, 7);
    expect(clock.now()).toBe(7);
  });

  it('stands still while the reader holds the stream, and goes on from there', () => {
    const scheduler = new VirtualTimeScheduler();
    const gate = new Subject<void>();
    const clock = new ReaderClock({ ready: () => gate }, scheduler);
    at(scheduler, 3);
    clock.ready().subscribe();
    at(scheduler, 10);
    expect(clock.now()).toBe(3);
    gate.next();
    at(scheduler, 12);
    expect(clock.now()).toBe(5);
  });

  it('asks nothing before it is subscribed, and passes the answer on', () => {
    const scheduler = new VirtualTimeScheduler();
    let asked = 0;
    const clock = new ReaderClock({ ready: () => { asked += 1; return of(undefined); } }, scheduler);
    const ready$ = clock.ready();
    expect(asked).toBe(0);
    const said: string[] = [];
    ready$.subscribe({ next: () => said.push('next'), complete: () => said.push('complete') });
    expect([asked, said]).toEqual([1, ['next', 'complete']]);
  });
});
