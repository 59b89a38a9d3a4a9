import { describe, expect, it } from '@jest/globals';
import { bearer } from '../../lib/serve/bearer.ts';

const asks = (headers: Record<string, string>): boolean => bearer('secret')(new Request('http://localhost/', { headers }));

describe('bearer', () => {
  it('lets in who sends the token', () => expect(asks({ authorization: 'Bearer secret' })).toBe(true));
  it.each([{}, { authorization: 'secret' }, { authorization: 'Bearer secre' }, { authorization: 'Bearer secret2' }, { authorization: 'Basic secret' }])('keeps out %j', (headers) => {
    expect(asks(headers as Record<string, string>)).toBe(false);
  });
});
