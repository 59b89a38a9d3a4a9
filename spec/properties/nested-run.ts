import { concat, map, of, timer } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import * as z from 'zod';
import { asTool } from '../../lib/index.ts';
import type { Model, Tool, ToolContext } from '../../lib/index.ts';

/** A run inside a tool: one answer, after so many frames, without a report of what it used. */
export function nestedRun(name: string, afterMs: number, scheduler: SchedulerLike): (args: never, context: ToolContext) => Observable<unknown> {
  const model: Model = {
    id: 'inside', provider: 'random', capabilities: ['tools'], contextWindow: 1_000, price: { input: 1, output: 2 },
    stream: () =>
      concat(
        timer(afterMs, scheduler).pipe(map(() => ({ type: 'text', block: 'inside', text: 'inside' }) as const)),
        of({ type: 'finish', reason: 'stop' } as const),
      ),
  };
  const tool: Tool = asTool({ name, description: 'A run.', input: z.looseObject({}), loop: () => ({ model, prompt: 'inside' }) });
  return (args, context) => tool.run(args, context) as Observable<unknown>;
}
