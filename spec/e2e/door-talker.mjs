// A door with one run, r1, that has said 20 MB and says 200 KB more once it is told to:
// node --expose-gc door-talker.mjs <folder, or memory>, with IPC. On `talk` it speaks, on `memory` it tells the bytes that it
// holds. What it says are words of a tool, which no transcript keeps.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { defineTool } from 'rx-tool-loop';
import { fileRunLog } from 'rx-tool-loop/file-run-log';
import { httpHandler, memoryRunLog } from 'rx-tool-loop/http';
import { listen } from 'rx-tool-loop/node-listener';
import { scripted } from 'rx-tool-loop/scripted';
import * as z from 'zod';

const [, , log] = process.argv;
const FIRST = 20_000;
const text = 'x'.repeat(1_000);

const talk = defineTool({
  name: 'talk', description: 'Talks.', input: z.object({}),
  run: async (_input, { progress }) => {
    for (let at = 0; at < FIRST; at += 1) progress(text);
    await once(process, 'talk');
    for (let at = 0; at < 200; at += 1) {
      progress(text);
      if (at % 10 === 9) await pause(2);
    }
  },
});

const handler = httpHandler({
  start: () => ({ model: scripted([{ calls: [{ name: 'talk' }] }, { text: 'ok' }]), tools: [talk] }),
  log: log === 'memory' ? memoryRunLog() : fileRunLog({ dir: log, fsync: 'never' }),
  onError: console.error,
});
const { url } = await listen(handler);
await fetch(`${url}/runs`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"prompt":"go","runId":"r1"}' });

let position = 0;
while (position < FIRST) ({ position } = await (await fetch(`${url}/runs/r1`)).json());

process.on('message', (said) => {
  if (said === 'talk') return process.emit('talk');
  gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send({ bytes: heapUsed + external });
});
process.on('disconnect', () => process.exit());
process.send({ url, position });
