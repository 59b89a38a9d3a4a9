import { map } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import type { LoopbackEvent } from '../../lib/projections/loopback.ts';

const LETTERS: Readonly<Record<LoopbackEvent['type'], string>> = {
  chunk: 't', 'thinking-chunk': 'k', 'full-message': 'F', retract: 'v', status: 's', 'tool-start': 'b', 'tool-output': 'r',
  usage: 'u', 'session-title': 'n', plan: 'p', stop: 'h', flush: 'f',
};

/** A turn in letters: `t` chunk, `k` thinking, `b` and `r` a tool's start and output, `u` usage, `s` status, `h` stop, `f` flush, ... */
export function turnLetters(): OperatorFunction<LoopbackEvent, string> {
  return map(({ type }) => LETTERS[type]);
}
