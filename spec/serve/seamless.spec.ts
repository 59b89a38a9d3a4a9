import { describe, expect, it } from '@jest/globals';
import { from } from 'rxjs';
import type { LogPiece } from '../../lib/index.ts';
import { seamless } from '../../lib/serve/seamless.ts';
import { allOf } from './door.ts';

const event = (type: string, reason?: string) => ({ event: { type, runId: 'r', ...(reason !== undefined && { outcome: { reason } }) } });
const positions = async (...pieces: unknown[][]): Promise<number[]> => {
  let position = 1;
  const placed = pieces.map((entries) => {
    const piece = { position, entries } as LogPiece;
    position += entries.length;
    return piece;
  });
  return (await allOf(from(placed).pipe(seamless()))).flat().map((one) => one.position);
};

describe('seamless', () => {
  it('leaves a run as it is', async () => expect(await positions([event('run-start'), event('done', 'answer')])).toEqual([1, 2]));
  it('keeps the done of a run that is suspended', async () => expect(await positions([event('run-start')], [event('done', 'suspended')])).toEqual([1, 2]));
  it('leaves it out where the run went on, wherever the pieces end', async () => {
    const all = [event('run-start'), event('done', 'suspended'), event('tool-start'), event('done', 'answer')];
    for (let cut = 0; cut <= all.length; cut += 1) expect(await positions(all.slice(0, cut), all.slice(cut))).toEqual([1, 3, 4]);
  });
});
