import { forkJoin, from, isObservable, map, mergeMap, Observable, of } from 'rxjs';
import type { MonoTypeOperatorFunction, Subscriber } from 'rxjs';
import { ConfigError } from '../errors.ts';
import type { ToolCallEvent } from '../event.ts';
import { inOrder } from '../fold/in-order.ts';
import type { ToolCall, ToolFault } from '../message.ts';
import type { Policy } from '../policy.ts';
import { relay } from '../relay.ts';
import type { CallGroup, Schedule, Scheduled } from '../schedule.ts';
import { call, failed } from './call.ts';
import type { CallContext, CallEvent } from './call.ts';
import { fault } from './fault.ts';
import { releaseInOrder } from './release.ts';
import type { Indexed } from './release.ts';

export type BatchEvent = ToolCallEvent | CallEvent;

/** What a batch needs to know of its run. */
export interface BatchContext extends Omit<CallContext, 'errorText'> {
  readonly policy: Pick<Policy, 'toolErrorText'>;
  readonly schedule: Schedule;
}

/**
 * Runs a step's calls: first every `tool-call`, then the groups of the schedule one after another. What happens while a
 * call runs is shown at once; results come in call order.
 *
 * ```marbles
 * first      -----1|
 * second           -----2|
 * batch()    (cds)-(e1t)-(f2|)
 * ```
 *
 * (`c` `d` tool-call; `s` `t` tool-start; `e` `f` tool-commit; `1` `2` tool-result.)
 *
 * Contract:
 * - leaves: the calls that run; no further one starts.
 * - fails: never because of a call, see {@link call}; a `ConfigError` for a schedule that does not hold every call once.
 *
 * @param notRun - why none of the calls runs: each gets an error result that says so
 * @internal
 */
export function batch(calls: readonly ToolCall[], context: BatchContext, notRun?: string): Observable<BatchEvent> {
  const { runId, step } = context;
  const inner: CallContext = { ...context, errorText: errorTexts[context.policy.toolErrorText] };
  const announced = calls.map((one): ToolCallEvent => ({ type: 'tool-call', runId, step, callId: one.id, call: one }));
  if (notRun !== undefined) return from([...announced, ...calls.map((one) => failed(one, inner, fault('cancelled', notRun)))]);

  const groups = context.schedule(calls.map((one) => ({ call: one, tool: context.tools.get(one.name) })));
  const queue = groups.flatMap((group) => group.calls);
  if (!holdsEach(calls, queue)) throw new ConfigError('toolLoop: schedule must give every call back once.');
  // Then results come in call order by themselves.
  if (groups.every(isOneByOne) && queue.every(({ call: one }, at) => one === calls[at])) {
    const run = ({ call: one }: Scheduled): CallEvent | Observable<CallEvent> => call(one, inner);
    return from<(ToolCallEvent | Scheduled)[]>([...announced, ...queue]).pipe(
      inOrder((one): BatchEvent | Observable<BatchEvent> => ('type' in one ? one : run(one))),
    );
  }
  // A call is dropped after its result, and its result may have to wait for those before it.
  const late = new Map<string, Subscriber<void>>();
  const holding: CallContext = {
    ...inner,
    later: (callId, dropped$) => {
      const answered$ = new Observable<void>((subscriber) => void late.set(callId, subscriber));
      context.later(callId, forkJoin([answered$, dropped$]).pipe(map(([, dropped]) => dropped)));
    },
  };
  const drop = (event: BatchEvent): void => {
    const waiting = event.type === 'tool-result' ? late.get(event.callId) : undefined;
    waiting?.next();
    waiting?.complete();
  };
  const places = new Map(calls.map((one, index) => [one.id, index]));
  const placed = (event: BatchEvent): Indexed<BatchEvent> => ({
    index: ('callId' in event && places.get(event.callId)) || 0,
    event,
    held: event.type === 'tool-commit' || event.type === 'tool-result',
    last: event.type === 'tool-result',
  });
  const together = ({ calls: group, bound }: CallGroup): Observable<BatchEvent> =>
    from(group).pipe(
      mergeMap((one): Observable<BatchEvent> => {
        const events = call(one.call, holding);
        return isObservable(events) ? events : of(events);
      }, Math.max(1, bound)),
    );
  return from<(ToolCallEvent | CallGroup)[]>([...announced, ...groups]).pipe(
    inOrder((one) => ('type' in one ? placed(one) : together(one).pipe(map(placed)))),
    releaseInOrder(),
    after(drop),
  );
}

/** Acts when an event has been said, not before, as `tap` would. */
function after<T>(act: (value: T) => void): MonoTypeOperatorFunction<T> {
  return (source) =>
    new Observable((subscriber) => {
      relay(source, subscriber, {
        next(value) {
          subscriber.next(value);
          act(value);
        },
        complete: () => subscriber.complete(),
      });
    });
}

function isOneByOne({ calls, bound }: CallGroup): boolean {
  return bound <= 1 || calls.length <= 1;
}

function holdsEach(calls: readonly ToolCall[], queue: readonly Scheduled[]): boolean {
  const scheduled = new Set(queue.map(({ call: one }) => one));
  return queue.length === calls.length && calls.every((one) => scheduled.has(one));
}

const errorTexts: Record<Policy['toolErrorText'], (fault: ToolFault) => string> = {
  whole: ({ message }) => message,
  redacted: ({ kind, retryable }) => `The tool failed (${kind}).${retryable ? ' Trying again may help.' : ''}`,
};
