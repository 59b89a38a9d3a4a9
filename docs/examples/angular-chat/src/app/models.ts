/** What the page says of each of its two servers. */
export const MODELS = {
  embedded: {
    name: 'Embedded model, offline',
    title: 'The embedded model',
    text: 'It is rule-based and offline: it picks tools by the words of your prompt and reports what they give. It knows nothing.',
    prompts: [
      'What is 12.5% of 349, and what time is it in Tokyo?',
      'Search the notes for "observable".',
      'call edit_file {"path":"settings.json","find":"\\"limit\\": 10","replace":"\\"limit\\": 25"}',
    ],
  },
  demo: {
    name: 'Scripted demo, no real model',
    title: 'A scripted demo',
    text: 'No model thinks here. A script plays what real ones do; a word of your prompt chooses what.',
    prompts: ['Show me markdown', 'calculate', 'search', 'edit', 'plan', 'research', 'retry', 'retract', 'correct', 'mistake', 'error', 'long', 'flood'],
  },
} as const;
