import { eventLetters } from './event-letters.ts';
import type { LetterKind } from './event-letters.ts';
import type { Delta, LoopEvent, UserMessage } from '../lib/index.ts';

/** How a drawing names an event. */
export interface Label {
  /** Such as `0 text "hi"`, `0 result add error`, `done answer`. */
  readonly label: string;
  /** The label without its quoted text: `0 text`. */
  readonly short: string;
  /** The letter of the alphabet, where it has one. */
  readonly letter: string | undefined;
}

interface Call {
  /** The tool's name; `add#2` is the step's second call of it. */
  readonly title: string;
  /** Counts the calls of the step, from 0. */
  readonly place: number;
}

/**
 * A reader of one run's events: feed it every event in order, and it names each. It has to see them all, because a
 * progress or result event tells its call's place only to those who saw the call begin.
 */
export function labeller(): (event: LoopEvent) => Label {
  const calls = new Map<string, Call>();
  const ids = new Map<number, string>();
  let titles: string[] = [];

  const callOf = (id: string, name: string): Call => {
    const known = calls.get(id);
    if (known !== undefined) return known;
    const nth = titles.filter((title) => title === name || title.startsWith(`${name}#`)).length + 1;
    const call = { title: nth === 1 ? name : `${name}#${nth}`, place: titles.length };
    titles.push(call.title);
    calls.set(id, call);
    return call;
  };

  const readDelta = (step: number, delta: Delta): Label => {
    switch (delta.type) {
      case 'text':
      case 'reasoning':
      case 'refusal':
      case 'reasoning-replace':
        return label(`${step} ${delta.type}`, eventLetters.of(delta.type, step), delta.text);
      case 'tool-call-start': {
        ids.set(delta.index, delta.id);
        return label(`${step} call-start ${callOf(delta.id, delta.name).title}`, eventLetters.of('call-start', step));
      }
      case 'tool-call-arguments': {
        const title = calls.get(ids.get(delta.index) ?? '')?.title ?? `?${delta.index}`;
        return label(`${step} call-arguments ${title}`, eventLetters.of('call-arguments', step), delta.chunk);
      }
      case 'tool-call-end': {
        const call = callOf(delta.call.id, delta.call.name);
        return label(`${step} call ${call.title}`, eventLetters.of('call', step, call.place));
      }
      case 'usage':
        return label(`${step} usage`, eventLetters.of('usage', step));
      case 'finish':
        return label(`${step} finish ${delta.reason}`, eventLetters.of('finish', step));
      default:
        return label(`${step} ${delta.type}`, undefined);
    }
  };

  return (event) => {
    switch (event.type) {
      case 'run-start':
        return label('run-start', eventLetters.of('run-start'));
      case 'step-start':
        titles = [];
        ids.clear();
        return label(`${event.step} step-start${event.attempt > 1 ? ` attempt ${event.attempt}` : ''}`, eventLetters.of('step-start'));
      case 'delta':
        return readDelta(event.step, event.delta);
      case 'retry':
        return label(`${event.step} retry ${event.count}/${event.max}`, eventLetters.of('retry', event.step));
      case 'fallback':
        return label(`${event.step} fallback ${event.from} -> ${event.to}`, eventLetters.of('fallback', event.step));
      case 'step-retract':
        return label(`${event.step} retract`, eventLetters.of('retract', event.step));
      case 'correction':
        return label(`${event.step} correction ${event.count}/${event.max}`, eventLetters.of('correction', event.step));
      case 'steering':
        return label('steering', eventLetters.of('steering'), wordsOf(event.messages));
      case 'step-end': {
        const kind: LetterKind = event.finish === 'tool-use' ? 'end tool-use' : 'end';
        return label(`${event.step} end ${event.finish}`, eventLetters.of(kind, event.step));
      }
      case 'tool-call':
      case 'tool-start':
      case 'tool-commit': {
        const call = callOf(event.callId, event.call.name);
        return label(`${event.step} ${event.type} ${call.title}`, eventLetters.of(event.type, event.step, call.place));
      }
      case 'tool-progress': {
        const call = callOf(event.callId, '?');
        return label(`${event.step} ${event.type} ${call.title}`, eventLetters.of(event.type, event.step, call.place), event.progress);
      }
      case 'tool-result': {
        const call = callOf(event.callId, event.call.name);
        const name = `${event.step} result ${call.title}${event.result.isError ? ' error' : ''}`;
        return label(name, eventLetters.of('result', event.step, call.place));
      }
      case 'tool-dropped': {
        const call = callOf(event.callId, '?');
        return label(`${event.step} dropped ${call.title}`, eventLetters.of('dropped', event.step, call.place));
      }
      case 'status':
        return label('status', undefined, event.text);
      case 'done':
        return label(`done ${event.outcome.reason}`, eventLetters.of('done'));
      default:
        return label(unknown(event), undefined);
    }
  };
}

function label(short: string, letter: string | undefined, quoted?: unknown): Label {
  return { short, letter, label: quoted === undefined ? short : `${short} ${JSON.stringify(quoted)}` };
}

/** What a person said, without images and files. */
function wordsOf(messages: readonly UserMessage[]): string {
  return messages.flatMap(({ content }) => content.flatMap((part) => (part.type === 'text' ? [part.text] : []))).join(' ');
}

/** A type that this kit does not know is named by its type alone. */
function unknown(event: { readonly type: string; readonly step?: number }): string {
  return event.step === undefined ? event.type : `${event.step} ${event.type}`;
}
