import { CHECKPOINT_VERSION } from '../checkpoint.ts';
import type { Checkpoint } from '../checkpoint.ts';
import { CheckpointError } from '../control-errors.ts';
import { isRecord } from '../is-record.ts';

/** A list of objects of one shape, `?` an optional part, `count` a whole number of 0 or more. */
type Kind = 'text' | 'count' | 'number' | 'list' | 'texts' | 'object' | Shape | readonly [Kind];
type Shape = { readonly [key: string]: Kind };

const CALL: Shape = { id: 'text', name: 'text' };
const REPEAT: Shape = { key: 'text', count: 'count' };
const PART: Shape = { type: 'text' };
const RESULT: Shape = { callId: 'text', name: 'text', content: [PART] };
const MESSAGE: Shape = { role: 'text', 'content?': [PART], 'results?': [RESULT] };

/** Every part that a run reads. */
const SHAPE: Shape = {
  runId: 'text', messages: [MESSAGE], input: 'count', step: 'count', attempt: 'count', model: 'count', steps: ['object'],
  completion: { text: 'text', toolCalls: 'list' },
  counters: {
    calls: 'count', toolCalls: 'count', failures: 'count', repairs: 'count', invalidCalls: 'count', corrections: 'count', warned: 'texts', elapsedMs: 'number',
    'context?': 'number',
    repeats: { text: REPEAT, calls: REPEAT },
  },
  ids: { calls: 'texts', blocks: 'texts' },
  'usage?': 'object', 'nestedUsage?': 'object', 'retracted?': 'object',
  'unread?': { steering: [MESSAGE], followUp: [MESSAGE] },
  'wait?': { reason: 'text', 'delayMs?': 'number', 'from?': 'count' },
  'batch?': {
    turn: { role: 'text', content: [PART] },
    calls: [
      {
        call: CALL,
        'effective?': CALL,
        'request?': { id: 'text', kind: 'text', callId: 'text', call: CALL },
        'answer?': { type: 'text' },
        'startedAt?': 'number',
        'settled?': { call: CALL, elapsedMs: 'number', result: RESULT },
        'verdict?': { content: [PART] },
        'nested?': 'object',
      },
    ],
  },
};

/**
 * Looks at every part of a checkpoint that a run reads: it may come from a file or a wire.
 *
 * @throws CheckpointError that names the first part that is missing or wrong
 * @internal
 */
export function checkShape(checkpoint: Checkpoint, path = ''): void {
  const at = path === '' ? '' : ` at ${path}`;
  if (typeof checkpoint !== 'object' || checkpoint === null) throw new CheckpointError('the checkpoint is no object; give the one that the run gave out.');
  const { version } = checkpoint as { readonly version?: unknown };
  if (version !== CHECKPOINT_VERSION) {
    throw new CheckpointError(`the checkpoint${at} has version ${JSON.stringify(version)}, and this release reads version ${CHECKPOINT_VERSION}.`);
  }
  const wrong = faultIn(checkpoint, SHAPE, path);
  if (wrong !== undefined) throw new CheckpointError(`the checkpoint is damaged at ${wrong}.`);
  for (const [index, { nested }] of (checkpoint.batch?.calls ?? []).entries()) {
    if (nested !== undefined) checkShape(nested, `${path === '' ? '' : `${path}.`}batch.calls[${index}].nested`);
  }
}

/** The path of the first part that is missing or of the wrong kind. */
function faultIn(value: unknown, kind: Kind, path: string): string | undefined {
  if (typeof kind === 'string') return IS[kind](value) ? undefined : path;
  if (isList(kind)) {
    if (!Array.isArray(value)) return path;
    return first(value.entries(), ([index, one]) => faultIn(one, kind[0], `${path}[${index}]`));
  }
  if (!isRecord(value)) return path;
  return first(Object.entries(kind), ([name, part]) => {
    const key = name.replace('?', '');
    if (key !== name && value[key] === undefined) return undefined;
    return faultIn(value[key], part, path === '' ? key : `${path}.${key}`);
  });
}

function first<T>(items: Iterable<T>, of: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = of(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isText = (value: unknown): boolean => typeof value === 'string';

const IS: Readonly<Record<Extract<Kind, string>, (value: unknown) => boolean>> = {
  text: isText,
  number: (value) => Number.isFinite(value),
  count: (value) => Number.isInteger(value) && (value as number) >= 0,
  list: (value) => Array.isArray(value),
  texts: (value) => Array.isArray(value) && value.every(isText),
  object: isRecord,
};

function isList(kind: Kind): kind is readonly [Kind] {
  return Array.isArray(kind);
}
