import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EMPTY, from, NEVER, Observable, of, Subject, take } from 'rxjs';
import { sse } from '../../lib/bytes/sse.ts';
import type { FrameFold } from '../../lib/bytes/sse.ts';
import { cut } from '../../marbles/cut.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Says each frame as `event|data`, a comment as `:`, the end as `end`. `stop` is the end marker. */
function spelled(): FrameFold<string> {
  let over = false;
  return {
    frame(data, event, emit, id) {
      over = data === 'stop';
      emit(`${event}|${data}${id ? `#${id}` : ''}`);
    },
    comment: (emit) => emit(':'),
    end: (emit) => emit('end'),
    isOver: () => over,
  };
}

function read(pieces: readonly Uint8Array[], maxFrameBytes?: number): string[] {
  const said: string[] = [];
  from(pieces)
    .pipe(sse(spelled, maxFrameBytes))
    .subscribe({ next: (value) => said.push(value), error: (error: Error) => said.push(`error ${error.message}`) });
  return said;
}

const CASES: [name: string, body: string, said: string[]][] = [
  ['a frame', 'data: a\n\n', ['|a']],
  ['several', 'data: a\n\ndata: b\n\n', ['|a', '|b']],
  ['no space after the colon', 'data:a\n\n', ['|a']],
  ['one space of two', 'data:  a\n\n', ['| a']],
  ['lines of one frame', 'data: a\ndata: b\ndata:\n\n', ['|a\nb\n']],
  ['a frame of no text', 'data\n\n', ['|']],
  ['an event name', 'event: error\ndata: a\n\ndata: b\n\n', ['error|a', '|b']],
  ['a name with no data', 'event: ping\n\ndata: a\n\n', ['|a']],
  ['a name alone on its line', 'event\ndata: a\n\n', ['|a']],
  ['comments', ': hi\ndata: a\n:\n\n', [':', ':', '|a']],
  ['fields that say nothing here', 'idle: 1\nretry: 5\ndatum: x\nelse\ndata: a\n\n', ['|a']],
  ['ids, each of which holds until the next', 'id: 1\ndata: a\n\ndata: b\n\ndata: c\nid:2\n\nid\ndata: d\n\n', ['|a#1', '|b#1', '|c#2', '|d']],
  ['CR', 'data: a\rdata: b\r\rdata: c\r\r', ['|a\nb', '|c']],
  ['CRLF', 'data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n', ['|a\nb', '|c']],
  ['ends of all kinds', 'data: a\n\rdata: b\r\n\ndata: c\r\r\n', ['|a', '|b', '|c']],
  ['a byte order mark', '\uFEFFdata: a\n\n', ['|a']],
  ['such a mark inside the text', 'data: \uFEFFa\n\ndata: \uFEFF\n\n', ['|\uFEFFa', '|\uFEFF']],
  ['characters of every length', 'data: é€𝄞\u2028x\n\n', ['|é€𝄞\u2028x']],
  ['a last frame with no blank line', 'data: a\n\ndata: b\n', ['|a', '|b']],
  ['a last frame with no line end', 'data: a\n\ndata: b', ['|a', '|b']],
  ['a last comment with no line end', 'data: a\n\n: bye', ['|a', ':']],
  ['JSON where a field should be', '{"error": {\n  "message": "no"\n}\n}\n', ['|{"error": {\n  "message": "no"\n}\n}']],
  ['such JSON between frames', 'data: a\n\n[1]\n\n"x"\n\n', ['|a', '|[1]', '|"x"']],
  ['a body cut in a field name', 'data: a\n\ndat', ['|a', '|dat']],
  ['a body cut before the text', 'data: a\n\ndata: ', ['|a', '|data: ']],
  ['a body cut in a later line', 'data: a\neve', ['|a\neve']],
  ['nothing', '', []],
  ['blank lines', '\n\r\n\r\n', []],
];

describe('sse', () => {
  it.each(CASES)('reads %s', (_name, body, said) => {
    expect(read([encode(body)])).toEqual([...said, 'end']);
  });

  it.each(CASES)('reads the same from every cut of %s', (_name, body, said) => {
    for (const pieces of cut(encode(body))) expect(read(pieces)).toEqual([...said, 'end']);
  });

  it('reads back whatever was written, whatever its line ends and cuts', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 }).map((raw) => raw.replaceAll(/[\r\n]/g, ' '));
    const frame = fc.record({ lines: fc.array(text, { minLength: 1, maxLength: 3 }), event: fc.constantFrom('', 'x', 'error') });
    const end = fc.constantFrom('\n', '\r\n', '\r');
    const property = fc.property(fc.array(frame, { maxLength: 5 }), end, fc.array(fc.nat(), { maxLength: 12 }), (frames, eol, at) => {
      const body = frames
        .map(({ lines, event }) => [event && `event: ${event}`, ...lines.map((line) => `data: ${line}`), '', ''])
        .map((lines) => lines.slice(lines[0] === '' ? 1 : 0).join(eol))
        .join('');
      const bytes = encode(body);
      const positions = at.map((n) => n % (bytes.length + 1)).sort((a, b) => a - b);
      const said = frames.map(({ lines, event }) => `${event}|${lines.join('\n')}`);
      expect(read(cut(bytes, positions))).toEqual([...said, 'end']);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('takes any bytes without failing, the same from any cut', () => {
    const odd = fc.uint8Array({ maxLength: 60 });
    const like = fc.array(fc.constantFrom('data', ':', ' ', '\n', '\r', 'event', 'x', '{', '\uFEFF', 'é'), { maxLength: 30 });
    const bytes = fc.oneof(odd, like.map((parts) => encode(parts.join(''))));
    const property = fc.property(bytes, (body) => {
      const whole = read([body]);
      expect(whole.at(-1)).toBe('end');
      const said = JSON.stringify(whole);
      for (const pieces of cut(body)) expect(JSON.stringify(read(pieces))).toBe(said);
    });
    fc.assert(property, { numRuns: 150 });
  });

  it('puts a mark of replacement for bytes that are no text', () => {
    expect(read([Uint8Array.from([...encode('data: a'), 0xff, ...encode('b\n\n')])])).toEqual(['|a\uFFFDb', 'end']);
  });
});

describe('the bound on a frame', () => {
  const message = 'error One frame of the stream is larger than 20 bytes: check that the base URL is that of the wire.';

  it.each([
    ['a long line', `data: ok\n\ndata: ${'x'.repeat(20)}\n\n`],
    ['a long line that does not end', `data: ok\n\ndata: ${'x'.repeat(20)}`],
    ['many lines of one frame', `data: ok\n\n${'data: x\n'.repeat(4)}\n`],
    ['a long comment', `data: ok\n\n: ${'x'.repeat(20)}\n\n`],
  ])('refuses %s, at every cut', (_name, body) => {
    for (const pieces of cut(encode(body))) expect(read(pieces, 20)).toEqual(['|ok', message]);
  });

  it('lets a frame of just that size pass, and counts each frame anew', () => {
    expect(read([encode(`data: ${'x'.repeat(14)}\n\ndata: ${'y'.repeat(14)}\n\n`)], 20)).toEqual([
      `|${'x'.repeat(14)}`,
      `|${'y'.repeat(14)}`,
      'end',
    ]);
  });

  it('is 16 MiB unless given', () => {
    const line = (length: number): Uint8Array => encode(`data: ${'x'.repeat(length - 6)}\n\n`);
    expect(read([line(16 * 1_048_576)])).toHaveLength(2);
    expect(read([line(16 * 1_048_576 + 1)])[0]).toContain('larger than 16777216 bytes');
  });

  it('holds a long line in one piece of memory, however small its pieces', () => {
    const body = encode(`data: ${'x'.repeat(200_000)}\n\n`);
    const single = Array.from({ length: body.length - 1 }, (_, at) => at + 1);
    expect(read(cut(body, single)).map((said) => said.length)).toEqual([200_001, 3]);
  });
});

describe('the stream of an sse reader', () => {
  it('completes at the end marker, leaves the bytes, and reads nothing after it', () => {
    let left = false;
    const bytes$ = new Observable<Uint8Array>((subscriber) => {
      subscriber.next(encode('data: a\n\ndata: stop\n\ndata: b\n\n'));
      return () => (left = true);
    });
    const said: string[] = [];
    bytes$.pipe(sse(spelled)).subscribe({ next: (value) => said.push(value), complete: () => said.push('complete') });
    expect(said).toEqual(['|a', '|stop', 'complete']);
    expect(left).toBe(true);
  });

  it('does not tell the fold of the end after the end marker, though it stands in the last line', () => {
    expect(read([encode('data: a\n\ndata: stop')])).toEqual(['|a', '|stop']);
    expect(read([encode('data: stop\n'), encode('\ndata: b\n\n')])).toEqual(['|stop']);
  });

  it('emits in the call that brings the bytes', () => {
    const bytes$ = new Subject<Uint8Array>();
    const said: string[] = [];
    bytes$.pipe(sse(spelled)).subscribe((value) => said.push(value));
    bytes$.next(encode('data: a\n\nda'));
    expect(said).toEqual(['|a']);
    bytes$.next(encode('ta: b\n\n'));
    expect(said).toEqual(['|a', '|b']);
  });

  it('stops in the middle of a chunk when the reader leaves', () => {
    let frames = 0;
    const counting = (): FrameFold<number> => ({ ...spelled(), frame: (_d, _e, emit) => emit((frames += 1)), comment: () => {}, end: () => {} });
    of(encode('data: a\n\n'.repeat(5))).pipe(sse(counting), take(2)).subscribe();
    expect(frames).toBe(2);
  });

  it('passes on an error of the bytes, and one that a fold throws', () => {
    const errors: unknown[] = [];
    const broken$ = new Observable<Uint8Array>((subscriber) => subscriber.error('cut'));
    broken$.pipe(sse(spelled)).subscribe({ error: (error) => errors.push(error) });
    const throwing = (): FrameFold<string> => ({
      ...spelled(),
      frame() {
        throw 'bad frame';
      },
    });
    of(encode('data: a\n\n')).pipe(sse(throwing)).subscribe({ error: (error) => errors.push(error) });
    expect(errors).toEqual(['cut', 'bad frame']);
  });

  it('has a fold for each subscription, starts none before, and says nothing for nothing', () => {
    let folds = 0;
    const counted = (): FrameFold<string> => ((folds += 1), spelled());
    const said: string[] = [];
    const frames$ = EMPTY.pipe(sse(counted));
    expect(folds).toBe(0);
    frames$.subscribe((value) => said.push(value));
    frames$.subscribe((value) => said.push(value));
    NEVER.pipe(sse(counted)).subscribe((value) => said.push(value)).unsubscribe();
    expect(folds).toBe(3);
    expect(said).toEqual(['end', 'end']);
  });
});
