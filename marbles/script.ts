import { defer } from 'rxjs';
import type { Observable } from 'rxjs';
import { ModelError } from '../lib/index.ts';
import type { Delta, Model, ModelRequest } from '../lib/index.ts';

/** A model that plays its turns in order and keeps what it was asked. */
export interface ScriptModel extends Model {
  /** One for each call, in order, with the messages as they stood then. */
  readonly requests: ModelRequest[];
}

/**
 * A model that answers call n with turn n.
 *
 * Contract:
 * - starts: each subscription is one call; it takes the next turn, whoever subscribes.
 * - leaves: the turn is left in the same tick.
 * - fails: a call past the last turn is a fatal {@link ModelError} (`model-protocol`) that counts the turns.
 *
 * It does all that the loop may ask (`tools`, `parallel-tools`, `images`); spread it to draw one that does less:
 * `{ ...script(turn1), capabilities: [] }`.
 */
export function script(...turns: readonly Observable<Delta>[]): ScriptModel {
  const requests: ModelRequest[] = [];
  return {
    id: 'script',
    provider: 'marbles',
    capabilities: ['tools', 'parallel-tools', 'images'],
    requests,
    stream: (request) =>
      defer(() => {
        requests.push({ ...request, messages: [...request.messages] });
        const turn = turns[requests.length - 1];
        if (turn === undefined) throw pastTheEnd(turns.length, requests.length);
        return turn;
      }),
  };
}

function pastTheEnd(turns: number, calls: number): ModelError {
  const has = turns === 1 ? '1 turn' : `${turns} turns`;
  return new ModelError('model-protocol', `The script has ${has}, but call ${calls} was made. Draw another turn.`);
}
