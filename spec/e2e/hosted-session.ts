import { concat, defer, map, of, Subject, tap, throwError, timer } from 'rxjs';
import type { Observable } from 'rxjs';
import * as z from 'zod';
import { scripted } from '../../lib/deltas/scripted.ts';
import type { ScriptedTurn } from '../../lib/deltas/scripted.ts';
import { asTool, defineTool, ModelError, resumeToolLoop, toolLoop, userMessage } from '../../lib/index.ts';
import type { ApprovalAnswer, Checkpoint, Delta, LoopEvent, Message, Tool, ToolLoopOptions } from '../../lib/index.ts';
import { text } from '../../marbles/index.ts';
import { countedIds } from '../support/loop-unit.ts';

// Real runs with people, tools of a client, sub-agents and host events in them.

type Options = Omit<ToolLoopOptions, 'runId' | 'threadId' | 'prompt' | 'messages'>;

const n = z.object({ n: z.number() });
const usage = { inputTokens: 10, outputTokens: 2 };
const asks = (name: string, ...ids: readonly string[]): ScriptedTurn => ({ calls: ids.map((id) => ({ name, id, arguments: { n: 1 } })), usage });
const says = (words: string): ScriptedTurn => ({ text: words, usage });

const remove = (): Tool => defineTool({ name: 'remove', description: 'Removes.', title: ({ n: one }) => `Removes ${one}`, input: n, needsApproval: true, run: ({ n: one }) => `gone: ${one}` });
const add = (): Tool => defineTool({ name: 'add', description: 'Adds.', input: n, run: ({ n: one }) => one + 1 });
/** A run as a tool. */
const agent = (name: string, turns: readonly ScriptedTurn[], tools: readonly Tool[] = []): Tool => {
  const model = scripted(turns);
  return asTool({ name, description: `Asks ${name}.`, input: n, loop: () => ({ model, tools, prompt: 'go' }) }) as Tool;
};

/** Says a part of its words, then breaks for good. */
const broken: ScriptedTurn = () =>
  concat(of<Delta>(text('Half an', 'x')), throwError(() => new ModelError('model-http', 'The bill of secret is not paid.', { status: 402 })));

/** Tells its host all that a tool can. */
const work = (said$: Subject<string>): Tool =>
  defineTool({
    name: 'work', description: 'Works.', input: n,
    run: (_input, { status, plan, state, emit }) => {
      status('Looking');
      plan([{ content: 'Look', status: 'in-progress' }, { content: 'Say', status: 'pending' }]);
      state([{ op: 'add', path: '/seen', value: 1 }]);
      emit({ name: 'chart', data: { points: 3 } });
      plan([{ content: 'Look', status: 'completed' }, { content: 'Say', status: 'completed' }]);
      said$.next('And hurry.');
      status('');
      return 'worked';
    },
  });

/** Makes the options of one conversation: its model goes on where the last run of it has stopped. */
export const hostedRuns = {
  /** One call waits for a person, another for the client's own tool, a third has run. */
  approval: (): Options => ({
    model: scripted([{ calls: ['add', 'remove', 'screenshot'].map((name, at) => ({ name, id: `c${at}`, arguments: { n: 1 } })), usage }, says('Removed.')]),
    tools: [remove(), add(), defineTool({ name: 'screenshot', description: 'Takes a picture.', input: n, runsOn: 'client' })],
  }),
  /** A person decides about the only call. */
  decision: (): Options => ({ model: scripted([asks('remove', 'c1'), says('So be it.')]), tools: [remove()] }),
  /** The person answers while the run waits. */
  inFlight: (): Options => ({ model: scripted([asks('remove', 'c1'), says('So be it.')]), tools: [remove()], approvals: () => timer(1).pipe(map(() => ({ type: 'approve' }) as const)) }),
  /** Its tools are those that the client brings. */
  client: (): Options => ({ model: scripted([asks('screenshot', 'c2'), says('A picture.')]) }),
  /** The same, with a tool that the server declares. */
  place: (): Options => ({ model: scripted([asks('place', 'c1'), says('Bonn it is.')]), tools: [defineTool({ name: 'place', description: 'Where.', input: n, runsOn: 'client' })] }),
  nested: (): Options => ({
    model: scripted([asks('helper', 'c1'), says('All done.')]),
    tools: [agent('helper', [asks('looker', 'd1'), says('Helped.')], [agent('looker', [says('Seen.')])])],
  }),
  nestedApproval: (): Options => ({ model: scripted([asks('helper', 'c1'), says('All done.')]), tools: [agent('helper', [asks('remove', 'd1'), says('Helped.')], [remove()])] }),
  nestedFailure: (): Options => ({ model: scripted([asks('helper', 'c1'), says('It failed.')]), tools: [agent('helper', [asks('add', 'd1'), broken], [add()])] }),
  /** A withdrawn step, a corrected one, what a tool tells, a word of the user, a summary, and a title. */
  beside: (): Options => {
    const said$ = new Subject<string>();
    return {
    model: scripted([{ reasoning: 'Wrong thought', text: 'Wrong words', usage }, says('Right words'), { text: 'More.', ...(asks('work', 'c1') as object) }, says('Enough.')]),
    tools: [work(said$)],
    hooks: {
      afterStep: ({ text: said, calls }) => {
        if (said === 'Wrong words') return { type: 'retract', reason: 'off topic' };
        return said === 'Right words' && calls.length === 0 ? { type: 'correct', message: 'Say more.', reason: 'too short' } : undefined;
      },
    },
    steering$: said$,
    // The user's first words are all that the last step needs of what was before the tool.
    compact: (all) => (all.some(({ role }) => role === 'tool') ? [userMessage('Look, in short.'), ...all.slice(-1)] : undefined),
    title: () => 'A talk',
    };
  },
} satisfies Record<string, () => Options>;

export type HostedName = keyof typeof hostedRuns;

export interface HostedAsk {
  readonly messages: readonly Message[];
  readonly runId?: string;
  readonly threadId?: string;
  readonly tools?: readonly Tool[];
  readonly answers?: Readonly<Record<string, ApprovalAnswer>> | undefined;
}

/** One conversation with a server that keeps its checkpoint: a run suspends, and answers make it go on. */
export class HostedSession {
  checkpoint: Checkpoint | undefined;
  /** All that its runs have said. */
  readonly events: LoopEvent[] = [];
  private readonly options: Options;

  constructor(name: HostedName) {
    this.options = { ids: countedIds(), ...hostedRuns[name]() };
  }

  ask({ messages, runId, threadId, tools = [], answers }: HostedAsk): Observable<LoopEvent> {
    return defer(() => {
      const { checkpoint } = this;
      const options = { ...this.options, tools: [...((this.options.tools ?? []) as readonly Tool[]), ...tools] };
      const isAnswered = checkpoint !== undefined && answers !== undefined;
      const about = { ...(runId !== undefined && { runId }), ...(threadId !== undefined && { threadId }) };
      return isAnswered ? resumeToolLoop(checkpoint, answers, { ...options, ...(threadId !== undefined && { threadId }) }) : toolLoop({ ...options, messages, ...about });
    }).pipe(
      tap((event) => {
        this.events.push(event);
        if (event.type === 'done') this.checkpoint = event.outcome.checkpoint;
      }),
    );
  }
}
