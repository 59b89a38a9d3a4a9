// The workloads of the HTTP benchmark; `gate` is the largest CPU ratio to the floor that is accepted.
import { workloads } from './workloads.mjs';

const texts = (count) => workloads.W1.steps[0].text.slice(0, count);
const answer = (count) => [{ text: texts(count), calls: [] }];

export const httpWorkloads = {
  WARM: workloads.WARM,
  W1: { ...workloads.W1, gate: 1.2 },
  W1p: { what: '10,000 text deltas, each its own write', gate: 1.3, runs: 1, steps: answer(10_000), perEvent: true },
  W2: { ...workloads.W2, gate: 1.2 },
  W3: { ...workloads.W3, gate: 1.25 },
  W4: { ...workloads.W4, gate: 1.25 },
  'W5-50': { ...workloads['W5-200'], what: '50 steps of 20 deltas and 1 call', gate: 1.2, steps: workloads['W5-200'].steps.slice(0, 50).concat(workloads['W5-200'].steps.slice(-1)) },
  'W5-200': { ...workloads['W5-200'], gate: 1 },
  W6: { what: '100,000 deltas to a reader that takes 1 ms an event, for 4 s', runs: 1, steps: answer(50_000).map(({ text, calls }) => ({ text: [...text, ...text], calls })) },
  W7: { what: 'one event every 4 ms, left after 20', runs: 1, steps: answer(500), perEvent: true, paceMs: 4 },
  W8: { what: 'time to the first delta, warm', runs: 1, steps: answer(5) },
};
