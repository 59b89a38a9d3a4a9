import { describe, expect, it } from '@jest/globals';
import { isToolOutput, toolOutput } from '../lib/tool-output.ts';

describe('toolOutput', () => {
  it('keeps what it is given, and is known for what it is, also once JSON has carried it', () => {
    const said = { output: { n: 1 }, content: 'one', isError: true, display: { text: 'One' } };
    const output = toolOutput(said);
    expect(output).toMatchObject(said);
    expect(isToolOutput(output)).toBe(true);
    expect(isToolOutput(JSON.parse(JSON.stringify(output)))).toBe(true);
  });

  it('cannot be unmarked by what it is given', () => {
    expect(isToolOutput(toolOutput({ '~toolOutput': false } as never))).toBe(true);
  });
});

describe('isToolOutput', () => {
  it.each([undefined, null, 'text', 1, [], {}, { output: 1 }, { '~toolOutput': 'true' }])('is false of %p', (value) => {
    expect(isToolOutput(value)).toBe(false);
  });
});
