const WORDS = 'Every event of the run is one value of one stream and whoever watches it late reads the same values in the same order.'.split(' ');

/** What the scenes of the demonstration say at length. */
export const demoTexts = {
  thought: 'The user wants to see Markdown. I show a heading, a list, a table and some code, and keep each of them short.',
  markdown: `## A run, in short

A run is **one stream of events**. It says, in *this* order:

1. what the model says, word by word;
2. which tools it calls, and what they give;
3. how it ended.

| event | when |
|---|---|
| \`delta\` | the model has said a word |
| \`tool-start\` | a tool begins |
| \`done\` | once, at the end |

\`\`\`ts
toolLoop({ model, tools, prompt }).subscribe(console.log);
\`\`\`

> A screen shows what it likes of them, and ignores the rest.
`,
  /** So many words, in paragraphs, each fiftieth a number. */
  long: (count: number): string =>
    Array.from({ length: count }, (_, n) => `${n % 50 === 0 ? `(${n + 1})` : (WORDS[n % WORDS.length] as string)}${n + 1 === count ? '' : n % 100 === 99 ? '\n\n' : ' '}`).join(''),
} as const;
