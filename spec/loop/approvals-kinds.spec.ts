import { describe, it } from '@jest/globals';
import { EMPTY, throwError } from 'rxjs';
import { concurrent, errorAsDone, toolLoop } from '../../lib/index.ts';
import type { ApprovalAnswer, ApprovalPort, Hooks, Tool } from '../../lib/index.ts';
import { fakeTool } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// The other kinds of request, and the endings of runs whose requests are open.

const prompt = 'go';
const once = { maxSteps: 1 };
const anyObject = { type: 'object' } as const;
const client = { runsOn: 'client' } as const;
const asks = { needsApproval: true } as const;

// prettier-ignore
describe('a tool of the client', () => {
  it('has its result from the answer: no body, so no start and no commit', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('                   -c-(y|)              ');
    const answer = cold<ApprovalAnswer>('     -----(a|)       ', { a: { type: 'result', content: 'Paris' } });
    const add = tool('                             (1|)       ', client);
    const turn2 = turn('                           ------t-(z|) ');
    const tools = '                       ---(g[)-(]1)----|    ';
    const story = '                       -c-y----1-----T-(ZL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, approvals: () => answer })).toBe(story)
      .having('1', { isError: false, content: [{ type: 'text', text: 'Paris' }], output: undefined })
      .lane('tools').toBe(tools).having('[', { kind: 'result' });
    expectSubscriptions(add).toBe([]);
  }));

  it('may have failed, or be refused by its user: the model reads it', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const run = (answer: ApprovalAnswer) => toolLoop({ model: script(turn('-c-(y|)')), tools: [tool('(1|)', client)], prompt, budget: once, approvals: () => answer });
    const events = '-c-(y1L|)';

    expectEvents(run({ type: 'result', content: 'No signal.', isError: true })).toBe(events).having('1', { isError: true, content: [{ text: 'No signal.' }], error: { kind: 'other' } });
    expectEvents(run({ type: 'decline' })).toBe(events).having('1', { isError: true, error: { kind: 'refused', message: 'The call was declined.' } });
  }));

  it('passes the hooks on results, not those before a tool', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-(y|)  ');
    const events = '     -c-(y1L|)';
    const hooks: Hooks = { beforeTool: () => ({ type: 'block', reason: 'Never.' }), afterTool: () => ({ type: 'rewrite', content: 'somewhere' }) };

    expectEvents(toolLoop({ model: script(turn1), tools: [tool('(1|)', client)], prompt, budget: once, hooks, approvals: () => ({ type: 'result', content: 'Paris' }) })).toBe(events)
      .having('1', { isError: false, content: [{ text: 'somewhere' }] });
  }));
});

// prettier-ignore
describe('a running tool that asks its user', () => {
  const asking = (): Tool => ({ ...fakeTool(EMPTY), run: (_args, { input }) => input({ reason: 'Which one?', schema: anyObject }) });

  it('goes on with what it is told', loopMarbles(({ turn, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('                   -c-(y|)            ');
    const answer = cold<ApprovalAnswer>('     ------(a|)    ', { a: { type: 'input', value: 7 } });
    const tools = '                       ---(gi[)-(]m1|)    ';

    expectEvents(toolLoop({ model: script(turn1), tools: [asking()], prompt, budget: once, approvals: () => answer }), null, { lane: 'tools' }).toBe(tools)
      .having('[', { kind: 'input', reason: 'Which one?', schema: anyObject }).having('1', { output: { type: 'input', value: 7 }, isError: false, elapsedMs: 6 });
    expectSubscriptions(answer).toBe('---^-----!');
  }));

  it.each<[what: string, port: ApprovalPort | undefined, declined: object]>([
    ['is declined', () => ({ type: 'decline', reason: 'No.' }), { type: 'decline', reason: 'No.' }],
    ['has nobody there', () => ({ type: 'suspend' }), { type: 'decline', reason: 'Nobody is there to answer.' }],
    ['has an empty answer', () => EMPTY, { type: 'decline', reason: 'Nobody is there to answer.' }],
    ['has no port', undefined, { type: 'decline', reason: 'Nobody is there to answer.' }],
    ['has a port that throws', () => throwError(() => new Error('No mail.')), { type: 'decline', reason: 'Nobody could be asked.' }],
  ])('hears a decline where it %s', (_what, port, output) => loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -c-----(y|)    ');
    const tools = '      -------(gi[]m1|)';

    expectEvents(toolLoop({ model: script(turn1), tools: [asking()], prompt, budget: once, ...(port && { approvals: port }) }), null, { lane: 'tools' }).toBe(tools).having('1', { output, isError: false });
  })());

  it('is stopped with the run by a stop', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -c-----(y|)    ');
    const tools = '      -------(gi[]m1|)';
    const story = '      -c-----(y1L|)  ';

    expectEvents(toolLoop({ model: script(turn1), tools: [asking()], prompt, approvals: () => ({ type: 'stop', reason: 'Enough.' }) })).toBe(story)
      .having('L', { reason: 'stopped', stopped: { reason: 'Enough.', callId: 'c0' } }).lane('tools').toBe(tools);
  }));
});

// prettier-ignore
describe('an open request', () => {
  it('that is answered with stop ends the run; its call is closed', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('                   -cd(y|)         ');
    const answer = cold<ApprovalAnswer>('      ---(a|)   ', { a: { type: 'stop', reason: 'Enough.' } });
    const add = tool('                        (1|)       ', asks);
    const mul = tool('                        (2|)       ', { name: 'mul' });
    const events = '                       -cdy--(12L|)    ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul], prompt, approvals: () => answer })).toBe(events)
      .having('1', { error: { kind: 'cancelled' } }).having('2', { error: { kind: 'cancelled' } }).having('L', { reason: 'stopped', stopped: { reason: 'Enough.', callId: 'c0' } });
    expectSubscriptions(add).toBe([]);
    expectSubscriptions(mul).toBe([]);
  }));

  it.each<[kind: string, options: object]>([['approval', asks], ['result', client]])('of kind %s is left where abort$ fires: its call never runs', (_kind, options) => loopMarbles(({ turn, tool, script, hot, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('                    -cd(y|)            ');
    const answer = cold<ApprovalAnswer>('       -            ');
    const add = tool('                         (1|)          ', options);
    const mul = tool('                         --(2|)        ', { name: 'mul' });
    const abort$ = hot('                    --------x          ');
    const events = '                        -cdy----(12L|)     ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul], prompt, abort$, schedule: concurrent(2), approvals: () => answer })).toBe(events)
      .having('1', { isError: true, error: { kind: 'cancelled' } }).having('2', { isError: false }).having('L', { reason: 'aborted', checkpoint: undefined });
    expectSubscriptions(answer).toBe('---^----!');
    expectSubscriptions(add).toBe([]);
  })());

  it('is left with the reader', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('                -c-(y|)');
    const answer = cold<ApprovalAnswer>('   -   ');
    const add = tool('                     (1|)', asks);
    const leave = '                     -----!';
    const tools = '                     ---(g[)';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, approvals: () => answer }), leave, { lane: 'tools' }).toBe(tools);
    expectSubscriptions(answer).toBe('---^-!');
    expectSubscriptions(add).toBe([]);
  }));

  it.each<[what: string, port: () => never, message: RegExp]>([
    ['throws', () => { throw new Error('No mail.'); }, /^The approvals of the run failed for request ".*" \(approval, call "d\d" of tool "mul"\): No mail\.$/],
    ['answers with an error', () => throwError(() => new Error('No mail.')) as never, /^The approvals of the run failed for request ".*" \(approval, call "d\d" of tool "mul"\): No mail\.$/],
    ['answers what fits another kind', () => ({ type: 'result', content: 'Paris' }) as never, /was answered with "result"; give an object whose type is one of approve, decline, suspend, stop\.$/],
    ['answers nonsense', () => 7 as never, /was answered with 7; give an object/],
    ['answers what is no JSON', () => ({ type: 'approve', arguments: { a: 1n } }) as never, /cannot be kept/],
  ])('whose port %s fails the run, with the calls closed', (_what, approvals, message) => loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -cd----(y|)  ');
    const add = tool('         (1|)  ');
    const mul = tool('         (2|)  ', { name: 'mul', ...asks });
    const story = '      -cd----(yL|) ';
    const tools = '      -------(gh{#)';
    const failed = (turn$: typeof turn1) => toolLoop({ model: script(turn$), tools: [add, mul], prompt, approvals });

    expectEvents(failed(turn1).pipe(errorAsDone())).toBe(story)
      .having('L', { reason: 'error', error: { code: 'approval' }, messages: [{}, {}, { results: [{ callId: 'c0', isError: true }, { callId: 'd0', isError: true }] }] });
    expectEvents(failed(turn(' -cd----(y|)')), null, { lane: 'tools' }).toBe(tools, {}, { code: 'approval', message });
    expectSubscriptions(mul).toBe([]);
  })());
});
