import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VirtualTimeScheduler } from 'rxjs';
import * as z from 'zod';
import { defineTool, toolLoop } from '../../lib/index.ts';
import type { ApprovalPort, EventType, LoopEvent } from '../../lib/index.ts';
import { demoScripts } from '../../lib/serve/demo-scripts.ts';
import { calculator } from '../../lib/serve/calculator.ts';
import { clock } from '../../lib/serve/clock.ts';
import { loopSetup } from '../../lib/serve/loop-setup.ts';

const tool = (name: string, shape: z.ZodRawShape, said: string, needsApproval = false) => defineTool({ name, description: name, input: z.strictObject(shape), needsApproval, run: () => said });
/** The same names and arguments as the tools of docs/examples/demo-tools.mjs. */
const tools = [
  calculator,
  clock(),
  tool('search_notes', { text: z.string() }, 'cold.md'),
  tool('edit_file', { path: z.string(), find: z.string(), replace: z.string() }, 'changed', true),
  tool('follow_plan', { steps: z.array(z.string()) }, 'All done.'),
  tool('research', { question: z.string() }, 'Much.'),
];

interface Played {
  readonly events: readonly LoopEvent[];
  readonly types: ReadonlySet<EventType>;
  readonly error: unknown;
  readonly answer: string;
  readonly lasted: number;
}

/** A whole run as the command makes it, on a clock of its own. */
function played(prompt: string, approvals: ApprovalPort = () => ({ type: 'approve' })): Played {
  const scheduler = new VirtualTimeScheduler(undefined, 1_000_000);
  const events: LoopEvent[] = [];
  let error: unknown;
  const setup = loopSetup({ model: 'demo', choice: { wire: 'demo' }, tools: [], mcp: [] }, {}, 25)(tools);
  toolLoop({ ...setup, prompt, scheduler, approvals, random: () => 0 }).subscribe({ next: (event) => events.push(event), error: (thrown: unknown) => (error = thrown) });
  scheduler.flush();
  const done = events.at(-1);
  return { events, types: new Set(events.map(({ type }) => type)), error, answer: done?.type === 'done' ? done.outcome.completion.text : '', lasted: scheduler.now() };
}

const results = ({ events }: Played): string[] => events.flatMap((event) => (event.type === 'tool-result' ? [`${event.result.name} ${event.result.error?.kind ?? 'ok'}`] : []));

describe('the scripts of the demonstration', () => {
  it('each have a word of their own', () => {
    expect(demoScripts.map(({ keyword }) => keyword)).toEqual(['markdown', 'retry', 'retract', 'correct', 'mistake', 'error', 'long', 'flood', 'calculate', 'search', 'edit', 'plan', 'research']);
  });

  it('are listed in the documentation, in the same words', () => {
    const page = readFileSync(join(__dirname, '../../docs/command.md'), 'utf8');
    for (const { keyword, shows } of demoScripts) expect(page).toContain(`| \`${keyword}\` | ${shows}`);
  });

  it.each(demoScripts.filter(({ keyword }) => keyword !== 'error').map(({ keyword }) => [keyword]))('come to an answer, such as %s', (keyword) => {
    const run = played(keyword);
    expect(run.error).toBeUndefined();
    expect(run.events.at(-1)).toMatchObject({ type: 'done', outcome: { reason: 'answer', usage: { costUsd: expect.any(Number) } } });
  });

  it('stream reasoning and Markdown', () => {
    const { events, answer } = played('markdown');
    const kinds = events.flatMap((event) => (event.type === 'delta' ? [event.delta.type] : []));
    expect(kinds.filter((kind) => kind === 'reasoning').length).toBeGreaterThan(20);
    for (const mark of ['## ', '1. ', '|---|', '```ts', '> ', '](https://']) expect(answer).toContain(mark);
  });

  it('retry twice', () => {
    const { events, types } = played('retry');
    expect(events.filter(({ type }) => type === 'retry')).toMatchObject([{ count: 1 }, { count: 2 }]);
    expect(types).not.toContain('step-retract');
  });

  it('withdraw what was shown', () => {
    const { events, answer } = played('retract');
    expect(events.filter(({ type }) => type === 'step-retract')).toMatchObject([{ reason: 'The connection to the demonstration provider broke off.' }]);
    expect(answer).toMatch(/red, green and blue/);
  });

  it('send an answer back', () => {
    const { events, answer } = played('correct');
    expect(events.filter(({ type }) => type === 'correction')).toMatchObject([{ cause: 'hook', count: 1 }]);
    expect(answer).toContain('Canberra');
  });

  it('make calls that cannot be made, then one that can', () => {
    const run = played('mistake');
    expect(results(run)).toEqual(['calculator invalid-input', 'calculator invalid-input', 'abacus not-found', 'calculator ok']);
    expect(run.answer).toBe('17 * 23 is 391.');
  });

  it('fail for good', () => {
    const { types, error } = played('error');
    expect(error).toMatchObject({ code: 'model-http', retryable: false });
    expect(types).not.toContain('retry');
  });

  it('say 1,000 pieces a second, whatever the pace of the others', () => {
    const { events, lasted } = played('flood');
    expect(events.filter((event) => event.type === 'delta' && event.delta.type === 'text')).toHaveLength(5_000);
    expect(lasted).toBe(5_000);
  });

  it('last about a minute', () => {
    expect(played('long').lasted).toBeGreaterThan(45_000);
    expect(played('long').lasted).toBeLessThan(75_000);
  });

  it('report what their tools say', () => {
    expect(played('calculate').answer).toMatch(/^- 12\.5% of 349: \*\*43\.625\*\*\n- In Tokyo: \*\*.*Asia\/Tokyo/);
    expect(played('search').answer).toBe('The notes say:\n\ncold.md\n');
    expect(played('plan').answer).toBe('All done.');
    expect(played('research').answer).toBe('My researcher says: Much.');
  });

  it('take no for an answer', () => {
    const asked = played('edit');
    expect(asked.types).toContain('approval-request');
    expect(asked.answer).toBe('Done: the limit is raised.');
    expect(played('edit', () => ({ type: 'decline', reason: 'Not today.' })).answer).toMatch(/^Nothing was changed: .*Not today/);
  });
});
