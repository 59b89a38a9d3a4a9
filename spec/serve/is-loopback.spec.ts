import { describe, expect, it } from '@jest/globals';
import { isLoopback } from '../../lib/serve/is-loopback.ts';

describe('isLoopback', () => {
  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '::1', '[::1]', '::ffff:127.0.0.1'])('takes %s', (host) => expect(isLoopback(host)).toBe(true));
  it.each(['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.evil.example', 'localhost.evil.example', '128.0.0.1', ''])('refuses %j', (host) => expect(isLoopback(host)).toBe(false));
});
