import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NEVER, of, timer } from 'rxjs';
import { readTape, toMarbleSvg } from '../../marbles/index.ts';
import { read } from '../guards/support/project.ts';
import { run } from './fake-host.ts';

const folder = mkdtempSync(join(tmpdir(), 'replay-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nested = read('docs/diagrams/nested.jsonl');
const troubles = read('docs/diagrams/troubles.jsonl');
writeFileSync(join(folder, 'nested.jsonl'), nested);
writeFileSync(join(folder, 'troubles.jsonl'), troubles);

const replay = (...words: string[]) => run(['replay', ...words], { cwd: folder });
/** @param pieces - of stdin */
const piped = (pieces: readonly Uint8Array[], ...words: string[]) =>
  run(['replay', '-', ...words], { cwd: folder, stdin: (async function* () { yield* pieces; })() });

describe('replay', () => {
  it('shows a tape as the run was shown, with its own times', async () => {
    expect(await replay('troubles.jsonl')).toEqual({
      code: 0,
      err: '',
      out: [
        '↻ retry 1 of 2 in 500 ms: Busy.',
        'It is ',
        '⨯ what was said in this step is withdrawn: The connection broke.',
        '↻ retry 1 of 2 in 500 ms: The connection broke.',
        '→ add {"a":2,"b":"three"}',
        '← add failed (invalid-input): Invalid arguments for tool "add": b: Invalid input: expected number, received string (0 ms)',
        'It is 5.',
        '2 steps, tokens not reported, 1.3 s',
        '',
      ].join('\n'),
    });
  });

  it('draws the marble line of the run', async () => {
    const { out } = await replay('nested.jsonl', '--marbles');
    expect(out.split('\n').at(-2)).toMatch(/^-.*\(ZL\|\)$|\|\)?$/);
  });

  it('writes the same tape', async () => {
    expect((await replay('nested.jsonl', '--json')).out).toBe(nested);
  });

  it('draws an image, to stdout or to a file', async () => {
    const svg = toMarbleSvg(readTape(nested));
    expect(await replay('nested.jsonl', '--svg')).toEqual({ code: 0, out: svg, err: '' });
    expect(await replay('nested.jsonl', '--svg', 'out.svg')).toEqual({ code: 0, out: '', err: '' });
    expect(readFileSync(join(folder, 'out.svg'), 'utf8')).toBe(svg);
  });

  it('reads stdin, however it is cut', async () => {
    const bytes = new TextEncoder().encode(troubles.replace('"It "', '"Ït "'));
    const cut = bytes.findIndex((byte) => byte > 127) + 1;
    const { out, code } = await piped([bytes.slice(0, cut), bytes.slice(cut)]);
    expect([code, out.includes('Ït ')]).toEqual([0, true]);
  });

  it('tells how a run failed that failed, and has shown it all the same', async () => {
    const failed = `${nested.split('\n').slice(0, 9).join('\n')}\n{"at":999,"error":{"code":"model-http","message":"Busy\\u001b[31m.","retryable":true}}\n`;
    const { code, out, err } = await piped([new TextEncoder().encode(failed)]);
    expect([code, err]).toEqual([0, 'rx-tool-loop: The run failed: model-http: Busy.\n']);
    expect(out).not.toContain('failed');
    expect((await piped([new TextEncoder().encode(failed)], '--json')).out).toBe(failed.replace('\\u001b', '\\u001b'));
  });

  it.each([
    ['no JSON', nested.slice(0, -30), /^rx-tool-loop: This is no tape: line 48 is no JSON\.\n$/],
    ['something else', '{"a":1}', /^rx-tool-loop: This is no tape: line 1 is no header/],
    ['nothing', '', /^rx-tool-loop: This is no tape: it is empty\./],
  ])('says in one line where a tape is %s', async (_name, text, line) => {
    const { code, out, err } = await piped([new TextEncoder().encode(text)]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(line);
  });

  it('says in one line which file it cannot read or write', async () => {
    expect(await replay('none.jsonl')).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/^rx-tool-loop: The tape "none\.jsonl" cannot be read \(ENOENT\)\. .*\n$/) });
    expect(await replay('nested.jsonl', '--svg', 'no/out.svg')).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/^rx-tool-loop: The file "no\/out\.svg" cannot be written \(ENOENT\)\. .*\n$/) });
  });

  it('plays at a pace, and ends when it is told to', async () => {
    const { code, out } = await run(['replay', 'nested.jsonl', '--speed', '0.001', '--json'], { cwd: folder, interrupt$: timer(200) });
    expect(code).toBe(130);
    expect(out.split('\n').length).toBeLessThan(nested.split('\n').length);
    expect((await run(['replay', 'nested.jsonl'], { cwd: folder, interrupt$: NEVER, closed$: of(undefined) })).code).toBe(0);
  });
});
