import { describe, expect, it } from '@jest/globals';
import { corsHeaders, preflight } from '../../lib/serve/cors.ts';

const PAGE = 'https://app.example';
const from = (origin?: string): Request => new Request('http://localhost/runs', { method: 'OPTIONS', headers: origin === undefined ? {} : { origin } });

describe('CORS', () => {
  it('is closed by default', () => {
    expect(corsHeaders(from(PAGE), [])).toEqual({});
    expect(preflight(from(PAGE), []).headers.get('access-control-allow-origin')).toBeNull();
  });

  it('lets in the pages of the list alone', () => {
    expect(corsHeaders(from(PAGE), [PAGE])).toMatchObject({ 'access-control-allow-origin': PAGE, vary: 'origin' });
    for (const other of ['https://evil.example', 'https://app.example.evil.example', 'null', undefined]) expect(corsHeaders(from(other), [PAGE])).toEqual({ vary: 'origin' });
  });

  it('answers a preflight with what may be sent', () => {
    const { status, headers } = preflight(from(PAGE), [PAGE]);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-headers')).toContain('last-event-id');
    expect(headers.get('access-control-allow-methods')).toBe('GET, POST');
  });
});
