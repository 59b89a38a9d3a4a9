// npm run bench: CPU of the engine as a ratio to the hand-written floor, both in one run, interleaved, median of the
// repetitions; then how it scales. Exits 1 when a gate does not hold.
//   npm run bench -- [workload ...] [--reps 7]
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { workloads } from './workloads.mjs';

const run = promisify(execFile);
const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const { values, positionals } = parseArgs({ allowPositionals: true, options: { reps: { type: 'string', default: '7' } } });
const names = positionals.length > 0 ? positionals : Object.keys(workloads).filter((name) => name !== 'WARM');
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const measure = async (engine, name) => JSON.parse((await run(process.execPath, ['--expose-gc', file('child.mjs'), engine, name])).stdout);
let held = true;
const gate = (ok) => {
  held &&= ok;
  return ok ? 'holds' : 'DOES NOT HOLD';
};

for (const name of names) {
  const { what, gate: limit } = workloads[name];
  const pairs = [];
  for (let n = 0; n < Number(values.reps); n++) {
    const floor = await measure('floor', name);
    const engine = await measure('engine', name);
    if (floor.characters !== engine.characters) throw new Error(`${name}: ${engine.characters} characters, the floor has ${floor.characters}`);
    pairs.push({ floor: floor.cpuMs, engine: engine.cpuMs, ratio: engine.cpuMs / floor.cpuMs });
  }
  const [floor, engine, ratio] = ['floor', 'engine', 'ratio'].map((key) => median(pairs.map((pair) => pair[key])));
  console.log(`${name.padEnd(7)} ${ratio.toFixed(2)} x the floor (gate ${limit}, ${gate(ratio <= limit)}); CPU ${engine.toFixed(1)} ms against ${floor.toFixed(1)} ms: ${what}`);
}

if (positionals.length === 0) {
  const { synchronousSteps, flatHeap, longArguments } = JSON.parse((await run(process.execPath, ['--expose-gc', file('scale.mjs')])).stdout);
  const us = synchronousSteps.microsecondsAStep.map((one) => one.toFixed(1)).join(', ');
  console.log(`steps   ${synchronousSteps.steps} synchronous steps: ${us} µs a step in each fifth; last over second ${synchronousSteps.lastOverSecond.toFixed(2)} (gate 1.5, ${gate(synchronousSteps.lastOverSecond <= 1.5)})`);
  console.log(`heap    ${flatHeap.deltas} deltas: grown by ${flatHeap.grownMiB.toFixed(1)} MiB (gate 2, ${gate(flatHeap.grownMiB <= 2)})`);
  const { nanosecondsAPiece: ns, ratio } = longArguments;
  console.log(`args    1 MB in 20-character pieces: ${ns['1 MB'].toFixed(0)} ns a piece, ${ns['250 KB'].toFixed(0)} ns at 250 KB; ratio ${ratio.toFixed(2)} (gate 1.3, ${gate(ratio <= 1.3)})`);
}
process.exitCode = held ? 0 : 1;
