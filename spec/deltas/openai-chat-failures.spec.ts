import { describe, expect, it } from '@jest/globals';
import { lastValueFrom, toArray } from 'rxjs';
import { openaiChat } from '../../lib/deltas/openai-chat.ts';
import type { Delta } from '../../lib/delta.ts';
import type { ModelError } from '../../lib/errors.ts';
import { checkCorpus, corpusNotice, foldersOf, recordings } from '../support/corpus.ts';
import { modelRequest } from '../support/model-request.ts';

const request = modelRequest();

/** What comes of this answer: its deltas, or the error that it ends in. */
function answered(body: string | Uint8Array, init: ResponseInit, stream = true): Promise<Delta[]> {
  const fetch = (async () => new Response(body as BodyInit, init)) as typeof globalThis.fetch;
  return lastValueFrom(openaiChat({ model: 'm', fetch, stream }).stream(request).pipe(toArray()));
}

const failureOf = (...answer: Parameters<typeof answered>): Promise<ModelError> =>
  answered(...answer).then(() => Promise.reject(new Error('It did not fail.')), (error: ModelError) => error);

/** The shapes in use, written by hand. */
const SHAPES: readonly (readonly [body: string, type: string | null, message: string])[] = [
  ['{"error":{"message":"No such model","type":"invalid_request_error","code":"model_not_found"}}', 'invalid_request_error', 'No such model'],
  ['{"error":"model not found"}', null, 'model not found'],
  ['{"detail":"Could not parse your token."}', null, 'Could not parse your token.'],
  ['{"code":400,"message":"Temperature must be between 0 and 2","type":"Bad Request"}', 'Bad Request', 'Temperature must be between 0 and 2'],
  ['{"object":"error","message":"too long","type":"BadRequestError","param":null,"code":400}', 'BadRequestError', 'too long'],
  ['[{"error":{"code":400,"message":"bad key","status":"INVALID_ARGUMENT"}}]', 'INVALID_ARGUMENT', 'bad key'],
  ['{\n  "error": {\n    "code": 404,\n    "message": "not found"\n  }\n}\n', null, 'not found'],
];

describe('an error in place of an answer', () => {
  it(corpusNotice(), () => {
    expect(checkCorpus).not.toThrow();
  });

  const recorded = recordings('http-error', foldersOf('http-error')).map(
    ({ id, body, httpStatus = 400, contentType = 'application/json', expected: { error } }) =>
      [id, Buffer.from(body).toString(), error?.type ?? null, error?.message ?? '', httpStatus, contentType] as const,
  );
  const own = SHAPES.map(([body, type, message]) => [body, body, type, message, 400, 'application/json'] as const);

  describe.each([...own, ...recorded])('%s', (_name, body, type, message, status, contentType) => {
    const headers = { 'content-type': contentType };

    it('is read with its status', async () => {
      const error = await failureOf(body, { status, headers });
      expect(error).toMatchObject({ code: 'model-http', status, retryable: false, detail: body });
      expect(error.type ?? null).toBe(type);
      expect(error.detail).toContain(JSON.stringify(message).slice(1, -1));
    });

    it.each([true, false])('is read under the status of a success, whether a stream was asked for (%s) or not', async (stream) => {
      const error = await failureOf(body, { status: 200, headers }, stream);
      expect(error).toMatchObject({ code: 'model-stream', retryable: false });
      expect(error.type ?? null).toBe(type);
      expect(error.detail).toContain(JSON.stringify(message).slice(1, -1));
    });
  });

  it('may be tried again where the server refused the call of its own model', async () => {
    const body = '{"error":{"message":"Failed to call a function","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<f>"}}';
    expect(await failureOf(body, { status: 400 })).toMatchObject({ code: 'model-http', retryable: true });
    expect(await failureOf(`event: error\ndata: ${body}\n\n`, {})).toMatchObject({ code: 'model-stream', retryable: true });
  });

  it('is told from what an answer may hold', async () => {
    const frames = ['{"choices":[],"message":"m"}', '{"choices":[{"index":0,"delta":{"content":"a"},"error":null}],"error":null,"detail":"d"}'];
    await expect(answered(frames.map((data) => `data: ${data}\n\n`).join(''), {})).resolves.toHaveLength(2);
  });
});
