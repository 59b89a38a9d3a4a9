import { concat, concatMap, from, interval, of, take } from 'rxjs';
import type { ScriptedTurn } from '../deltas/scripted.ts';
import { ModelError } from '../index.ts';

/** What the demonstration model plays when a prompt has one of these words. */
export interface DemoScript {
  readonly words: readonly string[];
  /** What it shows. */
  readonly shows: string;
  /** One for each step; `attempt` counts from 1. */
  readonly turns: readonly ((attempt: number) => ScriptedTurn)[];
  /** Comes at its own pace. */
  readonly isPaced?: true;
}

const USAGE = { inputTokens: 420, outputTokens: 60 };
const pieces = (text: string): string[] => text.match(/\s*\S+/g) ?? [];
const says = (text: string, more: object = {}): ScriptedTurn => ({ text: pieces(text), usage: USAGE, ...more });
const calls = (name: string, args: Readonly<Record<string, unknown>>, text = ''): ScriptedTurn => ({ ...(text !== '' && { text: pieces(text) }), calls: [{ name, arguments: args }], usage: USAGE });
const asks = (...args: Parameters<typeof calls>) => (): ScriptedTurn => calls(...args);
const tells = (...args: Parameters<typeof says>) => (): ScriptedTurn => says(...args);

const MARKDOWN = `## Three ways to stop

1. **Leave** the run: unsubscribe, and nothing goes on.
2. *Stop it softly*: it ends with \`done\`.
3. Let a **budget** end it.

| way | history stays valid |
|---|---|
| leave | yes |
| stop | yes |

\`\`\`ts
run$.subscribe(console.log).unsubscribe();
\`\`\`
`;

const LONG = 'This answer takes its time, so that you can stop it, say something into it, reload the page, or lose the network for a moment. ';

/** Deltas one after another, `count` at once every `everyMs`. */
const flood = (count: number, everyMs: number, times: number): ScriptedTurn => ({ scheduler }) =>
  concat(
    interval(everyMs, scheduler).pipe(take(times), concatMap((n) => from(Array.from({ length: count }, (_, at) => ({ type: 'text' as const, block: 'flood', text: `${n * count + at} ` }))))),
    of({ type: 'usage' as const, usage: { inputTokens: 400, outputTokens: count * times } }, { type: 'finish' as const, reason: 'stop' as const }),
  );

/**
 * All that the demonstration model can play. The first one whose word is in the prompt is played.
 *
 * @internal
 */
export const demoScripts: readonly DemoScript[] = [
  {
    words: ['retry'], shows: 'a busy provider that is asked again',
    turns: [(attempt) => (attempt === 1 ? { error: new ModelError('model-http', 'The provider is busy.', { status: 503, retryable: true }) } : says('It was busy, and was asked again: here is the answer.'))],
  },
  {
    words: ['retract'], shows: 'an answer that breaks off and is withdrawn',
    turns: [
      (attempt) =>
        attempt === 1
          ? { text: pieces('The capital of Australia is Sydney, which'), error: new ModelError('model-stream', 'The stream broke off.', { retryable: true }) }
          : says('The capital of Australia is Canberra.'),
    ],
  },
  { words: ['correct'], shows: 'an answer that the application sends back', turns: [tells('It is 42, trust me.'), tells('It is 42, because 6 × 7 = 42.')] },
  {
    words: ['error', 'fail'], shows: 'a run that fails',
    turns: [() => ({ text: pieces('Here is the beginning of an'), error: new ModelError('model-http', 'The account has no credit.', { status: 402 }) })],
  },
  { words: ['reason', 'think'], shows: 'reasoning before the answer', turns: [tells('Seven of them.', { reasoning: 'Dozens are twelve. Half of fourteen is seven, so seven it is.' })] },
  { words: ['markdown', 'format'], shows: 'Markdown', turns: [tells(MARKDOWN, { reasoning: 'They want to see formatting: a list, a table and code.' })] },
  { words: ['long', 'slow'], shows: 'a long answer', turns: [tells(LONG.repeat(12))] },
  { words: ['flood'], shows: 'a thousand deltas a second', turns: [() => flood(10, 10, 500)], isPaced: true },
  {
    words: ['edit', 'approv'], shows: 'a change that asks for your approval',
    turns: [asks('edit_note', { path: 'notes/plan.md', find: 'Monday', replace: 'Tuesday' }, 'I move the meeting to Tuesday.'), tells('That is done, or not, as you decided.')],
  },
  {
    words: ['plan'], shows: 'a plan that is worked through',
    turns: [asks('work_plan', { steps: ['Look', 'Compare', 'Write'] }, 'I make a plan and follow it.'), tells('All three steps are done.')],
  },
  {
    words: ['research', 'agent'], shows: 'a run inside a run',
    turns: [asks('research', { question: 'What do the notes say of the meeting?' }, 'I ask a researcher.'), tells('The researcher found it: the meeting is on Monday.')],
  },
  {
    words: ['search', 'two tools'], shows: 'two tools at once, with progress',
    turns: [
      () => ({ text: pieces('I look in the notes and do the sum.'), calls: [{ name: 'search_notes', arguments: { text: 'meeting' } }, { name: 'calculator', arguments: { expression: '12.5% of 349' } }], usage: USAGE }),
      tells('The notes name **one meeting**, on Monday, and 12.5% of 349 is 43.625.'),
    ],
  },
];
