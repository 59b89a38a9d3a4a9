import { concatMap, defer, from, interval, take } from 'rxjs';
import type { Observable } from 'rxjs';
import { scripted } from '../deltas/scripted.ts';
import type { Delta, Message, Model, ModelRequest, ToolResult, UserMessage } from '../index.ts';
import { demoScenes } from './demo-scenes.ts';
import type { DemoScene } from './demo-scenes.ts';
import { demoSpeech } from './demo-speech.ts';
import type { DemoTurn } from './demo-speech.ts';

/** Deltas of a flood come in so many bursts a second: timers are not exact enough for one each. */
const BURSTS = 100;

/**
 * The model of `--model demo`: scripted. A word of the user's prompt chooses the scene that it plays; a prompt without one
 * is told what there is. It knows nothing.
 *
 * Where a scene stands is told by the messages alone, so that a run goes on after a restart and a conversation after a
 * reload. Only what a scene that fails has tried is remembered, for as long as the run lives.
 *
 * Contract:
 * - leaves: stops at once.
 * - fails: where the scene does.
 *
 * @param delayMs - pause before each delta
 * @internal
 */
export function demoModel(delayMs: number): Model {
  const triesOf = new WeakMap<Message, number>();
  return {
    id: 'demo',
    provider: 'scripted',
    capabilities: ['tools', 'parallel-tools', 'reasoning'],
    contextWindow: 16_000,
    // Dollars of nobody: a meter has something to show.
    price: { input: 3, output: 15 },
    stream: (request) =>
      defer(() => {
        const { messages } = request;
        const prompt = messages.findLast((message): message is UserMessage => sceneOf(message) !== undefined);
        const tries = prompt === undefined ? 0 : (triesOf.get(prompt) ?? 0);
        if (prompt !== undefined) triesOf.set(prompt, tries + 1);
        const turn = nextTurn(request, prompt, tries);
        const deltas = [...demoSpeech(turn, request)];
        const said: readonly Delta[] | Observable<Delta> = turn.perSecond === undefined ? deltas : inBursts(deltas, turn.perSecond, request);
        const pause = turn.perSecond === undefined ? (turn.delayMs ?? delayMs) : 0;
        // One turn each time: the script of a model counts its calls, and this one plays for many runs.
        return scripted([said], { id: 'demo', delayMs: pause }).stream(request);
      }),
  };
}

function nextTurn({ messages, tools }: ModelRequest, prompt: UserMessage | undefined, tries: number): DemoTurn {
  const asked = textOf(messages.findLast(({ role }) => role === 'user'));
  const scene = sceneOf(prompt);
  if (prompt === undefined || scene === undefined) return { text: excuse(asked) };
  const since = messages.slice(messages.indexOf(prompt) + 1);
  const next = scene.turns[since.filter(({ role }) => role === 'assistant').length];
  if (next === undefined) return { text: excuse(asked) };
  const missing = scene.tools.filter((name) => !tools.some((tool) => tool.name === name));
  if (missing.length > 0) return { text: lacking(scene, missing) };
  const results = since.flatMap((message): readonly ToolResult[] => (message.role === 'tool' ? message.results : []));
  return next({ prompt: textOf(prompt), tries, results });
}

/** The scene whose word stands first in a message of the user. */
function sceneOf(message: Message | undefined): DemoScene | undefined {
  const text = textOf(message).toLowerCase();
  if (text === '') return undefined;
  const words = text.match(/\p{L}+/gu) ?? [];
  const first = words.find((word) => demoScenes.some((scene) => scene.word === word));
  return demoScenes.find(({ word }) => word === first);
}

function textOf(message: Message | undefined): string {
  return message?.role === 'user' ? message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n') : '';
}

function excuse(asked: string): string {
  const shown = Array.from(asked.slice(0, 400)).slice(0, 200).join('').trim().replace(/\s+/g, ' ');
  const list = demoScenes.map(({ word, shows }) => `- \`${word}\`: ${shows}`).join('\n');
  return `You said: ${shown}\n\nI am a script, not a language model: a word of your prompt chooses what I show.\n\n${list}\n`;
}

function lacking({ word, tools }: DemoScene, missing: readonly string[]): string {
  const [names, lacks] = [tools, missing].map((list) => list.map((name) => `\`${name}\``).join(' and '));
  return `The scene \`${word}\` calls ${names}, and I was not given ${lacks}. Start me with \`--tools calculator,clock,docs/examples/demo-tools.mjs\`.`;
}

function inBursts(deltas: readonly Delta[], perSecond: number, { scheduler }: ModelRequest): Observable<Delta> {
  const size = Math.max(1, Math.round(perSecond / BURSTS));
  return interval(1_000 / BURSTS, scheduler).pipe(
    take(Math.ceil(deltas.length / size)),
    concatMap((n) => from(deltas.slice(n * size, (n + 1) * size))),
  );
}
