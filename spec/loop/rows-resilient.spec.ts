import { describe, it } from '@jest/globals';
import { concat, defer, ignoreElements, map, of, take } from 'rxjs';
import type { Observable } from 'rxjs';
import { ModelError, ofType, toolLoop, userMessage } from '../../lib/index.ts';
import type { Delta, LoopEvent, ToolLoopOptions } from '../../lib/index.ts';
import { text, usage } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const prompt = 'go';
const asked = userMessage(prompt);
const u = usage({ inputTokens: 7, outputTokens: 3 });
const busy = (more: object = {}) => new ModelError('model-http', 'Busy.', { status: 503, retryable: true, ...more });
const told = (why: string) => userMessage(`Your last response failed and was not completed: ${why} Please respond again.`);

/** Without waits, so that the diagrams show the rows. */
const retry = { count: 0 };
const retract = { prompt, retry, policy: { streamFailure: { retract: 3 } } } satisfies Partial<ToolLoopOptions>;
const feedback = { prompt, retry } satisfies Partial<ToolLoopOptions>;

/** What `read` finds once the run is over. */
const after = <T>(run$: Observable<LoopEvent>, read: () => T): Observable<T> => concat(run$.pipe(ignoreElements()), defer(() => of(read())));

// Rows 8 and 9 of the table in docs/semantics.md: what follows a failure that no retry may repeat.

// prettier-ignore
describe('row 8: with `streamFailure: { retract: 3 }`, a broken attempt', () => {
    it('is withdrawn, and another one follows in the same step', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' ----x-#           ', { x: text('he') });
    const turn2 = turn('       ----t-(z|)  ');
    const story = '      ----x-e---t-(zL|)';
    const all = '        (Ss)x-(es)t-(fzL|)';

    expectEvents(toolLoop({ ...retract, model: script(turn1, turn2) })).toBe(story, { x: '0 text "he"' })
      .having('e', { step: 0, attempt: 1, reason: 'The stream broke.', blocks: ['text0'], callIds: [], usage: { partial: true } })
      .having('z', { step: 0, attempt: 2, finish: 'stop' })
      .lane('all').toBe(all, { x: '0 text "he"' });
    expectSubscriptions(turn1).toBe('^-----!');
    expectSubscriptions(turn2).toBe('------^-----!');
  }));

  it('runs none of its calls and leaves no turn behind, but its usage counts', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-c-u-#          ', { u });
    const add = tool('(1|)               ');
    const turn2 = turn('        -t-u-(z|)', { u });
    const events = '     -t-c---et---(zL|)';

    expectEvents(toolLoop({ ...retract, model: script(turn1, turn2), tools: [add] })).toBe(events)
      .having('e', { blocks: ['text0'], callIds: ['c0'], usage: { inputTokens: 7, outputTokens: 3, partial: true } })
      .having('z', { usage: { inputTokens: 7, outputTokens: 3, partial: undefined } })
      .having('L', {
        messages: [asked], answer: { content: [{ text: 'hi' }] }, completion: { text: 'hi', toolCalls: [] },
        usage: { inputTokens: 14, outputTokens: 6, partial: true },
        steps: [{ step: 0, attempts: 2, usage: { inputTokens: 14, outputTokens: 6, partial: true } }],
      });
    expectSubscriptions(add).toBe([]);
  }));

  it('is not told of in the next request', loopMarbles(({ turn, script, expectValues }) => {
    const turn1 = turn(' -t-#      ');
    const turn2 = turn('    -t-(z|)');
    const over = '       ------(m|)';
    const model = script(turn1, turn2);

    expectValues(after(toolLoop({ ...retract, model }), () => model.requests.map(({ messages }) => messages))).toBe(over, { m: [[asked], [asked]] });
  }));

  it('is followed after a wait, counted in the new attempt', loopMarbles(({ turn, script, expectEvents, expectSubscriptions, time }) => {
    const turn1 = turn('        ----t-#           ');
    const initialDelayMs = time('      -----|       ');
    const turn2 = turn('                   -t-(z|)');
    const story = '             ----t-(ew)--t-(zL|)';
    const all = '               (Ss)t-(esw)-t-(fzL|)';

    expectEvents(toolLoop({ ...retract, model: script(turn1, turn2), retry: { count: 2, initialDelayMs, jitter: 0 } })).toBe(story)
      .having('w', { step: 0, attempt: 2, count: 1, max: 2, delayMs: initialDelayMs, reason: 'The stream broke.', by: 'loop' })
      .lane('all').toBe(all);
    expectSubscriptions(turn2).toBe('-----------^--!');
  }));

  it('is withdrawn too where its retries were spent before it showed anything; the new one has its own', loopMarbles(({ turn, script, expectEvents, expectSubscriptions, time }) => {
    const failing = turn('      -#                      ', {}, busy());
    const initialDelayMs = time('  ----|                 ');
    const turn1 = turn('             -t-#             ');
    const turn2 = turn('                    -t-(z|)   ');
    const events = '            -w----t-(ew)-t-(zL|)  ';

    expectEvents(toolLoop({ ...retract, model: script(failing, turn1, turn2), retry: { count: 1, initialDelayMs, jitter: 0 } }))
      .toBe(events)
      .having('w', { count: 1, max: 1 });
    expectSubscriptions(turn2).toBe('------------^--!');
  }));

  it('is the end when it is the fourth in a row', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const broken = ['-t-#', '-t-#', '-t-#', '-t-#'];
    const turn5 = turn('(z|)');
    const events = '-t-et-et-et-#';

    expectEvents(toolLoop({ ...retract, model: script(...broken.map((one) => turn(one)), turn5) })).toBe(events, {}, { code: 'model-transport', message: 'The stream broke.' });
    expectSubscriptions(turn5).toBe([]);
  }));

  it('counts anew after a step that went well', loopMarbles(({ tool, script, expectEvents }) => {
    const model = script('-t-#', '-c-(y|)', '-t-#', '-t-#', '-t-(z|)');
    const add = tool('         -(1|)');
    const events = '-t-ec-y1T-ET-ET-(ZL|)';

    expectEvents(toolLoop({ ...retract, model, tools: [add], policy: { streamFailure: { retract: 2 } } })).toBe(events)
      .having('L', { reason: 'answer', steps: [{ attempts: 2 }, { attempts: 3 }] });
  }));

  it('is the end, and not withdrawn, when no call is left', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-#');
    const turn2 = turn('    (z|)');
    const events = '     -t-#';

    expectEvents(toolLoop({ ...retract, model: script(turn1, turn2), budget: { maxSteps: 1 } })).toBe(events, {}, { code: 'model-transport', message: 'The stream broke.' });
    expectSubscriptions(turn2).toBe([]);
  }));

  it.each([
    ['longer than there is time', 15_001, 3],
    ['that no retry may keep', 100, 0],
  ])('is the end when the provider asks for a wait %s', (_what, retryAfterMs, count) => loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-#', {}, busy({ retryAfterMs }));
    const turn2 = turn('    (z|)');
    const events = '     -t-#';

    expectEvents(toolLoop({ ...retract, model: script(turn1, turn2), retry: { count } })).toBe(events, {}, { code: 'model-http' });
    expectSubscriptions(turn2).toBe([]);
  })());

  it('is withdrawn where the wait that the provider asks for can be kept', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn('----t-#', {}, busy({ retryAfterMs: 5 }));
    const turn2 = turn('           -t-(z|)');
    const events = '    ----t-(ew)--t-(zL|)';

    expectEvents(toolLoop({ ...retract, model: script(turn1, turn2), retry: { count: 3 } })).toBe(events).having('w', { delayMs: 5, retryAfter: true, attempt: 2 });
  }));
});

// prettier-ignore
describe('row 9: with `streamFailure: { feedback: 3 }`, the default, a broken step', () => {
  it('stays, and the model is told of it in the next step', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' ----t-#             ');
    const turn2 = turn('       -----t-(z|)   ');
    const story = '      ----t-(zv)-T-(ZL|)';
    const all = '        (Ss)t-(zvs)T-(FZL|)';

    expectEvents(toolLoop({ ...feedback, model: script(turn1, turn2) })).toBe(story)
      .having('z', { step: 0, attempt: 1, finish: 'error', toolCalls: 0, usage: { partial: true } })
      .having('v', { step: 0, cause: 'stream', count: 1, max: 3, reason: 'The stream broke.', message: told('The stream broke.') })
      .having('L', {
        reason: 'answer', completion: { text: 'hi', finish: 'stop' }, steps: [{ finish: 'error' }, { finish: 'stop' }],
        messages: [asked, { role: 'assistant', finish: 'error', content: [{ type: 'text', text: 'hi' }] }, told('The stream broke.')],
      })
      .lane('all').toBe(all);
    expectSubscriptions(turn1).toBe('^-----!');
    expectSubscriptions(turn2).toBe('------^------!');
  }));

  it('answers its complete calls with errors; half a call and half a thought leave no trace', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const o: Delta = { type: 'tool-call-start', index: 1, id: 'half', name: 'add' };
    const turn1 = turn(' -t-c-o-k-#                 ', { o });
    const add = tool('(1|)                        ');
    const turn2 = turn('          -----t-(z|)      ');
    const story = '      -t-c---k-(z1v)T-(ZL|)     ';
    const tools = '      ---------(g1)---|        ';

    expectEvents(toolLoop({ ...feedback, model: script(turn1, turn2), tools: [add] })).toBe(story)
      .having('z', { finish: 'error', toolCalls: 1 })
      .having('1', { isError: true, elapsedMs: 0, error: { kind: 'cancelled', message: 'Not executed: the response broke off.' } })
      .having('L', {
        messages: [
          asked,
          { role: 'assistant', finish: 'error', content: [{ type: 'text' }, { type: 'tool-call', call: { id: 'c0' } }] },
          { role: 'tool', results: [{ callId: 'c0', isError: true }] },
          told('The stream broke.'),
        ],
      })
      .lane('tools').toBe(tools);
    expectSubscriptions(add).toBe([]);
  }));

  it('is sent with its correction in the next request', loopMarbles(({ turn, script, expectValues }) => {
    const model = script(turn('-t-#'), turn('-t-(z|)'));
    const over = '             ------(m|)';
    const said = { role: 'assistant', content: [{ type: 'text', block: 'text0', text: 'hi' }], finish: 'error', usage: { partial: true } };

    expectValues(after(toolLoop({ ...feedback, model }), () => model.requests[1]?.messages)).toBe(over, { m: [asked, said, told('The stream broke.')] });
  }));

  it('that said nothing leaves no empty turn', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' ---|           ');
    const turn2 = turn('    ----t-(z|) ');
    const events = '     ---(zv)T-(ZL|)';

    expectEvents(toolLoop({ ...feedback, model: script(turn1, turn2) })).toBe(events)
      .having('z', { finish: 'error', usage: {} })
      .having('v', { reason: 'The stream of marbles script ended before its finish.' })
      .having('L', { messages: [asked, { role: 'user' }], answer: { content: [{ text: 'hi' }] } });
  }));

  it.each<[string, string, RegExp]>([
    ['an end without finish', '          -t-|   ', /ended before its finish/],
    ['a finish that says it failed', '    -t-(e|)', /ended its turn with reason "error"/],
    ['a call for tools without a call', ' -t-(y|)', /asked for tools, but sent no complete call/],
    ['text behind the finish', '          -t-(zt)', /sent "text" after its finish/],
  ])('is told of %s', (_what, diagram, reason) => loopMarbles(({ turn, script, expectEvents, expectValues }) => {
    const turn2 = turn('   ----t-(z|) ');
    const events = '    -t-(zv)T-(ZL|)';
    const reasons$ = toolLoop({ ...feedback, model: script(turn(diagram), '-t-(z|)') }).pipe(ofType('correction'), map((event) => reason.test(event.reason)), take(1));

    expectEvents(toolLoop({ ...feedback, model: script(turn(diagram), turn2) })).toBe(events).having('z', { finish: 'error' });
    expectValues(reasons$).toBe('---(r|)', { r: true });
  })());

  it('is the end when it is the fourth in a row', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn5 = turn('(z|)');
    const model = script('----t-#', '----t-#', '----t-#', '----t-#', turn5);
    const events = '      ----t-(zv)T-(ZV)e-(no)p-#';
    const later = { e: '2 text "hi"', n: '2 end error', o: '2 correction 3/3', p: '3 text "hi"' };

    expectEvents(toolLoop({ ...feedback, model })).toBe(events, later, { code: 'model-transport', message: 'The stream broke.' })
      .having('v', { count: 1 }).having('V', { count: 2 }).having('o', { count: 3 });
    expectSubscriptions(turn5).toBe([]);
  }));

  it('counts anew after a step that went well', loopMarbles(({ tool, script, expectEvents }) => {
    const model = script('----t-#', '----c-(y|)', '----t-#', '----t-(z|)');
    const add = tool('(1|)');
    const events = '      ----t-(zv)C-(Y3)e-(no)p-(qL|)';
    const later = { e: '2 text "hi"', n: '2 end error', o: '2 correction 1/1', p: '3 text "hi"', q: '3 end stop' };

    expectEvents(toolLoop({ ...feedback, model, tools: [add], policy: { streamFailure: { feedback: 1 } } })).toBe(events, later)
      .having('v', { count: 1, max: 1 }).having('o', { count: 1, max: 1 })
      .having('L', { reason: 'answer', steps: [{ finish: 'error' }, { finish: 'tool-use' }, { finish: 'error' }, { finish: 'stop' }] });
  }));

  it('is the end, with its own error, when no call is left', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-c-#    ');
    const turn2 = turn('      (z|) ');
    const events = '     -t-c-#    ';

    expectEvents(toolLoop({ ...feedback, model: script(turn1, turn2), budget: { maxSteps: 1 } })).toBe(events, {}, { code: 'model-transport', message: 'The stream broke.' });
    expectSubscriptions(turn2).toBe([]);
  }));

  it('is the end when the provider asks for a wait, which a correction has not', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-#      ', {}, busy({ retryAfterMs: 100 }));
    const turn2 = turn('    (z|)   ');
    const events = '     -t-#      ';

    expectEvents(toolLoop({ ...feedback, model: script(turn1, turn2) })).toBe(events, {}, { code: 'model-http' });
    expectSubscriptions(turn2).toBe([]);
  }));

  it('is the end when its failure is fatal', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-#      ', {}, new ModelError('model-http', 'No.', { status: 400 }));
    const turn2 = turn('    (z|)   ');
    const events = '     -t-#      ';

    expectEvents(toolLoop({ ...feedback, model: script(turn1, turn2) })).toBe(events, {}, { code: 'model-http', message: 'No.' });
    expectSubscriptions(turn2).toBe([]);
  }));

  it('follows the retries, where nothing was shown', loopMarbles(({ turn, script, expectEvents, time }) => {
    const failing1 = turn('    -#             ', {}, busy());
    const initialDelayMs = time('--|          ');
    const failing2 = turn('       -#          ', {}, busy());
    const turn3 = turn('           ----t-(z|)');
    const events = '            -w--(zv)T-(ZL|)';

    expectEvents(toolLoop({ ...feedback, model: script(failing1, failing2, turn3), retry: { count: 1, initialDelayMs, jitter: 0 } })).toBe(events)
      .having('v', { reason: 'Busy.' })
      .having('L', { messages: [asked, told('Busy.')] });
  }));
});
