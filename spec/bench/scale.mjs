// How the engine scales: each figure is a ratio within this process, printed as JSON by `node --expose-gc scale.mjs`.
import { from, lastValueFrom, Observable, of, toArray } from 'rxjs';
import { completeToolLoop, defineTool, toolLoop, toState, userMessage } from 'rx-tool-loop';
import { applyPatches, toPatches } from 'rx-tool-loop/patches';

const input = { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }), jsonSchema: { input: () => ({ type: 'object' }) } } };
const noop = defineTool({ name: 'noop', description: 'Does nothing.', input, run: () => 1 });
const model = (stream) => ({ id: 'bench', provider: 'bench', capabilities: ['tools'], stream });

/** 100,000 synchronous steps: microseconds a step in each fifth. Flat: the last costs what the second costs. */
async function synchronousSteps(count = 100_000) {
  let step = 0;
  const marks = [];
  const asking = model(() => {
    const index = step++;
    if (index % (count / 5) === 0) marks.push(performance.now());
    return index === count
      ? of({ type: 'text', block: 'b', text: 'end' }, { type: 'finish', reason: 'stop' })
      : of(
          { type: 'tool-call-start', index: 0, id: `c${index}`, name: 'noop' },
          { type: 'tool-call-end', index: 0, call: { id: `c${index}`, name: 'noop', arguments: {} } },
          { type: 'finish', reason: 'tool-use' },
        );
  });
  const outcome = await lastValueFrom(completeToolLoop({ model: asking, prompt: 'go', tools: [noop], budget: { maxSteps: count + 1 } }));
  if (outcome.steps.length !== count + 1) throw new Error(`ended after ${outcome.steps.length} steps`);
  const fifths = marks.slice(1).map((mark, at) => ((mark - marks[at]) * 1000) / (count / 5));
  return { steps: count, microsecondsAStep: fifths, lastOverSecond: fifths[4] / fifths[1] };
}

/**
 * A million deltas in one answer of which the reader keeps nothing: heap in use at each tenth, after a collection. What
 * must grow is the answer's own text, 1 byte a character here, because the outcome will hold it; that is subtracted.
 */
const WORDS = Array.from({ length: 1024 }, (_, at) => String(at).padStart(4, ' '));

async function flatHeap(count = 1_000_000) {
  const heaps = [];
  const talking = model(
    () =>
      new Observable((subscriber) => {
        for (let at = 0; at < count && !subscriber.closed; at++) {
          if (at % (count / 10) === 0) {
            globalThis.gc?.();
            heaps.push((process.memoryUsage().heapUsed - at * 4) / 2 ** 20);
          }
          subscriber.next({ type: 'text', block: 'b', text: WORDS[at & 1023] });
        }
        subscriber.next({ type: 'finish', reason: 'stop' });
        subscriber.complete();
      }),
  );
  await lastValueFrom(toolLoop({ model: talking, prompt: 'go' }));
  return { deltas: count, heapMiB: heaps, grownMiB: heaps.at(-1) - heaps[0] };
}

/** Arguments in 20-character pieces: nanoseconds a piece at 250 KB and at 1 MB. Linear: the same. */
async function longArguments() {
  const measure = async (length) => {
    const json = JSON.stringify({ payload: 'x'.repeat(length) });
    const writing = model(
      () =>
        new Observable((subscriber) => {
          if (writing.asked) {
            subscriber.next({ type: 'finish', reason: 'stop' });
            return subscriber.complete();
          }
          writing.asked = true;
          subscriber.next({ type: 'tool-call-start', index: 0, id: 'c', name: 'noop' });
          for (let at = 0; at < json.length; at += 20) subscriber.next({ type: 'tool-call-arguments', index: 0, chunk: json.slice(at, at + 20) });
          subscriber.next({ type: 'tool-call-end', index: 0, call: { id: 'c', name: 'noop', arguments: JSON.parse(json), rawArguments: json } });
          subscriber.next({ type: 'finish', reason: 'tool-use' });
          subscriber.complete();
        }),
    );
    const start = performance.now();
    await lastValueFrom(toolLoop({ model: writing, prompt: 'go', tools: [noop] }));
    return ((performance.now() - start) * 1e6) / (json.length / 20);
  };
  const median = async (length) => {
    const times = [];
    for (let n = 0; n < 7; n++) times.push(await measure(length));
    return times.sort((a, b) => a - b)[3];
  };
  await median(250_000);
  const [short, long] = [await median(250_000), await median(1_000_000)];
  return { nanosecondsAPiece: { '250 KB': short, '1 MB': long }, ratio: long / short };
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const timed = async (act) => {
  const start = performance.now();
  await act();
  return performance.now() - start;
};

/** An answer of five-byte pieces, as events. */
const answer = (count) => [
  { type: 'run-start', runId: 'r' },
  { type: 'step-start', runId: 'r', step: 0, attempt: 1, model: 'bench' },
  ...Array.from({ length: count }, (_, at) => ({ type: 'delta', runId: 'r', step: 0, delta: { type: 'text', block: 'b', text: ` ${WORDS[at & 1023]}` } })),
];

/** A conversation of 200 messages that goes on: bytes of the patches of 2,000 deltas, and microseconds a delta at 2,000 and 8,000. */
async function patches() {
  const messages = Array.from({ length: 200 }, (_, at) => (at % 2 === 0 ? userMessage('A question of some words.') : { role: 'assistant', content: [{ type: 'text', text: 'An answer. '.repeat(40), block: `m${at}` }] }));
  const updatesOf = (count) => lastValueFrom(from(answer(count)).pipe(toPatches({ messages }), toArray()));
  const bytes = (await updatesOf(2000)).slice(2).reduce((sum, { patch }) => sum + Buffer.byteLength(JSON.stringify(patch)), 0);
  const perDelta = async (count) => {
    const times = { emit: [], apply: [] };
    for (let n = 0; n < 7; n++) {
      let updates;
      times.emit.push((await timed(async () => (updates = await updatesOf(count)))) * (1000 / count));
      times.apply.push((await timed(() => lastValueFrom(from(updates).pipe(applyPatches())))) * (1000 / count));
    }
    return { emit: median(times.emit), apply: median(times.apply) };
  };
  await perDelta(2000);
  const [short, long] = [await perDelta(2000), await perDelta(8000)];
  return { bytes, microseconds: { short, long }, ratio: Math.max(long.emit / short.emit, long.apply / short.apply) };
}

/** 50,000 deltas folded, against reading the same stream as the text of AG-UI events. */
async function stateCost(count = 50_000) {
  const events = answer(count);
  const lines = events.slice(2).map(({ delta }) => JSON.stringify({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'r.0.1', delta: delta.text }));
  const times = { parse: [], fold: [] };
  let length = 0;
  for (let n = 0; n < 9; n++) {
    times.parse.push(await timed(() => { for (const line of lines) length += JSON.parse(line).delta.length; }));
    times.fold.push(await timed(async () => { length -= (await lastValueFrom(from(events).pipe(toState()))).messages[0].blocks[0].text.length; }));
  }
  if (length !== 0) throw new Error(`${length} characters differ`);
  const [parse, fold] = [median(times.parse), median(times.fold)];
  return { deltas: count, parseMs: parse, foldMs: fold, ratio: fold / parse };
}

/**
 * 50,000 text deltas, a call and an answer, with a hook of each kind that reads and changes nothing, over the same run
 * without: pairs, in turn, and the median of their ratios.
 */
async function hookedDeltas(count = 50_000) {
  const words = Array.from({ length: count }, (_, at) => ({ type: 'text', block: 'b', text: WORDS[at & 1023] }));
  const asking = (step) => (step === 0
    ? [...words, { type: 'tool-call-start', index: 0, id: 'c', name: 'noop' }, { type: 'tool-call-end', index: 0, call: { id: 'c', name: 'noop', arguments: {} } }, { type: 'finish', reason: 'tool-use' }]
    : [{ type: 'text', block: 'b', text: 'end' }, { type: 'finish', reason: 'stop' }]);
  const turns = [asking(0), asking(1)];
  let heard = 0;
  const hook = { beforeRequest: () => undefined, deltas: ['text'], onDelta: () => void (heard += 1), afterStep: () => undefined, beforeTool: () => undefined, afterTool: () => undefined };
  const hooks = Object.entries(hook).filter(([name]) => name !== 'deltas').map(([name, act]) => ({ [name]: act, ...(name === 'onDelta' && { deltas: hook.deltas }) }));
  const measure = async (given) => {
    let step = 0;
    globalThis.gc?.();
    const start = process.cpuUsage();
    await lastValueFrom(toolLoop({ model: model(() => of(...turns[step++])), prompt: 'go', tools: [noop], hooks: given }));
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  const pairs = [];
  for (let n = 0; n < 12; n++) pairs.push([await measure([]), await measure(hooks)]);
  if (heard !== 12 * (count + 1)) throw new Error(`the hooks heard ${heard} deltas`);
  const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
  const warm = pairs.slice(3);
  return { deltas: count, plainMs: median(warm.map(([plain]) => plain)), hookedMs: median(warm.map(([, hooked]) => hooked)), ratio: median(warm.map(([plain, hooked]) => hooked / plain)) };
}

const only = process.argv[2];
const all = { synchronousSteps, flatHeap, longArguments, patches, stateCost, hookedDeltas };
const figures = {};
for (const [name, measure] of Object.entries(all)) if (only === undefined || only === name) figures[name] = await measure();
console.log(JSON.stringify(figures));
