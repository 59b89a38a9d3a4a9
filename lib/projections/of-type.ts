import { filter } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import type { EventOf, EventType, LoopEvent } from '../event.ts';
import type { Tool } from '../tool.ts';

/**
 * The events of some types, narrowed to them.
 *
 * ```marbles
 * events                 -t-c-y-1-T-(ZL|)
 * ofType('tool-result')  -------1---|
 * ```
 *
 * @param types - one or more event types
 * @public
 */
export function ofType<T extends Tool, const Type extends EventType>(
  ...types: readonly Type[]
): OperatorFunction<LoopEvent<T>, EventOf<Type, T>> {
  const wanted: ReadonlySet<string> = new Set(types);
  return filter((event): event is EventOf<Type, T> => wanted.has(event.type));
}
