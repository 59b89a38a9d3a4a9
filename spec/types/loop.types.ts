/** From `tools` to the events of the run, and what a run refuses to be given. Compiled, never run. */
import { asyncScheduler, of } from 'rxjs';
import type { Observable } from 'rxjs';
import * as z from 'zod';
import { completeToolLoop, conversation, defineTool, parallelSafe, toolLoop, userMessage } from '../../lib/index.ts';
import type { LoopEvent, Model, Outcome, Tool, ToolLoopOptions } from '../../lib/index.ts';
import type { Equal, Expect } from './expect-type.ts';

declare const model: Model;

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a + b,
});
const clock = defineTool({
  name: 'clock',
  description: 'Tells the time.',
  input: z.object({ zone: z.string().optional() }),
  run: () => ({ now: new Date() }),
});

const events$ = toolLoop({ model, prompt: 'hi', tools: [add, clock] });
type Events = Expect<Equal<typeof events$, Observable<LoopEvent<typeof add | typeof clock>>>>;

events$.subscribe((event) => {
  switch (event.type) {
    case 'tool-start':
    case 'tool-commit':
      if (event.call.name === 'add') {
        type Arguments = Expect<Equal<typeof event.call.arguments, { a: number; b: number }>>;
      } else {
        type Arguments = Expect<Equal<typeof event.call.arguments, { zone?: string | undefined }>>;
      }
      // @ts-expect-error no tool of the run has this name
      if (event.call.name === 'mul') return;
      return;
    case 'tool-result':
      if (event.result.name === 'add') {
        type Output = Expect<Equal<typeof event.result.output, number | undefined>>;
      } else {
        type Output = Expect<Equal<typeof event.result.output, { now: string } | undefined>>;
      }
      return;
    case 'tool-call': {
      // The model's own words, not yet checked: any name, any arguments.
      type Name = Expect<Equal<typeof event.call.name, string>>;
      type Arguments = Expect<Equal<typeof event.call.arguments, unknown>>;
      return;
    }
    case 'step-end': {
      type Count = Expect<Equal<typeof event.toolCalls, number>>;
      return;
    }
    case 'done': {
      type Done = Expect<Equal<typeof event.outcome, Outcome>>;
      return;
    }
    // @ts-expect-error no such event
    case 'loop-end':
  }
});

// Without tools there is nothing to narrow, and a run is still a run.
const plain$ = toolLoop({ model, prompt: 'hi' });
type Plain = Expect<Equal<typeof plain$, Observable<LoopEvent<never>>>>;
const wide$: Observable<LoopEvent> = plain$;
const wider$: Observable<LoopEvent> = events$;

// A list whose tools are not known by name gives events of any tool.
declare const some: readonly Tool[];
const any$ = toolLoop({ model, prompt: 'hi', tools: some });
type Any = Expect<Equal<typeof any$, Observable<LoopEvent<Tool>>>>;

const outcome$ = completeToolLoop({ model, prompt: 'hi', tools: [add] });
type Complete = Expect<Equal<typeof outcome$, Observable<Outcome>>>;

/** Every option that there is, each with a value that it takes. */
export const everything = {
  model: [model, model],
  prompt: { role: 'user', content: [{ type: 'text', text: 'hi' }] },
  messages: [],
  system: 'Be short.',
  tools: [add, clock],
  toolChoice: { tool: 'add' },
  validator: () => ({ validate: (value) => ({ value }) }),
  modelOptions: { temperature: 0 },
  preset: 'strict',
  policy: { budgetEnd: 'stop', emptyTruncated: 'error', keepReasoning: true, streamFailure: { feedback: 2 }, toolErrorText: 'redacted', toolCommit: 'batch', unknownTool: 'fail', invalidScope: 'turn', outputFailure: 'accept', onStop: 'drain' },
  schedule: parallelSafe(4),
  budget: {
    maxSteps: 3, maxTotalTokens: 1000, maxCostUsd: 0.5, contextLimit: 0.8, repetition: 3, maxDurationMs: 60_000, maxToolCalls: 20, lastStep: 'answer', warnAt: 0.8,
  },
  retry: { count: 1, jitter: 0, retryAfter: 'clamp', classify: () => undefined },
  timeouts: { firstDeltaMs: 0, graceMs: 50 },
  hooks: [{ name: 'h', afterStep: () => ({ type: 'retract' }) }, [{ deltas: ['text'], onDelta: () => undefined }]],
  approvals: () => ({ type: 'approve' }),
  onCheckpoint: (checkpoint) => of(checkpoint.step),
  output: { schema: z.object({ city: z.string() }), mode: 'tool', repairs: 2, name: 'answer' },
  compact: (messages) => messages.slice(-4),
  title: (messages) => `${messages.length} messages`,
  demand: { ready: () => of(undefined) },
  abort$: of(1),
  steering$: of('more'),
  followUp$: of(userMessage('and then')),
  scheduler: asyncScheduler,
  ids: (kind) => kind,
  random: () => 0,
  runId: 'r',
  threadId: 't',
} satisfies Required<ToolLoopOptions>;
type EveryOption = Expect<Equal<keyof typeof everything, keyof ToolLoopOptions>>;
toolLoop({ ...everything, abort$: new AbortController().signal, policy: { streamFailure: { retract: 2 } } });

// The schema of the output is the type of what comes of it, in the last event and in the buffered outcome.
const typed$ = toolLoop({ model, prompt: 'hi', output: { schema: z.object({ city: z.string() }) } });
type Typed = Expect<Equal<typeof typed$, Observable<LoopEvent<never, { city: string }>>>>;
typed$.subscribe((event) => {
  if (event.type !== 'done') return;
  type Json = Expect<Equal<typeof event.outcome.completion.json, { city: string } | undefined>>;
});
const typedOutcome$ = completeToolLoop({ model, prompt: 'hi', output: { schema: z.object({ city: z.string() }) } });
type TypedOutcome = Expect<Equal<typeof typedOutcome$, Observable<Outcome<{ city: string }>>>>;

// Tools that come are typed as tools that are there.
const coming$ = toolLoop({ model, prompt: 'hi', tools: of([add] as const) });
type Coming = Expect<Equal<typeof coming$, Observable<LoopEvent<typeof add>>>>;

// A conversation is given its prompts by itself; its events narrow as those of a run.
const talk$ = conversation(of('hi'), { model, tools: [add] }, { strategy: 'concat' });
type Talk = Expect<Equal<typeof talk$, Observable<LoopEvent<typeof add>>>>;
// @ts-expect-error the prompts are the first argument
conversation(of('hi'), { model, prompt: 'hi' });
// @ts-expect-error a strategy that does not exist
conversation(of('hi'), { model }, { strategy: 'merge' });

// @ts-expect-error a run needs a model
toolLoop({ prompt: 'hi' });
// @ts-expect-error an option that does not exist
toolLoop({ model, prompt: 'hi', temprature: 1 });
// @ts-expect-error an option given twice
toolLoop({ model, prompt: 'hi', prompt: 'hello' });
// @ts-expect-error a preset that does not exist
toolLoop({ model, prompt: 'hi', preset: 'lenient' });
// @ts-expect-error a policy that does not exist
toolLoop({ model, prompt: 'hi', policy: { commit: 'batch' } });
// @ts-expect-error a choice that no policy has
toolLoop({ model, prompt: 'hi', policy: { budgetEnd: 'later' } });
// @ts-expect-error a budget that does not exist
toolLoop({ model, prompt: 'hi', budget: { maxRetries: 1 } });
// @ts-expect-error a way to go on that does not exist
toolLoop({ model, prompt: 'hi', policy: { streamFailure: { repeat: 1 } } });
// @ts-expect-error there is one way to keep the last step
toolLoop({ model, prompt: 'hi', budget: { lastStep: 'tools' } });
// @ts-expect-error a promise is no way to stop a run
toolLoop({ model, prompt: 'hi', abort$: Promise.resolve() });
// @ts-expect-error a list, not an object by name
toolLoop({ model, prompt: 'hi', tools: { add } });
// @ts-expect-error a prompt is text or a user message
toolLoop({ model, prompt: { role: 'assistant', content: [] } });
// @ts-expect-error an explicit undefined is not "left out"
toolLoop({ model, prompt: 'hi', budget: { maxSteps: undefined } });
// @ts-expect-error the same checks hold for the buffered run
completeToolLoop({ model, prompt: 'hi', preset: 'lenient' });

// Events are read-only.
events$.subscribe((event) => {
  // @ts-expect-error an event never changes
  event.runId = 'other';
  // @ts-expect-error nor does what it holds
  if (event.type === 'done') event.outcome.messages.push({ role: 'user', content: [] });
});
