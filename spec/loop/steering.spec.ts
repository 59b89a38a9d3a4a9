import { describe, it } from '@jest/globals';
import { concat, defer, ignoreElements, of, Subject, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { toolLoop, userMessage } from '../../lib/index.ts';
import type { LoopEvent } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const prompt = 'go';
const asked = userMessage(prompt);
const words = { a: 'left', b: 'right' };
const [left, right] = [userMessage('left'), userMessage('right')];

/** What `read` finds once the run is over. */
const after = <T>(run$: Observable<LoopEvent>, read: () => T): Observable<T> => concat(run$.pipe(ignoreElements()), defer(() => of(read())));

// prettier-ignore
describe('steering$', () => {
  it('is read before the next model call, after the results', loopMarbles(({ turn, tool, script, hot, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('   -c-(y|)         ');
    const steering$ = hot('-a--b-          ', words);
    const add = tool('        --(1|)      ');
    const turn2 = turn('          --t-(z|)');
    const story = '        -c-y-1-T-(ZL|)   ';
    const host = '         -----l---|      ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, steering$ })).toBe(story)
      .having('L', { reason: 'answer', messages: [asked, { role: 'assistant' }, { role: 'tool' }, left, right], unread: undefined })
      .lane('host').toBe(host).having('l', { messages: [left, right] });
    expectSubscriptions(turn2).toBe('-----^---!');
  }));

  it('is read before the first call too: right before its step-start', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn('(z|)    ');
    const all = '       (SlsfzL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, steering$: of('left') }), null, { lane: 'all' }).toBe(all)
      .having('l', { messages: [left] }).having('L', { messages: [asked, left] });
  }));

  it('is sent with the next request', loopMarbles(({ turn, tool, script, hot, expectValues }) => {
    const model = script(turn('-c-(y|)'), turn('-t-(z|)'));
    const steering$ = hot('    -a-----', words);
    const add = tool('         -(1|)  ');

    expectValues(after(toolLoop({ model, tools: [add], prompt, steering$ }), () => model.requests.map(({ messages }) => messages.map((one) => (one.role === 'user' ? one.content : one.role)))))
      .toBe('-------(r|)', { r: [[asked.content], [asked.content, 'assistant', 'tool', left.content]] });
  }));

  it('starts another step where the run would have answered, and the answer stays', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('   -t-(z|)    ');
    const steering$ = hot('--a        ', words);
    const turn2 = turn('      ---t-(z|)');
    const events = '       -t-z--T-(ZL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, steering$ })).toBe(events)
      .having('L', { reason: 'answer', messages: [asked, { role: 'assistant', finish: 'stop' }, left], answer: { role: 'assistant' }, steps: [{ step: 0 }, { step: 1 }] })
      .lane('host').toBe('---l----|');
    expectSubscriptions(turn2).toBe('---^----!');
  }));

  it('is read after a correction', loopMarbles(({ turn, script, hot, expectEvents }) => {
    const turn1 = turn('   ----t-#        ');
    const steering$ = hot('--a            ', words);
    const turn2 = turn('         ----t-(z|)');
    const story = '        ----t-(zv)T-(ZL|)';
    const host = '         ------l-----|    ';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, steering$ })).toBe(story)
      .having('L', { messages: [asked, { role: 'assistant', finish: 'error' }, { role: 'user' }, left] })
      .lane('host').toBe(host);
  }));

  it('takes whole messages, such as one with an image', loopMarbles(({ turn, script, hot, expectEvents }) => {
    const shown = { role: 'user', content: [{ type: 'image', url: 'https://example.org/a.png' }] } as const;
    const steering$ = hot('-a', { a: shown });

    expectEvents(toolLoop({ model: script(turn('-t-(z|)'), turn('---t-(z|)')), prompt, steering$ })).toBe('-t-z--T-(ZL|)').having('L', { messages: [{}, {}, shown] });
  }));

  it('hands back what nobody has read', loopMarbles(({ turn, script, hot, expectEvents }) => {
    const turn1 = turn('   -t-(z|)  ');
    const steering$ = hot('--a      ', words);
    const followUp$ = hot('--b      ', words);
    const events = '       -t-(zL|) ';

    expectEvents(toolLoop({ model: script(turn1), prompt, steering$, followUp$, budget: { maxSteps: 1 } })).toBe(events)
      .having('L', { reason: 'answer', messages: [asked], answer: { role: 'assistant' }, unread: { steering: [left], followUp: [right] } });
  }));

  it('hands it back from a run that was stopped', loopMarbles(({ turn, script, hot, expectEvents }) => {
    const turn1 = turn('   -t-----(z|)');
    const steering$ = hot('--a        ', words);
    const abort$ = hot('   ---x       ');
    const events = '       -t-(zL|)   ';

    expectEvents(toolLoop({ model: script(turn1), prompt, steering$, abort$ })).toBe(events).having('L', { reason: 'aborted', unread: { steering: [left], followUp: [] } });
  }));

  it('is not read where no call is left: the messages stay as they were', loopMarbles(({ turn, tool, script, hot, expectEvents }) => {
    const turn1 = turn('   -c-(y|)     ');
    const steering$ = hot('-a          ', words);
    const add = tool('        --(1|)  ');
    const events = '       -c-y-(1L|)  ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, steering$, budget: { maxSteps: 1 } })).toBe(events)
      .having('L', { reason: 'max-steps', messages: [asked, { role: 'assistant' }, { role: 'tool' }], unread: { steering: [left] } })
      .lane('host').toBe('-----|');
  }));

  it('may be said inside `next`: it is read at the next boundary', loopMarbles(({ turn, script, expectEvents }) => {
    const steering$ = new Subject<string>();
    const model = script(turn('-t-(z|)'), turn('----t-(z|)'));
    const saying$ = toolLoop({ model, prompt, steering$ }).pipe(tap((event) => event.type === 'step-end' && event.step === 0 && steering$.next('left')));

    expectEvents(saying$).toBe('-t-z---T-(ZL|)').having('L', { messages: [asked, { role: 'assistant' }, left] }).lane('host').toBe('---l-----|');
  }));

  it('that completes means nothing', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions }) => {
    const steering$ = hot('-|', words);

    expectEvents(toolLoop({ model: script(turn('-t-(z|)')), prompt, steering$ })).toBe('-t-(zL|)').having('L', { reason: 'answer', unread: undefined });
    expectSubscriptions(steering$).toBe('^!');
  }));

  it.each(['steering$', 'followUp$'] as const)('that fails is the error of the run: %s', (option) => loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('   -t-----(z|)');
    const notifier$ = hot('---#       ', words, new Error('Gone.'));
    const events = '       -t-#       ';

    expectEvents(toolLoop({ model: script(turn1), prompt, [option]: notifier$ })).toBe(events, {}, { code: 'other', message: 'Gone.' });
    expectSubscriptions(turn1).toBe('^--!');
  })());
});

// prettier-ignore
describe('followUp$', () => {
  it('starts another turn where the run would have answered, one for each', loopMarbles(({ turn, script, hot, expectEvents }) => {
    const turn1 = turn('   -t-(z|)           ');
    const followUp$ = hot('-ab               ', words);
    const turn2 = turn('      ---t-(z|)       ');
    const turn3 = turn('           ---t-(z|)  ');
    const story = '        -t-z--T-Z--e-(nL|)';
    const host = '         ---l----l----|    ';

    expectEvents(toolLoop({ model: script(turn1, turn2, turn3), prompt, followUp$ })).toBe(story, { e: '2 text', n: '2 end stop' })
      .having('L', { reason: 'answer', messages: [asked, { role: 'assistant' }, left, { role: 'assistant' }, right], unread: undefined })
      .lane('host').toBe(host);
  }));

  it('is not read between a step with tools and the next', loopMarbles(({ turn, tool, script, hot, expectEvents }) => {
    const turn1 = turn('   -c-(y|)               ');
    const followUp$ = hot('-a                    ', words);
    const add = tool('        --(1|)            ');
    const turn2 = turn('        -t-(z|)         ');
    const turn3 = turn('           ---t-(z|)    ');
    const story = '        -c-y-1T-Z--e-(nL|)    ';
    const host = '         --------l----|        ';

    expectEvents(toolLoop({ model: script(turn1, turn2, turn3), tools: [add], prompt, followUp$ })).toBe(story, { e: '2 text', n: '2 end stop' }).lane('host').toBe(host);
  }));

  it('comes after what steers', loopMarbles(({ turn, script, hot, expectEvents }) => {
    const model = script(turn('-t-(z|)'), turn('---t-(z|)'), turn('---t-(z|)'));
    const [followUp$, steering$] = [hot('-a', words), hot('--b', words)];

    expectEvents(toolLoop({ model, prompt, followUp$, steering$ })).toBe('-t-z--T-Z--e-(nL|)', { e: '2 text', n: '2 end stop' })
      .having('L', { messages: [asked, {}, right, {}, left] });
  }));

  it('may be said in the tick of the answer', loopMarbles(({ turn, script, expectEvents }) => {
    const followUp$ = new Subject<string>();
    const model = script(turn('-t-(z|)'), turn('---t-(z|)'));
    const saying$ = toolLoop({ model, prompt, followUp$ }).pipe(tap((event) => event.type === 'delta' && event.delta.type === 'finish' && event.step === 0 && followUp$.next('left')));

    expectEvents(saying$).toBe('-t-z--T-(ZL|)').having('L', { messages: [asked, {}, left] });
  }));

  it('leaves the answer as the answer, if the run is stopped before it is read', loopMarbles(({ turn, script, hot, expectEvents }) => {
    const abort$ = new Subject<void>();
    const followUp$ = hot('-a', words);
    const model = script(turn('-t-(z|)'));
    const stopping$ = toolLoop({ model, prompt, followUp$, abort$ }).pipe(tap((event) => event.type === 'step-end' && abort$.next()));

    expectEvents(stopping$).toBe('-t-(zL|)').having('L', { messages: [asked], answer: { finish: 'stop' }, unread: { followUp: [left], steering: [] } });
  }));
});
