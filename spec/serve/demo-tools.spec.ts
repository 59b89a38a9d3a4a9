import { describe, expect, it } from '@jest/globals';
import { lastValueFrom, of, toArray } from 'rxjs';
import { scripted } from '../../lib/deltas/scripted.ts';
import { toolLoop } from '../../lib/index.ts';
import type { EventOf, LoopEvent } from '../../lib/index.ts';
import { demoTools } from '../../lib/serve/demo-tools.ts';

const call = (name: string, args: Record<string, unknown>): Promise<LoopEvent[]> =>
  lastValueFrom(
    toolLoop({ model: scripted([{ calls: [{ name, arguments: args }] }, { text: 'Done.' }]), tools: demoTools(0), prompt: 'go', approvals: () => of({ type: 'approve' } as const) }).pipe(toArray()),
  );
const resultOf = (events: readonly LoopEvent[]) => events.filter((event): event is EventOf<'tool-result'> => event.type === 'tool-result').at(-1)?.result;

describe('the tools of the demonstration', () => {
  it('search the notes, and say how far they are', async () => {
    const events = await call('search_notes', { text: 'meeting' });
    expect(events.filter(({ type }) => type === 'tool-progress')).toHaveLength(3);
    expect(resultOf(events)?.output).toEqual(['notes/plan.md: The meeting is on Monday.']);
  });

  it('edit a note after an approval, and show what has changed', async () => {
    const events = await call('edit_note', { path: 'notes/plan.md', find: 'Monday', replace: 'Tuesday' });
    expect(events.some(({ type }) => type === 'approval-request')).toBe(true);
    expect(resultOf(events)).toMatchObject({
      output: { changed: true }, display: { diff: { path: 'notes/plan.md', oldText: expect.stringContaining('Monday'), newText: expect.stringContaining('Tuesday') } },
    });
  });

  it('say which notes there are, where one is not', async () => {
    expect(resultOf(await call('edit_note', { path: 'x', find: 'a', replace: 'b' }))).toMatchObject({ isError: true, error: { kind: 'not-found', message: expect.stringContaining('notes/plan.md') } });
  });

  it('tell the whole plan each time, until all of it is done', async () => {
    const plans = (await call('work_plan', { steps: ['Look', 'Write'] })).filter((event): event is EventOf<'plan'> => event.type === 'plan').map(({ entries }) => entries.map(({ status }) => status).join());
    expect(plans).toEqual(['in-progress,pending', 'completed,in-progress', 'completed,completed']);
  });

  it('research in a run of their own', async () => {
    const events = await call('research', { question: 'When?' });
    expect(events.some(({ parent, type }) => parent !== undefined && type === 'tool-result')).toBe(true);
    expect(resultOf(events)?.output).toBe('The meeting is on Monday.');
  });
});
