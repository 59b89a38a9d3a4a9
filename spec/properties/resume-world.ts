import { concat, concatMap, defer, EMPTY, from, map, Observable, of, throwError, timer } from 'rxjs';
import type { SchedulerLike, Subscriber } from 'rxjs';
import * as z from 'zod';
import { asTool, defineTool, ModelError } from '../../lib/index.ts';
import type { ApprovalAnswer, ApprovalRequest, Checkpoint, Delta, Hooks, Ids, Model, Tool, ToolContext, ToolLoopOptions } from '../../lib/index.ts';
import { call, finish, text, usage } from '../../marbles/index.ts';
import { HOOKED, resumableSchedule } from './resume-scenario.ts';
import type { Resumable, ResumeScenario, ResumeTurn } from './resume-scenario.ts';
import type { VirtualTimeScheduler } from 'rxjs';

/** A checkpoint that was given out, and what had happened by then. */
export interface Kept {
  readonly json: string;
  readonly events: number;
  readonly exchanges: number;
  readonly ids: number;
}

/** What a run finds around it. One world may see a run in several pieces. */
export interface World {
  readonly scenario: ResumeScenario;
  readonly scheduler: VirtualTimeScheduler;
  /** Each body, by run and call. */
  readonly bodies: string[];
  exchanges: number;
  /** Requests that somebody may still answer, by {@link keyOf}. */
  readonly waiting: Map<string, { readonly request: ApprovalRequest; readonly subscriber: Subscriber<ApprovalAnswer> }>;
  ids: number;
  /** What nobody answers at once: kept open, or left for a run that goes on. */
  readonly unanswered: 'waits' | 'suspends' | 'answers late';
}

export function keyOf({ runId, callId, kind }: ApprovalRequest): string {
  return `${runId} ${callId} ${kind}`;
}

/** The same answer to the same request, whenever it is asked. */
export function replyTo({ replies }: ResumeScenario, request: ApprovalRequest): { readonly now: boolean; readonly answer: ApprovalAnswer } {
  const { call: { arguments: args, name }, callId, kind } = request;
  const { a, b } = args as { a: number; b: number };
  const { how, now } = replies[(a + b + callId.length + callId.charCodeAt(callId.length - 1)) % replies.length] as ResumeScenario['replies'][number];
  if (how === 'no') return { now: now || kind === 'input', answer: { type: 'decline', reason: `no ${name}` } };
  switch (kind) {
    case 'input':
      return { now: true, answer: { type: 'input', value: a } };
    case 'result':
      return { now, answer: { type: 'result', content: `client ${a}`, ...(how === 'other arguments' && { isError: true }) } };
    default:
      return { now, answer: how === 'yes' ? { type: 'approve' } : { type: 'approve', arguments: { ...(args as object), a: a + 10 } } };
  }
}

/** The options of a run in this world: made anew for each piece of it, and equal. */
export function optionsOf(world: World): Omit<ToolLoopOptions, 'prompt' | 'messages' | 'runId'> {
  const { scenario, scheduler } = world;
  return {
    ...bothOf(world, scenario.turns), tools: toolsOf(world, 2), scheduler, ids: idsOf(world), random: () => 0.5,
    approvals: (request) => {
      const { now, answer } = replyTo(scenario, request);
      if (now) return answer;
      if (world.unanswered === 'suspends') return undefined;
      if (world.unanswered === 'answers late') return timer(2, scheduler).pipe(map(() => answer));
      return new Observable<ApprovalAnswer>((subscriber) => {
        const key = keyOf(request);
        world.waiting.set(key, { request, subscriber });
        return () => world.waiting.get(key)?.request === request && world.waiting.delete(key);
      });
    },
    budget: { maxSteps: 20, maxToolCalls: scenario.maxToolCalls },
  };
}

/** The run tells equal ids of calls and blocks apart by itself; those of requests are counted. */
function idsOf(world: World): Ids {
  return (kind) => (kind === 'request' ? `request${++world.ids}` : kind);
}

/** What a run and the runs inside it have alike. */
function bothOf(world: World, turns: readonly ResumeTurn[]): Pick<ToolLoopOptions, 'model' | 'hooks' | 'schedule' | 'policy' | 'retry'> {
  const { scenario: { schedule, toolCommit } } = world;
  return {
    model: modelOf(world, turns), hooks: hooksOf(world, turns), schedule: resumableSchedule(schedule), policy: { toolCommit, streamFailure: { retract: 2 } },
    retry: { count: 1, initialDelayMs: 1, jitter: 0 },
  };
}

/** The turn that a transcript asks for: one a turn of the assistant. */
function turnAt(messages: readonly { readonly role: string }[]): number {
  return messages.filter(({ role }) => role === 'assistant').length;
}

function modelOf(world: World, turns: readonly ResumeTurn[]): Model {
  return {
    id: 'm', provider: 'random', capabilities: ['tools'], contextWindow: 1_000, price: { input: 1e6, output: 2e6 },
    stream: ({ messages, options }) =>
      defer(() => {
        world.exchanges += 1;
        const at = turnAt(messages);
        const said = turns[at];
        const attempt = options.temperature ?? 1; // see the hook before a request
        const words: Delta[] = [text(`turn ${at} `, 'b'), usage({ inputTokens: 3, outputTokens: 1 + at })];
        if (said === undefined) return of(...words, finish('stop'));
        if (attempt <= said.breaks) return concat(of(...words), throwError(() => new ModelError('model-transport', 'Cut off.', { retryable: true })));
        const ids = said.calls.map((_one, index) => `t${at}c${index}`);
        const calls = said.calls.map(({ name, a, b, needs }, index) =>
          call(name, { a, b, ...(needs !== undefined && needs < index && { needs: ids[needs] }) }, { id: ids[index] as string, index }),
        );
        return from([...words, ...calls.flat(), finish(calls.length > 0 ? 'tool-use' : 'stop')]).pipe(concatMap((delta) => (delta.type === 'tool-call-end' ? timer(1, world.scheduler).pipe(map(() => delta)) : of(delta))));
      }),
  };
}

function hooksOf({ scenario: { hooks, after, late }, scheduler }: World, turns: readonly ResumeTurn[]): readonly Hooks[] {
  const soon = <T>(value: T): T | Observable<T> => (late ? timer(1, scheduler).pipe(map(() => value)) : value);
  const attempts: Hooks = { beforeRequest: (_request, { attempt }) => ({ options: { temperature: attempt } }) };
  const steps: Hooks = {
    afterStep({ text: said, calls }, { attempt }) {
      const turn = turns[Number(/turn (\d+)/.exec(said)?.[1])];
      if (turn?.withdrawn === true && calls.length === 0 && attempt === 1 + turn.breaks) return soon({ type: 'retract' });
      return turn?.corrected === true ? soon({ type: 'correct', message: 'Otherwise.' }) : undefined;
    },
  };
  const calls: Hooks = {
    beforeTool({ arguments: args }) {
      const { a, b } = args as { a: number; b: number };
      switch (HOOKED[b]) {
        case 'rewrite':
        case 'rewrite and ask':
          return soon({ type: 'rewrite', arguments: { ...(args as object), a: a + 100 } });
        case 'ask':
          return soon({ type: 'ask', reason: 'Sure?' });
        case 'skip':
          return soon({ type: 'skip', reason: 'Not now.' });
        case 'block':
          return soon({ type: 'block', reason: 'Never.' });
        default:
          return undefined;
      }
    },
  };
  const second: Hooks = { beforeTool: ({ arguments: args }) => (HOOKED[(args as { b: number }).b] === 'rewrite and ask' ? { type: 'ask' } : undefined) };
  const results: Hooks = { afterTool: ({ arguments: args }, { content }) => ((args as { a: number }).a % 2 === 0 ? soon({ type: 'rewrite', content: [...content, { type: 'text', text: 'seen' }] }) : undefined) };
  return [attempts, steps, ...(hooks ? [calls, second] : []), ...(after ? [results] : [])];
}

const OBJECT = z.looseObject({ a: z.number(), b: z.number() });

/** @param depth - how many runs may stand in each other */
function toolsOf(world: World, depth: number): Tool[] {
  const { scenario: { delays, safe, inside }, scheduler } = world;
  const shown = <T>(name: Resumable, value: T): Observable<T> => (delays[name] === 0 ? of(value) : timer(delays[name], scheduler).pipe(map(() => value)));
  const body = (name: Resumable) => (args: unknown, context: ToolContext) => {
    world.bodies.push(`${context.runId} ${context.callId}`);
    const { a } = args as { a: number };
    if (name === 'fails') return concat(shown(name, 'half'), throwError(() => new Error('No.')));
    if (name === 'input') return context.input({ reason: 'What?' }).pipe(map((said) => (said.type === 'input' ? said.value : 'nothing')));
    return concat(a === 3 ? of('begun') : EMPTY, shown(name, { name, a }));
  };
  const plain = (name: Resumable, traits: object = {}): Tool =>
    defineTool({ name, description: `Is ${name}.`, input: OBJECT, parallelSafe: safe, run: body(name), ...traits }) as Tool;
  const nest = (name: 'inner' | 'deep', tools: Tool[]): Tool =>
    asTool({
      name, description: 'Runs.', input: OBJECT, parallelSafe: safe,
      loop: (_args, { runId, callId }) => ({
        ...bothOf(world, name === 'inner' ? inside : [{ calls: [{ name: 'inner', a: 1, b: 0 }], breaks: 0, withdrawn: false, corrected: false }]),
        tools, prompt: 'inside', runId: `${runId}/${callId}`,
      }),
    }) as Tool;
  return [
    plain('plain'), plain('ask', { needsApproval: true }), plain('some', { needsApproval: ({ a }: { a: number }) => a > 1 }), plain('client', { runsOn: 'client' }),
    plain('early', { eager: true, parallelSafe: true }), plain('fails'), plain('input'),
    ...(depth > 0 ? [nest('inner', toolsOf(world, 0))] : []), ...(depth > 1 ? [nest('deep', toolsOf(world, 1))] : []),
  ];
}

/** A checkpoint as a file or a wire would have kept it. */
export function kept(checkpoint: Checkpoint): Checkpoint {
  return JSON.parse(JSON.stringify(checkpoint)) as Checkpoint;
}
