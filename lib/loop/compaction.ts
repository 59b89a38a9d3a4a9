import { catchError, map, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { firstAnswer } from '../answer.ts';
import { HookError } from '../control-errors.ts';
import { errorText } from '../errors.ts';
import type { Compaction } from '../event.ts';
import type { Message } from '../message.ts';
import { characters, needsEstimates, overheadCharacters, tokens } from './budget.ts';
import { modelOf } from './run-state.ts';
import type { Run, RunState } from './run-state.ts';

/** A transcript that has perhaps been shortened. */
export interface Compacted {
  readonly state: RunState;
  readonly event?: Compaction;
}

/**
 * Asks the application for a shorter transcript, which stands from then on.
 *
 * Contract:
 * - leaves: the answer that is awaited.
 * - fails: with a {@link HookError} where the port fails, or the transcript is one that no provider takes.
 *
 * @internal
 */
export function compacted(run: Run, state: RunState): Observable<Compacted> {
  const { compact } = run;
  const window = modelOf(run, state).contextWindow;
  const used = state.context === undefined || window === undefined ? undefined : Math.round(state.context * window);
  const size = { ...(used !== undefined && { used }), ...(window !== undefined && { window }) };
  return firstAnswer(() => compact?.([...state.messages], size)).pipe(
    catchError((error: unknown) => throwError(() => new HookError(`compact failed: ${errorText(error)}`, { cause: error }))),
    map((said) => (said === undefined || said === null ? { state } : shortened(run, state, said as readonly Message[], window))),
  );
}

function shortened(run: Run, state: RunState, messages: readonly Message[], window: number | undefined): Compacted {
  const fault = Array.isArray(messages) ? cutFault(messages) : 'is no array of messages';
  if (fault !== undefined) throw new HookError(`What compact answered ${fault}.`);
  const before = new Set(state.messages);
  const kept = new Set(messages.filter((message) => before.has(message))).size;
  if (kept === before.size && messages.length === before.size) return { state };
  const given = new Set(state.messages.slice(0, state.input));
  const input = messages.findIndex((message) => before.has(message) && !given.has(message));
  const count = messages.reduce((all, message) => all + characters(message), overheadCharacters({ system: run.system, tools: state.specs }));
  return {
    event: { type: 'compaction', runId: run.runId, removed: before.size - kept, kept, summary: messages.filter((message) => !before.has(message)) },
    state: {
      ...state,
      messages: [...messages],
      input: input === -1 ? messages.length : input,
      // What the last call used says nothing of the shorter transcript.
      context: window === undefined ? state.context : tokens(count) / window,
      characters: needsEstimates(run.budget) ? count : state.characters,
    },
  };
}

/** Why a transcript cannot be sent: every call needs its result in the next message, and every result its call. */
function cutFault(messages: readonly Message[]): string | undefined {
  if (messages.length === 0) return 'has no messages';
  let open: readonly string[] = [];
  const seen = new Set<string>();
  for (const [at, message] of messages.entries()) {
    if (!isMessage(message)) return `has no message at messages[${at}]`;
    const results = message.role === 'tool' ? message.results.map(({ callId }) => callId) : [];
    const orphan = results.find((id) => !open.includes(id));
    if (orphan !== undefined) return `has a result without its call at messages[${at}] (call "${orphan}")`;
    const missing = open.find((id) => !results.includes(id));
    if (missing !== undefined) return `has a call without its result before messages[${at}] (call "${missing}")`;
    open = message.role === 'assistant' ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.call.id] : [])) : [];
    for (const id of open) {
      if (seen.has(id)) return `has a call twice, again at messages[${at}] (call "${id}")`;
      seen.add(id);
    }
  }
  return open.length === 0 ? undefined : `ends with a call without its result (call "${open[0] ?? ''}")`;
}

function isMessage(message: unknown): message is Message {
  const { role, content, results } = (message ?? {}) as { readonly role?: unknown; readonly content?: unknown; readonly results?: unknown };
  return role === 'tool' ? Array.isArray(results) : (role === 'user' || role === 'assistant') && Array.isArray(content);
}
