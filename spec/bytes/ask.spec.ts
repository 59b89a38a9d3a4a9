import { describe, expect, it } from '@jest/globals';
import { ask } from '../../lib/bytes/ask.ts';
import type { Question } from '../../lib/bytes/ask.ts';
import type { Delta, DeltaOf } from '../../lib/delta.ts';
import { modelRequest } from '../support/model-request.ts';

const warning: DeltaOf<'warning'> = { type: 'warning', text: 'No seed.', data: {} };

function question(more: Partial<Question> = {}) {
  const sent: string[] = [];
  const fetch = (async (url: string, init: RequestInit) => {
    sent.push(`${url} ${String(init.body)}`);
    return new Response('data: a\n\n');
  }) as typeof globalThis.fetch;
  const fold: Question['fold'] = {
    frame: (data, _, emit) => emit({ type: 'text', block: 'b', text: data }),
    comment: () => undefined,
    end: (emit) => emit({ type: 'finish', reason: 'stop' }),
    isOver: () => false,
  };
  return { sent, asked: { url: 'http://127.0.0.1/a', headers: {}, body: 'b', fetch, warnings: [], strictOptions: undefined, fold, ...more } };
}

const said = (asked: Question): Promise<Delta[]> => {
  const deltas: Delta[] = [];
  return new Promise((resolve, reject) => {
    ask(modelRequest(), asked).subscribe({ next: (delta) => deltas.push(delta), error: reject, complete: () => resolve(deltas) });
  });
};

describe('ask', () => {
  it('sends once, and tells the warnings before the answer', async () => {
    const { sent, asked } = question({ warnings: [warning] });
    expect((await said(asked)).map(({ type }) => type)).toEqual(['warning', 'text', 'finish']);
    expect(sent).toEqual(['http://127.0.0.1/a b']);
  });

  it('throws all warnings under strictOptions, and sends nothing', () => {
    const { sent, asked } = question({ warnings: [warning, { ...warning, text: 'No stop.' }], strictOptions: true });
    expect(() => ask(modelRequest(), asked)).toThrow('No seed. No stop.');
    expect(sent).toEqual([]);
  });

  it('sends under strictOptions where there is nothing to warn of', async () => {
    const { asked } = question({ strictOptions: true });
    expect((await said(asked)).map(({ type }) => type)).toEqual(['text', 'finish']);
  });
});
