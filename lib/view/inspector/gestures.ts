import { filter, fromEvent, map, merge } from 'rxjs';
import type { Observable } from 'rxjs';

/** What a pointer does on the stage, in pixels from its corner. */
export type Gesture =
  | { readonly type: 'move'; readonly x: number; readonly y: number }
  | { readonly type: 'leave' }
  | { readonly type: 'pan'; readonly x: number; readonly y: number }
  | { readonly type: 'zoom'; readonly factor: number; readonly x: number }
  | { readonly type: 'press'; readonly x: number; readonly y: number };

/** A press may tremble by this much. */
const TREMBLE = 4;

/**
 * Drags, presses, pinches and wheels of an element.
 *
 * Contract:
 * - starts: on subscribing, which listens.
 * - leaves: listens no more.
 *
 * @internal
 */
export function gestures(stage: HTMLElement): Observable<Gesture> {
  const pointers = new Map<number, { x: number; y: number }>();
  let travelled = 0;
  const placeOf = ({ clientX, clientY }: MouseEvent): { x: number; y: number } => {
    const { left, top } = stage.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const distance = (): number => {
    const [a, b] = [...pointers.values()];
    return a === undefined || b === undefined ? 0 : Math.hypot(a.x - b.x, a.y - b.y);
  };

  const moved = (event: PointerEvent): Gesture | undefined => {
    const place = placeOf(event);
    const before = pointers.get(event.pointerId);
    if (before === undefined) return { type: 'move', ...place };
    const apart = distance();
    pointers.set(event.pointerId, place);
    travelled += Math.hypot(place.x - before.x, place.y - before.y);
    if (pointers.size === 2 && apart > 0) return { type: 'zoom', factor: distance() / apart, x: place.x };
    return travelled < TREMBLE ? undefined : { type: 'pan', x: before.x - place.x, y: before.y - place.y };
  };
  const released = (event: PointerEvent): Gesture | undefined => {
    const wasDown = pointers.delete(event.pointerId);
    stage.classList.toggle('dragging', pointers.size > 0);
    return wasDown && travelled < TREMBLE && event.type === 'pointerup' ? { type: 'press', ...placeOf(event) } : undefined;
  };
  const wheeled = (event: WheelEvent): Gesture => {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 16 : 1;
    const [x, y] = event.shiftKey && event.deltaX === 0 ? [event.deltaY * unit, 0] : [event.deltaX * unit, event.deltaY * unit];
    if (event.shiftKey || event.altKey || Math.abs(x) > Math.abs(y)) return { type: 'pan', x, y: event.shiftKey ? 0 : y };
    return { type: 'zoom', factor: Math.exp(-y * (event.ctrlKey ? 0.01 : 0.0018)), x: placeOf(event).x };
  };

  return merge(
    fromEvent<PointerEvent>(stage, 'pointerdown').pipe(
      map((event) => {
        if (pointers.size === 0) travelled = 0;
        pointers.set(event.pointerId, placeOf(event));
        stage.setPointerCapture(event.pointerId);
        stage.classList.add('dragging');
        return undefined;
      }),
    ),
    fromEvent<PointerEvent>(stage, 'pointermove').pipe(map(moved)),
    merge(fromEvent<PointerEvent>(stage, 'pointerup'), fromEvent<PointerEvent>(stage, 'pointercancel')).pipe(map(released)),
    fromEvent<PointerEvent>(stage, 'pointerleave').pipe(map((): Gesture => ({ type: 'leave' }))),
    fromEvent<WheelEvent>(stage, 'wheel', { passive: false }).pipe(map(wheeled)),
  ).pipe(filter((gesture) => gesture !== undefined));
}
