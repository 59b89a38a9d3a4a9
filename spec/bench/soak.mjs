// Soak: 10,000 runs one after another over loopback HTTP, most of them left or stopped at a random event, all on one
// long-lived AbortSignal. Prints what is left at the end as JSON: node --expose-gc soak.mjs <origin> [runs]
import { getEventListeners, setMaxListeners } from 'node:events';
import { defineTool, toolLoop } from 'rx-tool-loop';
import { openaiChat } from 'rx-tool-loop/openai-chat';

const [origin, count = '10000'] = process.argv.slice(2);
const runs = Number(count);
const input = { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }), jsonSchema: { input: () => ({ type: 'object' }) } } };
// Waits for a turn of the event loop, so that a run can also be left while a tool runs.
const lookup = defineTool({ name: 'lookup', description: 'Looks a thing up.', input, run: () => new Promise((resolve) => setImmediate(resolve, 'found')) });
const model = openaiChat({ baseUrl: `${origin}/WARM`, model: 'bench-1' });
const forever = new AbortController();
setMaxListeners(0, forever.signal);

// The same numbers everywhere.
let state = 1;
const random = (below) => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % below;

/** One run: to its end, left at event n, or stopped at event n. */
function once(how, at) {
  return new Promise((resolve, reject) => {
    const stop = new AbortController();
    let events = 0;
    const abort$ = how === 'stop' ? stop.signal : forever.signal;
    const subscription = toolLoop({ model, prompt: 'go', tools: [lookup], abort$ }).subscribe({
      next: () => {
        events += 1;
        if (events !== at) return;
        if (how === 'stop') stop.abort();
        if (how === 'leave') queueMicrotask(() => (subscription.unsubscribe(), resolve()));
      },
      error: reject,
      complete: resolve,
    });
  });
}

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
const heaps = [];
for (let run = 0; run < runs; run++) {
  if (run % (runs / 10) === 0) {
    globalThis.gc?.();
    heaps.push(process.memoryUsage().heapUsed / 2 ** 20);
  }
  await once(['end', 'leave', 'stop', 'leave'][random(4)], 1 + random(25));
}
await new Promise((resolve) => setTimeout(resolve, 1500));
globalThis.gc?.();
heaps.push(process.memoryUsage().heapUsed / 2 ** 20);
console.log(JSON.stringify({ runs, heaps, listeners: getEventListeners(forever.signal, 'abort').length, timers: timers(), sockets: sockets() }));
process.exit(0);
