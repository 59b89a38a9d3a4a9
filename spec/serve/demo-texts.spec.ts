import { describe, expect, it } from '@jest/globals';
import { demoTexts } from '../../lib/serve/demo-texts.ts';

describe('demoTexts', () => {
  it.each([1, 99, 100, 101, 1_000])('are as long as they are wanted: %d words', (count) => {
    const text = demoTexts.long(count);
    expect(text.split(/\s+/)).toHaveLength(count);
    expect(text).toBe(text.trim());
    expect(text.split('\n\n')).toHaveLength(Math.ceil(count / 100));
  });

  it('number the words, so that a missing one is seen', () => {
    expect(demoTexts.long(120).match(/\(\d+\)/g)).toEqual(['(1)', '(51)', '(101)']);
  });

  it('close the code that they open', () => {
    expect(demoTexts.markdown.split('```')).toHaveLength(3);
  });
});
