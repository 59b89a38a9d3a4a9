import { isShown } from '../lib/index.ts';
import type { Delta, EventOf } from '../lib/index.ts';
import { eventName } from './event-name.ts';
import type { Fault } from './event-name.ts';

/** What the attempts of one run share: no id of a call, and no block, is used twice. */
export interface Taken {
  readonly callIds: Set<string>;
  /** The step of each block. */
  readonly blocks: Map<string, number>;
}

/** The order of one attempt: `( retry | delta )*`, then `step-end`. */
export interface AttemptGrammar {
  /** The name of its step-start. */
  readonly opened: string;
  next(event: EventOf<'delta'> | EventOf<'retry'>): Fault | undefined;
  end(event: EventOf<'step-end'>): Fault | undefined;
  /** The ids of its complete calls, in the order of their indexes. */
  calls(): readonly string[];
  /** What its text deltas said. */
  text(): string;
}

interface OpenCall {
  readonly id: string;
  readonly started: string;
  ended?: string;
}

/** Endings that no finish delta announces. */
const BROKEN: ReadonlySet<string> = new Set(['error', 'aborted']);

/** @internal */
export function attemptGrammar(start: EventOf<'step-start'>, taken: Taken): AttemptGrammar {
  const opened = eventName(start);
  const calls = new Map<number, OpenCall>();
  let said = '';
  let last = opened;
  let shown: string | undefined;
  let finish: string | undefined;
  let retries = 0;

  const because = (rule: string, before = last): Fault => ({ rule, before });

  const block = (step: number, name: string): Fault | undefined => {
    const owner = taken.blocks.get(name) ?? step;
    taken.blocks.set(name, owner);
    return owner === step ? undefined : because(`block ${JSON.stringify(name)} belongs to step ${owner}`);
  };

  const read = (step: number, delta: Delta): Fault | undefined => {
    if (finish !== undefined) return because('a finish delta is the last of its attempt', finish);
    switch (delta.type) {
      case 'text':
        said += delta.text;
        return block(step, delta.block);
      case 'refusal':
      case 'reasoning':
      case 'server-tool':
      case 'file':
      case 'opaque':
        return block(step, delta.block);
      case 'tool-call-start': {
        const other = calls.get(delta.index);
        if (other !== undefined) return because(`index ${delta.index} is taken in this attempt`, other.started);
        if (delta.id === '') return because('a call has an id');
        if (taken.callIds.has(delta.id)) return because(`callId ${JSON.stringify(delta.id)} is taken in this run`);
        taken.callIds.add(delta.id);
        calls.set(delta.index, { id: delta.id, started: `${step} delta tool-call-start ${delta.id}` });
        return undefined;
      }
      case 'tool-call-arguments':
      case 'tool-call-end': {
        const call = calls.get(delta.index);
        if (call === undefined) return because(`no call with index ${delta.index} has started in this attempt`);
        if (call.ended !== undefined) return because(`call ${delta.index} has ended`, call.ended);
        if (delta.type === 'tool-call-arguments') return undefined;
        if (delta.call.id !== call.id) return because(`call ${delta.index} started with the id ${JSON.stringify(call.id)}`, call.started);
        call.ended = `${step} delta tool-call-end ${call.id}`;
        return undefined;
      }
      case 'finish':
        finish = `${step} delta finish`;
        return undefined;
      default:
        return undefined;
    }
  };

  const retry = (event: EventOf<'retry'>): Fault | undefined => {
    if (event.attempt !== start.attempt) return because(`the attempt that is open is ${start.attempt}`, opened);
    if (shown !== undefined) return because('an attempt that showed something is not repeated', shown);
    if (finish !== undefined) return because('an exchange that succeeded is not repeated', finish);
    if (event.count !== retries + 1) return because(`the retries of an attempt count 1, 2, 3 and this one is ${retries + 1}`);
    if (event.count > event.max) return because(`retry ${event.count} is over its own max of ${event.max}`);
    retries = event.count;
    return undefined;
  };

  const ended = (): readonly string[] =>
    [...calls].sort(([a], [b]) => a - b).flatMap(([, call]) => (call.ended === undefined ? [] : [call.id]));

  return {
    opened,
    next(event) {
      if (event.step !== start.step) return because(`the step that is open is ${start.step}`, opened);
      const fault = event.type === 'delta' ? read(event.step, event.delta) : retry(event);
      last = eventName(event);
      if (event.type === 'delta' && isShown(event.delta)) shown ??= last;
      return fault;
    },
    end(event) {
      if (event.step !== start.step) return because(`the step that is open is ${start.step}`, opened);
      if (event.attempt !== start.attempt) return because(`the attempt that is open is ${start.attempt}`, opened);
      const count = ended().length;
      if (finish === undefined && !BROKEN.has(event.finish)) return because('a step that succeeded has a finish delta');
      if (event.toolCalls !== count) return because(`it counts ${event.toolCalls} calls and ${count} were complete`);
      return undefined;
    },
    calls: ended,
    text: () => said,
  };
}
