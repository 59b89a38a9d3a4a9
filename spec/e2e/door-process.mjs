// A door with a log in a folder, as a process that a spec can kill: node door-process.mjs <folder> <port> <steps>.
//
// Its runs are played by a small loop of its own, which keeps checkpoints and resumes from them as the contract says. Each
// step calls two tools one after another; a tool appends its call id to the file `ran` of the folder.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { firstValueFrom, from } from 'rxjs';
import { fileRunLog } from '../../dist/lib/serve/file-run-log.js';
import { makeHandler } from '../../dist/lib/serve/http.js';
import { listen } from '../../dist/lib/serve/node-listener.js';

const [, , dir, port, steps] = process.argv;
const EMPTY = { text: '', toolCalls: [] };
const COUNTERS = {
  calls: 0, toolCalls: 0, failures: 0, repairs: 0, invalidCalls: 0, corrections: 0,
  repeats: { text: { key: '', count: 0 }, calls: { key: '', count: 0 } }, warned: [], elapsedMs: 0,
};

async function* played({ runId, onCheckpoint }, at) {
  let { step, attempt, batch, counters } = at ?? { step: 0, attempt: 1, counters: COUNTERS };
  const ids = at?.ids ?? { calls: [], blocks: [] };
  const keep = () =>
    firstValueFrom(
      onCheckpoint({
        version: 1, runId, messages: [], input: 0, step, attempt, model: 0, steps: [], completion: EMPTY, counters, ids: structuredClone(ids),
        ...(batch && { batch: structuredClone(batch) }),
      }),
    );
  yield { type: 'run-start', runId, ...(at && { resumed: true }) };
  for (; step < Number(steps); step += 1) {
    if (!batch) {
      await keep();
      counters = { ...counters, calls: counters.calls + 1 };
      yield { type: 'step-start', runId, step, attempt, model: 'played' };
      const block = `block_${step}_${attempt}`;
      if (ids.blocks.includes(block)) throw new Error(`${block} is used a second time`);
      ids.blocks.push(block);
      for (const text of ['a', 'b', 'c']) {
        await pause(2);
        yield { type: 'delta', runId, step, delta: { type: 'text', block, text } };
      }
      const calls = [0, 1].map((n) => ({ id: `call_${step}_${attempt}_${n}`, name: 'append', arguments: {} }));
      yield { type: 'step-end', runId, step, attempt, usage: {}, finish: 'tool-use', toolCalls: 2 };
      batch = { turn: { role: 'assistant', content: [] }, announced: false, calls: calls.map((call) => ({ call })) };
      await keep();
    }
    for (const { call } of batch.calls) yield { type: 'tool-call', runId, step, callId: call.id, call };
    for (const one of batch.calls) {
      const { call } = one;
      const about = { runId, step, callId: call.id, call };
      if (!one.settled) {
        yield { type: 'tool-start', ...about, startedAt: Date.now() };
        await pause(2);
        appendFileSync(join(dir, 'ran'), `${call.id}\n`);
        await pause(2);
        const result = { callId: call.id, name: call.name, content: [{ type: 'text', text: 'ok' }], isError: false };
        one.settled = { result, elapsedMs: 4, ran: true, call };
        await keep();
      }
      if (one.released) continue;
      yield { type: 'tool-commit', ...about };
      yield { type: 'tool-result', ...about, result: one.settled.result, elapsedMs: 4 };
      one.released = true;
    }
    batch = undefined;
    attempt = 1;
  }
  yield { type: 'done', runId, outcome: { reason: 'answer', completion: EMPTY, messages: [], steps: [], usage: {} } };
}

const runner = {
  start: (_setup, controls) => from(played(controls)),
  resume: (checkpoint, _answers, _setup, controls) => from(played(controls, checkpoint)),
};
const handler = makeHandler({ start: () => ({}), log: fileRunLog({ dir, fsync: 'never' }), onError: console.error }, runner);
console.log((await listen(handler, { port: Number(port) })).url);
