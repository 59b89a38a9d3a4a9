import type { LoopEvent } from '../event.ts';
import type { JsonPatchOperation } from '../host.ts';
import type { BlockState, CallState, LoopState, MessageState } from '../loop-state.ts';
import { pieces, toWireState, wireBlock, wireCall, wireMessage } from './to-wire-state.ts';

/**
 * The JSON Patch that makes the wire form of one state that of the next. Where something changed is found by identity, in
 * lists and fields alone; what was added to a text is what the event brought, so that no text is compared or sent twice.
 *
 * @param before - the state that `event` was folded into
 * @param after - what came of it
 * @param at - the pointer of the state in the document
 * @internal
 */
export function statePatch(before: LoopState, after: LoopState, event: LoopEvent, at = ''): JsonPatchOperation[] {
  const { delta } = event.type === 'delta' ? event : { delta: undefined };
  const text = delta !== undefined && 'block' in delta && 'text' in delta ? delta.text : undefined;
  const chunk = delta?.type === 'tool-call-arguments' ? delta.chunk : undefined;
  return [
    ...fields(before, after, at, STATE_PARTS),
    ...shared(before, after, event, at),
    ...list(before.messages, after.messages, `${at}/messages`, { keyOf: ({ id }) => id, wire: wireMessage, change: messageChange }),
    ...blocks(before.messages, after.messages, `${at}/blocks`, text),
    ...list(before.calls, after.calls, `${at}/calls`, {
      keyOf: ({ callId }) => callId,
      wire: wireCall,
      change: (from, to, place) => callChange(from, to, place, chunk),
    }),
    ...nested(before, after, event, at),
  ];
}

const STATE_PARTS: ReadonlySet<string> = new Set(['messages', 'calls', 'nested', 'shared']);
const MESSAGE_PARTS: ReadonlySet<string> = new Set(['blocks']);
const BLOCK_PARTS: ReadonlySet<string> = new Set(['text']);
const CALL_PARTS: ReadonlySet<string> = new Set(['argumentsText', 'arguments', 'display']);

function messageChange(before: MessageState, after: MessageState, at: string): JsonPatchOperation[] {
  const { length } = after.blocks;
  const count: JsonPatchOperation[] = length === before.blocks.length ? [] : [{ op: 'add', path: `${at}/blocks`, value: length }];
  return [...fields(before, after, at, MESSAGE_PARTS), ...count];
}

/** The blocks of all messages from the first one that has changed. */
function blocks(before: readonly MessageState[], after: readonly MessageState[], at: string, text: string | undefined): JsonPatchOperation[] {
  if (before === after) return [];
  let start = 0;
  let offset = 0;
  while (start < before.length && before[start] === after[start]) offset += before[start++]?.blocks.length ?? 0;
  const wholes: Wholes = new Map();
  return list(placed(before, start, wholes), placed(after, start, wholes), at, {
    keyOf: ({ key }) => key,
    wire: ({ block }) => wireBlock(block),
    change: (from, to, place) => blockChange(from.block, to.block, place, text),
  }, offset);
}

interface Placed {
  readonly key: unknown;
  readonly block: BlockState;
}

/** A key for each time that a block which comes whole is there: an adapter may give one object twice. */
type Wholes = Map<BlockState, object[]>;

/** Each block with what it keeps while it grows; one that comes whole is told by itself. */
function placed(messages: readonly MessageState[], start: number, wholes: Wholes): Placed[] {
  const seen = new Map<BlockState, number>();
  const wholeKey = (block: BlockState): object => {
    const at = seen.get(block) ?? 0;
    seen.set(block, at + 1);
    const keys = wholes.get(block) ?? [];
    wholes.set(block, keys);
    return (keys[at] ??= {});
  };
  return messages.slice(start).flatMap(({ id, blocks: own }) =>
    own.map((block) => ({ key: 'text' in block && block.block !== undefined ? JSON.stringify([id, block.type, block.block]) : wholeKey(block), block })),
  );
}

function blockChange(before: BlockState, after: BlockState, at: string, text: string | undefined): JsonPatchOperation[] {
  const said = 'text' in before && 'text' in after ? grown(before.text, after.text, `${at}/text`, text) : [];
  return [...said, ...fields(before, after, at, BLOCK_PARTS)];
}

function callChange(before: CallState, after: CallState, at: string, chunk: string | undefined): JsonPatchOperation[] {
  const written = grown(before.argumentsText, after.argumentsText, `${at}/argumentsText`, chunk);
  const isRead = after.state === 'writing' || before.arguments === after.arguments;
  const given: JsonPatchOperation[] = isRead ? [] : [{ op: 'add', path: `${at}/arguments`, value: after.arguments }];
  return [...written, ...given, ...fields(before, after, at, CALL_PARTS)];
}

function grown(before: string, after: string, at: string, piece: string | undefined): JsonPatchOperation[] {
  // By length, because to compare two long texts that are not joined yet would join them.
  if (before.length === after.length) return [];
  return [piece === undefined ? { op: 'add', path: at, value: pieces(after) } : { op: 'add', path: `${at}/-`, value: piece }];
}

/** All fields but those that are patched in their parts. */
function fields<T extends object>(before: T, after: T, at: string, parts: ReadonlySet<string>): JsonPatchOperation[] {
  if (before === after) return [];
  const operations: JsonPatchOperation[] = [];
  const [from, to] = [before as Record<string, unknown>, after as Record<string, unknown>];
  for (const key in from) {
    if (from[key] !== undefined && to[key] === undefined && !parts.has(key)) operations.push({ op: 'remove', path: `${at}/${key}` });
  }
  for (const key in to) {
    if (to[key] !== undefined && from[key] !== to[key] && !parts.has(key)) operations.push({ op: 'add', path: `${at}/${key}`, value: to[key] });
  }
  return operations;
}

/** The application's own patch, at its place; one of the whole document as a new document. */
function shared(before: LoopState, after: LoopState, event: LoopEvent, at: string): JsonPatchOperation[] {
  if (before.shared === after.shared) return [];
  const path = `${at}/shared`;
  const isWhole = event.type !== 'state' || event.patch.some((one) => one.path === '' || ('from' in one && one.from === ''));
  if (isWhole) return [{ op: 'add', path, value: after.shared }];
  return event.patch.map((one) => ('from' in one ? { ...one, path: path + one.path, from: path + one.from } : { ...one, path: path + one.path }));
}

function nested(before: LoopState, after: LoopState, event: LoopEvent, at: string): JsonPatchOperation[] {
  if (before.nested === after.nested) return [];
  const pointer = (runId: string): string => `${at}/nested/${runId.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const gone = Object.keys(before.nested).filter((runId) => !Object.hasOwn(after.nested, runId));
  return [
    ...gone.map((runId): JsonPatchOperation => ({ op: 'remove', path: pointer(runId) })),
    ...Object.entries(after.nested).flatMap(([runId, run]): JsonPatchOperation[] => {
      const known = Object.hasOwn(before.nested, runId) ? before.nested[runId] : undefined;
      if (known === undefined) return [{ op: 'add', path: pointer(runId), value: toWireState(run) }];
      return known === run ? [] : statePatch(known, run, event, pointer(runId));
    }),
  ];
}

interface Items<T> {
  /** What an item keeps while it changes. */
  keyOf(item: T): unknown;
  wire(item: T): unknown;
  /** Operations for an item that stays. */
  change(before: T, after: T, at: string): JsonPatchOperation[];
}

/** A list whose items go, come and change, but never change places. Mostly one item differs, and nothing else is looked at. */
function list<T>(before: readonly T[], after: readonly T[], at: string, { keyOf: key, wire, change }: Items<T>, offset = 0): JsonPatchOperation[] {
  if (before === after) return [];
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const from = before.slice(start, before.length - end);
  const to = after.slice(start, after.length - end);
  const operations: JsonPatchOperation[] = [];
  const stays = new Set(to.map(key));
  for (let index = from.length - 1; index >= 0; index--) {
    if (stays.has(key(from[index] as T))) continue;
    from.splice(index, 1);
    operations.push({ op: 'remove', path: `${at}/${offset + start + index}` });
  }
  const known = new Map(from.map((item) => [key(item), item]));
  to.forEach((item, index) => {
    const place = `${at}/${offset + start + index}`;
    const was = known.get(key(item));
    if (was === undefined) operations.push({ op: 'add', path: place, value: wire(item) });
    else if (was !== item) operations.push(...change(was, item, place));
  });
  return operations;
}
