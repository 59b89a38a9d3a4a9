import type { Observable } from 'rxjs';
import type { ApprovalAnswer } from '../approval.ts';
import type { Checkpoint } from '../checkpoint.ts';
import { CheckpointError } from '../control-errors.ts';
import type { LoopEvent } from '../event.ts';
import { checkAnswer } from '../invoke/desk.ts';
import { openRequests } from '../open-requests.ts';
import type { Tool } from '../tool.ts';
import type { ToolLoopOptions } from './options.ts';
import { checkShape } from './checkpoint-shape.ts';
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
  // The options of the run may still hold its prompt: it is in the messages already.
  const { prompt: _sent, ...rest } = options as ToolLoopOptions;
  const settings = readOptions({ ...rest, messages: checkpoint.messages });
  if (checkpoint.model >= settings.models.length) {
    throw new CheckpointError(`the run had come to model ${checkpoint.model + 1} of its list, but options.model has ${settings.models.length}.`);
  }
  return runOf(settings, { checkpoint, answers }) as Observable<LoopEvent<Tools[number], Output>>;
}
