import { describe, it } from '@jest/globals';
import { concat, defer, ignoreElements, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { toolLoop, userMessage } from '../../lib/index.ts';
import type { ApprovalAnswer, Delta, HookList, Hooks, LoopEvent, StepAnswer, ToolLoopOptions } from '../../lib/index.ts';
import { usage } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// The third engine: hooks, turns that are asked for again, approvals. See rig.spec.ts.

const options = { prompt: 'go', preset: 'atomic' } satisfies Partial<ToolLoopOptions>;
const once = { ...options, budget: { maxSteps: 1 }, policy: { budgetEnd: 'stop' } } as const;
const asked = userMessage('go');
const u = usage({ inputTokens: 7, outputTokens: 3 });
const after = <T>(run$: Observable<LoopEvent>, read: () => T): Observable<T> => concat(run$.pipe(ignoreElements()), defer(() => of(read())));
const rewrite = (key: string): Hooks => ({ beforeTool: ({ arguments: args }) => ({ type: 'rewrite', arguments: { ...(args as object), [key]: true } }) });
const judge = (answer: StepAnswer, times = 1): Hooks => ({ afterStep: (_step, { step, attempt }) => (step + attempt <= times ? answer : undefined) });

// prettier-ignore
describe('rig: hooks on tools', () => {
  it.each<[how: string, hooks: HookList]>([['flat', [rewrite('x'), rewrite('y')]], ['nested', [[rewrite('x')], [[rewrite('y')]]]]])('chain in order, %s; what runs is what is told to have run, and the model\'s own call is told as asked [84] [86]', (_how, hooks) => loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-(y|)             ');
    const add = tool('      ----(1|)        ');
    const tools = '      ---(gi)(m1|)       ';
    const effective = { call: { arguments: { a: 1, b: 2, x: true, y: true } } };

    expectEvents(toolLoop({ ...once, model: script(turn1), tools: [add], hooks }), null, { lane: 'tools' }).toBe(tools)
      .having('g', { call: { arguments: { a: 1, b: 2 } } }).having('i', effective).having('m', effective).having('1', effective);
  })());

  it('end at the first that stops [85]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)  ');
    const add = tool('      (1|) ');
    const events = '     -c-(y1L|)';
    const hooks: Hooks[] = [{ beforeTool: () => ({ type: 'stop', reason: 'first' }) }, { beforeTool: () => ({ type: 'stop', reason: 'second' }) }];

    expectEvents(toolLoop({ ...options, model: script(turn1), tools: [add], hooks })).toBe(events).having('L', { stopped: { reason: 'first' } });
    expectSubscriptions(add).toBe([]);
  }));

  it('give a call that they skip a result, and no record of a run [87]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)   ');
    const add = tool('      (1|)  ');
    const tools = '      ---(g1|)  ';

    expectEvents(toolLoop({ ...once, model: script(turn1), tools: [add], hooks: { beforeTool: () => ({ type: 'skip', reason: 'Known: 3.' }) } }), null, { lane: 'tools' }).toBe(tools)
      .having('1', { isError: false, content: [{ text: 'Known: 3.' }] });
    expectSubscriptions(add).toBe([]);
  }));

  it('change what the model sees of a result, not what came of it [88]', loopMarbles(({ turn, tool, script, expectEvents, expectValues }) => {
    const hooks: Hooks = { afterTool: () => ({ type: 'rewrite', content: 'seen' }) };
    const model = script(turn('-c-(y|)'), turn('-t-(z|)'));
    const over = '              ------(m|)';
    const events = '            -c-(y1L|)';

    expectEvents(toolLoop({ ...once, model: script(turn('-c-(y|)')), tools: [tool('(1|)')], hooks })).toBe(events).having('1', { content: [{ text: 'seen' }], output: '1' });
    expectValues(after(toolLoop({ ...options, model, tools: [tool('(1|)')], hooks }), () => model.requests[1]?.messages.at(-1))).toBe(over, {
      m: { role: 'tool', results: [{ callId: 'c0', name: 'add', content: [{ type: 'text', text: 'seen' }], isError: false, output: '1' }] },
    });
  }));

  it.each<[answer: ApprovalAnswer['type'], said: ApprovalAnswer, tools: string, L: Record<string, unknown>, ran: number]>([
    ['approve', { type: 'approve' }, '-------(g[]i)(m1|)', { reason: 'max-steps' }, 1],
    ['approve', { type: 'approve', arguments: { a: 9 } }, '-------(g[]i)(m1|)', { reason: 'max-steps' }, 1],
    ['decline', { type: 'decline', reason: 'No.' }, '-------(g[]1|)', { reason: 'max-steps' }, 0],
    ['stop', { type: 'stop', reason: 'Enough.' }, '-------(g[]1|)', { reason: 'stopped', stopped: { reason: 'Enough.' } }, 0],
  ])('may ask a person: "%s" has the ending that it says [100]', (_answer, said, tools, L, ran) => loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('-c-----(y|)');
    const add = tool('------(1|)', { needsApproval: true });

    expectEvents(toolLoop({ ...once, model: script(turn1), tools: [add], approvals: () => said }), null, { lane: 'tools' }).toBe(tools)
      .having('1', said.type === 'approve' ? { isError: false, call: { arguments: said.arguments ?? { a: 1, b: 2 } } } : { isError: true });
    expectEvents(toolLoop({ ...once, model: script(turn('-c-(y|)')), tools: [tool('----(1|)', { needsApproval: true })], approvals: () => said })).toBe(ran === 0 ? '-c-(y1L|)' : '-c-y---(1L|)').having('L', L);
    expectSubscriptions(add).toBe(ran === 0 ? [] : '-------^-----!');
  })());
});

// prettier-ignore
describe('rig: hooks on a request', () => {
  it('change it once: tools are what all of them leave, words are added [89]', loopMarbles(({ turn, tool, script, expectValues }) => {
    const model = script(turn('-c-(y|)'), turn('-t-(z|)'));
    const first = (patch: object): Hooks => ({ beforeRequest: (_request, { step }) => (step === 0 ? patch : undefined) });
    const hooks = [first({ tools: ['add', 'mul'], system: 'Be short.', options: { temperature: 0 } }), first({ tools: ['add', 'div'], append: [userMessage('now')], options: { maxTokens: 9 } })];
    const tools = ['add', 'mul', 'div'].map((name) => tool('(1|)', { name }));
    const over = '------(m|)';
    const read = () => model.requests.map(({ system, options: given, messages, tools: known }) => [system, given, known.map(({ name }) => name), messages.filter(({ role }) => role === 'user')]);

    expectValues(after(toolLoop({ ...options, model, tools, system: 'Be kind.', modelOptions: { temperature: 1 }, hooks }), read)).toBe(over, {
      m: [
        ['Be short.', { temperature: 0, maxTokens: 9 }, ['add'], [asked, userMessage('now')]],
        ['Be kind.', { temperature: 1 }, ['add', 'mul', 'div'], [asked]],
      ],
    });
  }));

  it('that leave no tool where one is required fail before the call [90]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('(z|)');
    const all = '(S#)';

    for (const toolChoice of ['required', { tool: 'add' }] as const) {
      expectEvents(toolLoop({ ...options, model: script(turn1), tools: [tool('(1|)')], toolChoice, hooks: { beforeRequest: () => ({ tools: [] }) } }), null, { lane: 'all' }).toBe(all, {}, { code: 'hook', message: /leave no tool, but the tool choice is/ });
    }
    expectSubscriptions(turn1).toBe([]);
  }));

  it('share a map that is each run\'s own [99]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -t-(z|) ');
    const events = '     -t-(zL|)';
    const hooks: Hooks = {
      beforeRequest: (_request, { scratch }) => void scratch.set('n', ((scratch.get('n') as number | undefined) ?? 0) + 1),
      afterStep: (_step, { scratch }) => ({ type: 'stop', reason: String(scratch.get('n')) }),
    };
    const run$ = toolLoop({ ...options, model: script(turn1, turn1), hooks });

    expectEvents(run$).toBe(events).having('L', { stopped: { reason: '1' } });
    expectEvents(run$).toBe(events).having('L', { stopped: { reason: '1' } });
  }));
});

// prettier-ignore
describe('rig: hooks on deltas', () => {
  it('stop one before it is shown [91]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -k-t-(z|)');
    const events = '     -k-(zL|) ';

    expectEvents(toolLoop({ ...options, model: script(turn1), hooks: { deltas: ['text'], onDelta: () => ({ type: 'stop', reason: 'Not that.' }) } })).toBe(events)
      .having('z', { finish: 'aborted' }).having('L', { reason: 'stopped', completion: { text: '' } });
    expectSubscriptions(turn1).toBe('^--!');
  }));

  it('are asked of the kinds alone that they name [92]', loopMarbles(({ turn, script, expectValues }) => {
    const heard: Delta['type'][] = [];
    const model = script(turn('-k-t-k-u-(z|)', { u }));
    const hooks: Hooks[] = [{ deltas: ['reasoning'], onDelta: ({ type }) => void heard.push(type) }, { deltas: ['refusal'], onDelta: () => ({ type: 'stop' }) }];

    expectValues(after(toolLoop({ ...options, model, hooks }), () => heard)).toBe('---------(h|)', { h: ['reasoning', 'reasoning'] });
  }));
});

// prettier-ignore
describe('rig: a turn that is asked for again', () => {
  it('says so, hides its finish, and counts its usage; it leaves no trace in the history [93] [94]', loopMarbles(({ turn, script, expectEvents, expectValues }) => {
    const turn1 = turn(' -----tu(z|)         ', { u });
    const turn2 = turn('        -----tu(z|)  ', { u });
    const all = '        (Ss)-tu(es)-tu(fzL|)';
    const over = '       --------------(m|)  ';
    const model = script(turn('-----tu(z|)'), turn('-----tu(z|)'));
    const hooks = judge({ type: 'retract' });

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), hooks }), null, { lane: 'all' }).toBe(all)
      .having('e', { usage: { inputTokens: 7 } }).having('L', { usage: { inputTokens: 14, outputTokens: 6 }, messages: [asked] });
    expectValues(after(toolLoop({ ...options, model, hooks }), () => model.requests[1]?.messages)).toBe(over, { m: [asked] });
  }));

  it('with feedback stays in the history where it said something, and the feedback follows [94]', loopMarbles(({ turn, script, expectEvents }) => {
    const correct = judge({ type: 'correct', message: 'Say more.' });
    const said = turn('  -t-(z|)        ');
    const turn2 = turn('    ----t-(z|)  ');
    const empty = turn(' ---(z|)        ');
    const turn3 = turn('    ----t-(z|)  ');

    expectEvents(toolLoop({ ...options, model: script(said, turn2), hooks: correct })).toBe(' -t-(zv)T-(ZL|)', { v: '0 correction hook 1/10' }).having('L', { messages: [asked, { role: 'assistant' }, userMessage('Say more.')] });
    expectEvents(toolLoop({ ...options, model: script(empty, turn3), hooks: correct })).toBe('---(zv)T-(ZL|)', { v: '0 correction hook 1/10' }).having('L', { messages: [asked, userMessage('Say more.')] });
  }));

  it('is refused where it has calls, before any hook on tools [95]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)');
    const add = tool('      (1|)');
    const events = '     -c-#   ';
    const hooks: Hooks[] = [judge({ type: 'retract' }), { beforeTool: () => { throw new Error('It is asked.'); } }];

    expectEvents(toolLoop({ ...options, model: script(turn1), tools: [add], hooks })).toBe(events, {}, { code: 'hook', message: /withdraws a step that has tool calls/ });
    expectSubscriptions(add).toBe([]);
  }));

  it('counts as a call of the budget [96]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-(z|)   ');
    const turn2 = turn('    -t-(z|)');
    const turn3 = turn('       (z|)');
    const events = '     -t-et-(e#)';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2, turn3), budget: { maxSteps: 2 }, hooks: judge({ type: 'retract' }, 9) })).toBe(events, {}, { code: 'budget', message: /maxSteps is 2/ });
    expectSubscriptions(turn3).toBe([]);
  }));

  it('or stopped there, keeps its finish, and runs no tool [97]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -----c-(y|)       ');
    const add = tool('             (1|)    ');
    const tools = '      -------(g1|)      ';
    const story = '      -----c-(y1L|)     ';

    expectEvents(toolLoop({ ...options, model: script(turn1), tools: [add], hooks: judge({ type: 'stop' }) })).toBe(story).having('L', { reason: 'stopped', completion: { finish: 'tool-use' } }).lane('tools').toBe(tools);
    expectSubscriptions(add).toBe([]);
  }));
});
