import { defer } from 'rxjs';
import { scripted } from '../deltas/scripted.ts';
import type { Message, Model } from '../index.ts';
import { demoScripts } from './demo-scripts.ts';
import type { DemoScript } from './demo-scripts.ts';

/**
 * The model of `--model demo`: scripted, it plays what a word of the last prompt names, and knows nothing. One for each run,
 * because a script may break its first attempt.
 *
 * @param delayMs - pause between two words
 * @internal
 */
export function demoModel(delayMs: number): Model {
  const attempts = new Map<number, number>();
  return {
    id: 'demo',
    provider: 'scripted',
    capabilities: ['tools', 'parallel-tools'],
    contextWindow: 8_000,
    price: { input: 1, output: 4 },
    stream: (request) =>
      defer(() => {
        const { length } = request.messages;
        const attempt = (attempts.get(length) ?? 0) + 1;
        attempts.set(length, attempt);
        const found = scriptOf(request.messages);
        const turn = found?.script.turns[found.step];
        const speech = turn === undefined ? { text: LISTED } : turn(attempt);
        return scripted([speech], { id: 'demo', delayMs: found?.script.isPaced === true ? 0 : delayMs }).stream(request);
      }),
  };
}

const LISTED = [
  'I am a script, not a language model. ', 'A word in your prompt chooses what I show:\n\n',
  ...demoScripts.map(({ words, shows }) => `- **${words[0]}**: ${shows}\n`),
];

/** The script that the conversation is in, and how far it is. What is said in between, without a word of a script, does not change it. */
function scriptOf(messages: readonly Message[]): { readonly script: DemoScript; readonly step: number } | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message?.role !== 'user') continue;
    const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join(' ').toLowerCase();
    const script = demoScripts.find(({ words }) => words.some((word) => text.includes(word)));
    if (script === undefined) continue;
    const step = messages.slice(at).filter(({ role }) => role === 'assistant').length;
    return step < script.turns.length ? { script, step } : undefined;
  }
  return undefined;
}
