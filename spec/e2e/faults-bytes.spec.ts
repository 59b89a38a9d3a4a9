import { afterEach, describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { closeFaultServers, faultServer } from './fault-server.ts';
import type { Reply } from './fault-server.ts';
import { runAgainst, wires } from './fault-script.ts';
import type { Run } from './fault-script.ts';

afterEach(closeFaultServers);

const isWhole = ({ faults, openSockets }: Run): readonly unknown[] => [faults, openSockets];
const WHOLE = [[], 0];
const CALLS = [
  { id: 'call_1', input: ['{"a"', ':[{', '}],', '"b":"ä', '𝄞"}'] },
  { id: 'call_2', input: ['{', '"c":', '2}'] },
];
const ARGUMENTS = [{ a: [{}], b: 'ä𝄞' }, { c: 2 }];
const ANSWERED = ['step 0', 'text', 'end stop', 'done answer'];
const CALLED = [
  'step 0', 'text', 'call', 'end tool-use', 'tool-call', 'tool-call',
  'tool-start', 'tool-commit', 'result', 'tool-start', 'tool-commit', 'result',
  'step 1', 'text', 'end stop', 'done answer',
];

describe.each(wires)('the bytes of a stream on the wire of $name', (wire) => {
  const text = wire.text('hel', 'lo').join('');
  const calls = wire.calls(...CALLS).join('');
  const withCrLf = (body: string): string => body.replaceAll('\n', '\r\n');

  it.each<[string, Reply]>([
    ['CRLF', { body: withCrLf(calls) }],
    ['CR alone', { body: calls.replaceAll('\n', '\r') }],
    ['one byte at a time', { body: calls, write: 'byte by byte' }],
    ['one byte at a time, with CRLF', { body: withCrLf(calls), write: 'byte by byte' }],
    ['gzip', { body: calls, gzip: true }],
    ['gzip, one byte at a time', { body: calls, gzip: true, write: 'byte by byte' }],
    ['a mark of their order', { body: `\uFEFF${calls}` }],
    ['signs of life between all frames', { body: wire.calls(...CALLS).flatMap((frame) => [wire.alive, ': one\n\n', frame]).join('') }],
    ['the fragments of both calls in turn', { body: wire.interleaved(...CALLS).join('') }],
    ['the fragments of both calls in turn, one byte at a time', { body: wire.interleaved(...CALLS).join(''), write: 'byte by byte' }],
  ])('with %s are the same answer', async (_what, reply) => {
    const server = await faultServer([reply, { body: text }]);
    const run = await runAgainst(server, wire);
    const first = run.events.flatMap((event) => (event.type === 'delta' && event.step === 0 && event.delta.type === 'tool-call-start' ? [event.delta.id] : []));
    expect(run.story.filter((word) => word !== 'call')).toEqual(CALLED.filter((word) => word !== 'call'));
    expect([first, run.add.calls, server.requests.length, ...isWhole(run)]).toEqual([['call_1', 'call_2'], ARGUMENTS, 2, ...WHOLE]);
  });

  it('in one write of 10 MB, as many frames, are all read', async () => {
    const piece = 'x'.repeat(100);
    const count = Math.ceil(10_000_000 / wire.text(piece).join('').length);
    const server = await faultServer([{ body: wire.text(...Array.from({ length: count }, () => piece)).join('') }]);
    const run = await runAgainst(server, wire);
    expect([run.story, run.outcome?.completion.text.length, server.requests.length, ...isWhole(run)]).toEqual([ANSWERED, count * 100, 1, ...WHOLE]);
  });

  it('in one write of 10 MB, one frame, are all read', async () => {
    const server = await faultServer([{ body: wire.text('x'.repeat(10_000_000)).join('') }]);
    const run = await runAgainst(server, wire);
    expect([run.story, run.outcome?.completion.text.length, server.requests.length, ...isWhole(run)]).toEqual([ANSWERED, 10_000_000, 1, ...WHOLE]);
  });

  it('are left where one frame has no end', async () => {
    const server = await faultServer([{ body: `data: ${'x'.repeat(17 * 1_048_576)}`, ending: 'stall' }]);
    const run = await runAgainst(server, wire);
    expect([run.story, server.requests.length, server.aborted(), ...isWhole(run)]).toEqual([['step 0', 'error model-stream'], 1, 1, ...WHOLE]);
  });

  it('that are called gzip and are not, or are cut inside, are asked for again', async () => {
    const zipped = gzipSync(text);
    const gzip = { 'content-encoding': 'gzip' };
    for (const reply of [{ headers: gzip, body: text }, { headers: gzip, body: zipped.subarray(0, 12) }, { headers: gzip, body: zipped.subarray(0, 1) }]) {
      const server = await faultServer([reply, { body: text }]);
      const run = await runAgainst(server, wire);
      expect(run.story).toEqual(['step 0', 'retry 1/3', 'text', 'end stop', 'done answer']);
      expect([server.requests.length, ...isWhole(run)]).toEqual([2, ...WHOLE]);
    }
  });

  it('of frames that are all repeated never run a call with arguments that nobody wrote', async () => {
    const twice = (frames: readonly string[]): string => frames.flatMap((frame) => [frame, frame]).join('');
    const server = await faultServer([{ body: twice(wire.calls(...CALLS)) }, { body: twice(wire.text('hel', 'lo')) }]);
    const run = await runAgainst(server, wire);
    expect([run.add.calls, run.story.at(-1), server.requests.length, ...isWhole(run)]).toEqual([[], 'done answer', 2, ...WHOLE]);
    expect(run.events.filter(({ type }) => type === 'tool-result').length).toBeGreaterThan(0);
  });

  it('of a stream that is sent twice are read once', async () => {
    const server = await faultServer([{ body: calls + calls }, { body: text + text }]);
    const run = await runAgainst(server, wire);
    expect([run.story, run.add.calls, server.requests.length, ...isWhole(run)]).toEqual([CALLED, ARGUMENTS, 2, ...WHOLE]);
  });

  it('of a frame that nobody can read are reported, and the stream goes on; with the tenth it is told of', async () => {
    const broken = 'data: {"half":\n\n';
    const frames = wire.text('hel', 'lo');
    const few = await faultServer([{ body: frames.flatMap((frame, at) => (at === 0 ? [frame] : [broken, frame])).join('') }]);
    const run = await runAgainst(few, wire);
    expect([run.story, run.outcome?.completion.text, few.requests.length, ...isWhole(run)]).toEqual([ANSWERED, 'hello', 1, ...WHOLE]);
    expect(run.events.filter((event) => event.type === 'delta' && event.delta.type === 'unknown').length).toBe(frames.length - 1);

    const many = await faultServer([{ body: [...frames.slice(0, 3), ...Array.from({ length: 10 }, () => broken), ...frames.slice(3)].join('') }, { body: text }]);
    const second = await runAgainst(many, wire);
    expect(second.story).toEqual(['step 0', 'text', 'end error', 'correction 1/3', 'step 1', 'text', 'end stop', 'done answer']);
    expect([many.requests.length, ...isWhole(second)]).toEqual([2, ...WHOLE]);
  });
});
