// The library over the same in-process model, through its public door.
import { lastValueFrom, Observable, tap } from 'rxjs';
import { defineTool, toolLoop } from 'rx-tool-loop';
import { deltas, RESULT } from './workloads.mjs';

// A schema that accepts everything: what is measured is the engine, not a validator.
const input = { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }), jsonSchema: { input: () => ({ type: 'object' }) } } };
const lookup = defineTool({ name: 'lookup', description: 'Looks a thing up.', input, run: async () => RESULT });

export function run(workload, emit) {
  let step = 0;
  const model = {
    id: 'bench',
    provider: 'bench',
    capabilities: ['tools'],
    stream: () =>
      new Observable((subscriber) => {
        for (const delta of deltas(workload.steps[step++])) {
          if (subscriber.closed) return;
          subscriber.next(delta);
        }
        subscriber.complete();
      }),
  };
  const run$ = toolLoop({ model, prompt: 'go', tools: [lookup], budget: { maxSteps: workload.steps.length } });
  return lastValueFrom(
    run$.pipe(
      tap((event) => {
        if (event.type !== 'delta') return;
        if (event.delta.type === 'text') emit(event.delta.text.length);
        else if (event.delta.type === 'tool-call-arguments') emit(event.delta.chunk.length);
      }),
    ),
  );
}
