import { concat, concatMap, defer, from, ignoreElements, map, of, tap, timer } from 'rxjs';
import type { Observable } from 'rxjs';
import * as z from 'zod';
import { scripted } from '../deltas/scripted.ts';
import { asTool, defineTool, ToolError, toolOutput } from '../index.ts';
import type { Tool } from '../index.ts';

const NOTES = { 'notes/plan.md': 'The meeting is on Monday.\nBring the numbers.\n', 'notes/rx.md': 'A run is an Observable.\n', 'notes/todo.md': 'Write the report.\n' };

/** Values with a pause before each. */
const slowly = <T>(values: readonly T[], pauseMs: number): Observable<T> => from(values).pipe(concatMap((value) => timer(pauseMs).pipe(map(() => value))));

/**
 * The tools of `--tools demo`: they work on three notes in memory, which every call of `demoTools` makes anew.
 *
 * @param pauseMs - of work, so that a person sees it
 * @internal
 */
export function demoTools(pauseMs = 300): readonly Tool[] {
  const notes = new Map(Object.entries(NOTES));
  const search = defineTool({
    name: 'search_notes',
    description: 'Finds the lines of the notes that hold a text.',
    input: z.object({ text: z.string() }),
    parallelSafe: true,
    kind: 'search',
    title: ({ text }) => `Search the notes for "${text}"`,
    run: ({ text }, { progress }) => {
      const hits: string[] = [];
      const work$ = slowly([...notes], pauseMs).pipe(
        tap(([path, body]) => {
          hits.push(...body.split('\n').flatMap((line) => (line.includes(text) ? [`${path}: ${line}`] : [])));
          progress({ path, hits: hits.length });
        }),
      );
      return concat(work$.pipe(ignoreElements()), defer(() => of(hits)));
    },
  });
  const edit = defineTool({
    name: 'edit_note',
    description: 'Replaces a text in a note.',
    input: z.object({ path: z.string(), find: z.string(), replace: z.string() }),
    needsApproval: true,
    kind: 'edit',
    title: ({ path }) => `Edit ${path}`,
    locations: ({ path }) => [{ path }],
    run: ({ path, find, replace }) => {
      const oldText = notes.get(path);
      if (oldText === undefined) throw new ToolError('not-found', `There is no note ${path}; there are ${[...notes.keys()].join(', ')}.`);
      const newText = oldText.replaceAll(find, replace);
      notes.set(path, newText);
      return toolOutput({ output: { changed: newText !== oldText }, display: { diff: { path, oldText, newText } } });
    },
  });
  const plan = defineTool({
    name: 'work_plan',
    description: 'Works through the steps of a plan.',
    input: z.object({ steps: z.array(z.string()).min(1).max(20) }),
    kind: 'think',
    run: ({ steps }, { plan: tell, status }) => {
      const show = (done: number): void => tell(steps.map((content, at) => ({ content, status: at < done ? 'completed' : at === done ? 'in-progress' : 'pending' })));
      show(0);
      const work$ = slowly(steps, pauseMs).pipe(
        tap((step) => {
          status(`${step} is done`);
          show(steps.indexOf(step) + 1);
        }),
      );
      return concat(work$.pipe(ignoreElements()), defer(() => of(`${steps.length} steps are done.`)));
    },
  });
  const research = asTool({
    name: 'research',
    description: 'Lets another run answer a question from the notes.',
    input: z.object({ question: z.string() }),
    loop: ({ question }) => ({
      model: scripted([{ text: ['I look ', 'it up.'], calls: [{ name: 'search_notes', arguments: { text: 'meeting' } }] }, { text: ['The meeting ', 'is on ', 'Monday.'], usage: { inputTokens: 80, outputTokens: 12 } }], { id: 'demo', delayMs: 25 }),
      tools: [search],
      prompt: question,
    }),
  });
  return [search, edit, plan, research] as readonly Tool[];
}
