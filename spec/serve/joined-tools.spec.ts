import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { defineTool } from '../../lib/index.ts';
import type { Tool } from '../../lib/index.ts';
import { JoinedTools } from '../../lib/serve/joined-tools.ts';

const tool = (name: string): Tool => defineTool({ name, description: '', input: z.object({}), run: () => name });

describe('JoinedTools', () => {
  it('is one set in the order of the sets', () => {
    const sets = [[tool('a')], [], [tool('b'), tool('c')]];
    expect(new JoinedTools(() => undefined).first(sets)).toEqual(sets.flat());
    expect(new JoinedTools(() => undefined).later(sets)).toEqual(sets.flat());
  });

  it('refuses two tools of one name at first', () => {
    expect(() => new JoinedTools(() => undefined).first([[tool('a')], [tool('b'), tool('a')]])).toThrow(expect.objectContaining({ code: 'config', message: 'Two tools are called "a": leave one of them out.' }));
  });

  it('leaves out a later one whose name is taken, and says so once', () => {
    const told: string[] = [];
    const joined = new JoinedTools((line) => told.push(line));
    const own = tool('a');
    const sets = [[own], [tool('a'), tool('b')]];
    for (const tools of [joined.later(sets), joined.later(sets)]) expect([tools.map(({ name }) => name), tools[0]]).toEqual([['a', 'b'], own]);
    expect(told).toEqual(['A tool that came later is called "a" too: it is left out.']);
  });
});
