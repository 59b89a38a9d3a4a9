import { AbstractAgent } from '@ag-ui/client';
import type { Message as ClientMessage, RunAgentParameters } from '@ag-ui/client';
import type { Observable } from 'rxjs';
import type { AgUiEvent, AgUiInput, AgUiMessage } from '../../lib/projections/ag-ui.ts';

/** The client's own agent over a run in this process; its RxJS is a copy of its own, so the Observable crosses by structure. */
export class InProcessAgent extends AbstractAgent {
  private readonly answer: (input: AgUiInput) => Observable<AgUiEvent>;

  constructor(answer: (input: AgUiInput) => Observable<AgUiEvent>, messages: readonly AgUiMessage[] = [], state: unknown = {}) {
    super({ threadId: 'thread', initialMessages: messages as ClientMessage[], initialState: state });
    this.answer = answer;
  }

  run(input: Parameters<AbstractAgent['run']>[0]): ReturnType<AbstractAgent['run']> {
    return this.answer(input as AgUiInput) as unknown as ReturnType<AbstractAgent['run']>;
  }

  /** That of the base does nothing. */
  override abortRun(): void {
    void this.detachActiveRun();
  }
}

/** What a client came to: all that it was told, what it holds, and what it complained of. */
export interface Heard {
  readonly events: readonly AgUiEvent[];
  readonly messages: readonly AgUiMessage[];
  readonly state: unknown;
  readonly warnings: readonly string[];
}

/** One run of a real client. It checks the order of the events itself, and the promise rejects where it finds a fault. */
export async function hear(agent: AbstractAgent, parameters: RunAgentParameters = {}): Promise<Heard> {
  const events: AgUiEvent[] = [];
  const warnings: string[] = [];
  const { warn, error } = console;
  console.warn = (...words: unknown[]) => void warnings.push(words.map(String).join(' '));
  console.error = console.warn;
  try {
    await agent.runAgent({ runId: 'asked', ...parameters }, { onEvent: ({ event }) => void events.push(event as unknown as AgUiEvent) });
  } finally {
    Object.assign(console, { warn, error });
  }
  return { events, messages: agent.messages as AgUiMessage[], state: agent.state, warnings };
}
