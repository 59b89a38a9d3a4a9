import { isObservable, map } from 'rxjs';
import type { Observable } from 'rxjs';
import { HookError } from '../control-errors.ts';
import type { RequestPatch, RequestView, StopAnswer } from '../hooks.ts';
import type { Message } from '../message.ts';
import type { Model } from '../model.ts';
import { askHooks, halt, hasHook, hookContext, unknownAnswer, wrongAnswer } from './hook-chain.ts';
import { assertServes } from './preflight.ts';
import { requestOf } from './request.ts';
import { modelOf } from './run-state.ts';
import type { Run, RunState } from './run-state.ts';

interface Asked {
  readonly view: RequestView;
  readonly stop?: StopAnswer;
}

/**
 * Asks the `beforeRequest` hooks about the call that comes next. A stop is told to the run.
 *
 * Contract:
 * - leaves: the hook that is awaited.
 * - fails: with a {@link HookError}, also for a tool choice that no tool is left for; with an {@link UnsupportedError} for
 *   a model that cannot serve the run.
 *
 * @returns the state with the patched call
 * @internal
 */
export function beforeRequest(run: Run, state: RunState): RunState | Observable<RunState> {
  if (!hasHook(run, 'beforeRequest')) return state;
  const context = hookContext(run, state);
  const asked = askHooks<Asked, RequestPatch | StopAnswer>(
    run,
    {
      hook: 'beforeRequest',
      ask: (hooks, { view }) => hooks.beforeRequest?.(view, context),
      fold: ({ view }, said) => {
        if (said.type === 'stop') return { view, stop: said };
        if (said.type !== undefined && said.type !== 'patch') throw unknownAnswer('beforeRequest', said);
        const fault = patchFault(said);
        if (fault !== undefined) throw wrongAnswer('beforeRequest', fault);
        return { view: patched(view, said) };
      },
      isOver: ({ stop }) => stop !== undefined,
    },
    { view: viewOf(run, state) },
  );
  const end = ({ view, stop }: Asked): RunState => {
    if (stop !== undefined) {
      halt(run, stop);
      return state;
    }
    check(state, view);
    return { ...state, patch: view };
  };
  return isObservable(asked) ? asked.pipe(map(end)) : end(asked);
}

function viewOf(run: Run, state: RunState): RequestView {
  // As it will be counted.
  const { system, toolChoice, tools, options, messages } = requestOf(run, { ...state, patch: undefined, calls: state.calls + 1 });
  return { model: modelOf(run, state), system, messages, tools, toolChoice, options };
}

const isList = (value: unknown): boolean => Array.isArray(value);
const isText = (value: unknown): boolean => typeof value === 'string';
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** What each field of a patch is. */
const PATCH: Readonly<Record<keyof RequestPatch, (value: unknown) => boolean>> = {
  type: isText,
  system: isText,
  messages: isList,
  append: isList,
  tools: (value) => Array.isArray(value) && value.every(isText),
  toolChoice: (value) => ['auto', 'none', 'required'].includes(value as string) || (isObject(value) && isText((value as { readonly tool?: unknown }).tool)),
  options: isObject,
  model: (value) => typeof (value as Partial<Model> | null)?.stream === 'function',
};

/** What is wrong with a patch, as the rest of a sentence; a misspelt field would change nothing, unseen. */
function patchFault(patch: RequestPatch): string | undefined {
  if (!isObject(patch)) return 'is no object';
  for (const [key, value] of Object.entries(patch)) {
    if (!Object.hasOwn(PATCH, key)) return `has the field ${JSON.stringify(key)}, which no request has`;
    if (value !== undefined && !PATCH[key as keyof RequestPatch](value)) return `has a ${key} that is none`;
  }
  return undefined;
}

function patched(view: RequestView, { system, messages, append, tools, toolChoice, options, model }: RequestPatch): RequestView {
  const said: readonly Message[] = messages ?? view.messages;
  return {
    model: model ?? view.model,
    system: system ?? view.system,
    messages: append === undefined ? said : [...said, ...append],
    tools: tools === undefined ? view.tools : view.tools.filter(({ name }) => tools.includes(name)),
    toolChoice: toolChoice ?? view.toolChoice,
    options: options === undefined ? view.options : { ...view.options, ...options },
  };
}

function check(state: RunState, { model, tools, toolChoice, messages }: RequestView): void {
  const names = tools.map(({ name }) => name);
  const missing = toolChoice === 'required' ? names.length === 0 : typeof toolChoice === 'object' && !names.includes(toolChoice.tool);
  if (missing) {
    throw new HookError(`The hooks before a request leave ${names.length === 0 ? 'no tool' : `the tools ${names.join(', ')}`}, but the tool choice is ${JSON.stringify(toolChoice)}.`);
  }
  assertServes(model, { tools: names.length === 0 ? new Map() : state.tools, messages });
}
