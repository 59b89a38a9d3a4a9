import { describe, expect, it } from '@jest/globals';
import { from, lastValueFrom, toArray } from 'rxjs';
import type { LoopEvent } from '../../lib/index.ts';
import { runView } from '../../lib/serve/run-view.ts';
import type { RunViewOptions } from '../../lib/serve/run-view.ts';
import { delta, end, start, step } from '../support/events.ts';

const events: readonly LoopEvent[] = [start(), step(0), delta(0, { type: 'text', block: 'b', text: 'Hi.' }), end(0)];

async function shown(options: Partial<RunViewOptions>, terminal = false, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const host = { stdout: { write: () => true, isTTY: terminal, columns: 0 }, env, now: () => 0 };
  const view = runView({ view: 'live', model: 'm', tools: ['add'], ...options }, host);
  return (await lastValueFrom(from(events).pipe(view, toArray()))).join('');
}

describe('runView', () => {
  it('shows words, a tape or a marble line', async () => {
    expect(await shown({})).toBe('Hi.\n');
    expect((await shown({ view: 'json' })).split('\n')[0]).toBe('{"tape":1,"startedAt":"1970-01-01T00:00:00.000Z","model":"m","tools":["add"]}');
    expect(await shown({ view: 'marbles' })).toBe('t = 0 text\nz = 0 end stop\n(tz!)\n');
  });

  it('draws the growing line anew on a terminal, and not where there is nothing to wait for', async () => {
    expect(await shown({ view: 'marbles' }, true)).toContain('\u001b[K');
    expect(await shown({ view: 'marbles', waits: false }, true)).not.toContain('\u001b[K');
    expect(await shown({ view: 'marbles' }, true, { TERM: 'dumb' })).not.toContain('\u001b[K');
  });
});
