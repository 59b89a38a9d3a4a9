import { describe, expect, it } from '@jest/globals';
import type { LoopEvent } from '../../lib/index.ts';
import { palette } from '../../marbles/palette.ts';
import { readTape, toMarbleSvg } from '../../marbles/index.ts';
import type { Tape } from '../../marbles/index.ts';
import { read } from '../guards/support/project.ts';
import { delta, start, step } from '../support/events.ts';
import { events as examples } from '../support/examples.ts';

const recorded = (name: string): Tape => readTape(read(`docs/diagrams/${name}.jsonl`));
const header = { tape: 1, startedAt: '2026-01-05T05:03:09.000Z', model: 'm', tools: ['add'] } as const;
const tapeOf = (events: readonly LoopEvent[]): Tape => ({ header, lines: events.map((event, at) => ({ at, event })) });
const count = (svg: string, pattern: RegExp): number => [...svg.matchAll(pattern)].length;

describe('toMarbleSvg', () => {
  it('is one image with a title and a description', () => {
    const svg = toMarbleSvg(recorded('nested'));
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" class="rx-marbles" role="img" aria-labelledby="marbles-title marbles-about" width="\d+" height="\d+" viewBox="0 0 \d+ \d+">\n/);
    expect(svg).toContain('<title id="marbles-title">A run of model with research, send</title>');
    expect(svg).toContain('<desc id="marbles-about">47 events, 3 steps, 3 tool calls, 1 nested run, 1 request to somebody, ending: answer, after 2.40 s.</desc>');
    expect(svg.endsWith('</svg>\n')).toBe(true);
  });

  it('has a lane for each call, or one for each tool', () => {
    const tape = recorded('two-tools');
    const twice: Tape = { ...tape, lines: [...tape.lines.slice(0, -1), ...tape.lines.slice(1)].map((line, at) => ({ ...line, at })) };
    expect(count(toMarbleSvg(tape), /class="lane" d="M\d+(\.\d+)? \d+H/g)).toBe(3);
    expect(count(toMarbleSvg(twice, { lanes: 'tool' }), /class="lane" d="M\d+(\.\d+)? \d+H/g)).toBe(3);
  });

  it('dims and strikes through what was withdrawn, and draws errors as diamonds', () => {
    const svg = toMarbleSvg(recorded('troubles'));
    expect(count(svg, /class="strike"/g)).toBe(1);
    expect(count(svg, /class="mark withdrawn"/g)).toBe(2);
    expect(count(svg, /class="pause"/g)).toBe(2);
    // In the lane, and in the legend.
    expect(count(svg, /<path class="error" d="M[^"]+z"/g)).toBe(2);
  });

  it('ends a lane in a bar, a cross or an arrow', () => {
    const ended = toMarbleSvg(recorded('two-tools'));
    expect([count(ended, /class="over"/g), count(ended, /class="fault"/g), count(ended, /l6 5l-6 5/g)]).toEqual([1, 0, 0]);
    const failed = toMarbleSvg({ header, lines: [{ at: 0, event: start() }, { at: 5, error: { code: 'model-http', message: 'Busy.', retryable: true } }] });
    expect([count(failed, /class="over"/g), count(failed, /class="fault"/g)]).toEqual([0, 1]);
    expect(failed).toContain('ending: error model-http');
    const left = toMarbleSvg(tapeOf([start(), step(0)]));
    expect([count(left, /class="over"/g), count(left, /class="fault"/g), count(left, /l6 5l-6 5/g)]).toEqual([0, 0, 1]);
    expect(left).toContain('no ending: the run was left');
  });

  it('draws the pieces of a stroke as one, and says how many', () => {
    const words = ['a', 'b', 'c'].map((text) => delta(0, { type: 'text', block: 'b', text }));
    const svg = toMarbleSvg(tapeOf([start(), step(0), ...words]));
    expect(count(svg, /<rect class="said"/g)).toBe(1);
    expect(svg).toContain('<title>0 text &#34;a&#34; … 0 text &#34;c&#34; (3) at 2 ms</title>');
  });

  it('explains each letter once', () => {
    const legend = toMarbleSvg(recorded('two-tools')).split('\n').filter((line) => /^<circle.*class="small"/.test(line));
    expect(legend.map((line) => line.replace(/<[^>]+>/g, ' ').trim().replace(/\s+/g, ' '))).toEqual([
      't text', 'a arguments', 'c a call', 'y the model calls tools', 'i the tool starts', '1 the result of a call', 'z the model has ended',
    ]);
  });

  it('follows the theme of the reader, or has the one that is asked for', () => {
    const [auto, light, dark] = (['auto', 'light', 'dark'] as const).map((theme) => toMarbleSvg(recorded('nested'), { theme }));
    expect(auto).toContain('@media (prefers-color-scheme:dark)');
    for (const [svg, paper, other] of [[light, palette.light.paper, palette.dark.paper], [dark, palette.dark.paper, palette.light.paper]] as const) {
      expect(svg).toContain(`--paper:${paper}`);
      expect(svg).not.toContain(`--paper:${other}`);
    }
  });

  it('escapes whatever a run says, and asks for nothing outside', () => {
    const hostile = `</style></svg><script>alert(1)</script><image href="https://a.example/x.png"/>`;
    const named = { ...header, model: hostile, tools: [hostile] };
    const said = [start(), { ...step(0), model: hostile } as LoopEvent, delta(0, { type: 'text', block: 'b', text: hostile }), ...Object.values(examples)];
    const svg = toMarbleSvg({ header: named, lines: said.map((event, at) => ({ at, event })) }, { title: hostile });
    expect(svg).not.toMatch(/<(script|image|a|use|foreignObject|iframe)\b|url\(|@import|href="/);
    expect(count(svg, /<\/svg>|<\/style>/g)).toBe(2);
  });

  it('is the same each time, under ids of its own', () => {
    const tape = recorded('nested');
    expect(toMarbleSvg(tape)).toBe(toMarbleSvg(tape));
    expect(toMarbleSvg(tape, { idPrefix: 'b' })).toContain('aria-labelledby="b-title b-about"');
    expect(() => toMarbleSvg(tape, { idPrefix: '"><b' })).toThrow(/^toMarbleSvg: idPrefix is .*; give letters/);
  });

  it('draws a tape without a run', () => {
    expect(toMarbleSvg({ header, lines: [] })).toContain('no ending: the run was left, after 0 ms.');
  });

  it('has words that can be read on everything they stand on', () => {
    for (const { paper, band, ink, faint, tones } of Object.values(palette)) {
      const pairs = [[ink, paper], [ink, band], [faint, paper], [faint, band], ...Object.values(tones).map(({ fill }) => [ink, fill])];
      for (const [words = '', ground = ''] of pairs) expect(contrast(words, ground)).toBeGreaterThanOrEqual(4.5);
      for (const { edge } of Object.values(tones)) expect(contrast(edge, paper)).toBeGreaterThanOrEqual(3);
    }
  });
});

/** As WCAG 2 has it. */
function contrast(a: string, b: string): number {
  const light = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255).map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  const [low = 1, high = 1] = [light(a), light(b)].sort((x, y) => x - y);
  return high / low;
}
