import { describe, expect, it } from '@jest/globals';
import { asapScheduler, of } from 'rxjs';
import { anthropic } from '../../lib/deltas/anthropic.ts';
import { openaiChat } from '../../lib/deltas/openai-chat.ts';
import { isShown } from '../../lib/delta.ts';
import { toolLoop } from '../../lib/index.ts';
import type { LoopEvent, Message, Model, Outcome, RunError, Tool } from '../../lib/index.ts';
import { fakeTool, verifyEvents } from '../../marbles/index.ts';
import { checkCorpus, corpusNotice, cutPositions, cutSeed, fixtures, foldersOf, recordings } from '../support/corpus.ts';
import type { Recording } from '../support/corpus.ts';
import { transcriptFaults } from '../support/valid-transcript.ts';

const own: Recording[] = ['openai-chat', 'anthropic'].flatMap(fixtures);
const recorded: Recording[] = ['openai-chat', 'anthropic-messages'].flatMap((dialect) => recordings(dialect, foldersOf(dialect)));

/** Every position of every body up to 8 KiB, which takes minutes. */
const EVERY_BYTE = process.env['CUT_EVERY_BYTE'] !== undefined;
const SHORT = 8_192;
const RANDOM_CUTS = 100;

/**
 * Where a body is cut. With the default preset, every position of a body of this repository; else so many random
 * places, as many at the ends of lines, and the end.
 */
function places({ id, body }: Recording, preset: Preset): number[] {
  const { length } = body;
  const isOwn = id.startsWith('fixtures/') && preset === undefined;
  if (length <= SHORT && (EVERY_BYTE || isOwn)) return cutPositions(length);
  const random = cutPositions(Math.max(length, SHORT + 1));
  const lineEnds = [...body.keys()].filter((at) => body[at] === LF);
  const nearEnds = random.slice(RANDOM_CUTS, RANDOM_CUTS * 2).map((place, nth) => (lineEnds[place % lineEnds.length] ?? 0) + (nth % 3));
  return [...random.slice(0, RANDOM_CUTS).map((place) => place % length), ...nearEnds, length].filter((at) => at <= length);
}

const LF = 10;

interface Frame {
  readonly type?: string;
  readonly choices?: readonly { readonly index?: number; readonly finish_reason?: string | null }[];
}

/** How many bytes prove that the answer has ended: the first whole frame that says so. Less than that is never an answer. */
function provedAt({ body }: Recording): number {
  const text = Buffer.from(body).toString('latin1');
  if (text.startsWith('{')) return text.trimEnd().length;
  const proofs = [...text.matchAll(/^data: ?(\{.*?)\r?$/gm)].filter(([, said = '']) => {
    const { type, choices } = JSON.parse(said) as Frame;
    return type === 'message_stop' || (choices ?? []).some((choice) => !choice.index && choice.finish_reason);
  });
  const [first] = proofs;
  return first === undefined ? Infinity : first.index + first[0].trimEnd().length;
}

/** What of a Response is read; the thing itself costs more than the whole run. */
function answerOf(body: Uint8Array): object {
  const reads = [...(body.length > 0 ? [{ done: false, value: body }] : []), { done: true }];
  return { ok: true, status: 200, headers: new Map(), body: { getReader: () => ({ read: () => Promise.resolve(reads.shift()) }) } };
}

/** Gives what stands in `answers`, each once; then empty ones. */
function modelOf(dialect: string, answers: Uint8Array[]): Model {
  const fetch = (() => Promise.resolve(answerOf(answers.shift() ?? new Uint8Array(0)))) as unknown as typeof globalThis.fetch;
  return dialect === 'openai-chat' ? openaiChat({ model: 'recorded', fetch }) : anthropic({ model: 'recorded', fetch });
}

/** A whole answer in the words of a wire. */
function wholeAnswer(dialect: string): Uint8Array {
  const name = dialect === 'openai-chat' ? dialect : 'anthropic';
  return own.find((one) => one.dialect === name && one.id === 'fixtures/text')?.body as Uint8Array;
}

interface Play {
  readonly events: readonly LoopEvent[];
  readonly outcome: Outcome | undefined;
  /** `undefined` too where neither ending came. */
  readonly error: RunError | undefined;
}

const HANGS_MS = 10_000;

/** One run. Nothing waits. */
function play(model: Model, tools: readonly Tool[], preset: Preset): Promise<Play> {
  const events: LoopEvent[] = [];
  const noWaits = { retry: { initialDelayMs: 0 }, scheduler: asapScheduler, timeouts: { firstDeltaMs: 0, idleMs: 0, stallMs: 0 } };
  const run$ = toolLoop({ model, tools, prompt: 'Go on.', ...(preset && { preset }), ...noWaits });
  return new Promise((resolve, reject) => {
    const settle = (error?: RunError): void => {
      clearTimeout(bound);
      const last = events.at(-1);
      if (error !== undefined && error.run === undefined) reject(error);
      resolve({ events, outcome: last?.type === 'done' ? last.outcome : undefined, error });
    };
    const bound = setTimeout(settle, HANGS_MS);
    run$.pipe(verifyEvents()).subscribe({ next: (event) => events.push(event), error: settle, complete: () => settle() });
  });
}

type Preset = 'strict' | undefined;

/** What is wrong with how this play ended, given where its first body was cut; `undefined` where nothing is. */
function wrong(one: Recording, preset: Preset, isProved: boolean, isWhole: boolean, { events, outcome, error }: Play): string | undefined {
  if (outcome === undefined && error === undefined) return 'it hangs';
  const messages: readonly Message[] = error?.run.messages ?? [...(outcome?.messages ?? []), ...(outcome?.answer ? [outcome.answer] : [])];
  const [fault] = transcriptFaults(messages);
  if (fault !== undefined) return fault;

  const first = events.filter((event) => 'step' in event && event.step === 0);
  const ran = first.flatMap((event) => (event.type === 'tool-start' ? [event.call] : []));
  if (ran.length > 0 && !isProved) return 'a call of a cut answer ran';
  const asked = new Set(one.expected.toolCalls.map((call) => JSON.stringify(call.arguments)));
  if (ran.some((call) => !asked.has(JSON.stringify(call.arguments)))) return 'a call ran that nobody had asked for';

  const isFailure = one.expected.error !== null;
  // An error may come behind the reason; a cut between them hides it.
  const mayBeAnswer = isProved && !(isFailure && isWhole);
  if (isWhole && !isFailure && events.some(({ type }) => type === 'retry' || type === 'correction')) return 'a whole answer was asked for again';
  if (error !== undefined) {
    if (isWhole && !isFailure && error.code !== 'empty-answer') return `a whole answer failed: ${error.message}`;
    if (error.code === 'empty-answer') return isProved ? undefined : 'a cut answer was taken for an empty one';
    if (first.some(({ type }) => type === 'step-end')) return 'a failed step has a step-end';
    if (preset === 'strict') return ['model-transport', 'model-stream', 'model-protocol'].includes(error.code) ? undefined : `it failed with ${error.code}`;
    return isFailure && !error.retryable ? undefined : `it failed with ${error.code}, which a further call may help`;
  }
  if (preset === 'strict') return mayBeAnswer ? undefined : 'a cut answer was taken for a whole one';
  return wrongRow(first, mayBeAnswer);
}

/** Rows 6 and 9 of the table in docs/semantics.md: again in silence where nothing was shown, told of where something was. */
function wrongRow(first: readonly LoopEvent[], mayBeAnswer: boolean): string | undefined {
  const retryAt = first.findIndex(({ type }) => type === 'retry');
  const said = retryAt === -1 ? first : first.slice(0, retryAt);
  const isSeen = said.some((event) => event.type === 'delta' && isShown(event.delta));
  if (retryAt !== -1) return isSeen ? 'what had been shown was asked for again' : undefined;
  const end = first.find((event) => event.type === 'step-end');
  if (!first.some(({ type }) => type === 'correction')) return mayBeAnswer ? undefined : 'a cut answer was taken for a whole one';
  if (end?.finish !== 'error') return `a broken step has the finish ${String(end?.finish)}`;
  return isSeen ? undefined : 'the model was told of what nobody had seen';
}

describe.each([['the default preset', undefined], ['the preset strict', 'strict']] as const)('with %s', (_name, preset) => {
  it(corpusNotice(), () => {
    expect(checkCorpus).not.toThrow();
  });

  it.each([...own, ...recorded])(`$id ends in the row of its cut, wherever it breaks off (seed ${cutSeed})`, async (one) => {
    const tools = [...new Set(one.expected.toolCalls.map(({ name }) => name))].map((name) => fakeTool(of('x'), { name }));
    const [then, proof, { length }] = [wholeAnswer(one.dialect), provedAt(one), one.body];
    const answers: Uint8Array[] = [];
    const model = modelOf(one.dialect, answers);
    const faults: string[] = [];
    for (const at of places(one, preset)) {
      answers.splice(0, Infinity, one.body.subarray(0, at), then);
      const played = await play(model, tools, preset);
      const fault = wrong(one, preset, at >= proof, at === length, played);
      if (fault !== undefined) faults.push(`cut at ${at} of ${length}: ${fault}`);
    }
    expect(faults).toEqual([]);
  }, 300_000);
});
