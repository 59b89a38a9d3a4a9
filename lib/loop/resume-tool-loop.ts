import type { Observable } from 'rxjs';
import type { ApprovalAnswer, ApprovalRequest } from '../approval.ts';
import { CHECKPOINT_VERSION } from '../checkpoint.ts';
import type { Checkpoint } from '../checkpoint.ts';
import { CheckpointError } from '../control-errors.ts';
import type { LoopEvent } from '../event.ts';
import { checkAnswer } from '../invoke/desk.ts';
import type { Tool } from '../tool.ts';
import type { ToolLoopOptions } from './options.ts';
import { readOptions } from './read-options.ts';
import { runOf } from './tool-loop.ts';

/** Answers by the id of their request. */
export type Answers = Readonly<Record<string, ApprovalAnswer>>;

/**
 * Goes on with a run from a checkpoint: one that was suspended, or that `onCheckpoint` kept.
 *
 * What the run has said is not repeated, and a call that has settled never runs again. Its events, without the first, follow
 * those of the run before it, without its `done`, as if the run had been answered while it was going.
 *
 * Contract:
 * - starts: calling does nothing; each subscription goes on from the same checkpoint.
 * - leaves: as leaving a run does.
 * - fails: a `CheckpointError` at the call for a checkpoint of another version or shape, or one that does not fit the
 *   options, and for an answer to a request that is not open; an `ApprovalError` at the call for an answer of the wrong
 *   kind, and in the run for changed arguments that do not fit. Nothing has run then, and the checkpoint stays good.
 * - order: `run-start` with `resumed: true`, then as of any run.
 *
 * @param checkpoint - as it was given out, or as JSON has kept it
 * @param answers - by the id of the request; a request without one is put to `options.approvals`, or stays open
 * @param options - those of the run; `prompt` and `messages` are the checkpoint's
 * @public
 */
export function resumeToolLoop<const Tools extends readonly Tool[] = readonly [], Output = unknown>(
  checkpoint: Checkpoint,
  answers: Answers,
  options: Omit<ToolLoopOptions<Tools[number], Output>, 'prompt' | 'messages' | 'runId' | 'tools'> & { readonly tools?: Tools | Observable<Tools> },
): Observable<LoopEvent<Tools[number], Output>> {
  checkShape(checkpoint);
  const open = new Map(openRequests(checkpoint).map((request) => [request.id, request]));
  for (const [id, answer] of Object.entries(answers)) {
    const request = open.get(id);
    if (request === undefined) throw new CheckpointError(`the answer "${id}" is for a request that is not open; open are ${[...open.keys()].join(', ') || '(none)'}.`);
    checkAnswer(request, answer);
  }
  const settings = readOptions({ ...options, messages: checkpoint.messages } as ToolLoopOptions);
  if (checkpoint.model >= settings.models.length) {
    throw new CheckpointError(`the run had come to model ${checkpoint.model + 1} of its list, but options.model has ${settings.models.length}.`);
  }
  return runOf(settings, { checkpoint, answers }) as Observable<LoopEvent<Tools[number], Output>>;
}

/** Requests that wait for an answer, in the order of their calls; those of nested runs too. */
export function openRequests({ batch }: Checkpoint): readonly ApprovalRequest[] {
  const calls = batch?.calls ?? [];
  return calls.flatMap(({ request, answer, settled, nested }) => {
    if (settled !== undefined) return [];
    return [...(request === undefined || answer !== undefined ? [] : [request]), ...(nested === undefined ? [] : openRequests(nested))];
  });
}

/** Every part that a run reads: a checkpoint may come from a file or a wire. */
function checkShape(checkpoint: Checkpoint): void {
  if (typeof checkpoint !== 'object' || checkpoint === null) throw new CheckpointError('the checkpoint is no object; give the one that the run gave out.');
  const { version } = checkpoint as { readonly version?: unknown };
  if (version !== CHECKPOINT_VERSION) {
    throw new CheckpointError(`the checkpoint has version ${JSON.stringify(version)}, and this release reads version ${CHECKPOINT_VERSION}.`);
  }
  const wrong = faultIn(checkpoint as unknown as Record<string, unknown>, SHAPE, '');
  if (wrong !== undefined) throw new CheckpointError(`the checkpoint is damaged at ${wrong}.`);
  for (const { nested } of checkpoint.batch?.calls ?? []) if (nested !== undefined) checkShape(nested);
}

type Shape = { readonly [key: string]: 'string' | 'number' | 'array' | 'object' | Shape };

const REPEAT: Shape = { key: 'string', count: 'number' };
const SHAPE: Shape = {
  runId: 'string', messages: 'array', input: 'number', step: 'number', attempt: 'number', model: 'number', steps: 'array', completion: { text: 'string', toolCalls: 'array' },
  counters: {
    calls: 'number', toolCalls: 'number', failures: 'number', repairs: 'number', invalidCalls: 'number', corrections: 'number', warned: 'array', elapsedMs: 'number',
    repeats: { text: REPEAT, calls: REPEAT },
  },
  ids: { calls: 'array', blocks: 'array' },
};
const BATCH: Shape = { turn: { role: 'string', content: 'array' }, calls: 'array' };
const CALL: Shape = { call: { id: 'string', name: 'string' } };
const SETTLED: Shape = { call: { id: 'string', name: 'string' }, elapsedMs: 'number', result: { callId: 'string', name: 'string', content: 'array' } };
const REQUEST: Shape = { id: 'string', kind: 'string', callId: 'string', call: 'object' };

/** The path of the first part that is missing or of the wrong kind. */
function faultIn(value: Record<string, unknown>, shape: Shape, path: string): string | undefined {
  for (const [key, kind] of Object.entries(shape)) {
    const part = value[key];
    const at = path === '' ? key : `${path}.${key}`;
    if (typeof kind === 'object') {
      const inside = isObject(part) ? faultIn(part, kind, at) : at;
      if (inside !== undefined) return inside;
    } else if (kind === 'array' ? !Array.isArray(part) : kind === 'object' ? !isObject(part) : typeof part !== kind) {
      return at;
    }
  }
  return path === '' && value['batch'] !== undefined ? batchFault(value['batch']) : undefined;
}

function batchFault(batch: unknown): string | undefined {
  if (!isObject(batch)) return 'batch';
  const fault = faultIn(batch, BATCH, 'batch');
  if (fault !== undefined) return fault;
  for (const [at, call] of (batch['calls'] as readonly unknown[]).entries()) {
    const path = `batch.calls[${at}]`;
    if (!isObject(call)) return path;
    const parts: readonly (readonly [unknown, Shape, string])[] = [[call, CALL, path], [call['settled'], SETTLED, `${path}.settled`], [call['request'], REQUEST, `${path}.request`]];
    for (const [part, shape, where] of parts) {
      if (part === undefined) continue;
      const inside = isObject(part) ? faultIn(part, shape, where) : where;
      if (inside !== undefined) return inside;
    }
  }
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
