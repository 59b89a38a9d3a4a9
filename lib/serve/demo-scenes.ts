import { arithmetic } from '../deltas/embedded-arithmetic.ts';
import { ModelError, resultText } from '../index.ts';
import type { ToolResult } from '../index.ts';
import type { DemoTurn } from './demo-speech.ts';
import { demoTexts } from './demo-texts.ts';

/** What a turn of a scene may look at. */
export interface DemoRound {
  /** The prompt that chose the scene. */
  readonly prompt: string;
  /** How often the model was asked since that prompt, in this run. */
  readonly tries: number;
  /** Of the calls since that prompt. */
  readonly results: readonly ToolResult[];
}

export interface DemoScene {
  /** The word of the prompt that chooses it. */
  readonly word: string;
  readonly shows: string;
  /** Tools that it calls. */
  readonly tools: readonly string[];
  /** The next turn is found by how many the messages have since the prompt. */
  readonly turns: readonly ((round: DemoRound) => DemoTurn)[];
}

const SLOW_DELAY_MS = 200;
const FLOOD_PER_SECOND = 1_000;

const call = (name: string, args: object | string): Pick<DemoTurn, 'calls'> => ({ calls: [{ name, arguments: args }] });
const scene = (word: string, shows: string, ...turns: DemoScene['turns']): DemoScene => ({ word, shows, tools: [], turns });
const calling = (tools: readonly string[], ...[word, shows, ...turns]: Parameters<typeof scene>): DemoScene => ({ ...scene(word, shows, ...turns), tools });

/** What the last call came to. */
function last({ results }: DemoRound): string {
  const result = results.at(-1);
  return result === undefined ? 'nothing' : resultText(result.content);
}

const failed = ({ results }: DemoRound): boolean => results.at(-1)?.isError === true;

/** The scenes of the demonstration model; `docs/command.md` lists them too. */
export const demoScenes: readonly DemoScene[] = [
  scene('markdown', 'reasoning, then an answer with a heading, a list, a table and code', () => ({ reasoning: demoTexts.thought, text: demoTexts.markdown })),
  scene('retry', 'a provider that is busy twice, and is asked again', ({ tries }) =>
    tries === 0 ? { error: new ModelError('model-http', 'The provider is overloaded.', { status: 503, retryable: true }) }
    : tries === 1 ? { error: new ModelError('model-http', 'The provider asks for patience.', { status: 429, retryable: true, retryAfterMs: 1_500 }) }
    : { text: 'The third time the provider was there. Nothing of this answer had been shown before, so it was simply asked again.' },
  ),
  scene('retract', 'an answer that breaks off, is withdrawn, and is said again', ({ tries }) =>
    tries === 0
      ? { text: 'The longest river is the Nile, which is 6,650 km long and flows through', error: new ModelError('model-stream', 'The stream broke off.', { retryable: true }) }
      : { text: 'The longest river is the Nile, which is 6,650 km long. (The first attempt broke off and was withdrawn.)' },
  ),
  scene('correct', 'an answer that the host sends back, and a better one', () => ({ text: 'This prints a greeting:\n\n```js\nconsole.log("Hello");\n' }), () => ({ text: 'This prints a greeting:\n\n```js\nconsole.log("Hello");\n```\n' })),
  scene('error', 'a run that fails after its first words', () => ({ text: 'I begin, but', error: new ModelError('model-http', 'The demonstration was asked to fail.', { status: 400 }) })),
  scene('refuse', 'a refusal', () => ({ refusal: 'I decline, because you asked me to.' })),
  scene('slow', 'a minute of slow words, to cancel, to steer and to reload', () => ({ text: demoTexts.long(300), delayMs: SLOW_DELAY_MS })),
  scene('flood', '1,000 deltas a second for 10 seconds; "flood 3" for 3', ({ prompt }) => ({
    text: demoTexts.long(FLOOD_PER_SECOND * Math.min(60, Math.max(1, Number(/\d+/.exec(prompt)?.[0] ?? 10)))),
    perSecond: FLOOD_PER_SECOND,
  })),
  calling(['calculator'], 'calculate', 'a tool: the calculator', ({ prompt }) => call('calculator', { expression: arithmetic(prompt) ?? '12.5% of 349' }), (round) => ({ text: `It is **${last(round)}**.` })),
  calling(['clock'], 'clock', 'a tool: the clock', () => call('clock', { timeZone: 'Asia/Tokyo' }), (round) => ({ text: `In Tokyo it is ${last(round)}.` })),
  calling(['calculator', 'clock'], 'parallel', 'two tools in one step', () => ({ calls: [{ name: 'calculator', arguments: { expression: '2 ^ 100' } }, { name: 'clock', arguments: {} }] }), ({ results }) => ({ text: results.map(({ name, content }) => `- ${name}: ${resultText(content)}`).join('\n') })),
  calling(['calculator'], 'malformed', 'a call whose arguments are broken, and once more', () => call('calculator', '{"expression": "6 * 7'), () => ({ reasoning: 'My arguments were no JSON: once more, with all of it.', ...call('calculator', { expression: '6 * 7' }) }), (round) => ({ text: `The second call was well formed: ${last(round)}.` })),
  calling(['search_notes'], 'search', 'a search that tells its progress', () => ({ reasoning: 'I look into the notes first.', ...call('search_notes', { text: 'tea' }) }), (round) => ({ text: `I found:\n\n${last(round)}` })),
  calling(['edit_note'], 'edit', 'an edit that asks for approval, and its diff', () => ({ text: 'I would like to change the shopping list.', ...call('edit_note', { path: 'shopping.md', find: '- tea', replace: '- green tea, 200 g' }) }), (round) => ({ text: failed(round) ? `The note stays as it was: ${last(round)}` : 'The note is changed.' })),
  calling(['write_plan', 'search_notes'], 'plan', 'a plan that is worked off', () => plan(0), () => call('search_notes', { text: 'train' }), () => plan(1), () => plan(2), () => ({ text: 'All three steps of the plan are done.' })),
  calling(['research'], 'research', 'a run inside a run', () => call('research', { question: 'What do the notes say of trains?' }), (round) => ({ text: failed(round) ? `The researcher failed: ${last(round)}` : `The researcher says: ${last(round)}` })),
  calling(['ask_user'], 'ask', 'a tool that asks you in the middle of its work', () => call('ask_user', { question: 'Which colour do you like?' }), (round) => ({ text: `Good to know. ${last(round)}` })),
];

/** The plan with so many steps done. */
function plan(done: number): DemoTurn {
  const steps = done === 2 ? 3 : done;
  const entries = ['Read the notes', 'Compare the trains', 'Write the answer'].map((content, at) => ({ content, status: at < steps ? 'completed' : at === steps ? 'in-progress' : 'pending' }));
  return call('write_plan', { entries });
}
