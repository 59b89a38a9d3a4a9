import { asTool, defineTool, ModelError, toolLoop } from 'rx-tool-loop';
import { scripted } from 'rx-tool-loop/scripted';
import { toMarbleSvg, readTape } from 'rx-tool-loop/marbles';
import { VirtualTimeScheduler, of, delay, timer, map, concat, from, concatMap, throwError } from 'rxjs';
import { writeFileSync } from 'node:fs';
import * as z from 'zod';
function record(name, model, tools, options) {
  const scheduler = new VirtualTimeScheduler();
  const counts = {}; const ids = (k) => `${k}${counts[k] = (counts[k] ?? 0) + 1}`;
  const lines = [{ tape: 1, startedAt: '2026-01-05T05:03:09.000Z', model: model.id ?? 'scripted', tools: tools.map((t) => t.name) }];
  toolLoop({ model, tools, scheduler, ids, random: () => 0, retry: { jitter: 0 }, prompt: 'go', ...options(scheduler) }).subscribe({
    next: (event) => lines.push({ at: Math.round(scheduler.now()), event }),
    error: (error) => lines.push({ at: Math.round(scheduler.now()), error: error.toJSON() }),
  });
  scheduler.flush();
  writeFileSync(`docs/diagrams/${name}.jsonl`, lines.map((l) => JSON.stringify(l) + '\n').join(''));
  console.log(name, lines.length);
}
let sch;
const words = (...t) => t;
const add = defineTool({ name: 'add', description: 'Adds.', input: z.object({ a: z.number(), b: z.number() }), parallelSafe: true, run: ({ a, b }) => timer(120, sch).pipe(map(() => a + b)) });
const search = defineTool({ name: 'search', description: 'Searches.', input: z.object({ for: z.string() }), parallelSafe: true, run: () => timer(900, sch).pipe(map(() => '12 papers')) });
const o = (more = {}) => (s) => { sch = s; return more; };
record('two-tools', scripted([
  { text: words('Let ', 'me ', 'look ', 'that ', 'up.'), calls: [{ name: 'add', arguments: { a: 2, b: 3 } }, { name: 'search', arguments: { for: 'bees' } }] },
  { text: words('There ', 'are ', '12 ', 'papers ', 'on ', 'bees, ', 'and ', '2 ', '+ ', '3 ', 'is ', '5.') },
], { delayMs: 30, id: 'model' }), [add, search], o());

const busy = () => new ModelError('model-http', 'Busy.', { status: 529, retryable: true });
const broke = () => new ModelError('model-transport', 'The connection broke.', { retryable: true });
record('troubles', scripted([
  { error: busy() },
  { text: words('It ', 'is '), error: broke() },
  { calls: [{ name: 'add', arguments: { a: 2, b: 'three' } }] },
  { text: words('It ', 'is ', '5.') },
], { delayMs: 30, id: 'model' }), [add], o({ policy: { streamFailure: { retract: 2 } }, retry: { count: 2 } }));

const find = defineTool({ name: 'find', description: 'Finds.', input: z.object({ topic: z.string() }), run: ({ topic }) => timer(250, sch).pipe(map(() => `12 papers on ${topic}`)) });
const send = defineTool({ name: 'send', description: 'Sends.', input: z.object({ to: z.string() }), needsApproval: true, run: () => timer(80, sch).pipe(map(() => 'sent')) });
const research = asTool({ name: 'research', description: 'R.', input: z.object({ question: z.string() }), loop: () => ({ prompt: 'q', tools: [find], model: scripted([{ calls: [{ name: 'find', arguments: { topic: 'bees' } }] }, { text: words('Twelve ', 'papers.') }], { delayMs: 30, id: 'inner' }) }) });
record('nested', scripted([
  { calls: [{ name: 'research', arguments: { question: 'What of bees?' } }] },
  { calls: [{ name: 'send', arguments: { to: 'Ada' } }] },
  { text: words('Twelve ', 'papers: ', 'sent.') },
], { delayMs: 30, id: 'model' }), [research, send], o({ approvals: () => of({ type: 'approve' }).pipe(delay(1500, sch)) }));
import { readFileSync } from 'node:fs';
for (const n of ['two-tools', 'troubles', 'nested']) writeFileSync(`docs/diagrams/${n}.svg`, toMarbleSvg(readTape(readFileSync(`docs/diagrams/${n}.jsonl`, 'utf8'))));
