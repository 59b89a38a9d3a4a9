import type { Correction, LoopEvent } from '../event.ts';

/**
 * The line for a person where the channel has nothing else for an event. The reasons in such events are mostly a
 * provider's words, and stay out; the reason of a request is for the person who is asked.
 *
 * @internal
 */
export function loopbackNotice(event: LoopEvent): string | undefined {
  switch (event.type) {
    case 'retry':
      return `The model does not answer. Trying again in ${event.delayMs} ms (${event.count} of ${event.max}).`;
    case 'fallback':
      return `Going on with ${event.to}.`;
    case 'step-retract':
      return 'The answer is withdrawn, and begun anew.';
    case 'correction':
      return CORRECTIONS[event.cause];
    case 'compaction':
      return 'The conversation was shortened.';
    case 'approval-request':
      return event.reason ?? REQUESTS[event.kind](event.call.name);
    default:
      return undefined;
  }
}

const CORRECTIONS: Readonly<Record<Correction['cause'], string>> = {
  stream: 'The answer broke off. Asking again.',
  output: 'The answer is not in the form that was asked for. Asking again.',
  hook: 'The answer is sent back. Asking again.',
};

const REQUESTS = {
  approval: (tool: string) => `"${tool}" waits for approval.`,
  result: (tool: string) => `The result of "${tool}" is awaited.`,
  input: (tool: string) => `"${tool}" asks for input.`,
} as const;
