import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { lastValueFrom, of, tap } from 'rxjs';
import { openaiChat } from '../../lib/deltas/openai-chat.ts';
import { toolLoop } from '../../lib/index.ts';
import type { LoopEvent, Message, Outcome, RunError, Tool } from '../../lib/index.ts';
import { fakeTool, verifyEvents } from '../../marbles/index.ts';
import { checkCorpus, corpusNotice, cutPositions, cutSeed, fixtures, foldersOf, recordings, session } from '../support/corpus.ts';
import type { Recording } from '../support/corpus.ts';
import { transcriptFaults } from '../support/valid-transcript.ts';
import { sessionServer } from './session-server.ts';
import type { SessionServer } from './session-server.ts';

interface Session {
  readonly id: string;
  readonly steps: readonly Recording[];
  /** Call id to what its tool gave back. */
  readonly results: Readonly<Record<string, string>>;
}

/** Its first body is an error of the model, which a run without feedback does not get past. */
const LEFT_OUT = 'groq/tool-validation-error-session';

function recorded(): Session[] {
  const steps = recordings('openai-chat', foldersOf('openai-chat'));
  const ids = new Set(steps.flatMap((step) => step.session?.id ?? []));
  return [...ids].filter((id) => id !== LEFT_OUT).map((id) => {
    const own = session('openai-chat', id);
    const sent = own.flatMap((step) => step.session?.toolResultsSentNext ?? []);
    return { id, steps: own, results: Object.fromEntries(sent.map(({ id: callId, content }) => [callId, content])) };
  });
}

/** The same kind of session from the bodies of this repository. */
function own(): Session {
  const bodies = fixtures('openai-chat');
  const steps = ['parallel-calls', 'text'].map((name) => bodies.find(({ id }) => id === `fixtures/${name}`) as Recording);
  return { id: OWN, steps, results: { call_a1: '5', call_b2: 'artless' } };
}

const OWN = 'fixtures/parallel-session';
const sessions = [own(), ...recorded()];

const toolsOf = ({ steps, results }: Session): Tool[] =>
  [...new Set(steps.flatMap(({ expected }) => expected.toolCalls.map(({ name }) => name)))].map((name) => ({
    ...fakeTool(of(''), { name }),
    run: (_args: unknown, { callId }: { callId: string }) => results[callId],
  }));

/** A whole run for each place: every one of the bodies of this repository, 40 of the others, by a printed seed. */
function places(id: string, length: number): number[] {
  return id === OWN ? cutPositions(length).filter((at) => at < length) : cutPositions(Math.max(length, 8_193)).slice(0, 40).map((at) => at % length);
}

describe('recorded sessions over loopback HTTP', () => {
  let server: SessionServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  it(corpusNotice(), () => {
    expect(checkCorpus).not.toThrow();
  });

  describe.each(sessions)('$id', (one) => {
    const { steps, results } = one;
    const wanted = steps.map(({ expected }) => expected);

    it('runs to its end: text, calls, usage, order, and a second request that pairs every call', async () => {
      server = await sessionServer(steps.map(({ body }) => body));
      const events: LoopEvent[] = [];
      const model = openaiChat({ model: 'recorded', baseUrl: server.baseUrl, apiKey: 'key-of-the-test' });
      const run$ = toolLoop({ model, tools: toolsOf(one), prompt: 'Go on.', policy: { keepReasoning: true } });
      await lastValueFrom(run$.pipe(verifyEvents(), tap((event) => events.push(event))));

      const { outcome } = events.at(-1) as Extract<LoopEvent, { type: 'done' }>;
      expect(outcome).toMatchObject({ reason: 'answer', completion: { text: wanted.at(-1)?.text } });
      const texts = steps.map((_, step) => said(events, step, 'text'));
      expect(texts).toEqual(wanted.map(({ text }) => text));
      expect(steps.map((_, step) => said(events, step, 'reasoning'))).toEqual(wanted.map(({ reasoning }) => reasoning));
      expect(events.flatMap((event) => (event.type === 'tool-call' ? [{ id: event.callId, name: event.call.name, arguments: event.call.arguments }] : []))).toEqual(
        wanted.flatMap(({ toolCalls }) => toolCalls),
      );
      expect(outcome.steps.map(({ usage }) => [usage.inputTokens, usage.outputTokens, usage.cachedInputTokens])).toEqual(
        wanted.map(({ usage }) => [usage.input, usage.output, usage.cachedRead ?? undefined]),
      );
      expect(events.filter(({ type }) => type === 'step-end' || type === 'tool-call' || type === 'tool-result').map(({ type }) => type)).toEqual(
        wanted.flatMap(({ toolCalls }) => ['step-end', ...toolCalls.map(() => 'tool-call'), ...toolCalls.map(() => 'tool-result')]),
      );
      expect(transcriptFaults(outcome.messages)).toEqual([]);
      expectPaired(server.requests, one);
    });

    // A process for each takes long, and the others differ in nothing that it does.
    if (one.id === OWN || one.id === 'openai/gpt5-parallel-session') it('runs through the built command', async () => {
      server = await sessionServer(steps.map(({ body }) => body));
      const root = resolve(__dirname, '../..');
      const words = ['dist/lib/serve/cli.js', 'run', 'Go on.', '--json', '--model', `${server.baseUrl}#recorded`, '--tools', 'spec/e2e/session-tools.mjs'];
      const names = toolsOf(one).map(({ name }) => name);
      const env = { ...process.env, SESSION_RESULTS: JSON.stringify(results), SESSION_TOOLS: names.join(), OPENAI_API_KEY: 'key-of-the-test' };
      const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root, env });

      const lines = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as { event?: LoopEvent & { outcome?: Outcome } });
      expect(lines[0]).toMatchObject({ tape: 1 });
      expect(lines.at(-1)?.event).toMatchObject({ type: 'done', outcome: { reason: 'answer', completion: { text: wanted.at(-1)?.text } } });
      expect(stdout).not.toContain('key-of-the-test');
      expectPaired(server.requests, one);
    });

    it(`ends in the row of its cut, wherever a body breaks off (seed ${cutSeed})`, async () => {
      for (const [step, { body }] of steps.entries()) {
        for (const at of places(one.id, body.length)) {
          const bodies = [...steps.slice(0, step).map((whole) => whole.body), body.subarray(0, at)];
          const cut = await playCut(one, bodies);
          const place = `step ${step} cut at ${at} of ${body.length}`;
          expect([place, cut.faults]).toEqual([place, []]);
          if (cut.error === undefined) expect([place, mayFinish(body, at)]).toEqual([place, true]);
          else expect([place, cut.error.code, cut.ran]).toEqual([place, 'model-transport', wanted.slice(0, step).flatMap(({ toolCalls }) => toolCalls).length]);
        }
      }
    });
  });
});

function said(events: readonly LoopEvent[], step: number, type: 'text' | 'reasoning'): string {
  return events.map((event) => (event.type === 'delta' && event.step === step && event.delta.type === type ? event.delta.text : '')).join('');
}

interface WireMessage {
  readonly role: string;
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
  readonly content?: unknown;
  readonly [field: string]: unknown;
}

/** Each request holds what was said before it: every call, each followed by its result, in order. */
function expectPaired(requests: readonly Record<string, unknown>[], { steps, results }: Session): void {
  expect(requests).toHaveLength(steps.length);
  for (const [step, { messages }] of requests.entries()) {
    const said = [...(messages as readonly WireMessage[])];
    expect(said.shift()).toEqual({ role: 'user', content: 'Go on.' });
    for (const { expected } of steps.slice(0, step)) {
      const turn = said.shift();
      const read = turn?.tool_calls?.map((call) => ({ id: call.id, name: call.function.name, arguments: JSON.parse(call.function.arguments) as unknown }));
      expect([turn?.role, read]).toEqual(['assistant', expected.toolCalls]);
      // Each server calls it otherwise; what it sealed holds it too.
      if (expected.reasoning !== '') expect(turn?.['reasoning_content'] ?? turn?.['reasoning'] ?? thoughtOf(turn)).toBe(expected.reasoning);
      expect('reasoning_details' in (turn ?? {})).toBe(expected.reasoningSigned ?? false);
      for (const { id } of expected.toolCalls) expect(said.shift()).toEqual({ role: 'tool', tool_call_id: id, content: results[id as string] });
    }
    expect(said).toEqual([]);
  }
}

function thoughtOf(turn: WireMessage | undefined): string {
  const details = turn?.['reasoning_details'] as readonly { text?: string; summary?: string }[] | undefined;
  return details?.map(({ text, summary }) => text ?? summary ?? '').join('') ?? '';
}

/** Once the finish reason has been read whole, the end of the body may be the end of the answer: not every server marks it. */
function mayFinish(body: Uint8Array, at: number): boolean {
  const text = Buffer.from(body.subarray(0, at)).toString('latin1');
  return /"finish_reason":\s?"/.test(text);
}

interface Cut {
  readonly error: RunError | undefined;
  readonly ran: number;
  readonly faults: readonly string[];
}

/** What of a Response is read; the thing itself costs more than the whole run. */
function answerOf(body: Uint8Array | undefined): object {
  const reads = [{ done: false, value: body }, { done: true }];
  return { ok: true, status: 200, headers: new Map(), body: { getReader: () => ({ read: () => Promise.resolve(reads.shift()) }) } };
}

/** Plays a session whose last body is cut; nothing is asked a second time. */
function playCut(one: Session, bodies: readonly Uint8Array[]): Promise<Cut> {
  let asked = 0;
  let ran = 0;
  const fetch = (() => Promise.resolve(answerOf(bodies[asked++]))) as unknown as typeof globalThis.fetch;
  const model = openaiChat({ model: 'recorded', fetch });
  const budget = { maxSteps: bodies.length };
  const run$ = toolLoop({ model, tools: toolsOf(one), prompt: 'Go on.', preset: 'strict', policy: { budgetEnd: 'stop' }, budget });
  return new Promise((done) => {
    let messages: readonly Message[] = [];
    run$.pipe(verifyEvents()).subscribe({
      next: (event) => {
        if (event.type === 'tool-start') ran += 1;
        if (event.type === 'done') messages = event.outcome.messages;
      },
      error: (error: RunError) => done({ error, ran, faults: transcriptFaults(error.run.messages) }),
      complete: () => done({ error: undefined, ran, faults: transcriptFaults(messages) }),
    });
  });
}
