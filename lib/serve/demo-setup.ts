import type { RunSetup } from './loop-runner.ts';

/** Characters of a title. */
const MAX_TITLE = 40;

/**
 * What the host decides in runs of the demonstration model, beside the model: a broken stream is withdrawn and said again,
 * an answer that breaks a rule is sent back, and the conversation gets a title.
 *
 * @internal
 */
export const demoSetup: Pick<RunSetup, 'policy' | 'hooks' | 'title'> = {
  policy: { streamFailure: { retract: 2 } },
  hooks: {
    name: 'demo',
    // A rule that a real host might have: the page would show the rest of the conversation as code.
    afterStep: ({ text }) =>
      text.split('```').length % 2 === 1
        ? undefined
        : { type: 'correct', reason: 'A code block has no end.', message: 'Your answer has a code block that has no end. Give the whole answer again.' },
  },
  title: (messages) => {
    const first = messages.find(({ role }) => role === 'user');
    const text = first?.role === 'user' ? first.content.map((part) => (part.type === 'text' ? part.text : '')).join(' ') : '';
    const letters = Array.from(text.trim().replace(/\s+/g, ' '));
    return letters.length > MAX_TITLE ? `${letters.slice(0, MAX_TITLE - 1).join('')}…` : letters.join('');
  },
};
