import { concat, defer, filter, firstValueFrom, from, lastValueFrom, NEVER, of, toArray } from 'rxjs';
import * as z from 'zod';
import { scripted } from '../../lib/deltas/scripted.ts';
import type { ScriptedTurn } from '../../lib/deltas/scripted.ts';
import { defineTool, ModelError } from '../../lib/index.ts';
import type { Delta, LoopEvent, Tool } from '../../lib/index.ts';
import { agUiFormat } from '../../lib/projections/ag-ui.ts';
import { uiMessageFormat } from '../../lib/projections/ui-messages.ts';
import { httpHandler } from '../../lib/serve/http.ts';
import type { RunSetup } from '../../lib/serve/http.ts';
import { listen } from '../../lib/serve/node-listener.ts';
import { remoteLoop } from '../../lib/view/remote.ts';
import { finish, reasoning, text } from '../../marbles/index.ts';
import { hostedRuns } from './hosted-session.ts';

// A door on a socket, whose threads are named for the run that they are served.

const number = z.object({ n: z.number() });
const tools: readonly Tool[] = [
  defineTool({ name: 'double', description: 'Doubles.', input: number, parallelSafe: true, run: ({ n }) => 2 * n }),
  defineTool({ name: 'fail', description: 'Fails.', input: number, run: () => { throw new Error('secret path'); } }),
];
const cut = new ModelError('model-transport', 'The stream broke at secret.', { retryable: true });
const double = (id: string, n: number) => ({ name: 'double', id, arguments: { n } });

const turns: Readonly<Record<string, { readonly turns: readonly ScriptedTurn[]; readonly options?: Partial<RunSetup> }>> = {
  plain: { turns: [{ text: ['Hello ', 'you.'], usage: { inputTokens: 9, outputTokens: 2 } }] },
  reasoning: { turns: [[reasoning('Hm, ', 'r'), { type: 'reasoning', block: 'r', text: 'so.', meta: { signature: 's' } }, text('Yes.', 'b'), finish('stop')]] },
  parallel: { turns: [{ text: 'Let me see.', calls: [double('c1', 1), double('c2', 2)] }, { text: '2 and 4.' }] },
  failing: { turns: [{ calls: [{ name: 'fail', id: 'c1', arguments: { n: 1 } }] }, { text: 'It failed.' }] },
  retry: { turns: [{ error: new ModelError('model-http', 'Busy: secret.', { status: 503, retryable: true }) }, { text: 'At last.' }], options: { retry: { initialDelayMs: 1, jitter: 0 } } },
  retract: { turns: [{ text: 'Bad words', calls: [double('c1', 1)], error: cut }, { text: 'Good words.' }], options: { policy: { streamFailure: { retract: 1 } }, retry: { count: 0 } } },
  correction: { turns: [{ text: 'Half an', error: cut }, { text: 'A whole answer.' }], options: { retry: { count: 0 } } },
  error: { turns: [{ text: 'So far', error: new ModelError('model-http', 'No credit at secret.', { status: 402 }) }] },
};

const plain = Object.fromEntries(Object.entries(turns).map(([name, one]) => [name, (): RunSetup => ({ model: scripted(one.turns), tools, ...one.options })]));

/** By name, what a run is made of. `cancel` is not here: who cancels needs the address. */
export const doorSetups: Readonly<Record<string, () => RunSetup>> = {
  ...plain,
  ...hostedRuns,
  // Words of the user come by the door's own steering, so nothing stands after the tool that a summary could end in.
  beside: () => {
    const { compact: _compact, ...setup } = hostedRuns.beside();
    return setup;
  },
};

export interface OpenDoor {
  readonly url: string;
  /** Id of the run that a thread has started last. */
  runIdOf(thread: string): string;
  /** All that this run has said, as its own log has it. */
  eventsOf(thread: string): Promise<LoopEvent[]>;
  close(): Promise<void>;
}

/** Opens it at 127.0.0.1. A thread is the name of its run, and whatever follows a dot. */
export async function openDoor(): Promise<OpenDoor> {
  const runIds = new Map<string, string>();
  const setups = new Map<string, RunSetup>();
  let url = '';
  const cancelled = (runId: string): RunSetup => {
    const cancel$ = defer(() => from(fetch(`${url}/${runId}/cancel`, { method: 'POST' }))).pipe(filter(() => false));
    return { model: scripted([concat(of<Delta>(text('I begin', 'b')), cancel$, NEVER) as never]) };
  };
  const handler = httpHandler({
    start: ({ threadId = '' }, { runId, request }) => {
      const known = request === undefined ? setups.get(threadId) : undefined;
      const [name = ''] = threadId.split('.');
      // The script of a model goes on where the run was suspended.
      const setup = known ?? (name === 'cancel' ? cancelled(runId) : doorSetups[name]?.());
      if (setup === undefined) return new Response('There is no such run.', { status: 404 });
      setups.set(threadId, setup);
      runIds.set(threadId, runId);
      return setup;
    },
    formats: { 'ag-ui': agUiFormat(), 'ai-sdk-ui': uiMessageFormat(), 'ai-sdk-ui-6': uiMessageFormat({ version: 6 }) },
  });
  const server = await listen(handler);
  url = `${server.url}/runs`;
  const runIdOf = (thread: string): string => runIds.get(thread) ?? '';
  return {
    url,
    runIdOf,
    eventsOf: (thread) => lastValueFrom(remoteLoop({ url, runId: runIdOf(thread) }).pipe(toArray())),
    close: () => firstValueFrom(from(server.close())),
  };
}
