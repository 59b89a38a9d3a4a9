// What `npm start` runs: the built command, on a prompt that needs two tools. Another prompt, and any option of the
// command, may follow after `--`:
//
//   npm start -- "How much is (2 + 3) ^ 4 / 7?" --marbles

const PROMPT = 'What is 12.5% of 349, and what time is it in Tokyo?';

const words = process.argv.slice(2);
const hasPrompt = words.length > 0 && !words[0].startsWith('-');
process.argv.splice(2, words.length, 'run', ...(hasPrompt ? [] : [PROMPT]), ...words);

await import('../../dist/lib/serve/cli.js');
