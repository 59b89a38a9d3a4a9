import { describe, expect, it } from '@jest/globals';
import { help } from '../../lib/serve/help.ts';
import { runOptions } from '../../lib/serve/run-options.ts';

describe('help', () => {
  it('tells of every option, and of none that does not exist', () => {
    const named = [...help.matchAll(/--[a-z-]+/g)].map(([option]) => option);
    expect(named).toEqual(['--model', '--tools', '--root', '--mcp', '--max-steps', '--system', '--json', '--marbles', '--svg', '--speed', '--port', '--host', '--log', '--cors', '--help', '--version']);
    for (const option of named) {
      const value = { '--model': ['embedded'], '--tools': ['none'], '--root': ['.'], '--mcp': ['server'], '--system': ['x'], '--max-steps': ['1'], '--port': ['1'], '--host': ['x'], '--log': ['x'], '--cors': ['x'], '--speed': ['1'] }[option] ?? [];
      const command = ['--port', '--host', '--log', '--cors'].includes(option) ? ['serve'] : ['--svg', '--speed'].includes(option) ? ['replay', 'a.jsonl'] : ['run', 'hi'];
      expect(() => runOptions([...command, option, ...value])).not.toThrow();
    }
  });

  it('tells of every exit code and every variable', () => {
    expect(help).toMatch(/0 answer +1 .* +2 .* +3 .* +130 cancelled/);
    for (const variable of ['RX_TOOL_LOOP_API_KEY', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'RX_TOOL_LOOP_TOKEN', 'NO_COLOR']) expect(help).toContain(variable);
  });

  it('fits a screen of 100 columns', () => {
    expect(help.split('\n').filter((line) => line.length > 100)).toEqual([]);
  });
});
