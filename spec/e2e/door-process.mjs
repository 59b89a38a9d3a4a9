// A door with a log in a folder, as a process that a spec can kill: node door-process.mjs <folder> <port> <steps>.
//
// Each step of its runs says three words and calls a tool twice, both calls at the same time. The tool appends its call id to
// the file `ran` of the folder. The model knows how far the run is from the request alone, so that it survives.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { concatMap, from, timer, map } from 'rxjs';
import { defineTool } from 'rx-tool-loop';
import { fileRunLog } from 'rx-tool-loop/file-run-log';
import { httpHandler } from 'rx-tool-loop/http';
import { listen } from 'rx-tool-loop/node-listener';
import * as z from 'zod';

const [, , dir, port, steps] = process.argv;

function* turn(step) {
  for (const text of ['a', 'b', 'c']) yield { type: 'text', block: 'words', text };
  if (step === Number(steps)) return yield { type: 'finish', reason: 'stop' };
  for (const index of [0, 1]) {
    const call = { id: `call_${step}_${index}`, name: 'append', arguments: { index } };
    yield { type: 'tool-call-start', index, id: call.id, name: call.name };
    yield { type: 'tool-call-end', index, call };
  }
  yield { type: 'finish', reason: 'tool-use' };
}

const model = {
  id: 'steps', provider: 'spec', capabilities: ['tools', 'parallel-tools'],
  stream: ({ messages }) => {
    const step = messages.filter(({ role }) => role === 'assistant').length;
    return from(turn(step)).pipe(concatMap((delta) => timer(1).pipe(map(() => delta))));
  },
};

const append = defineTool({
  name: 'append', description: 'Appends.', input: z.object({ index: z.number() }), parallelSafe: true,
  run: async ({ index }, { callId }) => {
    await pause(2 + 2 * index);
    appendFileSync(join(dir, 'ran'), `${callId}\n`);
    await pause(2);
    return index;
  },
});

const handler = httpHandler({
  start: () => ({ model, tools: [append], budget: { maxSteps: 1_000 } }),
  log: fileRunLog({ dir, fsync: 'never' }),
  onError: console.error,
});
console.log((await listen(handler, { port: Number(port) })).url);
