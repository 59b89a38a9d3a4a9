import { describe, it } from '@jest/globals';
import { concat, defer, ignoreElements, of } from 'rxjs';
import { toolLoop, userMessage } from '../../lib/index.ts';
import type { FinishReason, Hooks, StepAnswer, ToolLoopOptions } from '../../lib/index.ts';
import { finish, usage } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// How a model call ends, and what follows, where a hook has its say: rows 10 to 12 of the table in docs/semantics.md.

const prompt = 'go';
const u = usage({ inputTokens: 7, outputTokens: 3 });
const asked = userMessage(prompt);
/** Answers the first so many steps or attempts, and has no opinion then. */
const first = (answer: StepAnswer, times = 1): Hooks => ({ afterStep: (_step, { step, attempt }) => (step + attempt <= times ? answer : undefined) });
const retract = { type: 'retract', reason: 'Too short.' } as const;
const correct = { type: 'correct', message: 'Say more.', reason: 'Too short.' } as const;
const stop = { type: 'stop', reason: 'Seen enough.' } as const;

// prettier-ignore
describe('a hook that withdraws the attempt', () => {
  it('row 10: leaves no trace of it but its usage, and asks again at once', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('  -tu(z|)          ', { u });
    const turn2 = turn('     ----tu-(z|)  ', { u });
    const story = '       -t-e---t--(zL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, hooks: first(retract) })).toBe(story)
      .having('e', { step: 0, attempt: 1, reason: 'Too short.', blocks: ['text0'], callIds: [], finish: 'stop', usage: { inputTokens: 7, outputTokens: 3 } })
      .having('z', { attempt: 2, usage: { inputTokens: 7 } })
      .having('L', { reason: 'answer', messages: [asked], steps: [{ attempts: 2, usage: { inputTokens: 14 } }], usage: { inputTokens: 14, outputTokens: 6 }, completion: { text: 'hi' } });
    expectSubscriptions(turn2).toBe('---^------!');
  }));

  it('row 10: begins the next attempt in the frame of its retract, and never shows the finish', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -----t-(z|)       ');
    const turn2 = turn('        -----t-(z|)');
    const all = '        (Ss)-t-(es)-t-(fzL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, hooks: first(retract) }), null, { lane: 'all' }).toBe(all);
  }));

  it('row 10: asks the second attempt nothing of the first', loopMarbles(({ turn, script, expectValues }) => {
    const model = script(turn('-t-(z|)'), turn('-t-(z|)'));
    const run$ = toolLoop({ model, prompt, hooks: first(retract) });
    const over = '------(m|)';

    expectValues(concat(run$.pipe(ignoreElements()), defer(() => of(model.requests[1]?.messages)))).toBe(over, { m: [asked] });
  }));

  it.each<[budgetEnd: 'stop' | 'error', events: string]>([['stop', '-t-(eL|)'], ['error', '-t-(e#)']])('row 10: ends with the budget where no call may follow, with `budgetEnd: "%s"`', (budgetEnd, events) => loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('-t-(z|)');
    const turn2 = turn('(z|)');
    const run = expectEvents(toolLoop({ model: script(turn1, turn2), prompt, budget: { maxSteps: 1 }, policy: { budgetEnd }, hooks: first(retract) }));

    run.toBe(events, {}, { code: 'budget' });
    if (budgetEnd === 'stop') run.having('L', { reason: 'max-steps', messages: [asked], steps: [], answer: undefined, completion: { text: '' } });
    expectSubscriptions(turn2).toBe([]);
  })());

  it('row 10: is refused where the step has calls: none runs, and the run fails', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-c-(y|)');
    const add = tool('        (1|)');
    const events = '     -t-c-#   ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, hooks: first(retract) }))
      .toBe(events, {}, { code: 'hook', message: 'An answer of afterStep withdraws a step that has tool calls; answer "correct" instead.' });
    expectSubscriptions(add).toBe([]);
  }));

  it('row 10: gives each attempt the hooks before a request again', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-(z|)         ');
    const other = turn('    ----t-(z|)   ');
    const events = '     -t-e---t-(zL|)  ';
    const hooks: Hooks[] = [first(retract), { beforeRequest: (_request, { attempt }) => (attempt === 2 ? { model: script(other) } : undefined) }];

    expectEvents(toolLoop({ model: script(turn1), prompt, hooks })).toBe(events);
    expectSubscriptions(other).toBe('---^-----!');
  }));
});

// prettier-ignore
describe('a hook that corrects the model', () => {
  it('row 11: keeps the turn, tells the model, and takes another step', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-(z|)           ');
    const turn2 = turn('    -----t-(z|)    ');
    const events = '     -t-(zv)-T-(ZL|)   ';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, hooks: first(correct) })).toBe(events, { v: '0 correction hook 1/10' })
      .having('z', { finish: 'stop' })
      .having('v', { step: 0, cause: 'hook', count: 1, max: 10, reason: 'Too short.', message: userMessage('Say more.') })
      .having('L', { reason: 'answer', messages: [asked, { role: 'assistant', finish: 'stop', content: [{ text: 'hi' }] }, userMessage('Say more.')], steps: [{ step: 0 }, { step: 1 }] });
    expectSubscriptions(turn2).toBe('---^------!');
  }));

  it('row 11: closes its calls before it says so: none runs', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-c-(y|)              ');
    const add = tool('        (1|)             ');
    const turn2 = turn('      ------t-(z|)     ');
    const events = '     -t-c-(y1v)-T-(ZL|)    ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, hooks: first(correct) })).toBe(events, { v: '0 correction hook 1/10' })
      .having('y', { finish: 'tool-use', toolCalls: 1 }).having('1', { isError: true, error: { kind: 'cancelled', message: 'Not executed: the response was sent back.' } })
      .having('L', { messages: [asked, { role: 'assistant' }, { role: 'tool' }, userMessage('Say more.')] });
    expectSubscriptions(add).toBe([]);
  }));

  it.each<FinishReason>(['length', 'content-filter', 'refusal', 'pause'])('row 11: goes on after "%s" too, which stays the finish of the step', (reason) => loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -t-(e|)           ', { e: finish(reason) });
    const turn2 = turn('    -----t-(z|)    ');
    const events = '     -t-(zv)-T-(ZL|)   ';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, hooks: first(correct) })).toBe(events, { v: '0 correction hook 1/10', z: `0 end ${reason}` }).having('L', { reason: 'answer' });
  })());

  it('row 11: counts its corrections in the run, and the budget of calls ends them', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-(z|)               ');
    const turn2 = turn('    -----t-(z|)        ');
    const turn3 = turn('           (z|)        ');
    const events = '     -t-(zv)-T-(ZVL|)      ';

    expectEvents(toolLoop({ model: script(turn1, turn2, turn3), prompt, budget: { maxSteps: 2 }, hooks: first(correct, 9) }))
      .toBe(events, { v: '0 correction hook 1/2', V: '1 correction hook 2/2' })
      .having('L', { reason: 'max-steps', messages: [asked, {}, { role: 'user' }, { role: 'assistant' }, { role: 'user' }] });
    expectSubscriptions(turn3).toBe([]);
  }));

  it('row 11: takes a message of its own making', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -t-(z|)           ');
    const turn2 = turn('    -----t-(z|)    ');
    const events = '     -t-(zv)-T-(ZL|)   ';
    const message = { role: 'user', content: [{ type: 'text', text: 'Look.' }, { type: 'image', mediaType: 'image/png', data: 'AA==' }] } as const;

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, hooks: first({ type: 'correct', message }) })).toBe(events, { v: '0 correction hook 1/10' })
      .having('v', { message, reason: 'A hook asks for something else.' });
  }));
});

// prettier-ignore
describe('a hook that stops the run after the step', () => {
  it.each<[name: string, options: Partial<ToolLoopOptions>]>([['resilient', {}], ['strict', { preset: 'strict' }], ['atomic', { preset: 'atomic' }]])('row 12: keeps the answer, with preset %s', (_name, options) => loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -t-(z|) ');
    const events = '     -t-(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, ...options, hooks: first(stop) })).toBe(events)
      .having('z', { finish: 'stop' }).having('L', { reason: 'stopped', stopped: { reason: 'Seen enough.' }, completion: { text: 'hi' }, answer: { content: [{ text: 'hi' }] }, messages: [asked] });
  })());

  it('row 12: closes its calls: none runs', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-c-(y|)  ');
    const add = tool('        (1|) ');
    const events = '     -t-c-(y1L|)';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, hooks: first(stop) })).toBe(events)
      .having('y', { finish: 'tool-use' }).having('1', { isError: true, error: { kind: 'cancelled', message: 'Not executed: the run was stopped.' } })
      .having('L', { reason: 'stopped', messages: [asked, { role: 'assistant' }, { role: 'tool' }], answer: undefined });
    expectSubscriptions(add).toBe([]);
  }));

  it('row 12: leaves what the user has said unread', loopMarbles(({ turn, script, hot, expectEvents }) => {
    const turn1 = turn('   -t-(z|) ');
    const steering$ = hot('--a     ', { a: 'left' });
    const events = '       -t-(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, steering$, hooks: first(stop) })).toBe(events).having('L', { reason: 'stopped', unread: { steering: [userMessage('left')] } });
  }));
});
