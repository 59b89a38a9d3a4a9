import { toolCall } from '../index.ts';
import type { Delta, ModelError, ModelRequest, Usage } from '../index.ts';

/** One turn of the demonstration model: said in the order of these fields. */
export interface DemoTurn {
  readonly reasoning?: string;
  readonly text?: string;
  readonly refusal?: string;
  readonly calls?: readonly DemoCall[];
  /** The turn breaks off with it. */
  readonly error?: ModelError;
  /** Milliseconds before each delta. Default: as the model was made. */
  readonly delayMs?: number;
  /** So many deltas a second, in place of a pause before each. */
  readonly perSecond?: number;
}

export interface DemoCall {
  readonly name: string;
  /** An object, or the argument text as it is. */
  readonly arguments: object | string;
}

/**
 * A turn as deltas: a word each, then what it used, estimated at 4 characters a token.
 *
 * @internal
 */
export function* demoSpeech(turn: DemoTurn, { ids, messages }: ModelRequest): Generator<Delta, void> {
  const { reasoning = '', text = '', refusal = '', calls = [], error } = turn;
  yield* words('reasoning', reasoning, ids);
  yield* words('text', text, ids);
  yield* words('refusal', refusal, ids);
  let written = text.length + refusal.length;
  for (const [index, { name, arguments: given }] of calls.entries()) {
    const raw = typeof given === 'string' ? given : JSON.stringify(given);
    const id = ids('call');
    yield { type: 'tool-call-start', index, id, name };
    for (const chunk of pieces(raw)) yield { type: 'tool-call-arguments', index, chunk };
    yield { type: 'tool-call-end', index, call: toolCall(id, name, raw) };
    written += raw.length;
  }
  if (error !== undefined) return yield { type: 'error', error };
  yield { type: 'usage', usage: usageOf(JSON.stringify(messages).length, written, reasoning.length) };
  yield { type: 'finish', reason: calls.length > 0 ? 'tool-use' : refusal === '' ? 'stop' : 'refusal', model: 'demo' };
}

function* words(type: 'reasoning' | 'text' | 'refusal', text: string, ids: ModelRequest['ids']): Generator<Delta, void> {
  if (text === '') return;
  const block = ids('block');
  for (const word of pieces(text)) yield { type, block, text: word };
}

/** Words with the white space behind them; joined again they are the text. */
function pieces(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

function usageOf(read: number, written: number, thought: number): Usage {
  const [inputTokens, reasoningTokens, answerTokens] = [read, thought, written].map((characters) => Math.ceil(characters / 4)) as [number, number, number];
  const outputTokens = reasoningTokens + answerTokens;
  return { inputTokens, outputTokens, reasoningTokens, totalTokens: inputTokens + outputTokens };
}
