// Measures one workload with one engine in a fresh process: node --expose-gc child.mjs <engine> <workload>
// Prints { cpuMs, wallMs, characters } as JSON.
import { workloads } from './workloads.mjs';

const [engine, name] = process.argv.slice(2);
const { run } = await import(`./${engine}.mjs`);
await run(workloads.WARM, () => {});
globalThis.gc?.();

const workload = workloads[name];
let characters = 0;
const emit = (count) => {
  characters += count;
};
const cpu = process.cpuUsage();
const start = performance.now();
await Promise.all(Array.from({ length: workload.runs }, () => run(workload, emit)));
const used = process.cpuUsage(cpu);
console.log(JSON.stringify({ cpuMs: (used.user + used.system) / 1000, wallMs: performance.now() - start, characters }));
