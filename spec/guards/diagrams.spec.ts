import { expect, it } from '@jest/globals';
import { filesIn } from './support/project.ts';
import { outputOf, run } from './support/run-node.ts';

it('the drawings of the documents are those of their tapes', () => {
  outputOf(run(process.execPath, ['.build/diagrams.mjs', '--check']));
  const names = (ending: string): string[] => filesIn('docs/diagrams', ending).map((file) => file.slice(0, -ending.length));
  expect(names('.svg')).toEqual(names('.jsonl'));
  expect(names('.svg')).toHaveLength(3);
});
