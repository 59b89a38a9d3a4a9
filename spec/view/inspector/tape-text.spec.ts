import { expect, it } from '@jest/globals';
import { tapeText } from '../../../lib/view/inspector/tape-text.ts';
import { readTape } from '../../../marbles/index.ts';
import { read } from '../../guards/support/project.ts';

it.each(['two-tools', 'troubles', 'nested'])('tapeText writes %s as it was read', (name) => {
  const text = read(`docs/diagrams/${name}.jsonl`);
  expect(tapeText(readTape(text))).toBe(text);
});
