/**
 * Milliseconds as people read them: `7 ms`, `1.2 s`, `3 min 5 s`.
 *
 * @internal
 */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.floor(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`;
}
