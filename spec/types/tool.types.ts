/** From a tool's schema to what `run` is given and what its events carry. Compiled, never run. */
import { of } from 'rxjs';
import * as z from 'zod';
import { defineTool, toolOutput } from '../../lib/index.ts';
import type { CallOf, Jsonified, JsonSchema, ResultOf, Tool, ToolContext } from '../../lib/index.ts';
import type { Equal, Expect } from './expect-type.ts';

// `run` is given what the schema puts out; a call carries what the schema takes in.
const book = defineTool({
  name: 'book',
  description: 'Books a table.',
  input: z.object({
    at: z.string().transform((text) => new Date(text)),
    guests: z.number().default(2),
    name: z.string().optional(),
  }),
  run: (args, context) => {
    type Args = Expect<Equal<typeof args, { at: Date; guests: number; name?: string | undefined }>>;
    type Context = Expect<Equal<typeof context, ToolContext>>;
    return { booked: args.at, guests: args.guests };
  },
});
type BookName = Expect<Equal<(typeof book)['name'], 'book'>>;
type BookCall = Expect<Equal<CallOf<typeof book>['arguments'], { at: string; guests?: number | undefined; name?: string | undefined }>>;
type BookOutput = Expect<Equal<ResultOf<typeof book>['output'], { booked: string; guests: number } | undefined>>;

// A raw JSON Schema has no types: `run` may say them, or is given a record.
const raw = defineTool({
  name: 'raw',
  description: 'Takes anything.',
  input: { type: 'object', properties: { a: { type: 'number' } } },
  run: (args) => {
    type Args = Expect<Equal<typeof args, Record<string, unknown>>>;
    return 'done';
  },
});
type RawCall = Expect<Equal<CallOf<typeof raw>['arguments'], Record<string, unknown>>>;
type RawOutput = Expect<Equal<ResultOf<typeof raw>['output'], string | undefined>>;
const said = defineTool({
  name: 'said',
  description: 'Takes a number.',
  input: { type: 'object' } as JsonSchema,
  run: ({ a }: { a: number }) => a,
});
type SaidOutput = Expect<Equal<ResultOf<typeof said>['output'], number | undefined>>;

// Whatever `run` answers with, the output is what comes of it.
const input = z.object({});
const now = defineTool({ name: 'now', description: 'Says a number.', input, run: () => 1 });
const promised = defineTool({ name: 'promised', description: 'Says a number.', input, run: () => Promise.resolve(1) });
const observed = defineTool({ name: 'observed', description: 'Says a number.', input, run: () => of(1) });
const iterated = defineTool({
  name: 'iterated',
  description: 'Says numbers.',
  input,
  async *run() {
    yield 1;
  },
});
const silent = defineTool({ name: 'silent', description: 'Says nothing.', input, run: () => undefined });
type Outputs = [
  Expect<Equal<ResultOf<typeof now>['output'], number | undefined>>,
  Expect<Equal<ResultOf<typeof promised>['output'], number | undefined>>,
  Expect<Equal<ResultOf<typeof observed>['output'], number | undefined>>,
  Expect<Equal<ResultOf<typeof iterated>['output'], number | undefined>>,
  Expect<Equal<ResultOf<typeof silent>['output'], undefined>>,
];

// JSON is what an output becomes.
type Carried = [
  Expect<Equal<Jsonified<Date>, string>>,
  Expect<Equal<Jsonified<{ at: Date; list: readonly Date[]; deep: { at: Date } }>, { at: string; list: string[]; deep: { at: string } }>>,
  Expect<Equal<Jsonified<string | null>, string | null>>,
  Expect<Equal<Jsonified<() => number>, undefined>>,
];

// A list holds tools of different schemas, and every tool is a `Tool`.
export const tools: readonly Tool[] = [book, now, promised, observed, iterated, silent, raw, said];

// A name narrows both ways.
declare const call: CallOf<typeof book | typeof now>;
if (call.name === 'book') {
  type Narrowed = Expect<Equal<(typeof call)['arguments']['at'], string>>;
}
declare const result: ResultOf<typeof book | typeof now>;
if (result.name === 'now') {
  type Narrowed = Expect<Equal<(typeof result)['output'], number | undefined>>;
}

defineTool({ name: 'bound', description: 'Is bound.', input, run: () => 1, timeoutMs: 10, parallelSafe: true });
// @ts-expect-error a time limit is a number
defineTool({ name: 'late', description: 'Is late.', input, run: () => 1, timeoutMs: '10' });
// @ts-expect-error an option of a tool that does not exist
defineTool({ name: 'lazy', description: 'Is lazy.', input, run: () => 1, lazy: true });
// A tool of the client has no body; every other has one.
defineTool({ name: 'pick', description: 'Picks a file.', input, runsOn: 'client' });
// @ts-expect-error a body is missing
defineTool({ name: 'none', description: 'Does nothing.', input });
// @ts-expect-error a tool needs a description
defineTool({ name: 'mute', input, run: () => 1 });
// @ts-expect-error an object of a class is some library's schema
defineTool({ name: 'made', description: 'Is made.', input: new (class { type = 'object'; private hidden = 1; })(), run: () => 1 });
defineTool({
  name: 'wrong',
  description: 'Reads what is not there.',
  input: z.object({ a: z.number() }),
  // @ts-expect-error the schema has no `b`
  run: ({ b }) => b,
});

// A rich output is told by its output; what is said beside it leaves no trace in the type.
const chart = defineTool({
  name: 'chart',
  description: 'Draws a chart.',
  input: z.object({ of: z.array(z.number()) }),
  run: (args) => toolOutput({ output: { points: args.of.length, at: new Date() }, content: 'Drawn.' }),
});
type ChartOutput = Expect<Equal<ResultOf<typeof chart>['output'], { points: number; at: string } | undefined>>;
const either = defineTool({
  name: 'either',
  description: 'Answers either way, later.',
  input: z.object({}),
  run: async () => (Math.random() > 1 ? toolOutput({ output: 1 }) : 'one'),
});
type EitherOutput = Expect<Equal<ResultOf<typeof either>['output'], number | 'one' | undefined>>;

// A tool of the client has no body, and an output that nobody knows.
const client = defineTool({ name: 'where', description: 'Where the user is.', input: z.object({ exact: z.boolean() }), runsOn: 'client' });
type ClientCall = Expect<Equal<CallOf<typeof client>['arguments'], { exact: boolean }>>;
type ClientOutput = Expect<Equal<ResultOf<typeof client>['output'], unknown>>;
