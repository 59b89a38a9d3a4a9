import { describe, expect, it } from '@jest/globals';
import { from, NEVER, of, startWith, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { ndjson } from '../../lib/bytes/ndjson.ts';
import type { FrameFold } from '../../lib/bytes/sse.ts';
import { cut } from '../../marbles/cut.ts';

/** Says each frame, `|` at the end of the body; over once a frame says so. */
function echo(): FrameFold<string> {
  let over = false;
  return {
    frame(data, event, emit) {
      if (data === '"throw"') throw new Error('no');
      over = data === '"over"';
      emit(event + data);
    },
    comment: (emit) => emit(':'),
    end: (emit) => emit('|'),
    isOver: () => over,
  };
}

interface Read {
  readonly said: string[];
  readonly ending: string;
}

function read(bytes$: Observable<Uint8Array>, maxFrameBytes?: number): Read {
  const said: string[] = [];
  let ending = 'none';
  bytes$.pipe(ndjson(echo, maxFrameBytes)).subscribe({
    next: (value) => said.push(value),
    error: (error: Error) => (ending = error.message),
    complete: () => (ending = 'complete'),
  });
  return { said, ending };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('ndjson', () => {
  it.each([
    ['lines', '{"a":1}\n[2]\n', ['{"a":1}', '[2]', '|']],
    ['a last line without an end', '1\n2', ['1', '2', '|']],
    ['other line ends', '1\r\n2\r3\n', ['1', '2', '3', '|']],
    ['blank lines and white space', '\n 1 \n\t\n\r\n', ['1', '|']],
    ['a byte order mark', '\uFEFF1\n', ['1', '|']],
    ['characters of every length', '"aé€𝄞"\n', ['"aé€𝄞"', '|']],
    ['what is no JSON', '<html>\n', ['<html>', '|']],
    ['nothing', '', ['|']],
  ])('reads %s, wherever it is cut', (_name, text, said) => {
    const whole = bytes(text);
    for (let at = 0; at <= whole.length; at += 1) expect(read(from(cut(whole, at)))).toEqual({ said, ending: 'complete' });
  });

  it('completes when its fold is over, and leaves the bytes', () => {
    expect(read(NEVER.pipe(startWith(bytes('1\n"over"\n2\n'))))).toEqual({ said: ['1', '"over"'], ending: 'complete' });
    expect(read(of(bytes('"over"')))).toEqual({ said: ['"over"'], ending: 'complete' });
  });

  it('passes on an error of the bytes, and one that the fold throws', () => {
    expect(read(throwError(() => new Error('broken')))).toEqual({ said: [], ending: 'broken' });
    expect(read(of(bytes('1\n"throw"\n2\n')))).toEqual({ said: ['1'], ending: 'no' });
  });

  it('refuses a line over its bound, at every cut', () => {
    const whole = bytes('1\n12345\n');
    for (let at = 0; at <= whole.length; at += 1) {
      expect(read(from(cut(whole, at)), 4)).toEqual({ said: ['1'], ending: expect.stringMatching(/^One line of the stream is larger than 4 bytes/) });
      expect(read(from(cut(whole, at)), 5).ending).toBe('complete');
    }
  });

  it('stays linear in a long line of tiny pieces', () => {
    const piece = bytes('x');
    const many = Array.from({ length: 300_000 }, () => piece);
    expect(read(from(many)).said[0]).toHaveLength(300_000);
  });
});
