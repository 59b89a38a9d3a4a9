// npm run bench: CPU of the engine as a ratio to the hand-written floor, both in one run, interleaved, median of the
// repetitions: what an import costs, over an in-process model, over loopback HTTP, and how it scales. Exits 1 when a gate
// does not hold.
//   npm run bench -- [import W1 http:W1 scale soak ...] [--reps 7]
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { httpWorkloads } from './http-workloads.mjs';
import { workloads } from './workloads.mjs';

const run = promisify(execFile);
const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const { values, positionals } = parseArgs({ allowPositionals: true, options: { reps: { type: 'string', default: '7' } } });
const wanted = (name) => positionals.length === 0 || positionals.includes(name);
const reps = Number(values.reps);
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const child = async (script, ...words) => JSON.parse((await run(process.execPath, ['--expose-gc', file(script), ...words])).stdout);
let held = true;
const gate = (ok, limit) => {
  held &&= ok;
  return `gate ${limit}, ${ok ? 'holds' : 'DOES NOT HOLD'}`;
};

async function ratio(label, what, limit, measure) {
  const pairs = [];
  for (let n = 0; n < reps; n++) {
    const floor = await measure('floor');
    const engine = await measure('engine');
    if (floor.characters !== engine.characters) throw new Error(`${label}: ${engine.characters} characters, the floor has ${floor.characters}`);
    pairs.push({ floor: floor.cpuMs, engine: engine.cpuMs, ratio: engine.cpuMs / floor.cpuMs });
  }
  const [floor, engine, times] = ['floor', 'engine', 'ratio'].map((key) => median(pairs.map((pair) => pair[key])));
  console.log(`${label.padEnd(12)} ${times.toFixed(2)} x the floor (${gate(times <= limit, limit)}); CPU ${engine.toFixed(1)} ms against ${floor.toFixed(1)} ms: ${what}`);
}

if (wanted('import')) {
  const pairs = [];
  for (let n = 0; n < Math.max(reps, 9); n++) {
    const { ms: rxjs } = await child('import-child.mjs', 'rxjs');
    const { ms: engine } = await child('import-child.mjs', 'rx-tool-loop');
    pairs.push({ rxjs, over: engine - rxjs });
  }
  const [rxjs, over] = ['rxjs', 'over'].map((key) => median(pairs.map((pair) => pair[key])));
  console.log(`import       ${over.toFixed(1)} ms over the ${rxjs.toFixed(1)} ms of rxjs alone (${gate(over <= 15, '15 ms')}): the main entry, in a fresh process`);
}

for (const [name, { what, gate: limit }] of Object.entries(workloads)) {
  if (name !== 'WARM' && wanted(name)) await ratio(name, what, limit, (engine) => child('child.mjs', engine, name));
}

const http = Object.keys(httpWorkloads).filter((name) => name !== 'WARM' && wanted(`http:${name}`));
if (http.length > 0 || wanted('soak')) {
  const server = fork(file('http-server.mjs'));
  const [{ port }] = await once(server, 'message');
  const origin = `http://127.0.0.1:${port}`;
  const ask = async (message) => {
    server.send(message);
    const [seen] = await once(server, 'message');
    return seen;
  };
  const probe = async (engine, name) => {
    await ask({ reset: true });
    const figures = await child('http-child.mjs', engine, name, origin);
    return { ...figures, ...(await ask({ ask: true })) };
  };
  const both = async (name) => {
    const floors = [];
    const engines = [];
    for (let n = 0; n < Math.min(reps, 5); n++) {
      floors.push(await probe('floor', name));
      engines.push(await probe('engine', name));
    }
    const of = (key) => [median(floors.map((one) => one[key])), median(engines.map((one) => one[key]))];
    return { of, engines };
  };
  const special = {
    async W6() {
      const { of, engines } = await both('W6');
      const ahead = engines.map((one) => one.written - one.events);
      const [floorWritten, engineWritten] = of('written');
      const [floorEvents] = of('events');
      const lead = median(ahead) / (floorWritten - floorEvents);
      console.log(`http:W6      ${lead.toFixed(2)} x the floor's lead (${gate(lead <= 1.15, 1.15)}); server ahead ${engineWritten - median(engines.map((one) => one.events))} deltas, heap ${of('heapMiB')[1].toFixed(0)} MiB against ${of('heapMiB')[0].toFixed(0)}: ${httpWorkloads.W6.what}`);
    },
    async W7() {
      const { engines } = await both('W7');
      const close = median(engines.map((one) => one.closedAt - one.leftAt));
      // Two requests of the loop that warms up, and its own.
      const after = Math.max(...engines.map((one) => one.eventsAfter + one.requests - 3));
      console.log(`http:W7      the server sees the close ${close} ms after leaving (${gate(close <= 5, '5 ms')}); events and requests after: ${after} (${gate(after === 0, 0)}): ${httpWorkloads.W7.what}`);
    },
    async W8() {
      const { of } = await both('W8');
      const [floor, engine] = of('firstMs');
      console.log(`http:W8      ${(engine - floor).toFixed(3)} ms over the floor's ${floor.toFixed(3)} ms (${gate(engine - floor <= 0.2, '0.2 ms')}): ${httpWorkloads.W8.what}`);
    },
  };
  for (const name of http) {
    if (special[name] !== undefined) await special[name]();
    else await ratio(`http:${name}`, httpWorkloads[name].what, httpWorkloads[name].gate, (engine) => child('http-child.mjs', engine, name, origin));
  }
  if (wanted('soak')) await soak(origin);
  server.send({ stop: true });
}

async function soak(origin) {
  const { runs, heaps, listeners, timers, sockets } = await child('soak.mjs', origin);
  // From the second tenth on, when everything has been compiled and loaded.
  const grown = heaps.at(-1) - heaps[1];
  const left = `${listeners} listeners, ${timers} timers, ${sockets} sockets`;
  // One idle connection may wait for the next request; that is what keep-alive is.
  console.log(`soak         ${runs} runs with random cancels: ${left} left (${gate(listeners === 0 && timers <= 1 && sockets <= 1, 'none but one idle connection')}); heap grown by ${grown.toFixed(1)} MiB (${gate(grown <= 2, '2 MiB')})`);
}

if (wanted('scale')) {
  const { synchronousSteps, flatHeap, longArguments, patches, stateCost, hookedDeltas } = await child('scale.mjs');
  const us = synchronousSteps.microsecondsAStep.map((one) => one.toFixed(1)).join(', ');
  console.log(`steps        ${synchronousSteps.steps} synchronous steps: ${us} us a step in each fifth; last over second ${synchronousSteps.lastOverSecond.toFixed(2)} (${gate(synchronousSteps.lastOverSecond <= 1.5, 1.5)})`);
  console.log(`heap         ${flatHeap.deltas} deltas: grown by ${flatHeap.grownMiB.toFixed(1)} MiB beside the text itself (${gate(flatHeap.grownMiB <= 2, '2 MiB')})`);
  const { nanosecondsAPiece: ns, ratio: growth } = longArguments;
  console.log(`args         1 MB in 20-character pieces: ${ns['1 MB'].toFixed(0)} ns a piece, ${ns['250 KB'].toFixed(0)} ns at 250 KB; ratio ${growth.toFixed(2)} (${gate(growth <= 1.3, 1.3)})`);
  const { bytes, microseconds: patchUs, ratio: slower } = patches;
  const [sent, read] = ['emit', 'apply'].map((key) => `${patchUs.short[key].toFixed(1)} us a delta to ${key}, ${patchUs.long[key].toFixed(1)} us at 8,000`);
  console.log(`patches      2,000 deltas on 200 messages: ${(bytes / 1024).toFixed(1)} KB (${gate(bytes <= 120 * 1024, '120 KB')}); ${sent}; ${read}; ratio ${slower.toFixed(2)} (${gate(slower <= 1.3, 1.3)})`);
  console.log(`state        ${stateCost.deltas} deltas: ${stateCost.ratio.toFixed(2)} x reading them as JSON (${gate(stateCost.ratio <= 3, 3)}); ${stateCost.foldMs.toFixed(1)} ms against ${stateCost.parseMs.toFixed(1)} ms`);
  const { plainMs, hookedMs, ratio: dearer } = hookedDeltas;
  console.log(`hooks        ${hookedDeltas.deltas} deltas with five hooks: ${dearer.toFixed(2)} x the same without (${gate(dearer <= 2, 2)}); ${hookedMs.toFixed(1)} ms against ${plainMs.toFixed(1)} ms`);
}
process.exitCode = held ? 0 : 1;
