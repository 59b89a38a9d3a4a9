import { describe, expect, it } from '@jest/globals';
import type { LoopEvent, UserMessage } from '../../lib/index.ts';
import { dataChunks } from '../../lib/projections/ui-messages-data.ts';
import { correction, fallback, retry, start, steering } from '../support/events.ts';

const runId = 'run1';
const one = (event: LoopEvent, isMasked = true): unknown => {
  const chunks = dataChunks(event, isMasked);
  expect(chunks).toHaveLength(1);
  return chunks[0];
};

describe('a host event', () => {
  it('that passes is transient: status, an empty one too, and a patch of the state [150]', () => {
    expect(one({ type: 'status', runId, text: 'Looking.' })).toEqual({ type: 'data-status', id: 'status', data: { text: 'Looking.' }, transient: true });
    expect(one({ type: 'status', runId, text: '' })).toMatchObject({ data: { text: '' } });
    expect(one({ type: 'state', runId, patch: [{ op: 'remove', path: '/a' }] })).toEqual({ type: 'data-state', id: 'state', data: { patch: [{ op: 'remove', path: '/a' }] }, transient: true });
  });

  it('that stays has one id: the plan, always whole, and the title [150]', () => {
    const entries = [{ content: 'Look', status: 'pending' }] as const;
    expect(one({ type: 'plan', runId, entries })).toEqual({ type: 'data-plan', id: 'plan', data: { entries } });
    expect(one({ type: 'title', runId, title: 'Rx' })).toEqual({ type: 'data-title', id: 'title', data: { title: 'Rx' } });
  });

  it('of a tool has its own name, unless that is one of these', () => {
    expect(one({ type: 'custom', runId, name: 'chart', data: 1 })).toEqual({ type: 'data-chart', data: 1 });
    expect(one({ type: 'custom', runId, name: 'plan', data: 1 })).toEqual({ type: 'data-custom-plan', data: 1 });
  });
});

describe('an attempt to mend', () => {
  it('is told without the words of the failure', () => {
    expect(one(retry(0, 1))).toEqual({ type: 'data-retry', data: { step: 0, attempt: 1, count: 1, max: 3, delayMs: 5 }, transient: true });
    expect(one(fallback(0, 'a', 'b'))).toEqual({ type: 'data-fallback', data: { step: 0, from: 'a', to: 'b' }, transient: true });
    expect(one(correction(0))).toEqual({ type: 'data-correction', data: { step: 0, cause: 'stream', count: 1, max: 3 } });
  });

  it('is told with them where nothing is masked', () => {
    expect(one(retry(0, 1), false)).toMatchObject({ data: { reason: 'busy' } });
    expect(one(fallback(0, 'a', 'b'), false)).toMatchObject({ data: { reason: 'busy' } });
    expect(one(correction(0), false)).toMatchObject({ data: { reason: 'cut', parts: [{ type: 'text', text: 'again' }] } });
  });
});

describe('what the user says meanwhile', () => {
  it('is a part for each message', () => {
    expect(dataChunks(steering('a', 'b'), true)).toEqual(['a', 'b'].map((text) => ({ type: 'data-steering', data: { parts: [{ type: 'text', text }] } })));
  });

  it('has its files as URLs', () => {
    const content: UserMessage['content'] = [{ type: 'image', data: 'aGk=' }, { type: 'file', mediaType: 'text/plain', url: 'https://example.test/a', name: 'a' }];
    expect(one({ type: 'steering', runId, messages: [{ role: 'user', content }] })).toMatchObject({
      data: { parts: [{ type: 'file', mediaType: 'image/*', url: 'data:image/*;base64,aGk=' }, { type: 'file', mediaType: 'text/plain', url: 'https://example.test/a', filename: 'a' }] },
    });
  });

  it('is not what a summary says: of that only its size is told', () => {
    const event: LoopEvent = { type: 'compaction', runId, removed: 4, kept: 2, summary: [{ role: 'user', content: [{ type: 'text', text: 'secret' }] }] };
    expect(one(event)).toEqual({ type: 'data-compaction', data: { removed: 4, kept: 2 }, transient: true });
  });
});

describe('a question of a running tool', () => {
  const asked: LoopEvent = { type: 'approval-request', runId, step: 0, id: 'q1', kind: 'input', callId: 'c1', call: { id: 'c1', name: 'book', arguments: {} }, reason: 'When?', schema: { type: 'string' } };
  const answered = (type: 'input' | 'decline'): LoopEvent => ({
    type: 'approval-answer', runId, step: 0, id: 'q1', kind: 'input', callId: 'c1', answer: type === 'input' ? { type, value: 'now' } : { type },
  });

  it('is one part, asked and then answered', () => {
    expect(one(asked)).toEqual({ type: 'data-input', id: 'q1', data: { callId: 'c1', state: 'asked', name: 'book', reason: 'When?', schema: { type: 'string' } } });
    expect(one(answered('input'))).toEqual({ type: 'data-input', id: 'q1', data: { callId: 'c1', state: 'answered' } });
    expect(one(answered('decline'))).toMatchObject({ id: 'q1', data: { state: 'declined' } });
  });
});

it('says nothing of any other event', () => {
  expect(dataChunks(start(), true)).toEqual([]);
});
