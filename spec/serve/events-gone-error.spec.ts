import { describe, expect, it } from '@jest/globals';
import { eventsGoneError } from '../../lib/serve/events-gone-error.ts';

describe('eventsGoneError', () => {
  it('says which events are gone, and what is left', () => {
    expect(eventsGoneError(2, 7)).toMatchObject({ code: 'events-gone', status: 410, message: expect.stringMatching(/position 3 to 7 .* follows 7\.$/) });
  });
});
