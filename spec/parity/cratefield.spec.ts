import { describe, it } from '@jest/globals';
import { concat, defer, ignoreElements, last, map, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { completeToolLoop, ofType, toolLoop, toOutcome, userMessage } from '../../lib/index.ts';
import type { LoopEvent, ToolLoopOptions } from '../../lib/index.ts';
import { call, finish, reasoning, text, usage } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const options = { prompt: 'go', preset: 'strict' } satisfies Partial<ToolLoopOptions>;
const asked = userMessage('go');

/** What `read` finds once the run is over. */
const after = <T>(run$: Observable<LoopEvent>, read: () => T): Observable<T> => concat(run$.pipe(ignoreElements()), defer(() => of(read())));

const said = (turn: number) => ({ type: 'text', block: `text${turn}`, text: 'hi' });
const added = (id: string) => ({ type: 'tool-call', call: { id, name: 'add', arguments: { a: 1, b: 2 }, rawArguments: '{"a":1,"b":2}' } });
const multiplied = (id: string) => ({ type: 'tool-call', call: { id, name: 'mul', arguments: { a: 2, b: 3 }, rawArguments: '{"a":2,"b":3}' } });
const result = (callId: string, name: string, output: string) => ({ callId, name, content: [{ type: 'text', text: output }], isError: false, output });

// prettier-ignore
describe('cratefield: the order of a run', () => {
  it('gives the deltas of a plain answer, one step-end, one done, and completes [1]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' ----t-t-(z|)');
    const story = '      ----t-t-(zL|)';
    const all = '        (Ss)t-t-(fzL|)';

    expectEvents(toolLoop({ ...options, model: script(turn1) })).toBe(story).lane('all').toBe(all);
    expectSubscriptions(turn1).toBe('^-------!');
  }));

  it('gives deltas, step-end and result of step 0, then deltas and step-end of step 1, then done [2]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-c-(y|)      ');
    const add = tool('        --(1|)   ');
    const turn2 = turn('        --t-(z|)');
    const events = '     -t-c-y-1-T-(ZL|)';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [add] })).toBe(events).having('L', { reason: 'answer' });
    expectSubscriptions(turn2).toBe('-------^---!');
  }));

  it('ends the step before any result of it, also when the tool answers at once [3]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -cd(y|)         ');
    const add = tool('      (1|)        ');
    const mul = tool('      (1|)        ', { name: 'mul' });
    const turn2 = turn('    -----t-(z|)');
    const events = '     -cd(y12)T-(ZL|)';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [add, mul] })).toBe(events);
  }));

  it('gives each result after its call ran and before the next call starts [4]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-d-(y|)                ');
    const add = tool('        -----(1|)           ');
    const mul = tool('             -----(1|)      ', { name: 'mul' });
    const turn2 = turn('                 ---t-(z|)');
    const batch = '      -----(ghi)(m1j)(n2)-|';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [add, mul] }), null, { lane: 'tools' }).toBe(batch);
    expectSubscriptions(add).toBe('-----^----!');
    expectSubscriptions(mul).toBe('----------^----!');
  }));

  it('forwards deltas one for one and unchanged, usage and finish too [5]', loopMarbles(({ turn, script, expectValues }) => {
    const [o, a, e] = call('add', { a: 1 }, { id: 'c', index: 0 });
    const deltas = { k: reasoning('so', 'r'), t: text('hi', 't'), u: usage({ inputTokens: 7 }), x: { type: 'unknown', raw: [1] }, l: finish('length') } as const;
    const turn1 = turn(' -k-t-u-x-c----(l|)', { ...deltas, c: [o, a, e].flatMap((one) => one ?? []) });
    const sent = '       -k-t-u-x-(oae)(l|)';

    const deltas$ = toolLoop({ ...options, model: script(turn1) }).pipe(ofType('delta'), map(({ delta }) => delta));

    expectValues(deltas$).toBe(sent, { ...deltas, o, a, e });
  }));

  it('counts steps from 0, as the steps of the outcome do [6]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-(y|)        ');
    const add = tool('      --(1|)     ');
    const turn2 = turn('      --t-(z|)');
    const events = '     -c-y-1-T-(ZL|)';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [add] })).toBe(events)
      .having('y', { step: 0 })
      .having('1', { step: 0 })
      .having('Z', { step: 1 })
      .having('L', { steps: [{ step: 0, finish: 'tool-use', toolCalls: 1 }, { step: 1, finish: 'stop', toolCalls: 0 }] });
  }));

  it('says done once, last, and completes in the same frame [7]', loopMarbles(({ turn, script, expectValues }) => {
    const turn1 = turn(' -t-(z|)');
    const dones = '      ---(L|)';

    const done$ = toolLoop({ ...options, model: script(turn1) }).pipe(last(), map(({ type }) => type));

    expectValues(done$).toBe(dones, { L: 'done' });
  }));

  it('says neither done nor anything else after an error [8]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' ----t-#');
    const events = '     ----t-#';
    const all = '        (Ss)t-#';

    expectEvents(toolLoop({ ...options, model: script(turn1) })).toBe(events).lane('all').toBe(all);
  }));

  it('comes to the same outcome streamed and at once [9]', loopMarbles(({ turn, tool, script, expectValues }) => {
    const turn1 = turn(' -tcu-(y|)      ');
    const add = tool('        --(1|)   ');
    const turn2 = turn('        --t-(z|)');
    const both = () => ({ ...options, model: script(turn1, turn2), tools: [add] });

    expectValues(completeToolLoop(both())).toEqual(toolLoop(both()).pipe(ofType('done'), map(({ outcome }) => outcome)));
    expectValues(completeToolLoop(both()).pipe(map(({ completion }) => completion.text))).toBe('-----------(o|)', { o: 'hi' });
  }));

  it('runs twice for two subscribers, each on its own, and not at all before [17]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('      -t-(z|)     ');
    const events$ = toolLoop({ ...options, model: script(turn1, turn1) });

    expectEvents(events$, '   --^-----------').toBe('---t-(zL|)');
    expectEvents(events$, '   ---^----------').toBe('----t-(zL|)');
    expectSubscriptions(turn1).toBe(['--^--!', '---^--!']);
  }));

  it('leaves the model in the middle of its answer when the reader does: no tool, no further call [135]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-c-(y|)');
    const turn2 = turn('  (z|)    ');
    const add = tool('    (1|)    ');
    const leave = '      ----!   ';
    const events = '     -t-c    ';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [add] }), leave).toBe(events);
    expectSubscriptions(turn1).toBe('^---!');
    expectSubscriptions(turn2).toBe([]);
    expectSubscriptions(add).toBe([]);
  }));

  it('fires the signal of the running tool when the reader leaves [136]', loopMarbles(({ turn, tool, script, expectEvents, expectValues, expectSubscriptions, cold }) => {
    const turn1 = turn(' -c-(y|)  ');
    const add = tool('      -----1');
    const leave = '      ------!  ';
    const later = '      -------x ';

    expectEvents(toolLoop({ ...options, model: script(turn1), tools: [add] }), leave).toBe('-c-y');
    expectSubscriptions(add).toBe('---^--!');
    expectValues(cold(later).pipe(map(() => add.contexts.map(({ signal }) => signal.aborted)))).toBe(later, { x: [true] });
  }));
});

// prettier-ignore
describe('cratefield: the transcript', () => {
  it('sends the turn with its calls and the results of round one with the second request [10]', loopMarbles(({ turn, tool, script, expectValues }) => {
    const turn1 = turn(' -t-c-(y|)      ');
    const add = tool('        --(1|)   ');
    const turn2 = turn('        --t-(z|)');
    const over = '       -----------(m|)';
    const model = script(turn1, turn2);

    const run$ = toolLoop({ ...options, model, tools: [add] });

    expectValues(after(run$, () => model.requests.map(({ messages }) => messages))).toBe(over, {
      m: [
        [asked],
        [
          asked,
          { role: 'assistant', content: [said(0), added('c0')], finish: 'tool-use' },
          { role: 'tool', results: [result('c0', 'add', '1')] },
        ],
      ],
    });
  }));

  it('keeps the results of a round together, in call order, right after its turn [11]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -d-c-(y|)                  ');
    const add = tool('           --(1|)            ');
    const mul = tool('        ---(2|)              ', { name: 'mul' });
    const turn2 = turn('             ---t-(z|)     ');
    const events = '     -d-c-y--1-2--T-(ZL|)       ';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [add, mul] }))
      .toBe(events, { d: '0 call mul', c: '0 call add', 1: '0 result mul', 2: '0 result add' })
      .having('L', {
        messages: [
          asked,
          { role: 'assistant', content: [multiplied('d0'), added('c0')] },
          { role: 'tool', results: [result('d0', 'mul', '2'), result('c0', 'add', '1')] },
        ],
      });
  }));

  it('does not repeat the final answer in the messages [12]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -t-(z|)');
    const events = '     -t-(zL|)';

    expectEvents(toolLoop({ ...options, model: script(turn1) })).toBe(events)
      .having('L', { messages: [asked], answer: { role: 'assistant', content: [said(0)], finish: 'stop' } });
  }));

  it('is exactly one plain call for a prompt without tools [13]', loopMarbles(({ turn, script, expectValues, expectSubscriptions }) => {
    const turn1 = turn(' -t-(z|)');
    const over = '       ---(r|)';
    const model = script(turn1);

    const run$ = toolLoop({ ...options, model });

    expectValues(after(run$, () => model.requests.map(({ messages, tools, toolChoice, system }) => [messages, tools, toolChoice, system])))
      .toBe(over, { r: [[[asked], [], 'auto', undefined]] });
    expectSubscriptions(turn1).toBe('^--!');
  }));

  it('has the outcome of a run as its one value [9]', loopMarbles(({ turn, script, expectValues }) => {
    const outcome$ = toolLoop({ ...options, model: script(turn('-t-(z|)')) }).pipe(toOutcome(), map(({ reason, completion }) => [reason, completion.text]));

    expectValues(outcome$).toBe('---(o|)', { o: ['answer', 'hi'] });
  }));
});
