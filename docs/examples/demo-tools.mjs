// Tools that show what a screen has to deal with: progress, an approval with a diff, a plan, and a run inside of the run.
//
//   rx-tool-loop serve --model demo --tools calculator,clock,docs/examples/demo-tools.mjs
//
// With another model they do the same; their notes and their file live in memory and nowhere else.

import { asTool, defineTool, ToolError, toolOutput } from 'rx-tool-loop';
import { scripted } from 'rx-tool-loop/scripted';
import { concat, concatMap, from, map, of, timer } from 'rxjs';
import * as z from 'zod';

const NOTES = [
  { title: 'cold.md', text: 'An Observable is cold: it does nothing until somebody subscribes.' },
  { title: 'leaving.md', text: 'Unsubscribing from an Observable ends its work, its timers and its requests.' },
  { title: 'promises.md', text: 'A promise has started already, and cannot be left.' },
  { title: 'operators.md', text: 'Operators take an Observable and give another one, so that time is code too.' },
];

const SECOND = 1_000;

/** Each note that is looked at is progress; the last value is the result. */
export const searchNotes = defineTool({
  name: 'search_notes',
  description: 'Searches the notes for a text.',
  input: z.object({ text: z.string().min(1) }),
  kind: 'search',
  parallelSafe: true,
  title: ({ text }) => `Search the notes for “${text}”`,
  run: ({ text }) => {
    const found = NOTES.filter((note) => note.text.toLowerCase().includes(text.toLowerCase()));
    const looked$ = from(NOTES).pipe(concatMap((note, at) => timer(SECOND / 2).pipe(map(() => ({ looked: at + 1, of: NOTES.length, in: note.title })))));
    const lines = found.map((note) => `- ${note.title}: ${note.text}`);
    return concat(looked$, of(lines.join('\n') || 'Nothing was found.'));
  },
});

const files = new Map([['settings.json', '{\n  "name": "demo",\n  "limit": 10\n}\n']]);

/** Waits for an approval, and shows what it did as a diff. */
export const editFile = defineTool({
  name: 'edit_file',
  description: `Replaces a text in a file in memory. There is: ${[...files.keys()].join(', ')}.`,
  input: z.object({ path: z.string(), find: z.string().min(1), replace: z.string() }),
  kind: 'edit',
  needsApproval: true,
  title: ({ path }) => `Edit ${path}`,
  locations: ({ path }) => [{ path }],
  run: ({ path, find, replace }) => {
    const oldText = files.get(path);
    if (oldText === undefined) throw new ToolError('not-found', `There is no file ${path}.`);
    // Done before: then there is nothing to do, and the next demonstration begins anew.
    const isDone = !oldText.includes(find) && oldText.includes(replace);
    if (!isDone && !oldText.includes(find)) throw new ToolError('invalid-input', `${path} does not hold ${find}.`);
    const before = isDone ? oldText.replace(replace, () => find) : oldText;
    const newText = before.replace(find, () => replace);
    files.set(path, newText);
    return toolOutput({
      output: { path, changed: true },
      content: `${path} is changed.`,
      display: { text: `${path}: one replacement`, diff: { path, oldText: before, newText } },
    });
  },
});

/** Tells its plan at every step: always the whole of it. */
export const followPlan = defineTool({
  name: 'follow_plan',
  description: 'Makes a plan of these steps, and works it off.',
  input: z.object({ steps: z.array(z.string().min(1)).min(1).max(10) }),
  kind: 'think',
  title: ({ steps }) => `A plan of ${steps.length} steps`,
  run: ({ steps }, context) => {
    const plan = (done) =>
      context.plan(steps.map((content, at) => ({ content, status: at < done ? 'completed' : at === done ? 'in-progress' : 'pending' })));
    plan(0);
    context.status(`${steps[0]} …`);
    return from(steps.keys()).pipe(
      concatMap((at) =>
        timer(2 * SECOND).pipe(
          map(() => {
            plan(at + 1);
            const next = steps[at + 1];
            context.status(next === undefined ? '' : `${next} …`);
            return next === undefined ? `All ${steps.length} steps are done.` : `${at + 1} of ${steps.length} is done.`;
          }),
        ),
      ),
    );
  },
});

/** A run of its own, with a scripted model: its events come with `parent`. */
export const research = asTool({
  name: 'research',
  description: 'Hands a question to a researcher, who can search the notes.',
  input: z.object({ question: z.string().min(1) }),
  kind: 'think',
  title: ({ question }) => `Research: ${question}`,
  loop: ({ question }) => ({
    model: researcher(),
    tools: [searchNotes],
    system: 'You search the notes and answer in one sentence.',
    prompt: question,
  }),
});

/** A new one for each run, because a script is played once. */
function researcher() {
  const model = scripted(
    [
      { reasoning: 'The notes should know.', calls: [{ name: 'search_notes', arguments: { text: 'observable' } }], usage: { inputTokens: 120, outputTokens: 25 } },
      { text: 'Observables are good at beginning late, ending early, and everything in between.'.split(/(?<= )/), usage: { inputTokens: 210, outputTokens: 18 } },
    ],
    { id: 'demo-researcher', delayMs: 25 },
  );
  return { ...model, price: { input: 1, output: 5 } };
}
