import { describe, expect, it } from '@jest/globals';
import { nativeFormat } from '../../lib/serve/native-format.ts';
import { negotiate } from '../../lib/serve/negotiate.ts';

const other = { encode: nativeFormat.encode };
const formats = { events: nativeFormat, other };
const asks = (query: string, accept?: string, isStream = false) => negotiate(new Request(`http://localhost/runs${query}`, { headers: accept === undefined ? {} : { accept } }), formats, isStream);

describe('negotiate', () => {
  it('goes by the name before all', () => expect(asks('?format=other', 'application/json')).toBe(other));
  it('gives events to who accepts a stream', () => expect(asks('', 'application/json, text/event-stream')).toBe(nativeFormat));
  it.each(['application/json', '*/*', undefined])('gives none to who accepts %s', (accept) => expect(asks('', accept)).toBeUndefined());
  it('gives events where the answer is a stream anyway', () => expect(asks('', '*/*', true)).toBe(nativeFormat));
  it.each(['xml', '', '__proto__'])('knows no format %j', (name) => {
    expect(() => asks(`?format=${name}`)).toThrow(expect.objectContaining({ status: 400, message: expect.stringContaining('events, other') }));
  });
});
