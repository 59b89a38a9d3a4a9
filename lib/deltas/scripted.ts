import { concat, concatMap, defer, dematerialize, EMPTY, from, isObservable, map, materialize, of, throwError, timer } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Delta } from '../delta.ts';
import { onDemand } from '../demand.ts';
import { ConfigError, ModelError } from '../errors.ts';
import { toolCall } from '../message.ts';
import type { FinishReason } from '../message.ts';
import type { Capability, Model, ModelRequest } from '../model.ts';
import type { Usage } from '../usage.ts';

/** A model that says what it was told to say. */
export interface ScriptedModel extends Model {
  /** The requests so far, oldest first, `messages` copied at that moment. Its length is the number of exchanges. */
  readonly requests: readonly ModelRequest[];
}

/** One turn: what it says, or a function of the request that returns that, called once when the turn is asked for. */
export type ScriptedTurn = ScriptedSpeech | ((request: ModelRequest) => ScriptedSpeech);

/** A list of deltas is said in one go, an Observable at its own pace; both verbatim, so they may also break the rules. */
export type ScriptedSpeech = readonly Delta[] | Observable<Delta> | ScriptedAnswer;

/** A turn as plain data. Said in this order: reasoning, text, refusal, calls, usage, then `finish` or the error. */
export interface ScriptedAnswer {
  /** A list is said as one delta a piece, all of one block. So is that of `text`. */
  readonly reasoning?: string | readonly string[];
  readonly text?: string | readonly string[];
  readonly refusal?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly usage?: Usage;
  /** Default: `tool-use` when there are calls, else `stop`. */
  readonly finish?: FinishReason;
  readonly rawFinish?: string;
  /** The turn fails with it after all that was said, and has no `finish`. */
  readonly error?: ModelError;
}

export interface ScriptedCall {
  readonly name: string;
  /** An object, or the argument text verbatim (also text that is not JSON). Default: no argument text, which means `{}`. */
  readonly arguments?: Readonly<Record<string, unknown>> | string;
  /** Default: from the run's ids. */
  readonly id?: string;
}

export interface ScriptedOptions {
  /** Default: `'scripted'`. */
  readonly id?: string;
  /** Default: `'scripted'`. */
  readonly provider?: string;
  /** Default: `['tools', 'parallel-tools']`. */
  readonly capabilities?: readonly Capability[];
  /** Pause before each delta on the request's scheduler, milliseconds. Default: 0, which means none at all: no tick either. */
  readonly delayMs?: number;
}

/**
 * A model that plays the given turns: turn n answers call n.
 *
 * The count belongs to the model, not to the run: each subscription of a `stream()` is one exchange and takes the next
 * turn, so a retried call, a second run and a second subscriber do too. For a fresh script make a fresh model.
 *
 * Contract:
 * - starts: on subscribing, which records the request and takes a turn.
 * - leaves: stops at once, between two deltas of a list as well; an Observable turn is unsubscribed.
 * - fails: with the turn's error, with what a turn function throws, and past the last turn with a `model-protocol` error.
 *   A turn that is none of the known forms throws a `config` error: from here, or, returned by a function, in the stream.
 *
 * @example Two turns
 * ```ts
 * import { scripted } from 'rx-tool-loop/scripted';
 *
 * const model = scripted([
 *   { calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] },
 *   { text: ['It is ', '3.'] },
 * ]);
 * ```
 */
export function scripted(turns: readonly ScriptedTurn[], options: ScriptedOptions = {}): ScriptedModel {
  const { id = 'scripted', provider = 'scripted', capabilities = ['tools', 'parallel-tools'], delayMs = 0 } = options;
  if (!(delayMs >= 0 && delayMs < Infinity)) {
    throw new ConfigError(`scripted: delayMs is ${delayMs}; give a number of milliseconds, 0 or more.`);
  }
  const script = turns.map((turn, n) => (typeof turn === 'function' ? turn : checked(turn, n)));
  const requests: ModelRequest[] = [];

  const exchange = (request: ModelRequest): Observable<Delta> => {
    const n = requests.length;
    const recorded = copyOf(request);
    requests.push(recorded);
    const turn = script[n];
    if (turn === undefined) return throwError(() => pastTheEnd(script.length, n));
    const speech = typeof turn === 'function' ? checked(turn(recorded), n) : turn;
    return paced(said(speech, request), delayMs, request);
  };

  return { id, provider, capabilities, requests, stream: (request) => defer(() => exchange(request)) };
}

/** Field by field, because a request may be an object with getters. */
function copyOf(request: ModelRequest): ModelRequest {
  return {
    system: request.system,
    messages: [...request.messages],
    tools: request.tools,
    toolChoice: request.toolChoice,
    options: request.options,
    demand: request.demand,
    scheduler: request.scheduler,
    ids: request.ids,
  };
}

function pastTheEnd(given: number, n: number): ModelError {
  return new ModelError(
    'model-protocol',
    `The scripted model was given ${given} turn${given === 1 ? '' : 's'}, and the run asked for one more (call ${n + 1}). ` +
      'Add a turn, or let the last one end without calls.',
  );
}

function said(speech: ScriptedSpeech, request: ModelRequest): Observable<Delta> {
  if (isObservable(speech)) return speech;
  if (isList(speech)) return from(speech);
  const { error } = speech;
  return concat(from(deltasOf(speech, request)), error === undefined ? EMPTY : throwError(() => error));
}

function* deltasOf(turn: ScriptedAnswer, { ids }: ModelRequest): Generator<Delta, void> {
  const { reasoning = [], text = [], refusal, calls = [], usage, finish, rawFinish, error } = turn;
  for (const [type, said] of [['reasoning', reasoning], ['text', text]] as const) {
    const pieces = typeof said === 'string' ? [said] : said;
    const block = pieces.length > 0 ? ids('block') : '';
    for (const piece of pieces) yield { type, block, text: piece };
  }
  if (refusal !== undefined) yield { type: 'refusal', block: ids('block'), text: refusal };
  for (const [index, call] of calls.entries()) {
    const { name, id = ids('call'), arguments: given = '' } = call;
    const raw = typeof given === 'string' ? given : JSON.stringify(given);
    yield { type: 'tool-call-start', index, id, name };
    if (raw !== '') yield { type: 'tool-call-arguments', index, chunk: raw };
    yield { type: 'tool-call-end', index, call: toolCall(id, name, raw) };
  }
  if (usage !== undefined) yield { type: 'usage', usage };
  if (error !== undefined) return;
  const reason = finish ?? (calls.length > 0 ? 'tool-use' : 'stop');
  yield rawFinish === undefined ? { type: 'finish', reason } : { type: 'finish', reason, rawFinish };
}

/** An error of an Observable turn must wait behind the delayed deltas before it, so it travels as a value. */
function paced(deltas$: Observable<Delta>, delayMs: number, { demand, scheduler }: ModelRequest): Observable<Delta> {
  if (delayMs === 0 && demand === undefined) return deltas$;
  return deltas$.pipe(
    materialize(),
    onDemand(demand),
    concatMap((item) => (item.kind === 'N' && delayMs > 0 ? timer(delayMs, scheduler).pipe(map(() => item)) : of(item))),
    dematerialize(),
  );
}

const FIELDS: ReadonlySet<string> = new Set<keyof ScriptedAnswer>([
  'reasoning',
  'text',
  'refusal',
  'calls',
  'usage',
  'finish',
  'rawFinish',
  'error',
]);

function checked(speech: ScriptedSpeech, n: number): ScriptedSpeech {
  const where = `Turn ${n + 1} of the scripted model`;
  if (isObservable(speech) || isList(speech)) return speech;
  if (typeof speech !== 'object' || speech === null || 'then' in speech || Symbol.asyncIterator in speech) {
    throw new ConfigError(`${where} is neither a list of deltas, an Observable nor plain data. Put a promise or an async iterable through \`from\`.`);
  }
  const stranger = Object.keys(speech).find((field) => !FIELDS.has(field));
  if (stranger !== undefined) {
    throw new ConfigError(`${where} has a field "${stranger}"; the fields of a turn are ${[...FIELDS].join(', ')}.`);
  }
  if (speech.error !== undefined && (speech.finish ?? speech.rawFinish) !== undefined) {
    throw new ConfigError(`${where} has both an error and a finish; a turn that fails does not finish.`);
  }
  return speech;
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(speech: ScriptedSpeech): speech is readonly Delta[] {
  return Array.isArray(speech);
}
