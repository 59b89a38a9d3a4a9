import type { IncomingMessage, RequestListener } from 'node:http';
import { EMPTY } from 'rxjs';
import type { Observable } from 'rxjs';
import { isLoopError } from '../../lib/index.ts';
import type { LoopEvent } from '../../lib/index.ts';
import { toAgUi } from '../../lib/projections/ag-ui.ts';
import type { AgUiInput } from '../../lib/projections/ag-ui.ts';

/** A server of AG-UI in a few lines: the path names the run, leaving the response leaves it. */
export function agUiServer(runs: Readonly<Record<string, (input: AgUiInput) => Observable<LoopEvent>>>): RequestListener {
  return (request, response) =>
    void bodyOf(request).then((body) => {
      const input = JSON.parse(body) as AgUiInput;
      let run$: Observable<LoopEvent> = EMPTY;
      try {
        run$ = runs[(request.url ?? '').slice(1)]?.(input) ?? EMPTY;
      } catch (error) {
        return void response.writeHead(400).end(isLoopError(error) ? error.message : 'No.');
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const subscription = run$.pipe(toAgUi({ input })).subscribe({
        next: (event) => response.write(`data: ${JSON.stringify(event)}\n\n`),
        complete: () => response.end(),
      });
      response.on('close', () => subscription.unsubscribe());
    });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
  return body;
}
