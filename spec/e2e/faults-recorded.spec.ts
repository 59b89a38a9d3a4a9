import { afterEach, describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import type { Tool } from '../../lib/index.ts';
import { fakeTool } from '../../marbles/index.ts';
import { checkCorpus, corpusNotice, session } from '../support/corpus.ts';
import { closeFaultServers, faultServer } from './fault-server.ts';
import type { Reply } from './fault-server.ts';
import { runAgainst, wires } from './fault-script.ts';
import type { Wire } from './fault-script.ts';

afterEach(closeFaultServers);

const [wire] = wires as [Wire, ...Wire[]];

interface Session {
  readonly id: string;
  readonly bodies: readonly (string | Uint8Array)[];
  readonly tool: string;
  readonly callId: string;
  /** As the tool gave it when this was recorded. */
  readonly result: string;
  readonly answer: string;
}

/** A server that refuses a call which its own model wrote, in the middle of the answer. */
const own: Session = {
  id: 'of this repository',
  bodies: [
    'data: {"id":"r1","model":"m","choices":[{"index":0,"delta":{"reasoning":"We call it wrongly."},"finish_reason":null}]}\n\n' + wire.errorFrame('tool_use_failed'),
    wire.calls({ id: 'call_1', input: ['{"a":1}'] }).join(''),
    wire.text('It ', 'worked.').join(''),
  ],
  tool: 'add', callId: 'call_1', result: '5', answer: 'It worked.',
};

function recorded(): Session[] {
  const steps = session('openai-chat', 'groq/tool-validation-error-session');
  const [first] = steps.flatMap(({ session: step }) => step?.toolResultsSentNext ?? []);
  const name = steps[1]?.expected.toolCalls[0]?.name;
  if (first === undefined || name === undefined) return [];
  return [{ id: 'as recorded', bodies: steps.map(({ body }) => body), tool: name, callId: first.id, result: first.content, answer: steps[2]?.expected.text ?? '' }];
}

describe('a call that the server itself refuses (tool_use_failed)', () => {
  it(corpusNotice(), () => {
    expect(checkCorpus).not.toThrow();
  });

  it.each([own, ...recorded()])('is told to the model, which calls again and answers: $id', async ({ bodies, tool: name, callId, result, answer }) => {
    const tool: Tool = { ...fakeTool(of(''), { name }), run: (_args: unknown, context: { callId: string }) => (context.callId === callId ? result : 'another call') };
    const server = await faultServer(bodies.map((body): Reply => ({ body })));
    const run = await runAgainst(server, wire, { tools: [tool], policy: { streamFailure: { feedback: 3 } } });

    expect(run.story.filter((word) => word !== 'text' && word !== 'call')).toEqual([
      'step 0', 'end error', 'correction 1/3',
      'step 1', 'end tool-use', 'tool-call', 'tool-start', 'tool-commit', 'result',
      'step 2', 'end stop', 'done answer',
    ]);
    expect(run.events.find(({ type }) => type === 'correction')).toMatchObject({ reason: expect.stringContaining('an error inside its stream') });
    expect(run.outcome).toMatchObject({ completion: { text: answer }, steps: [{ finish: 'error' }, { finish: 'tool-use', toolCalls: 1 }, { finish: 'stop' }] });
    expect([server.requests.length, run.faults, run.openSockets]).toEqual([3, [], 0]);

    // Thoughts alone are no turn: the correction follows the prompt, and the result its call.
    const sent = server.requests.map(({ body }) => (body['messages'] as readonly { role: string; content?: unknown; tool_call_id?: string }[]));
    expect(sent.map((messages) => messages.map(({ role }) => role))).toEqual([['user'], ['user', 'user'], ['user', 'user', 'assistant', 'tool']]);
    expect(sent[2]?.at(-1)).toEqual({ role: 'tool', tool_call_id: callId, content: result });
  });

  it('is asked for so often in a row and no more', async () => {
    const server = await faultServer(() => ({ body: own.bodies[0] ?? '' }));
    const run = await runAgainst(server, wire, { policy: { streamFailure: { feedback: 2 } } });
    expect(run.story.filter((word) => word !== 'text')).toEqual(['step 0', 'end error', 'correction 1/2', 'step 1', 'end error', 'correction 2/2', 'step 2', 'error model-stream']);
    expect([server.requests.length, run.faults, run.openSockets]).toEqual([3, [], 0]);
  });

  it('ends the run at once without feedback', async () => {
    const server = await faultServer(() => ({ body: own.bodies[0] ?? '' }));
    const run = await runAgainst(server, wire, { preset: 'strict', retry: { count: 0 } });
    expect([run.story, server.requests.length, run.faults, run.openSockets]).toEqual([['step 0', 'error model-stream'], 1, [], 0]);
  });

  it('is asked for again in silence where it comes as a failure status', async () => {
    const server = await faultServer([{ status: 400, body: wire.errorBody('tool_use_failed') }, { body: wire.text('hello').join('') }]);
    const run = await runAgainst(server, wire);
    expect([run.story, server.requests.length, run.faults, run.openSockets]).toEqual([['step 0', 'retry 1/3', 'text', 'end stop', 'done answer'], 2, [], 0]);
  });
});
