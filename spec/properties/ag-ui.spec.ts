import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { concat, EMPTY, from, throwError, toArray } from 'rxjs';
import { historyOf, isLoopError } from '../../lib/index.ts';
import type { LoopEvent, Message, RunError } from '../../lib/index.ts';
import { AgUiMessages } from '../../lib/projections/ag-ui-messages.ts';
import { fromAgUi, toAgUi } from '../../lib/projections/ag-ui.ts';
import type { AgUiMessage } from '../../lib/projections/ag-ui.ts';
import { hear, InProcessAgent } from '../support/ag-ui-client.ts';
import { conversationOf } from '../support/conversation-of.ts';
import { playScenario } from './play-scenario.ts';
import type { Record } from './play-scenario.ts';
import { randomScenario } from './random-scenario.ts';
import { again, seed } from './seed.ts';

beforeAll(() => console.log(`Random runs; the same again: ${again}`));

const asked: readonly AgUiMessage[] = [{ id: 'm1', role: 'user', content: 'go' }];

/** The conversation that a run has left, without the corrections, which a client is not shown. */
function left({ events, ending, error }: Record): readonly Message[] | undefined {
  const last = events.at(-1);
  const messages = ending === 'error' ? (isLoopError(error) ? (error as RunError).run.messages : undefined) : last?.type === 'done' ? historyOf(last.outcome) : undefined;
  const corrections = new Set<unknown>(events.flatMap((event) => (event.type === 'correction' ? [event.message] : [])));
  return messages?.filter((message) => !corrections.has(message));
}

/** As the client shows it: what it keeps is what a next input sends. */
const shown = (messages: readonly AgUiMessage[]): readonly AgUiMessage[] => messages.filter(({ role }) => role !== 'activity');

describe('any run through AG-UI', () => {
  const ends = new Map<string, number>();

  it('is accepted by the real client, which then holds the conversation that the run has left', async () => {
    await fc.assert(fc.asyncProperty(randomScenario, async (scenario) => {
      const record = playScenario(scenario);
      const run$ = concat(from<LoopEvent[]>(record.events), record.ending === 'error' ? throwError(() => record.error) : EMPTY);
      const heard = await hear(new InProcessAgent((input) => run$.pipe(toAgUi({ input })), asked));
      expect(heard.warnings).toEqual([]);

      const last = heard.events.at(-1);
      const end = last?.type === 'RUN_FINISHED' ? last.outcome.type : last?.type;
      ends.set(String(end), (ends.get(String(end)) ?? 0) + 1);
      expect(end).toBe(endOf(record));

      const sent = fromAgUi({ threadId: 't', runId: 'r', messages: shown(heard.messages) });
      const kept = left(record);
      if (kept !== undefined) expect(conversationOf(sent.messages)).toEqual(conversationOf(kept));

      const held = new AgUiMessages(asked);
      for (const event of heard.events) if (event.type !== 'MESSAGES_SNAPSHOT') held.fold(event);
      if (!heard.events.some(({ type }) => type === 'MESSAGES_SNAPSHOT')) expect(held.snapshot().map(withoutError)).toEqual(shown(heard.messages));
    }), { numRuns: 200, seed });
  });

  it('was tried with every ending', () => {
    expect([...ends.keys()].sort()).toEqual(['RUN_ERROR', 'cancelled', 'success']);
  });

  it('is the same stream each time', () => {
    fc.assert(fc.property(randomScenario, (scenario) => {
      const { events } = playScenario(scenario);
      const heard: unknown[] = [];
      const agUi$ = from<LoopEvent[]>(events).pipe(toAgUi({ input: { threadId: 't', runId: 'r', messages: asked } }), toArray());
      agUi$.subscribe((all) => heard.push(all));
      agUi$.subscribe((all) => heard.push(all));
      expect(heard[0]).toEqual(heard[1]);
    }), { numRuns: 50, seed });
  });
});

/** Only a message has a field for it, an event has not. */
function withoutError(message: AgUiMessage): unknown {
  const { error, ...rest } = message as AgUiMessage & { readonly error?: string };
  return rest;
}

function endOf({ events, ending }: Record): string {
  if (ending === 'error') return 'RUN_ERROR';
  const last = events.at(-1);
  if (last?.type !== 'done') return 'cancelled';
  return last.outcome.reason === 'aborted' ? 'cancelled' : 'success';
}
