import { draw } from './draw.ts';
import type { Mark } from './draw.ts';

/** When something was subscribed and left, in frames; `Infinity` is never. */
export interface SubscriptionFrames {
  readonly subscribedFrame: number;
  readonly unsubscribedFrame: number;
}

/** What a drawn turn, tool, `cold` and `hot` have. */
export interface Subscribed {
  readonly subscriptions: readonly SubscriptionFrames[];
}

/**
 * The failure drawing of a list of subscriptions; undefined if they are as expected.
 *
 * @internal
 */
export function compareSubscriptions(
  expected: readonly SubscriptionFrames[],
  actual: readonly SubscriptionFrames[],
): string | undefined {
  const rows = Array.from({ length: Math.max(expected.length, actual.length) }, (_, row) => [marks(expected[row]), marks(actual[row])] as const);
  if (rows.every(([above, below]) => JSON.stringify(above) === JSON.stringify(below))) return undefined;
  const count = expected.length === actual.length ? '' : ` (${expected.length} expected, ${actual.length} made)`;
  return [`The subscriptions are not as drawn${count}:`, ...rows.map(([above, below]) => draw(above, below))].join('\n');
}

function marks(one: SubscriptionFrames | undefined): readonly Mark[] {
  if (one === undefined) return [];
  const subscribed = { frame: one.subscribedFrame, letter: '^' };
  return one.unsubscribedFrame === Infinity ? [subscribed] : [subscribed, { frame: one.unsubscribedFrame, letter: '!' }];
}
