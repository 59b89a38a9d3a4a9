import { describe, expect, it } from '@jest/globals';
import { lastValueFrom, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { scripted } from '../../lib/deltas/scripted.ts';
import { defineTool } from '../../lib/index.ts';
import type { Tool } from '../../lib/index.ts';
import { clientTools, withClientTools } from '../../lib/serve/client-tools.ts';

const look = { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: { at: { type: 'string' } } } };
const own = defineTool({ name: 'own', description: 'Ours.', input: { type: 'object', properties: {} }, run: () => 1 }) as Tool;
const setup = { model: scripted([]), tools: [own] };

describe('tools of a client', () => {
  it('are run by the client, with the parameters that it says', () => {
    expect(clientTools([look])).toMatchObject([{ name: 'look', description: 'Looks.', runsOn: 'client', parameters: look.parameters }]);
    expect(clientTools([{ name: 'ping', description: 'Pings.' }])).toMatchObject([{ name: 'ping', parameters: { type: 'object' } }]);
    expect(clientTools(undefined)).toEqual([]);
  });

  it.each([[{}, 'must be a list'], [[null], 'clientTools[0] cannot be one'], [[look, { name: '', description: 'x' }], 'clientTools[1] cannot be one'], [[{ ...look, parameters: 1 }], 'clientTools[0] cannot be one']])(
    'are refused with their place: %j',
    (given, words) => {
      expect(() => clientTools(given)).toThrow(words);
    },
  );

  it("stand behind the server's, also where those come later", async () => {
    const names = (tools: readonly Tool[]): string[] => tools.map(({ name }) => name);
    expect(names(withClientTools(setup, [look]).tools as readonly Tool[])).toEqual(['own', 'look']);
    const later = withClientTools({ ...setup, tools: of([own]) }, [look]).tools as Observable<readonly Tool[]>;
    expect(names(await lastValueFrom(later))).toEqual(['own', 'look']);
    expect(withClientTools(setup, undefined)).toBe(setup);
  });

  it('are compared by name in one pass, however many they are', () => {
    let reads = 0;
    const counted = Object.defineProperty({ ...own }, 'name', { get: () => ((reads += 1), 'own') });
    withClientTools({ ...setup, tools: [counted] }, Array.from({ length: 100 }, (_, at) => ({ ...look, name: `look${at}` })));
    expect(reads).toBe(1);
  });

  it.each([[[{ ...look, name: 'own' }]], [[look, look]]])('are refused where a name is there twice', (given) => {
    expect(() => withClientTools(setup, given)).toThrow('already: give that of the client another name');
  });
});
