/** Steps of a drawing, in pixels at its own size. */
const STEP = { marble: 24, dot: 10, stroke: 2.5 } as const;

/** How far a mark stands from the one before it: every event has room, and a long wait is wider than a short one, but not by as much. */
export function stride(size: keyof typeof STEP, gapMs: number): number {
  const [growth, most] = size === 'stroke' ? [3, 60] : [10, 120];
  return STEP[size] + Math.min(most, growth * Math.log2(1 + gapMs / 50));
}
