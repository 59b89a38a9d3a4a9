import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { Redaction } from '../../lib/bytes/redaction.ts';

const KEY = 'sk-proj-abcDEF0123456789';
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (pieces: readonly Uint8Array[]): string => pieces.map((piece) => Buffer.from(piece).toString('latin1')).join('');

describe('headers', () => {
  const value = (name: string, given: string): string | undefined => new Redaction([]).headers(new Headers({ [name]: given }))[name.toLowerCase()];

  it.each([
    ['Authorization', 'Bearer short'],
    ['x-api-key', 'a'],
    ['api-key', 'a'],
    ['x-goog-api-key', 'a'],
    ['Cookie', 'a=b'],
    ['set-cookie', 'a=b'],
    ['x-amz-security-token', 'a'],
    ['x-session', 'a'],
    ['x-signature', 'a'],
    ['openai-organization', 'acme'],
    ['OpenAI-Project', 'demo'],
    ['anthropic-organization-id', '1'],
    ['x-org', 'acme'],
    ['x-user', 'jane'],
    ['x-request-id', 'a'],
    ['request-id', 'a'],
    ['cf-ray', 'a-FRA'],
    ['x-forwarded-for', '192.0.2.1'],
    ['x-other', '0123456789abcdef0123'],
    ['x-ratelimit-key', 'jane'],
  ])('%s is removed', (name, given) => {
    expect(value(name, given)).toBe('[removed]');
  });

  it.each([
    ['content-type', 'application/json; charset=utf-8'],
    ['accept', 'text/event-stream'],
    ['anthropic-version', '2023-06-01'],
    ['anthropic-beta', 'interleaved-thinking-2025-05-14,files-api-2025-04-14'],
    ['user-agent', 'openai/6.49.0 node/20'],
    ['retry-after', '12'],
    ['date', 'Sun, 06 Nov 1994 08:49:37 GMT'],
    ['x-ratelimit-remaining-tokens', '149984'],
    ['x-ratelimit-reset-tokens', '6m0s'],
    ['anthropic-ratelimit-tokens-reset', '2025-05-14T12:00:00Z'],
    ['openai-model', 'gpt-4o-mini-2024-07-18'],
    ['transfer-encoding', 'chunked'],
  ])('%s stays', (name, given) => {
    expect(value(name, given)).toBe(given);
  });

  it('lose a key that stands inside of a value', () => {
    expect(value('x-note', `used ${KEY} once`)).toBe('[removed]');
    expect(new Redaction(['acme']).headers(new Headers({ 'x-note': 'of acme' }))).toEqual({ 'x-note': 'of [removed]' });
  });
});

describe('a URL', () => {
  it.each([
    ['https://h/v1/chat/completions', 'https://h/v1/chat/completions'],
    ['https://h/openai/deployments/gpt-4o-mini/chat?api-version=2024-10-21', 'https://h/openai/deployments/gpt-4o-mini/chat?api-version=2024-10-21'],
    ['https://h/v1:stream?alt=sse&key=AIzaSy', 'https://h/v1:stream?alt=sse&key=[removed]'],
    ['https://h/?X-Amz-Credential=a&X-Amz-Signature=b&sig=c&x=1', 'https://h/?X-Amz-Credential=[removed]&X-Amz-Signature=[removed]&sig=[removed]&x=1'],
    ['https://h/?x=0123456789abcdef0123', 'https://h/?x=[removed]'],
    ['https://user:pa%ss@h/x', 'https://[removed]:[removed]@h/x'],
    ['https://h/v1/0123456789abcdef0123456789abcdef/gateway/openai', 'https://h/v1/[removed]/gateway/openai'],
    ['https://h/v1/projects/my-company/locations/europe', 'https://h/v1/projects/[removed]/locations/europe'],
    ['https://h/x#key', 'https://h/x'],
    ['/llm/v1', '/llm/v1'],
    [`/llm/${KEY}/x`, '/llm/[removed]/x'],
  ])('%s becomes %s', (url, safe) => {
    expect(new Redaction([]).url(url)).toBe(safe);
  });
});

describe('a text', () => {
  it.each([
    KEY,
    'sk-ant-api03-abcdefgh_ijklmnop-1234',
    'gsk_abcdefgh12345678',
    'org-abcdefgh12345678',
    'req_abcdefgh12345678',
    'hf_abcdefgh12345678',
    'ghp_abcdefgh12345678',
    'github_pat_abcdefgh12345678',
    `AIza${'a'.repeat(35)}`,
    'AKIAABCDEFGHIJKLMNOP',
    'eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl',
    'Bearer abcdefgh12345678',
    '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----',
  ])('loses %j', (key) => {
    expect(new Redaction([]).text(`a "${key}" b`)).toBe('a "[removed]" b');
  });

  it.each(['sk-short', 'task-list-of-2024-with-many-words', 'user_profile_settings_page', 'key_value_store_for_the_cache', 'organisation-wide', 'toolu_01ABCdefGHIjklMNOpqr', 'chatcmpl-abcdefgh12345678', 'Basic arithmetic'])('keeps %j', (text) => {
    expect(new Redaction([]).text(text)).toBe(text);
  });

  it('loses what was given, and what headers and the URL held', () => {
    const redaction = new Redaction(['Jane Doe', '']);
    redaction.headers(new Headers({ authorization: 'Bearer my-own-key', 'openai-organization': 'acme-company', 'x-org': 'short' }));
    redaction.url('https://h/x?key=another-key');
    expect(redaction.text('Jane Doe has my-own-key, another-key, acme-company, short')).toBe('[removed] has [removed], [removed], [removed], short');
  });
});

describe('a word that names an account', () => {
  it('stays where it stands for something else', () => {
    const redaction = new Redaction([]);
    expect(redaction.headers(new Headers({ 'x-user': 'assistant', 'x-token': 'lettersonly' }))).toEqual({ 'x-user': '[removed]', 'x-token': '[removed]' });
    expect(redaction.text('{"role":"assistant"} lettersonly')).toBe('{"role":"assistant"} [removed]');
  });
});

describe('a JSON body', () => {
  it('loses the values of fields with such names, at any depth, and keeps counts', () => {
    const body = {
      model: 'm',
      max_tokens: 100,
      maxTokens: 5,
      user: 'jane',
      metadata: { user_id: 'u-1' },
      mcp_servers: [{ url: 'https://h', authorization_token: 'abc' }],
      nested: [{ apiKey: 'a', 'client-secret': 'b', password: 'c', tokens: ['d'] }],
      messages: [{ role: 'user', content: `my key is ${KEY}` }],
      tools: [{ name: 'login', parameters: { properties: { password: { type: 'string', description: 'The password.' } }, required: ['password'] } }],
      nothing: null,
      stream: true,
    };
    expect(new Redaction([]).json(body)).toEqual({
      ...body,
      user: '[removed]',
      metadata: { user_id: '[removed]' },
      mcp_servers: [{ url: 'https://h', authorization_token: '[removed]' }],
      nested: [{ apiKey: '[removed]', 'client-secret': '[removed]', password: '[removed]', tokens: ['d'] }],
      messages: [{ role: 'user', content: 'my key is [removed]' }],
    });
  });

  it('keeps what is random but no secret: an image, a signature', () => {
    const body = { data: 'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4', signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk' };
    expect(new Redaction([]).json(body)).toEqual(body);
  });

  it.each([7, null, true, 'text'])('may be %j', (body) => {
    expect(new Redaction([]).json(body)).toEqual(body);
  });
});

describe('the bytes of a body', () => {
  it('keep their number where something is taken out, also between two pieces', () => {
    const redaction = new Redaction(['Jörg Müller']);
    const whole = `é ${KEY} é Jörg Müller €`;
    const bytes = bytesOf(whole);
    const expected = textOf([bytesOf(`é ${'x'.repeat(KEY.length)} é ${'x'.repeat(bytesOf('Jörg Müller').length)} €`)]);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const safe = redaction.bytes([bytes.subarray(0, cut), bytes.subarray(cut)]);
      expect(safe.map(({ length }) => length)).toEqual([cut, bytes.length - cut]);
      expect(textOf(safe)).toBe(expected);
    }
  });

  it('are the same, in the same pieces, where nothing is', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 12 }), { maxLength: 8 }), (pieces) => {
        expect(new Redaction([]).bytes(pieces).map((piece) => [...piece])).toEqual(pieces.map((piece) => [...piece]));
      }),
    );
  });

  it('leave what they were given as it is', () => {
    const given = bytesOf(KEY);
    new Redaction([]).bytes([given]);
    expect(textOf([given])).toBe(KEY);
  });
});
