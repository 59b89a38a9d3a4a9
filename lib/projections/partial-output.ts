import { concatMap, defer } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import type { Delta } from '../delta.ts';
import type { LoopEvent } from '../event.ts';
import { partialJson } from '../fold/partial-json.ts';
import type { PartialJson } from '../fold/partial-json.ts';
import { sameJson } from './fold-said.ts';

export interface PartialOutputOptions {
  /** The tool whose call is the output; a name with a number behind it, `final_result_2`, counts too. Default `final_result`. */
  readonly toolName?: string;
  /**
   * Where the output is: in the answer's text, or in the call's arguments. Default: in both, and from the moment that the
   * call begins in it alone. Say which one it is where a text may hold brackets that are no output.
   */
  readonly from?: 'text' | 'tool';
}

/** What may be known of a value while it is written. */
export type PartialOutput<T> = T extends readonly (infer Item)[]
  ? readonly PartialOutput<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: PartialOutput<T[Key]> }
    : T;

/**
 * The structured output while it streams: the best reading so far, each time that it changes, and the checked value at the
 * end.
 *
 * ```marbles
 * events               -a-b-c-(zL|)
 * toPartialOutput()    -A-B---(C|)
 * ```
 *
 * A text is read from its first `{` or `[`, so that a fence or a sentence before it does not matter. What streams is not
 * checked: any part may be absent, and a later attempt may say something else.
 *
 * Contract:
 * - starts: each subscription reads for itself.
 * - leaves: the run.
 * - fails: as the run does.
 * - order: readings of one attempt grow; parts that did not change are the same objects as before. Where an attempt or a step
 *   begins anew after something was read, `undefined` takes it back. `completion.json` of the outcome comes last, unless the
 *   last reading says the same. Nested runs are not read.
 *
 * @public
 */
export function toPartialOutput<T = unknown>(options: PartialOutputOptions = {}): OperatorFunction<LoopEvent<any>, PartialOutput<T> | undefined> {
  return (events$) =>
    defer(() => {
      const reading = new OutputReading(options);
      // An event that changes nothing has nothing to say: undefined itself is something to say.
      return events$.pipe(concatMap((event) => reading.take(event) as readonly (PartialOutput<T> | undefined)[]));
    });
}

const NOTHING: readonly unknown[] = [];

class OutputReading {
  readonly #toolName: string;
  readonly #from: 'text' | 'tool' | undefined;
  #reader: PartialJson | undefined;
  /** Index of the output's call in the open attempt. */
  #call: number | undefined;
  #last: unknown;

  constructor({ toolName = 'final_result', from }: PartialOutputOptions) {
    this.#toolName = toolName;
    this.#from = from;
  }

  /** Answers with the new reading, or with nothing. */
  take(event: LoopEvent): readonly unknown[] {
    if (event.parent !== undefined) return NOTHING;
    switch (event.type) {
      case 'step-start':
      case 'step-retract':
        return this.#restart();
      case 'delta':
        return this.#read(event.delta);
      case 'done': {
        const { json } = event.outcome.completion;
        return json === undefined || sameJson(json, this.#last) ? NOTHING : this.#say(json);
      }
      default:
        return NOTHING;
    }
  }

  #read(delta: Delta): readonly unknown[] {
    if (delta.type === 'tool-call-start' && this.#from !== 'text' && this.#isOutput(delta.name)) {
      const taken = this.#restart();
      this.#call = delta.index;
      this.#reader = partialJson();
      return taken;
    }
    if (delta.type === 'tool-call-arguments' && delta.index === this.#call) return this.#push(delta.chunk);
    if (delta.type === 'text' && this.#call === undefined && this.#from !== 'tool') return this.#readText(delta.text);
    return NOTHING;
  }

  #readText(text: string): readonly unknown[] {
    if (this.#reader !== undefined) return this.#push(text);
    const start = text.search(/[[{]/);
    if (start < 0) return NOTHING;
    this.#reader = partialJson();
    return this.#push(text.slice(start));
  }

  #push(chunk: string): readonly unknown[] {
    this.#reader?.push(chunk);
    const value = this.#reader?.value;
    return value === this.#last ? NOTHING : this.#say(value);
  }

  #isOutput(name: string): boolean {
    return name === this.#toolName || (name.startsWith(`${this.#toolName}_`) && /^\d+$/.test(name.slice(this.#toolName.length + 1)));
  }

  #restart(): readonly unknown[] {
    this.#reader = undefined;
    this.#call = undefined;
    return this.#last === undefined ? NOTHING : this.#say(undefined);
  }

  #say(value: unknown): readonly unknown[] {
    this.#last = value;
    return [value];
  }
}
