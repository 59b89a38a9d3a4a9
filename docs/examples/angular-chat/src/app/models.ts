/** What the page says of each of its two servers. */
export const MODELS = {
  embedded: {
    name: 'Embedded model, offline',
    title: 'The embedded model',
    text: 'It is rule-based and offline: it picks a tool by the words of your prompt and reports what it gives. It knows nothing.',
    prompts: ['What is 12.5% of 349, and what time is it in Tokyo?'],
  },
  demo: {
    name: 'Scripted demo, no real model',
    title: 'A scripted demo',
    text: 'No model thinks here. A script plays what real ones do now and then: reasoning, a retry, an answer that is withdrawn, a correction.',
    prompts: ['Show me everything.'],
  },
} as const;
