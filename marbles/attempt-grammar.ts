import { isShown } from '../lib/index.ts';
import type { Delta, EventOf } from '../lib/index.ts';
import { eventName } from './event-name.ts';
import type { Fault } from './event-name.ts';

/** What the steps of one run share: no id of a call or a request, and no block, is used twice. */
export interface Taken {
  readonly callIds: Set<string>;
  /** Shared with nested runs. */
  readonly requests: Set<string>;
  /** The step and attempt of each block. */
  readonly blocks: Map<string, string>;
}

export type AttemptEvent = EventOf<'delta' | 'retry' | 'fallback' | 'tool-start' | 'tool-progress'>;

/** The order of one attempt: `( retry | fallback | delta | tool-start | tool-progress )*`, then `step-end` or `step-retract`. */
export interface AttemptGrammar {
  /** The name of its step-start. */
  readonly opened: string;
  /** The calls of eager tools that have started, and the names of their starts. */
  readonly started: ReadonlyMap<string, string>;
  next(event: AttemptEvent): Fault | undefined;
  end(event: EventOf<'step-end'>): Fault | undefined;
  retract(event: EventOf<'step-retract'>): Fault | undefined;
  /** A call of it was dropped: it can only be withdrawn now. */
  drop(event: EventOf<'tool-dropped'>): void;
  /** Why the call does not run now; undefined if it does. */
  running(callId: string): Fault | undefined;
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
/** Endings of a turn that asks for nothing. */
const WITHOUT_CALLS: ReadonlySet<string> = new Set(['stop', 'other', 'pause']);

/** @internal */
export function attemptGrammar(start: EventOf<'step-start'>, taken: Taken): AttemptGrammar {
  const opened = eventName(start);
  const owner = `step ${start.step}, attempt ${start.attempt}`;
  const calls = new Map<number, OpenCall>();
  const started = new Map<string, string>();
  const dropped = new Map<string, string>();
  /** Of what was shown, and of what came unseen. */
  const blocks = { shown: new Set<string>(), unseen: new Set<string>() };
  let said = '';
  let last = opened;
  let shown: string | undefined;
  let finish: string | undefined;
  let retries = 0;
  let { model } = start;

  const because = (rule: string, before = last): Fault => ({ rule, before });

  const block = (name: string, isSeen = true): Fault | undefined => {
    const other = taken.blocks.get(name) ?? owner;
    taken.blocks.set(name, other);
    blocks[isSeen ? 'shown' : 'unseen'].add(name);
    return other === owner ? undefined : because(`block ${JSON.stringify(name)} belongs to ${other}`);
  };

  const read = (step: number, delta: Delta): Fault | undefined => {
    if (finish !== undefined) return because('a finish delta is the last of its attempt', finish);
    switch (delta.type) {
      case 'text':
        said += delta.text;
        return block(delta.block);
      case 'refusal':
      case 'reasoning':
      case 'server-tool':
      case 'file':
        return block(delta.block);
      case 'source':
        return delta.block === undefined ? undefined : block(delta.block);
      case 'opaque':
        return block(delta.block, false);
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

  const again = (): Fault | undefined => {
    if (shown !== undefined) return because('an attempt that showed something is not repeated', shown);
    return finish === undefined ? undefined : because('an exchange that succeeded is not repeated', finish);
  };

  const retry = (event: EventOf<'retry'>): Fault | undefined => {
    if (event.attempt !== start.attempt) return because(`the attempt that is open is ${start.attempt}`, opened);
    const fault = again();
    if (fault !== undefined) return fault;
    if (event.count !== retries + 1) return because(`the retries of an attempt count 1, 2, 3 and this one is ${retries + 1}`);
    if (event.count > event.max) return because(`retry ${event.count} is over its own max of ${event.max}`);
    retries = event.count;
    return undefined;
  };

  const fallback = (event: EventOf<'fallback'>): Fault | undefined => {
    const fault = again();
    if (fault !== undefined) return fault;
    if (event.from !== model) return because(`the model that serves is ${JSON.stringify(model)}`);
    model = event.to;
    retries = 0;
    return undefined;
  };

  /** Tools that need not wait for the end of the step. */
  const tool = (event: EventOf<'tool-start' | 'tool-progress'>): Fault | undefined => {
    const start = started.get(event.callId);
    if (event.type === 'tool-progress') return start === undefined ? because('a step ends before its tools begin, but for eager ones') : undefined;
    if (!event.speculative) return because('a step ends before its tools begin, but for eager ones');
    if (start !== undefined) return because('a call starts once', start);
    const call = [...calls.values()].find(({ id }) => id === event.callId);
    if (call?.ended === undefined) return because('an eager tool starts when its tool-call-end has been shown', call?.started);
    started.set(event.callId, eventName(event));
    return undefined;
  };

  /** What has been dropped cannot be committed any more. */
  const isDropped = (): Fault | undefined => {
    const [drop] = dropped.values();
    return drop === undefined ? undefined : because('an attempt whose calls were dropped is withdrawn', drop);
  };

  const take = (event: AttemptEvent): Fault | undefined => {
    switch (event.type) {
      case 'delta':
        return read(event.step, event.delta);
      case 'retry':
        return retry(event);
      case 'fallback':
        return fallback(event);
      default:
        return tool(event);
    }
  };

  const isOther = (event: EventOf<'step-end' | 'step-retract'>): Fault | undefined => {
    if (event.step !== start.step) return because(`the step that is open is ${start.step}`, opened);
    return event.attempt === start.attempt ? undefined : because(`the attempt that is open is ${start.attempt}`, opened);
  };

  const ended = (): readonly string[] =>
    [...calls].sort(([a], [b]) => a - b).flatMap(([, call]) => (call.ended === undefined ? [] : [call.id]));

  return {
    opened,
    started,
    next(event) {
      if (event.step !== start.step) return because(`the step that is open is ${start.step}`, opened);
      const fault = isDropped() ?? take(event);
      last = eventName(event);
      if (event.type === 'delta' && isShown(event.delta)) shown ??= last;
      return fault;
    },
    end(event) {
      const fault = isOther(event) ?? isDropped();
      if (fault !== undefined) return fault;
      const count = ended().length;
      if (finish === undefined && !BROKEN.has(event.finish)) return because('a step that succeeded has a finish delta');
      if (finish !== undefined && event.finish === 'error') return because('an exchange that succeeded did not break', finish);
      // The calls of a step that was reserved for an answer are ignored. One that is rejected at its name counts, unshown.
      const isCounted = event.toolCalls === 0 || event.toolCalls === count || (event.toolCalls > count && !WITHOUT_CALLS.has(event.finish));
      if (!isCounted) return because(`it counts ${event.toolCalls} calls and ${count} were complete`);
      return undefined;
    },
    retract(event) {
      const fault = isOther(event);
      if (fault !== undefined) return fault;
      if (finish !== undefined) return because('a finish delta is shown only where the attempt stands', finish);
      const ids = new Set([...calls.values()].map(({ id }) => id));
      if (event.finish !== undefined && ended().length > 0) return because('a whole step that asks for tools is not withdrawn');
      const wrong = difference('block', event.blocks, blocks.shown, blocks.unseen) ?? difference('call', event.callIds, ids);
      return wrong === undefined ? undefined : because(wrong);
    },
    drop: (event) => dropped.set(event.callId, eventName(event)),
    running(callId) {
      if (!started.has(callId)) return because(`the call ${JSON.stringify(callId)} has not started`);
      const drop = dropped.get(callId);
      return drop === undefined ? undefined : because('a call that was dropped says no more', drop);
    },
    calls: ended,
    text: () => said,
  };
}

/** What a list lacks of what was shown, or has beyond it. */
function difference(what: string, list: readonly string[], shown: ReadonlySet<string>, allowed: ReadonlySet<string> = shown): string | undefined {
  const lacking = [...shown].find((one) => !list.includes(one));
  if (lacking !== undefined) return `the attempt had shown the ${what} ${JSON.stringify(lacking)}`;
  const extra = list.find((one) => !shown.has(one) && !allowed.has(one));
  if (extra !== undefined) return `the attempt had shown no ${what} ${JSON.stringify(extra)}`;
  return new Set(list).size === list.length ? undefined : `it names a ${what} twice`;
}
