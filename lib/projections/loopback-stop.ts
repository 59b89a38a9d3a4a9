import type { Reason } from '../outcome.ts';
import type { LoopbackStopHint } from './loopback-event.ts';

const HINTS: Readonly<Record<Reason, LoopbackStopHint | undefined>> = {
  answer: undefined,
  output: undefined,
  stopped: undefined,
  suspended: undefined,
  length: 'max-tokens',
  'max-tokens': 'max-tokens',
  'context-full': 'max-tokens',
  'max-steps': 'max-turn-requests',
  'max-cost': 'max-turn-requests',
  'max-duration': 'max-turn-requests',
  repetition: 'max-turn-requests',
  refusal: 'refusal',
  'content-filter': 'refusal',
  aborted: 'cancelled',
  error: 'error',
};

/** The hint for a run's reason; none where it is a normal end, and where the reason is one of tomorrow. */
export function loopbackStop(reason: Reason): LoopbackStopHint | undefined {
  return HINTS[reason];
}
