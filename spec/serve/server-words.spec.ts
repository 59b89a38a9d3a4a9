import { describe, expect, it } from '@jest/globals';
import { serverWords } from '../../lib/serve/server-words.ts';

describe('serverWords', () => {
  it.each<[string, string | undefined, string]>([
    ['an error object', '{"error":{"message":"No such model.","type":"invalid"}}', 'No such model.'],
    ['an error text', '{"error":"no such model"}', 'no such model'],
    ['an error of another error', '{"type":"error","error":{"error":{"message":"a"}}}', 'a'],
    ['a message alone', '{"message":" a "}', 'a'],
    ['a detail', '{"detail":"Not Found"}', 'Not Found'],
    ['a detail that is an object', '{"detail":{"message":"a"}}', 'a'],
    ['a list', '[{"error":{"message":"a"}}]', 'a'],
    ['the first that says something', '{"error":null,"message":"a"}', 'a'],
    ['a JSON text', '"a"', 'a'],
    ['nothing for an empty object', '{}', ''],
    ['nothing for a number', '42', ''],
    ['nothing for null', 'null', ''],
    ['nothing for an empty list', '[]', ''],
    ['nothing for a page', '<!doctype html><html><body>Bad Gateway</body></html>', ''],
    ['nothing for plain text', 'upstream connect error', ''],
    ['nothing for JSON that is cut', '{"error":{"mess', ''],
    ['nothing for an empty body', '', ''],
    ['nothing for no body', undefined, ''],
  ])('reads %s', (_what, body, words) => {
    expect(serverWords(body)).toBe(words);
  });
});
