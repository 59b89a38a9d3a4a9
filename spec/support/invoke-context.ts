import { isObservable, of, VirtualTimeScheduler } from 'rxjs';
import type { Observable } from 'rxjs';
import type { CallContext } from '../../lib/invoke/call-context.ts';
import type { Desk } from '../../lib/invoke/desk.ts';
import type { Tool } from '../../lib/tool.ts';

/** What the calls of a step share, for specs of one of them. Nothing moves its clock. */
export function invokeContext(tools: readonly Tool[] = [], change: Partial<CallContext> = {}): CallContext {
  return {
    runId: 'r',
    step: 0,
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    scheduler: new VirtualTimeScheduler(),
    errorText: ({ message }) => message,
    graceMs: 0,
    isStopped: () => false,
    mayNotStart: () => undefined,
    later: () => undefined,
    ...change,
  };
}

/** A desk whose requests are `q1`, `q2` and so on. */
export function desk(port?: Desk['port'], given: Desk['given'] = new Map()): Desk {
  let made = 0;
  return { port, given, ids: () => `q${(made += 1)}` };
}

/** What was said so far, and how it ended. */
export interface Heard<T> {
  readonly values: T[];
  ended: boolean;
  error: unknown;
  readonly leave: () => void;
}

/** Listens to what may be a plain value. */
export function hear<T>(said: T | Observable<T>): Heard<T> {
  const heard: Heard<T> = { values: [], ended: false, error: undefined, leave: () => subscription.unsubscribe() };
  const subscription = (isObservable(said) ? said : of(said)).subscribe({
    next: (value) => heard.values.push(value),
    error: (error: unknown) => (heard.error = error),
    complete: () => (heard.ended = true),
  });
  return heard;
}
