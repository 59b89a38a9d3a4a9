import { eventLetters } from './event-letters.ts';
import type { LetterKind } from './event-letters.ts';
import type { Delta, LoopEvent } from '../lib/index.ts';

/** What a mark is about; drawings colour by it, and never by it alone. */
export type Tone = 'said' | 'thought' | 'call' | 'end' | 'trouble' | 'asked' | 'ok' | 'error' | 'host' | 'frame';

/** How an event is drawn. */
export interface Glyph {
  /** That of the kit in step 0; empty for a dot. */
  readonly letter: string;
  readonly tone: Tone;
  /** `stroke`: a piece of something that flows; pieces that follow each other are one bar. `dot`: there, and rarely looked at. */
  readonly size: 'marble' | 'stroke' | 'dot';
  /** For a legend. */
  readonly meaning: string;
}

/**
 * @param place - of the event's call among the calls of its step, from 0: results carry it as a digit
 * @internal
 */
export function glyphOf(event: LoopEvent, place: number): Glyph {
  switch (event.type) {
    case 'delta':
      return ofDelta(event.delta);
    case 'step-end': {
      if (event.finish === 'tool-use') return marble('end tool-use', 'end', 'the model calls tools');
      const isBroken = event.finish === 'error' || event.finish === 'aborted';
      return marble('end', isBroken ? 'error' : 'end', isBroken ? 'the answer broke' : 'the model has ended');
    }
    case 'retry':
      return marble('retry', 'trouble', 'retry');
    case 'fallback':
      return marble('fallback', 'trouble', 'another model');
    case 'step-retract':
      return marble('retract', 'trouble', 'withdrawn');
    case 'correction':
      return marble('correction', 'trouble', 'correction');
    case 'approval-request':
      return marble('request', 'asked', 'somebody is asked');
    case 'approval-answer':
      return marble('answer', event.answer.type === 'decline' || event.answer.type === 'stop' ? 'error' : 'asked', 'the answer');
    case 'tool-start':
      return marble('tool-start', 'call', 'the tool starts');
    case 'tool-progress':
      return { ...marble('tool-progress', 'call', 'progress'), size: 'stroke' };
    case 'tool-result': {
      const letter = String(place + 1);
      const isError = event.result.isError === true;
      return { letter, size: 'marble', tone: isError ? 'error' : 'ok', meaning: isError ? 'the error of a call' : 'the result of a call' };
    }
    case 'tool-dropped':
      return marble('dropped', 'trouble', 'dropped');
    case 'steering':
      return marble('steering', 'host', 'the user says something');
    case 'compaction':
      return marble('compaction', 'host', 'the transcript is shortened');
    case 'status':
    case 'plan':
    case 'title':
    case 'state':
    case 'custom':
      return marble(event.type, 'host', event.type);
    case 'done': {
      const { reason } = event.outcome;
      // The bar at the lane's end stands for it.
      return { letter: '', size: 'marble', tone: 'frame', meaning: `done: ${reason}` };
    }
    default:
      return dot('frame');
  }
}

function ofDelta(delta: Delta): Glyph {
  switch (delta.type) {
    case 'text':
      return { ...marble('text', 'said', 'text'), size: 'stroke' };
    case 'refusal':
      return { ...marble('refusal', 'error', 'a refusal'), size: 'stroke' };
    case 'reasoning':
      return { ...marble('reasoning', 'thought', 'reasoning'), size: 'stroke' };
    case 'reasoning-replace':
      return marble('reasoning-replace', 'thought', 'other reasoning');
    case 'tool-call-arguments':
      return { ...marble('call-arguments', 'call', 'arguments'), size: 'stroke' };
    case 'tool-call-end':
      return marble('call', 'call', 'a call');
    case 'error':
      return dot('error');
    case 'source':
    case 'file':
    case 'server-tool':
      return dot('said');
    default:
      return dot('frame');
  }
}

function marble(kind: LetterKind, tone: Tone, meaning: string): Glyph {
  return { letter: eventLetters.of(kind) ?? '', tone, size: 'marble', meaning };
}

function dot(tone: Tone): Glyph {
  return { letter: '', tone, size: 'dot', meaning: '' };
}
