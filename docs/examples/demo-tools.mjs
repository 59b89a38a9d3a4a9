// The tools that the scenes of the demonstration model call; the notes live in memory alone:
//
//   rx-tool-loop serve --model demo --tools calculator,clock,docs/examples/demo-tools.mjs
//   rx-tool-loop run "plan" --model demo --tools docs/examples/demo-tools.mjs

import { setTimeout as pause } from 'node:timers/promises';
import { asTool, defineTool, ToolError, toolOutput } from 'rx-tool-loop';
import { scripted } from 'rx-tool-loop/scripted';
import { map } from 'rxjs';
import * as z from 'zod';

/** Text by name. */
const notes = new Map([
  ['shopping.md', '# Shopping\n\n- bread\n- tea\n- apples\n'],
  ['journey.md', '# Journey\n\nThe train leaves at 9:12 from platform 4.\nTake tea for the way.\n'],
  ['ideas.md', '# Ideas\n\nCompare the night train with the day train.\n'],
]);

/** Each value but the last is a `tool-progress` event. */
export const searchNotes = defineTool({
  name: 'search_notes',
  description: 'Finds the lines of the notes that hold a text.',
  kind: 'search',
  parallelSafe: true,
  title: ({ text }) => `Search the notes for "${text}"`,
  input: z.object({ text: z.string().min(1) }),
  run: async function* ({ text }, { signal }) {
    const found = [];
    let done = 0;
    for (const [path, note] of notes) {
      await pause(300, undefined, { signal });
      for (const [at, line] of note.split('\n').entries()) {
        if (line.toLowerCase().includes(text.toLowerCase())) found.push(`- ${path}:${at + 1}: ${line}`);
      }
      done += 1;
      yield { path, done, total: notes.size, found: found.length };
    }
    yield found.length === 0 ? `No note holds "${text}".` : found.join('\n');
  },
});

/** Waits for an approval; its result tells a screen what has changed. */
export const editNote = defineTool({
  name: 'edit_note',
  description: 'Replaces a text in a note.',
  kind: 'edit',
  needsApproval: true,
  title: ({ path }) => `Edit ${path}`,
  locations: ({ path }) => [{ path }],
  input: z.object({ path: z.string(), find: z.string().min(1), replace: z.string() }),
  run: ({ path, find, replace }) => {
    const oldText = notes.get(path);
    if (oldText === undefined) throw new ToolError('not-found', `There is no note ${path}; there are ${[...notes.keys()].join(', ')}.`);
    const at = oldText.indexOf(find);
    if (at < 0) throw new ToolError('not-found', `The note ${path} does not hold ${JSON.stringify(find)}.`);
    const newText = oldText.slice(0, at) + replace + oldText.slice(at + find.length);
    notes.set(path, newText);
    return toolOutput({ output: { path }, content: `${path} is changed.`, display: { text: `Changed ${path}`, diff: { path, oldText, newText } } });
  },
});

export const writePlan = defineTool({
  name: 'write_plan',
  description: 'Shows the user the whole plan, each time that it changes.',
  kind: 'think',
  input: z.object({
    entries: z.array(z.object({ content: z.string(), status: z.enum(['pending', 'in-progress', 'completed']) })).min(1),
  }),
  run: ({ entries }, { plan }) => {
    plan(entries);
    return 'The user sees the plan.';
  },
});

/** A run of its own, with the search as its tool. */
export const research = asTool({
  name: 'research',
  description: 'Answers a question from the notes.',
  title: () => 'Research',
  input: z.object({ question: z.string() }),
  loop: ({ question }) => ({
    model: scripted(
      [
        { reasoning: 'The notes may have it.', calls: [{ name: 'search_notes', arguments: { text: 'train' } }], usage: { inputTokens: 60, outputTokens: 20, reasoningTokens: 8, totalTokens: 80, costUsd: 0.00048 } },
        { text: ['There ', 'are ', 'two ', 'notes ', 'on ', 'trains: ', 'one ', 'leaves ', 'at ', '9:12.'], usage: { inputTokens: 120, outputTokens: 10, reasoningTokens: 0, totalTokens: 130, costUsd: 0.00051 } },
      ],
      { id: 'demo-researcher', delayMs: 80 },
    ),
    tools: [searchNotes],
    prompt: question,
  }),
});

export const askUser = defineTool({
  name: 'ask_user',
  description: 'Asks the user a question and waits for the answer.',
  input: z.object({ question: z.string() }),
  run: ({ question }, { input }) =>
    input({ reason: question, schema: { type: 'string' } }).pipe(map((said) => (said.type === 'input' ? `The user says: ${said.value}` : 'The user does not say.'))),
});
