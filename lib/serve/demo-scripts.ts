import { concat, concatMap, defer, from, interval, of, take } from 'rxjs';
import type { Observable } from 'rxjs';
import { ModelError, resultText } from '../index.ts';
import type { Delta, ModelRequest, Usage } from '../index.ts';
import type { ScriptedAnswer } from '../deltas/scripted.ts';
import type { DemoPlace } from './demo-place.ts';
import { demoWords } from './demo-words.ts';

/** Plain data, which is counted, or deltas at a pace of their own with their own count. */
export type DemoTurn = ScriptedAnswer | Observable<Delta>;

/** One thing that the demonstration model can show. */
export interface DemoScript {
  /** The word of a prompt that asks for it. */
  readonly keyword: string;
  /** What is to be seen. */
  readonly shows: string;
  /** Tools that it calls. */
  readonly needs: readonly string[];
  /** How many times as slow as usual; 0 has a pace of its own. Default: 1. */
  readonly slowness?: number;
  /** @param attempt - 0-based: how often the model was asked at this very place before */
  turn(place: DemoPlace, attempt: number, request: ModelRequest): DemoTurn;
}

/**
 * What the demonstration model can show, in the order in which it lists them.
 *
 * @internal
 */
export const demoScripts: readonly DemoScript[] = [
  {
    keyword: 'markdown',
    shows: 'reasoning, then an answer in Markdown',
    needs: [],
    turn: () => ({ reasoning: demoWords(THOUGHTS), text: demoWords(MARKDOWN) }),
  },
  {
    keyword: 'retry',
    shows: 'a provider that is busy twice, then the answer',
    needs: [],
    turn: (_place, attempt) => (attempt < 2 ? { error: BUSY } : { text: demoWords('The first two calls were refused with status 503. The third one was not, and you are reading it.') }),
  },
  {
    keyword: 'retract',
    shows: 'an answer that breaks off, is withdrawn, and is said again',
    needs: [],
    turn: (_place, attempt) =>
      attempt < 1
        ? { text: demoWords('The three primary colours of light are red, green and yel'), error: BROKEN }
        : { text: demoWords('The three primary colours of light are red, green and blue. The attempt before this one broke off, so it was withdrawn.') },
  },
  {
    keyword: 'correct',
    shows: 'an answer that is sent back, then a better one',
    needs: [],
    turn: ({ step }) => ({ text: demoWords(step === 0 ? 'The capital of Australia is Sydney. [unchecked]' : 'You are right to ask. The capital of Australia is Canberra; Sydney is its largest city.') }),
  },
  {
    keyword: 'mistake',
    shows: 'calls that cannot be made (no JSON, wrong arguments, no such tool), and the same call done right',
    needs: ['calculator'],
    turn: ({ step, results }) => {
      if (step === 0) return { calls: [{ name: 'calculator', arguments: '{"expression": "17 *' }, { name: 'calculator', arguments: { term: '17 * 23' } }, { name: 'abacus', arguments: {} }] };
      if (step === 1) return { text: demoWords('None of the three could be run. I try again.'), calls: [{ name: 'calculator', arguments: { expression: '17 * 23' } }] };
      return { text: demoWords(`17 * 23 is ${said(results)}.`) };
    },
  },
  {
    keyword: 'error',
    shows: 'a failure that ends the run',
    needs: [],
    turn: () => ({ error: REFUSED }),
  },
  {
    keyword: 'long',
    shows: 'a long and slow answer of about a minute, to cancel, to reload or to talk over',
    needs: [],
    slowness: 6,
    turn: () => ({ text: LONG.flatMap((line) => demoWords(line)) }),
  },
  {
    keyword: 'flood',
    shows: 'an answer of 1,000 pieces a second for five seconds',
    needs: [],
    slowness: 0,
    turn: (_place, _attempt, request) => flood(request),
  },
  {
    keyword: 'calculate',
    shows: 'two calls in one turn',
    needs: ['calculator', 'clock'],
    turn: ({ step, results }) =>
      step === 0
        ? { reasoning: demoWords('Both can be asked at once.'), calls: [{ name: 'calculator', arguments: { expression: '12.5% * 349' } }, { name: 'clock', arguments: { timeZone: 'Asia/Tokyo' } }] }
        : { text: demoWords(`- 12.5% of 349: **${said(results.slice(0, 1))}**\n- In Tokyo: **${said(results.slice(1))}**\n`) },
  },
  {
    keyword: 'search',
    shows: 'a tool that tells its progress',
    needs: ['search_notes'],
    turn: ({ step, results }) => (step === 0 ? { text: demoWords('I look it up.'), calls: [{ name: 'search_notes', arguments: { text: 'observable' } }] } : { text: demoWords(`The notes say:\n\n${said(results)}\n`) }),
  },
  {
    keyword: 'edit',
    shows: 'a tool that needs your approval, and its diff',
    needs: ['edit_file'],
    turn: ({ step, results }) => {
      if (step === 0) return { text: demoWords('I would like to raise the limit.'), calls: [{ name: 'edit_file', arguments: { path: 'settings.json', find: '"limit": 10', replace: '"limit": 25' } }] };
      const failed = results.some(({ isError }) => isError);
      return { text: demoWords(failed ? `Nothing was changed: ${said(results)}` : 'Done: the limit is raised.') };
    },
  },
  {
    keyword: 'plan',
    shows: 'a plan that is worked off; what you say meanwhile is read before the answer',
    needs: ['follow_plan'],
    turn: ({ step, results, steering }) => {
      if (step === 0) return { calls: [{ name: 'follow_plan', arguments: { steps: ['Read the notes', 'Compare them', 'Write a summary'] } }] };
      const heard = steering.map((text) => `You said meanwhile: “${text}”\n\n`).join('');
      return { text: demoWords(`${heard}${said(results)}`) };
    },
  },
  {
    keyword: 'research',
    shows: 'a sub-agent: a run inside of the run, with its own model and tools',
    needs: ['research'],
    turn: ({ step, results }) => (step === 0 ? { text: demoWords('I ask my researcher.'), calls: [{ name: 'research', arguments: { question: 'What are observables good at?' } }] } : { text: demoWords(`My researcher says: ${said(results)}`) }),
  },
];

function said(results: DemoPlace['results']): string {
  return results.map(({ content }) => resultText(content)).join('\n');
}

const BUSY = new ModelError('model-http', 'The demonstration provider is busy.', { status: 503, retryable: true });
const BROKEN = new ModelError('model-transport', 'The connection to the demonstration provider broke off.', { retryable: true });
const REFUSED = new ModelError('model-http', 'The demonstration provider refuses: there is no credit left.', { status: 402 });

const FLOOD = { everyMs: 10, pieces: 10, times: 500 };

/** Timers are not exact to a millisecond, so several pieces come at once. */
function flood({ ids, scheduler }: ModelRequest): Observable<Delta> {
  return defer(() => {
    const block = ids('block');
    const burst = (n: number): Delta[] => Array.from({ length: FLOOD.pieces }, (_, at) => ({ type: 'text', block, text: `${n * FLOOD.pieces + at + 1}${at === FLOOD.pieces - 1 ? '\n' : ' '}` }));
    const usage: Usage = { inputTokens: 10, outputTokens: FLOOD.pieces * FLOOD.times, reasoningTokens: 0 };
    return concat(
      interval(FLOOD.everyMs, scheduler).pipe(take(FLOOD.times), concatMap((n) => from(burst(n)))),
      of<Delta[]>({ type: 'usage', usage }, { type: 'finish', reason: 'stop' }),
    );
  });
}

const THOUGHTS = 'The user wants to see Markdown. I show a heading, a list, a table, code, a quotation and a link, because a screen has to deal with all of them while they grow.';

const MARKDOWN = `## A run is a stream

It *starts* when somebody subscribes, and it **ends** when they leave:

1. The model speaks.
2. Its tools run.
3. The model reads what they say.

| event | when |
|---|---|
| \`delta\` | the model says something |
| \`tool-result\` | a call has come to something |
| \`done\` | last |

\`\`\`ts
toolLoop({ model, tools, prompt: 'What is 2 + 3?' })
  .pipe(toText())
  .subscribe((text) => show(text));
\`\`\`

> Leaving is cancelling.

More is in [the documentation of RxJS](https://rxjs.dev/guide/observable).
`;

const LONG = ['I take my time over this one.\n\n', ...Array.from({ length: 40 }, (_, at) => `${at + 1}. Line ${at + 1} of 40, which says little and says it slowly.\n`)];
