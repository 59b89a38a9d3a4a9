// A door with one run, r1, that says 3 MB once it is told to: node --expose-gc door-talker.mjs <folder, or memory>, with IPC.
// On `talk` it speaks, on `memory` it tells the bytes that it holds.
import { concatMap, from, of, range, Subject, switchMap, take, timer } from 'rxjs';
import { fileRunLog } from 'rx-tool-loop/file-run-log';
import { httpHandler, memoryRunLog } from 'rx-tool-loop/http';
import { listen } from 'rx-tool-loop/node-listener';

const [, , log] = process.argv;
const text = 'x'.repeat(1_000);
const talk$ = new Subject();

const model = {
  id: 'talker', provider: 'spec', capabilities: [],
  stream: () =>
    talk$.pipe(
      take(1),
      switchMap(() => range(0, 300)),
      concatMap((at) => timer(2).pipe(switchMap(() => (at === 299 ? of({ type: 'finish', reason: 'stop' }) : from(Array(10).fill({ type: 'text', block: 'b', text })))))),
    ),
};

const handler = httpHandler({
  start: () => ({ model, timeouts: { firstDeltaMs: 0 } }),
  log: log === 'memory' ? memoryRunLog() : fileRunLog({ dir: log, fsync: 'never' }),
  onError: console.error,
});
const { url } = await listen(handler);
await fetch(`${url}/runs`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"prompt":"go","runId":"r1"}' });

process.on('message', (said) => {
  if (said === 'talk') return talk$.next();
  gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send({ bytes: heapUsed + external });
});
process.on('disconnect', () => process.exit());
process.send({ url });
