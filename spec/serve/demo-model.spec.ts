import { describe, expect, it } from '@jest/globals';
import { firstValueFrom, lastValueFrom, of, toArray } from 'rxjs';
import { historyOf, toolLoop, toOutcome } from '../../lib/index.ts';
import type { EventType, LoopEvent, Message, Outcome } from '../../lib/index.ts';
import { demoModel } from '../../lib/serve/demo-model.ts';
import { demoScripts } from '../../lib/serve/demo-scripts.ts';
import { demoTools } from '../../lib/serve/demo-tools.ts';
import { modelPolicy } from '../../lib/serve/model-policy.ts';
import { calculator } from '../../lib/serve/calculator.ts';

const optionsOf = () => ({ model: demoModel(0), tools: [calculator, ...demoTools(0)], ...modelPolicy({ wire: 'demo' }), retry: { initialDelayMs: 1, jitter: 0 } });
const play = (prompt: string): Promise<LoopEvent[]> =>
  lastValueFrom(toolLoop({ ...optionsOf(), prompt, approvals: () => of({ type: 'approve' } as const) }).pipe(toArray()));
const outcome = (prompt: string, messages: readonly Message[] = []): Promise<Outcome> => firstValueFrom(toolLoop({ ...optionsOf(), prompt, messages }).pipe(toOutcome()));

describe('the demonstration model', () => {
  it.each<[string, EventType[]]>([
    ['Show a retry.', ['retry']],
    ['Show a retract.', ['step-retract']],
    ['Let it be corrected.', ['correction']],
    ['Edit the note.', ['approval-request', 'approval-answer', 'tool-result']],
    ['Make a plan.', ['plan', 'status']],
    ['Do some research.', ['tool-progress', 'tool-result']],
    ['Use two tools.', ['tool-progress', 'tool-result']],
  ])('shows what a word of the prompt names: %s', async (prompt, types) => {
    const events = await play(prompt);
    for (const type of types) expect(events.map((event) => event.type)).toContain(type);
    expect(events.at(-1)).toMatchObject({ type: 'done', outcome: { reason: 'answer' } });
    expect(events.some((event) => event.type === 'tool-result' && event.result.isError)).toBe(false);
  });

  it('reasons, and has a cost and a title', async () => {
    const events = await play('Please think.');
    expect(events.some((event) => event.type === 'delta' && event.delta.type === 'reasoning')).toBe(true);
    expect(events.at(-1)).toMatchObject({ outcome: { usage: { inputTokens: 420, costUsd: expect.any(Number) } } });
    expect(events.find(({ type }) => type === 'title')).toMatchObject({ title: 'Please think.' });
  });

  it('fails where it is asked to', async () => {
    await expect(play('Show an error.')).rejects.toMatchObject({ code: 'model-http' });
  });

  it('says that it is a script, and what it can show, to any other prompt', async () => {
    const { completion } = await outcome('Hello.');
    expect(completion.text).toContain('not a language model');
    for (const { words } of demoScripts) expect(completion.text).toContain(`**${words[0]}**`);
  });

  it('goes by the last prompt of a conversation, and not by an old one that is over', async () => {
    const first = await outcome('Please think.');
    const second = await outcome('Show Markdown.', historyOf(first));
    expect(second.completion.text).toContain('## Three ways to stop');
    expect((await outcome('Hello.', historyOf(second))).completion.text).toContain('not a language model');
  });
});
