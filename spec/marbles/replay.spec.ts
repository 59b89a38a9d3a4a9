import { describe, expect, it } from '@jest/globals';
import { lastValueFrom, map, toArray } from 'rxjs';
import type { LoopEvent } from '../../lib/index.ts';
import { readTape, replay, verifyEvents } from '../../marbles/index.ts';
import type { Tape } from '../../marbles/index.ts';
import { read } from '../guards/support/project.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const header = { tape: 1, startedAt: '2026-01-05T05:03:09.000Z', model: 'm', tools: [] } as const;
const event = (title: string): LoopEvent => ({ type: 'title', runId: 'r', title });
const tape: Tape = { header, lines: [{ at: 2, event: event('a') }, { at: 8, event: event('b') }, { at: 8, event: event('c') }] };
const failed: Tape = { header, lines: [...tape.lines, { at: 20, error: { code: 'model-http', message: 'Busy.', retryable: true, status: 529 } }] };
const titles = map((one: LoopEvent) => (one.type === 'title' ? one.title : '?'));

describe('replay', () => {
  it('plays a tape at its times, for each who subscribes', loopMarbles(({ expectValues, scheduler }) => {
    const events = '      --a-----(bc|)';
    const later = '       ---^';
    const again = '       -----a-----(bc|)';

    const run$ = replay(tape, { scheduler }).pipe(titles);

    expectValues(run$).toBe(events);
    expectValues(run$, later).toBe(again);
  }));

  it('plays it faster, or without waits', loopMarbles(({ expectValues, scheduler }) => {
    expectValues(replay(tape, { scheduler, speed: 2 }).pipe(titles)).toBe('       -a--(bc|)');
    expectValues(replay(tape, { scheduler, speed: Infinity }).pipe(titles)).toBe('(abc|)');
  }));

  it('fails as the run did, when it did', loopMarbles(({ expectValues, scheduler }) => {
    expectValues(replay(failed, { scheduler }).pipe(titles)).toBe('--a-----(bc) 8ms #', undefined, expect.objectContaining({ code: 'model-http', message: 'Busy.', status: 529 }));
  }));

  it('says nothing more to who has left', loopMarbles(({ expectValues, scheduler }) => {
    expectValues(replay(tape, { scheduler }).pipe(titles), '^----!').toBe('--a---');
  }));

  it('completes without an ending where the run was left', async () => {
    expect(await lastValueFrom(replay({ header, lines: [] }).pipe(toArray()))).toEqual([]);
  });

  it.each(['two-tools', 'troubles', 'nested'])('plays %s, a run by the grammar', async (name) => {
    const said = await lastValueFrom(replay(readTape(read(`docs/diagrams/${name}.jsonl`)), { speed: Infinity }).pipe(verifyEvents(), toArray()));
    expect(said.at(-1)).toMatchObject({ type: 'done', outcome: { reason: 'answer' } });
  });

  it.each([0, -1, NaN])('refuses the speed %d', (speed) => {
    expect(() => replay(tape, { speed })).toThrow(/^replay: speed is .*; give a number above 0/);
  });
});
