import type { EventOf } from '../lib/index.ts';

/** How the corrections of one run are counted, each cause in its own way. */
export interface CorrectionGrammar {
  /** A step was committed. */
  ended(end: EventOf<'step-end'>): void;
  /** The rule that a correction's cause or count breaks. */
  next(event: EventOf<'correction'>, end: EventOf<'step-end'> | undefined): string | undefined;
}

/**
 * @param isResumed - the run may go on counting where an earlier one has left off
 * @internal
 */
export function correctionGrammar(isResumed: boolean): CorrectionGrammar {
  /** The last of each cause; undefined where an earlier run may have counted. */
  const counts = new Map<string, number>(isResumed ? [] : [['stream', 0], ['output', 0], ['hook', 0]]);
  let outputStep = -1;

  const allowed = ({ cause, step }: EventOf<'correction'>): readonly number[] => {
    const last = counts.get(cause) ?? 0;
    // Tool rounds may lie between two repairs of the output: whether they are still in a row is the run's to say.
    return cause === 'output' && outputStep !== step - 1 && last > 0 ? [last + 1, 1] : [last + 1];
  };

  return {
    ended({ finish }) {
      if (finish !== 'error') counts.set('stream', 0);
    },
    next(event, end) {
      const isBroken = end?.finish === 'error';
      if (end !== undefined && isBroken !== (event.cause === 'stream')) {
        return `a step that ended with ${JSON.stringify(end.finish)} ${isBroken ? 'broke: its correction has the cause "stream"' : 'did not break'}`;
      }
      const may = allowed(event);
      if (counts.has(event.cause) && !may.includes(event.count)) return `corrections ${event.cause === 'hook' ? 'of hooks' : 'in a row'} count 1, 2, 3 and this one is ${may[0]}`;
      if (event.count > event.max) return `correction ${event.count} is over its own max of ${event.max}`;
      counts.set(event.cause, event.count);
      if (event.cause === 'output') outputStep = event.step;
      return undefined;
    },
  };
}
