// Measures one HTTP workload in a fresh process: node --expose-gc http-child.mjs <engine> <workload> <origin>
import { httpWorkloads } from './http-workloads.mjs';

const [engine, name, origin] = process.argv.slice(2);
const { run } = await import(`./http-${engine}.mjs`);
await run(`${origin}/WARM`, () => {});
globalThis.gc?.();

const url = `${origin}/${name}`;
const { runs } = httpWorkloads[name];
let characters = 0;
let events = 0;
const emit = (count) => {
  characters += count;
  events += 1;
};
const report = (figures) => console.log(JSON.stringify(figures));

if (name === 'W6') {
  // A reader that takes 1 ms an event; after 4 s it leaves, and the server says how far ahead it was.
  const controller = new AbortController();
  const start = Date.now();
  let heap = 0;
  const pause = () => {
    if (events % 256 === 0) heap = Math.max(heap, process.memoryUsage().heapUsed);
    if (Date.now() - start > 4000) controller.abort();
    return new Promise((resolve) => setTimeout(resolve, 1));
  };
  const stop = new Promise((resolve) => setTimeout(resolve, 4200));
  void run(url, emit, { signal: controller.signal, pause }).catch(() => {});
  await stop;
  report({ events, heapMiB: heap / 2 ** 20 });
  process.exit(0);
} else if (name === 'W7') {
  const controller = new AbortController();
  let left;
  await run(url, (count) => {
    emit(count);
    if (events === 20) {
      left = { at: Date.now(), events };
      controller.abort();
    }
  }, { signal: controller.signal }).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 300));
  report({ leftAt: left.at, eventsAfter: events - left.events });
} else if (name === 'W8') {
  const times = [];
  for (let n = 0; n < 60; n++) {
    const start = performance.now();
    let first;
    await run(url, () => (first ??= performance.now() - start));
    if (n >= 20) times.push(first);
  }
  report({ firstMs: times.sort((a, b) => a - b)[times.length >> 1] });
} else {
  const cpu = process.cpuUsage();
  await Promise.all(Array.from({ length: runs }, () => run(url, emit)));
  const used = process.cpuUsage(cpu);
  report({ cpuMs: (used.user + used.system) / 1000, characters });
}
process.exit(0);
