import { EMPTY, Observable } from 'rxjs';

/** An `abort$` as an Observable: emits when it fires, at once where a signal has fired already. */
export function aborts(source: Observable<unknown> | AbortSignal | undefined): Observable<unknown> {
  if (source === undefined) return EMPTY;
  if (!('aborted' in source)) return source;
  return new Observable((subscriber) => {
    const fire = (): void => subscriber.next(undefined);
    if (source.aborted) return fire();
    source.addEventListener('abort', fire, { once: true });
    return () => source.removeEventListener('abort', fire);
  });
}
