import { describe, expect, it } from '@jest/globals';
import { concat, of, throwError } from 'rxjs';
import { RemoteError } from '../../lib/index.ts';
import type { LoopEvent } from '../../lib/index.ts';
import { errorFrame, nativeFormat } from '../../lib/serve/native-format.ts';
import { allOf } from './door.ts';

const start: LoopEvent = { type: 'run-start', runId: 'r1' };

describe('nativeFormat', () => {
  it('writes a frame an event, and a last one for an error', async () => {
    const info = { code: 'a', message: 'b\nc', retryable: false };
    expect(await allOf(nativeFormat.encode(concat(of(start), throwError(() => new RemoteError(info)))))).toEqual([
      'data: {"type":"run-start","runId":"r1"}\n\n',
      `event: error\ndata: ${JSON.stringify(info)}\n\n`,
    ]);
  });

  it('tells nothing of an error that is not the library’s', () => {
    expect(errorFrame(new Error('secret'))).toBe('event: error\ndata: {"code":"internal","message":"The server failed: try again later.","retryable":true}\n\n');
  });
});
