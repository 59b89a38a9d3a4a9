import { describe, expect, it } from '@jest/globals';
import { frameFault } from '../../lib/bytes/frame-fault.ts';

describe('frameFault', () => {
  it('names the type of an error that time may mend', () => {
    const fault = frameFault('{"error":{"type":"overloaded_error","message":"busy"}}');
    expect(fault).toMatchObject({ code: 'model-stream', type: 'overloaded_error', retryable: true });
    expect(fault.message).toBe('The provider sent an error inside its stream (overloaded_error). It may be tried again.');
  });

  it('points at its words where trying again is no use', () => {
    const fault = frameFault('{"error":{"type":"invalid_request_error","message":"bad"}}');
    expect(fault).toMatchObject({ retryable: false, detail: expect.stringContaining('bad') });
    expect(fault.message).toMatch(/\(invalid_request_error\)\. `detail` holds it\.$/);
  });

  it('names no type where there is none', () => {
    expect(frameFault('oh no').message).toMatch(/inside its stream\. /);
  });
});
