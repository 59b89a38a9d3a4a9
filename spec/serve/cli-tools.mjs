// Tools for cli.spec.ts. Each says on stderr, on a line of its own, how it goes on.
import { defineTool } from 'rx-tool-loop';
import { interval } from 'rxjs';
import * as z from 'zod';

const tell = (text) => process.stderr.write(`${text}\n`);

/** Works until its signal fires, then tidies up. */
export const slow = defineTool({
  name: 'slow',
  description: 'Works for a long time.',
  input: z.object({}),
  run: (_args, { signal }) =>
    new Promise(() => {
      const work = setInterval(() => undefined, 1_000);
      signal.addEventListener('abort', () => {
        clearInterval(work);
        tell('slow aborted');
      });
      tell('slow started');
    }),
});

/** Goes on working whatever happens. */
export const stubborn = defineTool({
  name: 'stubborn',
  description: 'Works for ever.',
  input: z.object({}),
  run: () =>
    new Promise(() => {
      setInterval(() => undefined, 1_000);
      tell('stubborn started');
    }),
});

/** Reports without an end. */
export const chatty = defineTool({
  name: 'chatty',
  description: 'Talks for ever.',
  input: z.object({}),
  run: () => interval(1),
});
