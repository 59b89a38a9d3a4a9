import { concatMap, defer, exhaustMap, identity, switchMap, tap } from 'rxjs';
import type { MonoTypeOperatorFunction, Observable } from 'rxjs';
import type { LoopEvent } from '../event.ts';
import type { Message, UserMessage } from '../message.ts';
import type { Tool } from '../tool.ts';
import type { ToolLoopOptions } from './options.ts';
import { toolLoop } from './tool-loop.ts';

export interface ConversationOptions {
  /**
   * What becomes of a prompt that comes while a run is going: `switch` leaves that run, request and tools, and starts
   * anew; `concat` lets it wait its turn; `exhaust` ignores it. Default `switch`.
   */
  readonly strategy?: 'switch' | 'concat' | 'exhaust';
  /**
   * What each run goes through. `errorAsDone()` lets the conversation outlive a run that failed. Default: nothing, so that
   * the first failure ends it.
   */
  readonly each?: MonoTypeOperatorFunction<LoopEvent>;
}

const STRATEGIES = { switch: switchMap, concat: concatMap, exhaust: exhaustMap } as const;

/**
 * Prompts in, events out: each prompt is a run that knows what the runs before it came to.
 *
 * ```marbles
 * prompts           a-------b-----
 * turn1             -t-(z|)
 * turn2                     -t-(z|)
 * conversation()    -t-(zL)--t-(zL)
 * ```
 *
 * Contract:
 * - starts: on subscribing; each subscription is a conversation of its own.
 * - leaves: the run that is going, with its request and its tools.
 * - fails: as a run does, unless `each` handles it.
 * - order: one run at a time. A run that was left leaves no trace in the history, its prompt included.
 *
 * @param options - of every run; `messages` is the history before the first prompt
 * @public
 */
export function conversation<const Tools extends readonly Tool[] = readonly []>(
  prompt$: Observable<string | UserMessage>,
  options: Omit<ToolLoopOptions<Tools[number]>, 'prompt'> & { readonly tools?: Tools | Observable<Tools> },
  { strategy = 'switch', each = identity }: ConversationOptions = {},
): Observable<LoopEvent<Tools[number]>> {
  return defer(() => {
    let messages: readonly Message[] = options.messages ?? [];
    const run = (prompt: string | UserMessage): Observable<LoopEvent<Tools[number]>> =>
      toolLoop({ ...options, messages, prompt } as typeof options).pipe(
        each as MonoTypeOperatorFunction<LoopEvent<Tools[number]>>,
        tap((event) => {
          if (event.type !== 'done') return;
          const { messages: said, answer } = event.outcome;
          messages = answer === undefined ? said : [...said, answer];
        }),
      );
    return prompt$.pipe(STRATEGIES[strategy](run));
  });
}
