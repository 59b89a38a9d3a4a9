import { describe, expect, it } from '@jest/globals';
import { modelChoice } from '../../lib/serve/model-choice.ts';
import { runOptions } from '../../lib/serve/run-options.ts';

const defaults = { prompt: 'hi', model: 'embedded', choice: { wire: 'embedded' }, tools: ['calculator', 'clock'], mcp: [], view: 'live' };

describe('runOptions', () => {
  it.each<[string, readonly string[], object]>([
    ['nothing but a prompt', ['run', 'hi'], {}],
    ['the prompt as it is', ['run', '  a "b"\n'], { prompt: '  a "b"\n' }],
    ['a prompt that begins with a dash', ['run', '--', '-1 + 2'], { prompt: '-1 + 2' }],
    ['options before the prompt', ['run', '--json', 'hi'], { view: 'json' }],
    ['options before the command', ['--json', 'run', 'hi'], { view: 'json' }],
    ['the marble view', ['run', 'hi', '--marbles'], { view: 'marbles' }],
    [
      'another model, which gets no tools',
      ['run', 'hi', '--model', 'http://localhost/v1#m'],
      { model: 'http://localhost/v1#m', choice: modelChoice('http://localhost/v1#m'), tools: [] },
    ],
    ['a model by its provider', ['run', 'hi', '-m', 'anthropic:claude'], { model: 'anthropic:claude', choice: modelChoice('anthropic:claude'), tools: [] }],
    ['a root', ['run', 'hi', '--root', 'docs'], { root: 'docs' }],
    ['a root, and no other tools', ['run', 'hi', '-r', '.', '-t', 'none'], { root: '.', tools: [] }],
    ['the command lines of servers', ['run', 'hi', '--mcp', 'node a.mjs', '--mcp', 'b "c d"'], { mcp: ['node a.mjs', 'b "c d"'] }],
    ['a short option', ['run', 'hi', '-m', 'embedded'], {}],
    ['the scripted model, with something to call', ['run', 'hi', '-m', 'demo'], { model: 'demo', choice: { wire: 'demo' } }],
    ['one tool', ['run', 'hi', '--tools', 'clock'], { tools: ['clock'] }],
    ['tools and modules', ['run', 'hi', '-t', 'clock, ./my.mjs'], { tools: ['clock', './my.mjs'] }],
    ['no tools', ['run', 'hi', '--tools', 'none'], { tools: [] }],
    ['a step limit', ['run', 'hi', '--max-steps', '3'], { maxSteps: 3 }],
    ['a step limit of none', ['run', 'hi', '--max-steps=0'], { maxSteps: 0 }],
    ['a system prompt', ['run', 'hi', '--system', 'Be brief.'], { system: 'Be brief.' }],
    ['a system prompt that begins with a dash', ['run', 'hi', '--system=- be brief'], { system: '- be brief' }],
    ['the last of two values', ['run', 'hi', '--max-steps', '3', '--max-steps', '4'], { maxSteps: 4 }],
  ])('reads %s', (_name, words, options) => {
    expect(runOptions(words)).toEqual({ wish: 'run', options: { ...defaults, ...options } });
  });

  it.each<[string, readonly string[], object]>([
    ['nothing', ['serve'], {}],
    ['a port', ['serve', '-p', '8080'], { port: 8080 }],
    ['a host', ['serve', '--host', '::1'], { host: '::1' }],
    ['a log', ['serve', '--log', './runs'], { log: './runs' }],
    ['origins', ['serve', '--cors', 'https://a.example, https://b.example'], { cors: ['https://a.example', 'https://b.example'] }],
    ['what runs are made of', ['serve', '-t', 'none', '--max-steps', '3', '--system', 'x', '-r', '.'], { tools: [], maxSteps: 3, system: 'x', root: '.' }],
  ])('reads serve with %s', (_name, words, options) => {
    const { prompt: _prompt, view: _view, ...made } = defaults;
    expect(runOptions(words)).toEqual({ wish: 'serve', options: { ...made, port: 0, host: '127.0.0.1', log: 'memory', cors: [], ...options } });
  });

  it.each<[string, readonly string[], object]>([
    ['nothing but a tape', ['replay', 'a.jsonl'], {}],
    ['stdin', ['replay', '-'], { tape: '-' }],
    ['a view', ['replay', 'a.jsonl', '--marbles'], { view: 'marbles' }],
    ['JSON', ['replay', '--json', 'a.jsonl'], { view: 'json' }],
    ['a drawing to stdout', ['replay', 'a.jsonl', '--svg'], { view: 'svg' }],
    ['a drawing to stdout, before another option', ['replay', 'a.jsonl', '--svg', '--speed', '2'], { view: 'svg', speed: 2 }],
    ['a drawing to stdout, by name', ['replay', '--svg', '-', 'a.jsonl'], { view: 'svg' }],
    ['a drawing to a file', ['replay', 'a.jsonl', '--svg', 'a.svg'], { view: 'svg', svg: 'a.svg' }],
    ['a speed', ['replay', 'a.jsonl', '--speed', '0.5'], { speed: 0.5 }],
  ])('reads replay with %s', (_name, words, options) => {
    expect(runOptions(words)).toEqual({ wish: 'replay', options: { tape: 'a.jsonl', view: 'live', svg: '-', speed: Infinity, ...options } });
  });

  it.each<[readonly string[], string]>([
    [['replay'], 'The tape is missing. '],
    [['replay', '--svg', 'a.jsonl'], 'The tape is missing. '],
    [['replay', 'a', 'b'], 'One tape is taken, more came. '],
    [['replay', 'a', '--svg', 'b', '--json'], '--svg and --json exclude each other. '],
    [['replay', 'a', '--svg='], '--svg is empty. '],
    [['replay', 'a', '--speed', '0'], '--speed must be a number above 0, such as 1 or 0.5; "0" came.'],
    [['replay', 'a', '--speed', 'x'], '--speed must be a number above 0'],
    [['replay', 'a', '--model', 'x'], '--model is no option of replay. '],
    [['run', 'hi', '--svg', 'x'], '--svg is no option of run. '],
    [['serve', '--speed', '1'], '--speed is no option of serve. '],
  ])('refuses %j', (words, start) => {
    expect(() => runOptions(words)).toThrow(expect.objectContaining({ code: 'config', message: expect.stringContaining(start) }));
  });

  it.each([
    ['help', ['--help']],
    ['help', ['-h']],
    ['help', ['run', '--help']],
    ['help', ['run', 'hi', '--json', '-h']],
    ['version', ['--version']],
    ['version', ['-v']],
  ])('shows %s for %j', (wish, words) => {
    expect(runOptions(words)).toEqual({ wish });
  });

  it.each<[readonly string[], string]>([
    [[], 'A command is missing. Usage: rx-tool-loop run "<prompt>" [options]; --help lists them.'],
    [['walk', 'hi'], 'There is no command "walk".'],
    [['run'], 'The prompt is missing.'],
    [['run', ' \n'], 'The prompt is missing.'],
    [['run', 'what', 'is', 'it'], 'One prompt is taken, 3 came. Put it in quotes'],
    [['serve', 'hi'], 'serve takes no prompt: prompts come in requests.'],
    [['serve', '--json'], '--json is no option of serve.'],
    [['run', 'hi', '--port', '1'], '--port is no option of run.'],
    [['serve', '--port', '65536'], '--port must be at most 65535; "65536" came.'],
    [['serve', '--port', 'x'], '--port must be a whole number'],
    [['serve', '--log', ''], '--log is empty.'],
    [['run', 'hi', '--colour'], "Unknown option '--colour'. Usage:"],
    [['run', 'hi', '-x'], "Unknown option '-x'"],
    [['run', 'hi', '--model'], "Option '-m, --model <value>' argument missing. Usage:"],
    [['run', 'hi', '--model', '--json'], "use '--model=-XYZ'"],
    [['run', 'hi', '--model', 'gpt-5'], 'There is no model "gpt-5".'],
    [['run', 'hi', '--root'], "Option '-r, --root <value>' argument missing."],
    [['run', 'hi', '--root', ' '], '--root is empty. Give the path of a folder, such as --root .'],
    [['run', 'hi', '--json=yes'], "Option '--json' does not take an argument"],
    [['run', 'hi', '--json', '--marbles'], '--json and --marbles exclude each other'],
    [['run', 'hi', '--max-steps', 'many'], '--max-steps must be a whole number such as 10; "many" came.'],
    [['run', 'hi', '--max-steps', '2.5'], '"2.5" came'],
    [['run', 'hi', '--max-steps=-1'], '"-1" came'],
    [['run', 'hi', '--max-steps', ''], '"" came'],
    [['run', 'hi', '--max-steps', '9'.repeat(20)], '--max-steps must be a whole number'],
    [['run', 'hi', '--tools', ''], '--tools "" has an empty name'],
    [['run', 'hi', '--tools', 'clock,'], '--tools "clock," has an empty name'],
  ])('refuses %j in one line', (words, reason) => {
    const refused = (): unknown => runOptions(words);
    expect(refused).toThrow(reason);
    expect(refused).toThrow(expect.objectContaining({ code: 'config' }));
    expect(refused).not.toThrow(/\n/);
  });
});
