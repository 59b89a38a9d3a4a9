import { describe, expect, it } from '@jest/globals';
import { take } from 'rxjs';
import { StopSwitch } from '../../lib/loop/stop.ts';
import type { Stop } from '../../lib/loop/stop.ts';

const hear = (stops: StopSwitch): unknown[] => {
  const heard: unknown[] = [];
  stops.stop$.subscribe({ next: (stop) => heard.push(stop), complete: () => heard.push('complete') });
  return heard;
};
const aborted: Stop = { reason: 'aborted' };

describe('StopSwitch', () => {
  it('says nothing until it is set', () => {
    const stops = new StopSwitch();
    expect([hear(stops), stops.stopped]).toEqual([[], undefined]);
  });

  it('is heard once by all that listen, and at once by what begins later', () => {
    const stops = new StopSwitch();
    const early = [hear(stops), hear(stops)];
    stops.set(aborted);
    expect([...early, hear(stops)]).toEqual([[aborted, 'complete'], [aborted, 'complete'], [aborted, 'complete']]);
    expect(stops.stopped).toBe(aborted);
  });

  it('keeps the first stop', () => {
    const stops = new StopSwitch();
    const heard = hear(stops);
    stops.set(aborted);
    stops.set({ reason: 'max-duration' });
    stops.set({ error: new Error('late') });
    expect([heard, stops.stopped]).toEqual([[aborted, 'complete'], aborted]);
  });

  it('does not reach who has left', () => {
    const stops = new StopSwitch();
    const heard: unknown[] = [];
    stops.stop$.subscribe((stop) => heard.push(stop)).unsubscribe();
    stops.set(aborted);
    expect(heard).toEqual([]);
  });

  it('says that it is set before anybody hears of it', () => {
    const stops = new StopSwitch();
    let seen: Stop | undefined;
    stops.stop$.subscribe(() => (seen = stops.stopped));
    stops.set(aborted);
    expect(seen).toBe(aborted);
  });

  it('bears listeners that leave, or come, while it is heard', () => {
    const stops = new StopSwitch();
    const heard: string[] = [];
    const second = (): void => void stops.stop$.subscribe(() => heard.push('inner'));
    stops.stop$.pipe(take(1)).subscribe(() => (heard.push('first'), second()));
    stops.stop$.subscribe(() => heard.push('last'));
    stops.set(aborted);
    expect(heard).toEqual(['first', 'inner', 'last']);
  });

  it('spares one that an earlier listener has made leave', () => {
    const stops = new StopSwitch();
    const heard: string[] = [];
    stops.stop$.subscribe(() => other.unsubscribe());
    const other = stops.stop$.subscribe(() => heard.push('other'));
    stops.set(aborted);
    expect(heard).toEqual([]);
  });
});

describe('a soft stop', () => {
  const soft = (index?: number, text = ''): Stop => ({ reason: 'stopped', text, ...(index !== undefined && { index }) });
  const set = (...stops: Stop[]): { stopped: Stop | undefined; stop: unknown[]; hard: unknown[] } => {
    const one = new StopSwitch();
    const hard: unknown[] = [];
    one.hard$.subscribe((stop) => hard.push(stop));
    const stop = hear(one);
    for (const each of stops) one.set(each);
    return { stopped: one.stopped, stop, hard };
  };

  it('is heard by whatever the run is at, but not by calls that may end by themselves', () => {
    expect(set(soft())).toEqual({ stopped: soft(), stop: [soft(), 'complete'], hard: [] });
    expect(set(aborted).hard).toEqual([aborted]);
  });

  it('gives way to one from outside, which those calls hear too', () => {
    expect(set(soft(0), aborted)).toMatchObject({ stopped: aborted, hard: [aborted] });
    const error = new Error('broken');
    expect(set(soft(0), { error }).stopped).toEqual({ error });
    expect(set(aborted, soft(0)).stopped).toEqual(aborted);
  });

  it('gives way to one of a call before its own, and to no other', () => {
    expect(set(soft(2), soft(1), soft(3)).stopped).toEqual(soft(1));
    expect(set(soft(1), soft(1, 'again')).stopped).toEqual(soft(1));
    expect(set(soft(undefined, 'step'), soft(0)).stopped).toEqual(soft(undefined, 'step'));
    expect(set(soft(0), soft(undefined, 'step')).stopped).toEqual(soft(0));
  });
});
