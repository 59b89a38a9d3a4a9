import { catchError, EMPTY, endWith, exhaustMap, interval, map, merge, Observable, of, takeWhile } from 'rxjs';
import type { OperatorFunction, SchedulerLike, Subscriber } from 'rxjs';
import { RemoteError, toReadableStream } from '../index.ts';
import type { Demand, LoopEvent, RunLog } from '../index.ts';
import { relay } from '../relay.ts';
import type { Format } from './format.ts';
import { errorFrame } from './native-format.ts';
import { seamless } from './seamless.ts';
import type { Placed } from './seamless.ts';

export interface Watch {
  readonly log: RunLog;
  readonly runId: string;
  /** What the watcher has already. */
  readonly after: number;
  readonly format: Format;
  /** A frame that comes first. */
  readonly first?: string;
  /** Subscribed as long as somebody watches. */
  readonly watch$: Observable<never>;
  readonly heartbeatMs: number;
  readonly scheduler: SchedulerLike;
}

/**
 * The body of an answer that follows a run. It reads the log at the pace of its own reader, and holds one piece at most:
 * who reads nothing costs nothing.
 *
 * @internal
 */
export function watch({ log, runId, after, format, first, watch$, heartbeatMs, scheduler }: Watch): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  // What keeps state needs to see everything, also what its watcher has.
  const from = format.stateless === true ? after : 0;
  const frames$ = (demand: Demand): Observable<string> => log.read(runId, from, demand).pipe(seamless(), framed(format, after));
  // Also asked for: a reader that stands still gets one, not one each time.
  const beats$ = (demand: Demand): Observable<string> =>
    heartbeatMs < Infinity ? interval(heartbeatMs, scheduler).pipe(exhaustMap(() => demand.ready().pipe(map(() => ': alive\n\n')))) : EMPTY;
  return toReadableStream<Uint8Array>(
    (demand) =>
      merge(first === undefined ? EMPTY : of(first), watch$, frames$(demand).pipe(endWith(END)), beats$(demand)).pipe(
        takeWhile((text) => text !== END),
        // Of the log: the run itself is well, or has an ending that the log holds.
        catchError((error: unknown) => of(errorFrame(error))),
        map((text) => encoder.encode(text)),
      ),
    { highWaterMark: 1 },
  );
}

const END = '';

/** Pieces of a log through a format, one text each; what stands at or before `after` is read and not written. */
function framed(format: Format, after: number): OperatorFunction<readonly Placed[], string> {
  return (pieces$) =>
    new Observable((subscriber) => {
      let frames: string[] = [];
      let feed: Subscriber<LoopEvent> | undefined;
      const events$ = new Observable<LoopEvent>((events) => {
        feed = events;
      });
      relay(events$.pipe(format.encode), subscriber, {
        next: (frame) => void frames.push(frame),
        error: (error) => void frames.push(errorFrame(error)),
        complete: () => undefined,
      });
      const taken = (): string[] => {
        const all = frames;
        frames = [];
        return all;
      };
      relay(pieces$, subscriber, {
        next(piece) {
          const texts = piece.map(({ position, entry }) => {
            if ('error' in entry) feed?.error(new RemoteError(entry.error));
            else feed?.next(entry.event);
            const made = taken();
            return position <= after ? '' : [...made.slice(0, -1), ...made.slice(-1).map((frame) => `id: ${position}\n${frame}`)].join('');
          });
          const text = texts.join('');
          if (text !== '') subscriber.next(text);
        },
        complete() {
          feed?.complete();
          const text = taken().join('');
          if (text !== '') subscriber.next(text);
          subscriber.complete();
        },
      });
    });
}
