// npm run diagrams: draws the tapes of docs/diagrams. With --check it writes nothing, and fails where a drawing is not up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { readTape, toMarbleSvg } from 'rx-tool-loop/marbles';

const folder = 'docs/diagrams';
const titles = {
  'two-tools': 'Two tools at the same time',
  troubles: 'A busy server, a stream that breaks, and a call that is wrong',
  nested: 'A run inside a tool, and a call that somebody approves',
};

const stale = Object.entries(titles).filter(([name, title]) => {
  const drawing = toMarbleSvg(readTape(readFileSync(`${folder}/${name}.jsonl`, 'utf8')), { title, idPrefix: name });
  const file = `${folder}/${name}.svg`;
  if (!process.argv.includes('--check')) writeFileSync(file, drawing);
  return readFileSync(file, 'utf8') !== drawing;
});
if (stale.length > 0) {
  console.error(`Not up to date: ${stale.map(([name]) => `${folder}/${name}.svg`).join(', ')}. Run "npm run diagrams".`);
  process.exit(1);
}
