import type { Compaction, StepEnd, StepRetract } from '../event.ts';
import type { BlockState, CallState, LoopState, MessageState } from '../loop-state.ts';
import type { Message } from '../message.ts';
import { addUsage } from '../usage.ts';
import { readMessages } from './initial-state.ts';
import { withoutRuns } from './without-runs.ts';

/**
 * The state once a step stands: its message is committed, or broken where it ended with an error or a stop. Calls that
 * were not complete leave no trace, nor does a turn that said nothing.
 *
 * @internal
 */
export function endStep(state: LoopState, { step, finish, usage }: StepEnd): LoopState {
  const isBroken = finish === 'error' || finish === 'aborted';
  return { ...closeMessage(state, { state: isBroken ? 'broken' : 'committed', finish }, step), usage: addUsage(state.usage, usage) };
}

/**
 * Closes the message that is open.
 *
 * @param as - what it becomes
 * @param step - closes it only if it is of this step; default: whichever it is
 * @internal
 */
export function closeMessage(state: LoopState, as: Pick<MessageState, 'state' | 'finish'>, step?: number): LoopState {
  const open = state.messages.at(-1);
  if (open?.state !== 'provisional' || (step !== undefined && open.step !== step)) return state;
  const isCut = (call: CallState): boolean => call.state === 'writing' && call.step === open.step;
  const cut = new Set(state.calls.filter(isCut).map(({ callId }) => callId));
  const blocks = open.blocks.filter((block) => (block.type === 'tool-call' ? !cut.has(block.callId) : !isEmpty(block)));
  const messages = blocks.length === 0 ? state.messages.slice(0, -1) : state.messages.with(-1, { ...open, ...as, blocks });
  return { ...state, messages, calls: kept(state.calls, ({ callId }) => !cut.has(callId)) };
}

/** As a transcript has it: a part that says nothing is none. */
function isEmpty(block: BlockState): boolean {
  return 'text' in block && block.text === '' && block.meta === undefined;
}

/**
 * The state without a withdrawn attempt: its message, its calls, and what these asked and ran.
 *
 * @internal
 */
export function retractStep(state: LoopState, { step, callIds, usage }: StepRetract): LoopState {
  const gone = state.messages.filter((message) => message.step === step && message.state === 'provisional');
  return { ...withoutMessages(state, gone, callIds), usage: addUsage(state.usage, usage) };
}

/**
 * The state without some messages and their calls.
 *
 * @param callIds - of further calls that go
 * @internal
 */
export function withoutMessages(state: LoopState, gone: readonly MessageState[], callIds: readonly string[] = []): LoopState {
  const names = new Set([...callIds, ...gone.flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === 'tool-call' ? [block.callId] : [])))]);
  return {
    ...withoutRuns(state, names),
    messages: kept(state.messages, (message) => !gone.includes(message)),
    calls: kept(state.calls, ({ callId }) => !names.has(callId)),
  };
}

/** The same list, where nothing goes. */
function kept<T>(list: readonly T[], stays: (item: T) => boolean): readonly T[] {
  return list.every(stays) ? list : list.filter(stays);
}

/**
 * The state once its transcript was shortened. Counted from its end, which the state always knows: the beginning may be
 * messages that it was not given.
 *
 * @internal
 */
export function compact(state: LoopState, { runId, kept: count, summary }: Compaction): LoopState {
  let from = state.messages.length;
  for (let left = count; left > 0 && from > 0; from--) left -= storedAs(state.messages[from - 1], state.calls);
  const rest = withoutMessages(state, state.messages.slice(0, from));
  const { messages, calls } = readMessages(summary, freshIds(rest.messages, runId));
  return { ...rest, messages: [...messages, ...rest.messages], calls: [...calls, ...rest.calls] };
}

/** How many messages of a transcript one of the state is: a turn with calls is followed by their results. */
function storedAs(message: MessageState | undefined, calls: readonly CallState[]): number {
  if (message === undefined) return 0;
  const { blocks, state } = message;
  const [first] = blocks;
  // A block of reasoning that broke off is all that is shown and not stored.
  if (state === 'broken' && blocks.length === 1 && first?.type === 'reasoning' && first.meta === undefined) return 0;
  const ids = new Set(blocks.flatMap((block) => (block.type === 'tool-call' ? [block.callId] : [])));
  return ids.size > 0 && calls.some(({ callId, result }) => result !== undefined && ids.has(callId)) ? 2 : 1;
}

/**
 * The state with further messages that no model said.
 *
 * @internal
 */
export function addMessages(state: LoopState, runId: string, added: readonly Message[], step?: number): LoopState {
  const { messages, calls } = readMessages(added, freshIds(state.messages, runId));
  const told = step === undefined ? messages : messages.map((message) => ({ ...message, step }));
  return { ...state, messages: [...state.messages, ...told], calls: calls.length === 0 ? state.calls : [...state.calls, ...calls] };
}

/** Ids that no message has. */
function freshIds(messages: readonly MessageState[], runId: string): (n: number) => string {
  const taken = new Set(messages.map(({ id }) => id));
  let next = messages.length;
  return () => {
    while (taken.has(`${runId}.user.${next}`)) next += 1;
    return `${runId}.user.${next++}`;
  };
}
