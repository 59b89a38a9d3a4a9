import { describe, expect, it } from '@jest/globals';
import { UI_MESSAGE_STREAM_HEADERS } from 'ai-v6';
import { map } from 'rxjs';
import { UI_MESSAGE_HEADERS, uiMessageSse } from '../../lib/projections/ui-messages-sse.ts';
import type { UiMessageChunk } from '../../lib/projections/ui-messages-chunk.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const chunks: Record<string, UiMessageChunk> = { a: { type: 'start' }, b: { type: 'text-delta', id: 't', delta: 'two\nlines' } };
const events = { x: 'data: {"type":"start"}\n\n', y: 'data: {"type":"text-delta","id":"t","delta":"two\\nlines"}\n\n', z: 'data: [DONE]\n\n' };

// prettier-ignore
describe('uiMessageSse', () => {
  it.each([
    ['writes one event for each chunk, and the end mark', ' -a-b-|', ' -x-y-(z|)'],
    ['writes the end mark of nothing',                    ' |',      ' (z|)'],
    ['never ends if its source does not',                 ' -a-',    ' -x-'],
    ['fails as its source does, without an end mark',     ' -a-#',   ' -x-#'],
  ])('%s', (_name, source, written) => loopMarbles(({ cold, expectValues }) => {
    expectValues(cold(source, { a: 'a', b: 'b' }).pipe(map((letter) => chunks[letter] as UiMessageChunk), uiMessageSse())).toBe(written, events);
  })());
});

it('has the headers that the AI SDK itself sends', () => {
  expect(UI_MESSAGE_HEADERS).toEqual(UI_MESSAGE_STREAM_HEADERS);
});
