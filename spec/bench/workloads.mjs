// What the benchmark runs: pure data from a fixed seed, so that every run of every engine sees the same deltas.

/** A small linear congruential generator: the same numbers everywhere. */
function numbers(seed) {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

const SYLLABLES = ['ka', 'lo', 'mi', 'ter', 'an', 'os', 'vel', 'é', 'ru', 'den'];

function words(count, seed) {
  const random = numbers(seed);
  return Array.from({ length: count }, () => ' ' + SYLLABLES[(random() * SYLLABLES.length) | 0] + SYLLABLES[(random() * SYLLABLES.length) | 0]);
}

function code(length, seed) {
  const random = numbers(seed);
  let text = '';
  while (text.length < length) text += `let v${(random() * 1e4) | 0} = f("${SYLLABLES[(random() * SYLLABLES.length) | 0]}");\n`;
  return text.slice(0, length);
}

function pieces(text, size) {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}

function call(step, index, characters, size) {
  const json = JSON.stringify({ id: `${step}.${index}`, payload: code(characters, step * 16 + index) });
  return { id: `call_${step}_${index}`, json, pieces: pieces(json, size) };
}

function steps(count, texts, calls, characters, size) {
  const asking = Array.from({ length: count }, (_, step) => ({
    text: words(texts, step + 1),
    calls: Array.from({ length: calls }, (__, index) => call(step, index, characters, size)),
  }));
  return [...asking, { text: words(5, 999), calls: [] }];
}

/** `gate`: the largest CPU ratio to the floor that is accepted. `runs`: how many loops at once. */
export const workloads = {
  W1: { what: '1 step, 50,000 text deltas', gate: 2.5, runs: 1, steps: [{ text: words(50_000, 1), calls: [] }] },
  W2: { what: '30 steps of 200 text deltas and 4 calls of 1 KB in 50 pieces', gate: 5, runs: 1, steps: steps(30, 200, 4, 1000, 21) },
  W3: { what: '1 call of 1 MB in 20-character pieces', gate: 2.5, runs: 1, steps: steps(1, 5, 1, 1_000_000, 20) },
  W4: { what: '200 loops at once, 2 steps of 500 deltas, 1 call', gate: 3, runs: 200, steps: [{ text: words(500, 5), calls: [call(0, 0, 100, 25)] }, { text: words(500, 6), calls: [] }] },
  'W5-200': { what: '200 steps of 20 deltas and 1 call', gate: 6, runs: 1, steps: steps(200, 20, 1, 230, 20) },
  WARM: { what: 'a small loop that loads what is loaded lazily', gate: Infinity, runs: 1, steps: steps(1, 5, 1, 50, 10) },
};

export const RESULT = code(1024, 7);

/** One step's deltas, in one synchronous go. */
export function* deltas({ text, calls }) {
  for (const piece of text) yield { type: 'text', block: 'b', text: piece };
  for (const [index, { id, json, pieces: chunks }] of calls.entries()) {
    yield { type: 'tool-call-start', index, id, name: 'lookup' };
    for (const chunk of chunks) yield { type: 'tool-call-arguments', index, chunk };
    yield { type: 'tool-call-end', index, call: { id, name: 'lookup', arguments: JSON.parse(json), rawArguments: json } };
  }
  yield { type: 'finish', reason: calls.length > 0 ? 'tool-use' : 'stop' };
}
