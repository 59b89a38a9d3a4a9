import { describe, expect, it } from '@jest/globals';
import { Subject } from 'rxjs';
import { toolLoop } from '../../lib/index.ts';
import type { LoopEvent } from '../../lib/index.ts';
import { scripted } from '../../lib/deltas/scripted.ts';
import { toAgUi } from '../../lib/projections/ag-ui.ts';
import type { AgUiEvent } from '../../lib/projections/ag-ui.ts';
import { text } from '../../marbles/index.ts';
import { hear, InProcessAgent } from '../support/ag-ui-client.ts';
import { agUiOf, input, inShort } from '../support/ag-ui-of.ts';
import { beside, nested, nestedFailure, Told } from '../support/hosted-runs.ts';

// What a host is told, as AG-UI. The numbers in brackets are those of the list of behaviours; 103 is of docs/peers.md.

const run = new Told();
const typesOf = (events: readonly AgUiEvent[]): string[] => events.map(({ type }) => type);
const end = (type: AgUiEvent['type']): boolean => type === 'RUN_FINISHED' || type === 'RUN_ERROR';

describe('zeph: a host that speaks AG-UI', () => {
  it('reads text and reasoning that never interleave, under the same ids each time [146]', () => {
    const said = [...run.deltas(0, { type: 'reasoning', block: 'r', text: '1' }, text('2', 'b'), { type: 'reasoning', block: 'r', text: '3' }), run.end(0)];
    const events = [run.start(), run.step(0), ...said, run.done()];
    let open = '';
    for (const one of agUiOf(events)) {
      if (!('messageId' in one)) continue;
      if (one.type === 'TEXT_MESSAGE_START' || one.type === 'REASONING_START') {
        expect(open).toBe('');
        open = one.messageId;
      }
      expect(one.messageId).toBe(open);
      if (one.type === 'TEXT_MESSAGE_END' || one.type === 'REASONING_END') open = '';
    }
    expect(agUiOf(events)).toEqual(agUiOf(events));
  });

  it('hears two texts in turn, and its client accepts them [103]', async () => {
    const alternating = ['a', 'b', 'a', 'b'].map((block, n) => text(`${n}`, block));
    const answer$ = toolLoop({ model: scripted([[...alternating, { type: 'finish', reason: 'stop' }]]), prompt: 'go' });
    const { messages, warnings } = await hear(new InProcessAgent((asked) => answer$.pipe(toAgUi({ input: asked }))));
    expect(warnings).toEqual([]);
    expect(messages.map(({ content }) => content)).toEqual(['0', '1', '2', '3']);
  });

  it('gets a start for a finished call without one, and no dangling fragment [147]', () => {
    const call = { id: 'c', name: 'add', arguments: {}, rawArguments: '{}' };
    const deltas = run.deltas(0, { type: 'tool-call-arguments', index: 4, chunk: '{' }, { type: 'tool-call-end', index: 0, call });
    expect(agUiOf([run.start(), run.step(0), ...deltas, run.end(0, 1), run.result(0, 'c', 'add'), run.done()]).map(inShort)).toEqual([
      'RUN_STARTED', 'STEP_STARTED step-0', 'TOOL_CALL_START c', 'TOOL_CALL_ARGS c {}', 'TOOL_CALL_END c', 'STEP_FINISHED step-0', 'TOOL_CALL_RESULT run/result/c add is done', 'RUN_FINISHED',
    ]);
  });

  it.each<[string, LoopEvent[]]>([
    ['an answer', beside()], ['sub-agents', nested()], ['a failed sub-agent', nestedFailure()],
    ['nothing', []], ['a start alone', [run.start()]], ['a step cut in the middle', [run.start(), run.step(0), ...run.deltas(0, text('so', 'b'))]],
    ['what comes after the end', [run.start(), run.done(), run.step(0), run.done()]],
  ])('gets one end, and nothing after it: %s [148]', (_name, events) => {
    const types = typesOf(agUiOf(events));
    expect(types.findIndex((type) => end(type as AgUiEvent['type']))).toBe(types.length - 1);
  });

  it('hears why a run stopped in its end, and that it was cancelled before anything else [149]', () => {
    expect(agUiOf([run.start(), run.done({ reason: 'max-steps' })]).at(-1)).toMatchObject({ result: { reason: 'max-steps' }, outcome: { type: 'success' } });
    const stop$ = new Subject<void>();
    const events: AgUiEvent[] = [];
    const model = scripted([() => { stop$.next(); return { text: 'cut', finish: 'length' }; }]);
    toolLoop({ model, prompt: 'go', abort$: stop$ }).pipe(toAgUi({ input })).subscribe((event) => events.push(event));
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
  });

  it('gets status, thinking, plan, title and usage, the plan whole, and an empty status that clears [150]', () => {
    const events = agUiOf(beside());
    const activities = events.flatMap((one) => (one.type === 'ACTIVITY_SNAPSHOT' ? [[one.activityType, one.content]] : []));
    expect(activities).toEqual([
      ['STATUS', { text: 'Thinking' }],
      ['PLAN', { entries: [{ content: 'Look', status: 'in-progress' }, { content: 'Say', status: 'pending' }] }],
      ['PLAN', { entries: [{ content: 'Look', status: 'completed' }, { content: 'Say', status: 'completed' }] }],
      ['STATUS', { text: '' }],
    ]);
    expect(events).toContainEqual({ type: 'CUSTOM', name: 'session.title', value: { title: 'A talk' } });
    expect(typesOf(events)).toContain('REASONING_MESSAGE_CONTENT');
    expect(events.at(-1)).toMatchObject({ usage: [{ model: 'm', inputTokens: 30, outputTokens: 6, totalTokens: 36 }] });
  });

  it('reads the tool in every update of it, and the call of its sub-agent [151]', () => {
    const updates = [...agUiOf(nested()), ...agUiOf(nestedFailure())].flatMap((one) => (one.type === 'ACTIVITY_SNAPSHOT' && one.activityType === 'TOOL' ? [one] : []));
    expect(updates.length).toBeGreaterThan(6);
    for (const { content, subagentRunId } of updates) {
      expect(content['toolName']).toMatch(/helper|looker/);
      expect(content['parentToolCallId']).toBe(subagentRunId === undefined ? undefined : 'c1');
    }
  });

  it('shows no text of an error, unless it is told to [152]', () => {
    expect(JSON.stringify(agUiOf(nestedFailure()))).not.toContain('secret');
    expect(JSON.stringify(agUiOf(nestedFailure(), { mask: false }))).toContain('secret');
  });
});
