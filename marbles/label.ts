import { eventLetters } from './event-letters.ts';
import type { LetterKind } from './event-letters.ts';
import type { Delta, LoopEvent, Parent, UserMessage } from '../lib/index.ts';

const UNNAMED = '?';

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
  readonly step: number;
}

/**
 * A reader of one run's events: feed it every event in order, and it names each. It has to see them all, because a
 * progress or result event tells its call's place only to those who saw the call begin.
 *
 * An event of a nested run is named after the call that it belongs to, as `0 research > 1 text "hi"`; its letter is that
 * of its own run.
 */
export function labeller(): (event: LoopEvent) => Label {
  const runs = new Map<string, Run>();
  return (event) => {
    const run = runs.get(event.runId) ?? { read: runLabeller(), parent: event.parent };
    runs.set(event.runId, run);
    const { label, short, letter } = run.read.label(event);
    const path = pathOf(event.parent, runs);
    return { label: path + label, short: path + short, letter };
  };
}

interface Run {
  readonly read: RunLabeller;
  readonly parent: Parent | undefined;
}

/** The calls above a nested run, from the outermost: `0 research > `. */
function pathOf(parent: Parent | undefined, runs: ReadonlyMap<string, Run>): string {
  if (parent === undefined) return '';
  const above = runs.get(parent.runId);
  return `${pathOf(above?.parent, runs)}${above?.read.title(parent.callId) ?? UNNAMED} > `;
}

interface RunLabeller {
  label(event: LoopEvent): Label;
  /** Step and title of a call. */
  title(callId: string): string | undefined;
}

function runLabeller(): RunLabeller {
  const calls = new Map<string, Call>();
  const ids = new Map<number, string>();
  let titles: string[] = [];

  const callOf = (step: number, id: string, name: string): Call => {
    const known = calls.get(id);
    // Of a resumed run the first mention of a call may not say its name.
    if (known !== undefined && (name === UNNAMED || !known.title.startsWith(UNNAMED))) return known;
    const nth = titles.filter((title) => title === name || title.startsWith(`${name}#`)).length + 1;
    const call = { title: nth === 1 ? name : `${name}#${nth}`, place: known?.place ?? titles.length, step };
    titles[call.place] = call.title;
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
        return label(`${step} call-start ${callOf(step, delta.id, delta.name).title}`, eventLetters.of('call-start', step));
      }
      case 'tool-call-arguments': {
        const title = calls.get(ids.get(delta.index) ?? '')?.title ?? `?${delta.index}`;
        return label(`${step} call-arguments ${title}`, eventLetters.of('call-arguments', step), delta.chunk);
      }
      case 'tool-call-end': {
        const call = callOf(step, delta.call.id, delta.call.name);
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

  const readEvent = (event: LoopEvent): Label => {
    switch (event.type) {
      case 'run-start':
        return label(`run-start${event.resumed ? ' resumed' : ''}`, eventLetters.of('run-start'));
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
        return label(`${event.step} retract${event.finish === undefined ? '' : ` ${event.finish}`}`, eventLetters.of('retract', event.step));
      case 'correction': {
        const cause = event.cause === 'stream' ? '' : ` ${event.cause}`;
        return label(`${event.step} correction${cause} ${event.count}/${event.max}`, eventLetters.of('correction', event.step));
      }
      case 'steering':
        return label('steering', eventLetters.of('steering'), wordsOf(event.messages));
      case 'compaction':
        return label('compaction', eventLetters.of('compaction'), event.removed);
      case 'step-end': {
        const kind: LetterKind = event.finish === 'tool-use' ? 'end tool-use' : 'end';
        return label(`${event.step} end ${event.finish}`, eventLetters.of(kind, event.step));
      }
      case 'tool-call':
      case 'tool-start':
      case 'tool-commit': {
        const call = callOf(event.step, event.callId, event.call.name);
        const early = event.type === 'tool-start' && event.speculative ? ' speculative' : '';
        return label(`${event.step} ${event.type} ${call.title}${early}`, eventLetters.of(event.type, event.step, call.place));
      }
      case 'approval-request': {
        const call = callOf(event.step, event.callId, event.call.name);
        return label(`${event.step} request ${call.title} ${event.kind}`, eventLetters.of('request', event.step, call.place));
      }
      case 'approval-answer': {
        const call = callOf(event.step, event.callId, UNNAMED);
        return label(`${event.step} answer ${call.title} ${event.answer.type}`, eventLetters.of('answer', event.step, call.place));
      }
      case 'tool-progress': {
        const call = callOf(event.step, event.callId, UNNAMED);
        return label(`${event.step} ${event.type} ${call.title}`, eventLetters.of(event.type, event.step, call.place), event.progress);
      }
      case 'tool-result': {
        const call = callOf(event.step, event.callId, event.call.name);
        const name = `${event.step} result ${call.title}${event.result.isError ? ' error' : ''}`;
        return label(name, eventLetters.of('result', event.step, call.place));
      }
      case 'tool-dropped': {
        const call = callOf(event.step, event.callId, UNNAMED);
        const reason = event.reason === 'late' ? '' : ` ${event.reason}`;
        return label(`${event.step} dropped ${call.title}${reason}`, eventLetters.of('dropped', event.step, call.place));
      }
      case 'status':
        return label('status', eventLetters.of('status'), event.text);
      case 'plan':
        return label('plan', eventLetters.of('plan'), event.entries.map(({ content }) => content));
      case 'title':
        return label('title', eventLetters.of('title'), event.title);
      case 'state':
        return label('state', eventLetters.of('state'), event.patch);
      case 'custom':
        return label(`custom ${event.name}`, eventLetters.of('custom'), event.data);
      case 'done':
        return label(`done ${event.outcome.reason}`, eventLetters.of('done'));
      default:
        return label(unknown(event), undefined);
    }
  };

  return {
    label: readEvent,
    title(callId) {
      const call = calls.get(callId);
      return call && `${call.step} ${call.title}`;
    },
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
