import { describe, expect, it } from '@jest/globals';
import { concat, defer, ignoreElements, of, timer, VirtualTimeScheduler } from 'rxjs';
import type { Observable } from 'rxjs';
import { completeToolLoop, resumeToolLoop, toolLoop, userMessage } from '../../lib/index.ts';
import type { Checkpoint, Delta, EventOf, Hooks, LoopEvent, Message, ToolLoopOptions } from '../../lib/index.ts';
import { call, fakeTool, finish, reasoning, script as played, text } from '../../marbles/index.ts';
import { play } from '../support/play.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// The behaviours of the third engine, with preset `atomic`: here its runs, in rig-stream.spec.ts what a model says, in
// rig-tools.spec.ts batches, in rig-hooks.spec.ts and rig-invalid.spec.ts what an application decides, in
// rig-output.spec.ts structured output.

const options = { prompt: 'go', preset: 'atomic' } satisfies Partial<ToolLoopOptions>;
const asked = userMessage('go');

/** What `read` finds once the run is over. */
const after = <T>(run$: Observable<LoopEvent>, read: () => T): Observable<T> => concat(run$.pipe(ignoreElements()), defer(() => of(read())));

const said = (turn: number) => ({ type: 'text', block: `text${turn}`, text: 'hi' });
const added = (id: string) => ({ type: 'tool-call', call: { id, name: 'add', arguments: { a: 1, b: 2 }, rawArguments: '{"a":1,"b":2}' } });
const result = (callId: string, name: string, output: string) => ({ callId, name, content: [{ type: 'text', text: output }], isError: false, output });

// prettier-ignore
describe('rig: a run', () => {
  it('gives the deltas of a plain answer, one step-end, one done, and completes [1]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' ----t-t-(z|)');
    const story = '      ----t-t-(zL|)';
    const all = '        (Ss)t-t-(fzL|)';

    expectEvents(toolLoop({ ...options, model: script(turn1) })).toBe(story).lane('all').toBe(all);
    expectSubscriptions(turn1).toBe('^-------!');
  }));

  it('says nothing after an error, and is not done [8]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -----t-#');
    const all = '        (Ss)-t-#';

    expectEvents(toolLoop({ ...options, model: script(turn1) }), null, { lane: 'all' }).toBe(all, {}, { code: 'model-transport' });
  }));

  it('shows the round of a tool to the next request: the turn with its calls, then the results, in call order [10] [11]', loopMarbles(({ turn, tool, script, expectValues }) => {
    const model = script(turn('-t-cd-(y|)'), turn('-t-(z|)'));
    const tools = [tool('--(1|)'), tool('-(2|)', { name: 'mul' })];
    const over = '              ------------(m|)';

    expectValues(after(toolLoop({ ...options, model, tools }), () => model.requests[1]?.messages.map(({ role, ...rest }) => ('results' in rest ? [role, rest.results] : role)))).toBe(over, {
      m: ['user', 'assistant', ['tool', [result('c0', 'add', '1'), result('d0', 'mul', '2')]]],
    });
  }));

  it('has the history before the prompt in each request, and once [14]; text before a call stays in it [15]', loopMarbles(({ turn, tool, script, expectValues }) => {
    const before: Message[] = [userMessage('hello'), { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }], finish: 'stop' }];
    const model = script(turn('-t-c-(y|)'), turn('-t-(z|)'));
    const over = '               --------(m|)';
    const turn1 = { role: 'assistant', content: [said(0), added('c0')], finish: 'tool-use' };

    expectValues(after(toolLoop({ ...options, messages: before, model, tools: [tool('(1|)')] }), () => model.requests.map(({ messages }) => messages))).toBe(over, {
      m: [[...before, asked], [...before, asked, turn1, { role: 'tool', results: [result('c0', 'add', '1')] }]],
    });
  }));

  it('keeps reasoning in the history once, not once a delta [16]', loopMarbles(({ turn, tool, script, expectValues }) => {
    const model = script(turn('-kk-k-c-(y|)'), turn('-t-(z|)'));
    const over = '               -----------(m|)';

    expectValues(after(toolLoop({ ...options, model, tools: [tool('(1|)')] }), () => model.requests[1]?.messages.flatMap((one) => (one.role === 'assistant' ? one.content.map((part) => (part.type === 'reasoning' ? part.text : part.type)) : [])))).toBe(over, {
      m: ['hmhmhm', 'tool-call'],
    });
  }));

  it('holds the next step for a slow reader [142]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('    -c-(y|)             ');
    const add = tool('         -(1|)           ');
    const turn2 = turn('           -t-(z|)      ');
    const events = '        ----c-y1---T-(ZL|)   ';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [add], demand: { ready: () => timer(3) as unknown as Observable<void> } })).toBe(events);
    expectSubscriptions(turn2).toBe('----------^--!');
  }));
});

// prettier-ignore
describe('rig: the budget of model calls', () => {
  it('of zero makes no call [45]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('(z|)');
    const all = '(S#)';

    expectEvents(toolLoop({ ...options, model: script(turn1), budget: { maxSteps: 0 } }), null, { lane: 'all' }).toBe(all, {}, { code: 'budget' });
    expectSubscriptions(turn1).toBe([]);
  }));

  it('of two makes two, a withdrawn turn included [46]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-(z|)             ');
    const turn2 = turn('    -c-(y|)          ');
    const add = tool('         --(1|)       ');
    const turn3 = turn('           (z|)      ');
    const events = '     -t-ec-y-(1#)        ';
    const hooks: Hooks = { afterStep: (_step, { attempt }) => (attempt === 1 ? { type: 'retract' } : undefined) };

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2, turn3), tools: [add], budget: { maxSteps: 2 }, hooks })).toBe(events, {}, { code: 'budget', message: /maxSteps is 2/ });
    expectSubscriptions(turn3).toBe([]);
  }));

  it('is each run\'s own, also of two subscriptions to one [55]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const run$ = toolLoop({ ...options, model: script(turn('-c-(y|)'), turn('-c-(y|)'), turn('-t-(z|)'), turn('-t-(z|)')), tools: [tool('-(1|)')], budget: { maxSteps: 2 } });
    const events = '-c-y1T-(ZL|)';

    expectEvents(run$).toBe(events);
    expectEvents(run$, '^---------').toBe(events);
  }));
});

const turn1: Observable<Delta> = of(reasoning('hm'), text('hi'), ...call('add', { a: 1 }), ...call('add', { a: 2 }, { index: 1, id: 'second' }), finish('tool-use'));
const turn2: Observable<Delta> = of(text('bye', 'last'), finish('stop'));

/** The same ids and the same clock each time. */
function settings(more: Partial<ToolLoopOptions> = {}): ToolLoopOptions {
  let made = 0;
  return { ...options, model: played(turn1, turn2), tools: [fakeTool(of('1'))], ids: (kind) => `${kind}${++made}`, scheduler: new VirtualTimeScheduler(), ...more } as ToolLoopOptions;
}

describe('rig: one run, told in several ways', () => {
  it('ends with the same outcome for who reads every event and who reads the last [9]', () => {
    const outcomes: unknown[] = [];
    completeToolLoop(settings()).subscribe((outcome) => outcomes.push(outcome));

    expect(outcomes).toEqual([(play(toolLoop(settings())).events.at(-1) as EventOf<'done'>).outcome]);
    expect(outcomes).toMatchObject([{ reason: 'answer', steps: [{}, {}] }]);
  });

  it('gives the same answer when it is asked again [18]', () => {
    const run$ = toolLoop(settings({ model: played(turn2, turn2) }));
    const [first, again] = [play(run$), play(run$)].map(({ events }) => (events.at(-1) as EventOf<'done'>).outcome);

    expect(again?.completion).toEqual(first?.completion);
    expect([again?.reason, again?.messages]).toEqual([first?.reason, first?.messages]);
  });

  it('that is saved with its tools pending and resumed is the same run [145]', () => {
    const saved: Checkpoint[] = [];
    const whole = play(toolLoop(settings({ onCheckpoint: (at) => void saved.push(JSON.parse(JSON.stringify(at)) as Checkpoint) })));
    const pending = saved.find((one) => one.batch !== undefined) as Checkpoint;
    const resumed = play(resumeToolLoop(pending, {}, settings({ model: played(turn2) })));
    const from = whole.events.findIndex(({ type }) => type === 'step-end') + 1;

    expect(resumed.events[0]).toMatchObject({ type: 'run-start', resumed: true, runId: whole.events[0]?.runId });
    expect(resumed.events.slice(1)).toEqual(whole.events.slice(from));
    expect(resumed.ending).toBe('complete');
  });
});
