import { describe, expect, it } from '@jest/globals';
import { providerFault } from '../../lib/bytes/provider-fault.ts';

const json = (error: unknown): string => JSON.stringify({ error });

describe('providerFault', () => {
  it.each([
    ['an object', json({ message: 'no', type: 'invalid_request_error', code: 'model_not_found' }), 'invalid_request_error'],
    ['a status for a type', json({ message: 'no', code: 429, status: 'RESOURCE_EXHAUSTED' }), 'RESOURCE_EXHAUSTED'],
    ['a code alone', json({ message: 'no', code: 'bad_thing' }), 'bad_thing'],
    ['digits, which are no name', json({ message: 'no', code: '429' }), undefined],
    ['an empty type', json({ message: 'no', type: '', code: 'bad_thing' }), 'bad_thing'],
    ['no object around the fields', JSON.stringify({ message: 'no', type: 'bad' }), 'bad'],
    ['a type beside the error', JSON.stringify({ type: 'error', error: { type: 'overloaded_error' } }), 'overloaded_error'],
    ['a list', `[${json({ type: 'bad' })}]`, 'bad'],
    ['a text', json('no'), undefined],
    ['a detail alone', JSON.stringify({ detail: 'no' }), undefined],
    ['words for a type', JSON.stringify({ code: 400, message: 'no', type: 'Bad Request' }), 'Bad Request'],
    ['a page', '<html>Bad gateway</html>', undefined],
    ['a null', 'null', undefined],
    ['nothing', '', undefined],
  ])('reads %s', (_name, text, type) => {
    const fault = providerFault(text, 400);
    expect(fault.type).toBe(type);
    expect(fault.detail).toBe(text);
  });

  it('cuts the detail to 2,000 characters', () => {
    expect(providerFault('x'.repeat(5_000)).detail).toBe('x'.repeat(2_000));
  });

  it.each([
    [400, false], [401, false], [402, false], [403, false], [404, false], [405, false], [408, true], [409, true], [410, false],
    [413, false], [422, false], [425, true], [429, true], [499, false], [500, true], [502, true], [503, true], [504, true], [529, true],
    [0, false], [301, false], [308, false],
  ])('takes the status %i: retryable %s', (status, retryable) => {
    expect(providerFault('', status).retryable).toBe(retryable);
    expect(providerFault(json({ type: 'overloaded_error' }), status).retryable).toBe(retryable);
  });

  it.each([
    [{ type: 'insufficient_quota', code: 'insufficient_quota' }],
    [{ type: 'requests', code: 'insufficient_quota' }],
    [{ code: 'billing_hard_limit_reached' }],
    [{ type: 'billing_not_active' }],
    [{ code: '1113', message: 'Insufficient balance or no resource package.' }],
    [{ code: 'exceeded', message: 'insufficient credits on this account' }],
  ])('never passes an empty account: %j', (error) => {
    expect(providerFault(json(error), 429).retryable).toBe(false);
    expect(providerFault(json(error)).retryable).toBe(false);
  });

  it.each([
    [{ type: 'server_error' }, true],
    [{ type: 'requests', code: 'rate_limit_exceeded' }, true],
    [{ type: 'overloaded_error' }, true],
    [{ type: 'InternalServerError' }, true],
    [{ type: 'Service_Unavailable' }, true],
    [{ type: 'timeout' }, true],
    [{ code: 502, message: 'upstream' }, true],
    [{ code: '429', message: 'slow down' }, true],
    [{ code: 400, type: 'server_error' }, false],
    [{ type: 'invalid_request_error' }, false],
    [{ type: 'authentication_error' }, false],
    [{ message: 'The engine is overloaded' }, true],
    [{ message: 'bad schema' }, false],
    [{ type: 'invalid_request_error', message: 'internal' }, false],
    [{ code: 1234 }, false],
    [{}, false],
    ['The server is overloaded', true],
    ['no', false],
  ])('goes by the code or the name of an error inside a stream: %j is %s', (error, retryable) => {
    expect(providerFault(json(error)).retryable).toBe(retryable);
  });

  it('passes a call that the server itself refused, with a status and without one', () => {
    const error = { message: 'Tool call validation failed', type: 'invalid_request_error', code: 'tool_use_failed', status_code: 400 };
    expect(providerFault(json(error), 400)).toMatchObject({ type: 'invalid_request_error', retryable: true });
    expect(providerFault(json(error)).retryable).toBe(true);
  });

  it('reads the text of a detail', () => {
    expect(providerFault(JSON.stringify({ detail: 'Rate limit reached' })).retryable).toBe(true);
    expect(providerFault(JSON.stringify({ detail: [{ loc: ['body'] }] })).retryable).toBe(false);
  });
});
