import { describe, expect, it } from '@jest/globals';
import { concat, from, of, throwError } from 'rxjs';
import { BudgetError, toolLoop } from '../../lib/index.ts';
import type { LoopEvent } from '../../lib/index.ts';
import { loopMarbles as kit, text } from '../../marbles/index.ts';
import type { LoopMarbles } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';
import { ask, below, compaction, done, hostEvents, record, reply, result, start, step, tool } from '../support/events.ts';
import { answers, said, wanted, wants } from '../support/grammar-cases.ts';

const prompt = 'go';
const binding = { assertDeepEqual: (actual: unknown, expected: unknown) => expect(actual).toEqual(expected) };

/** What the kit says of a body: every failure that it draws, or nothing. */
function failureOf(body: (marbles: LoopMarbles) => void): string | undefined {
  const drawn: string[] = [];
  kit(body, { ...binding, fail: (message) => drawn.push(message) })();
  return drawn[0];
}

/** A run of one tool round and an answer: `-t-c-y-1-T-(ZL|)`. */
const round = ({ turn, tool, script }: LoopMarbles) =>
  toolLoop({ model: script(turn('-t-c-(y|)'), turn('--t-(z|)', { t: text('bye') })), tools: [tool('--(1|)')], prompt });

describe('a run that is not as drawn', () => {
  it('is drawn over what was expected, with the letters of the spec', () => {
    expect(failureOf((marbles) => marbles.expectEvents(round(marbles)).toBe('-t-c-y-1-T-(LZ|)'))).toBe(
      `The run is not as drawn (lane story):
    expected  -t-c-y-1-T-(LZ|)
    actual    -t-c-y-1-T-(ZL|)
      t = 0 text "hi"
      c = 0 call add
      y = 0 end tool-use
      1 = 0 result add
      T = 1 text "bye"
      L = done answer
      Z = 1 end stop`,
    );
  });

  it('shows a shift in time', () => {
    expect(failureOf((marbles) => marbles.expectEvents(round(marbles)).toBe('-t-c-y--1T-(ZL|)'))).toContain(
      '    expected  -t-c-y--1T-(ZL|)\n    actual    -t-c-y-1-T-(ZL|)\n',
    );
  });

  it('shows what is missing, and what no letter was drawn for', () => {
    const failure = failureOf((marbles) => marbles.expectEvents(round(marbles)).toBe('-t-c-y-2-x-(ZL|)', { x: '1 text "hi"', T: '2 text' }));

    expect(failure).toContain('    expected  -t-c-y-2-x-(ZL|)\n    actual    -t-c-y-1-9-(ZL|)\n');
    expect(failure).toContain('      2 = 0 result (call 2 of the step)\n      x = 1 text "hi"\n');
    expect(failure).toContain('      9 = 1 text "bye"');
  });

  it('writes times where the diagram does', () => {
    const failure = failureOf(({ turn, script, expectEvents }) => {
      expectEvents(toolLoop({ model: script(turn('500ms t 9ms (z|)')), prompt })).toBe('500ms t 8ms (zL|)');
    });

    expect(failure).toContain('    expected  500ms t 8ms (zL|)\n    actual    500ms t 9ms (zL|)\n');
  });

  it('is checked against the grammar, where it is not drawn too', () => {
    const failure = failureOf(({ expectEvents }) => {
      expectEvents(from([start(), step(0), step(1)])).toBe('#');
    });

    expect(failure).toContain('      # = error verify-events: Run run1: "1 step-start" cannot follow "0 step-start"');
    expect(failure).toContain('(no run breaks the grammar)');
  });

  it('fails by an error where the binding has no fail', () => {
    expect(kit(({ expectEvents }) => expectEvents(of(start())).toBe('|'), binding)).toThrow('The run is not as drawn (lane story):');
  });

  it('is drawn together with every other failure of the body', () => {
    const failure = failureOf(({ turn, script, expectEvents, expectSubscriptions }) => {
      const turn1 = turn('-(z|)');
      expectEvents(toolLoop({ model: script(turn1), prompt })).toBe('--(zL|)').having('L', { reason: 'length' });
      expectSubscriptions(turn1).toBe('^-!');
    });

    expect(failure?.split('\n\n')).toEqual([
      expect.stringContaining('The run is not as drawn'),
      'having("L", ...): done answer: reason is "answer", asked was "length".',
      'The subscriptions are not as drawn:\n    expected  ^-!\n    actual    ^!',
    ]);
  });
});

// prettier-ignore
describe('letters', () => {
  it('stand for any text of their step unless the spec says which', loopMarbles((marbles) => {
    marbles.expectEvents(round(marbles)).toBe('-t-c-y-1-T-(ZL|)');
  }));

  it('stand for one label where the spec says so, its quoted text left out or not', loopMarbles((marbles) => {
    marbles.expectEvents(round(marbles)).toBe('-a-c-y-1-b-(ZL|)', { a: '0 text "hi"', b: '1 text' });
  }));

  it('are refused when they stand for nothing', () => {
    expect(loopMarbles(({ expectEvents }) => expectEvents(of()).toBe('-?-|'))).toThrow('the letter "?" stands for no event');
  });

  it('are refused when two stand for one label', () => {
    expect(loopMarbles(({ expectEvents }) => expectEvents(of()).toBe('-|', { e: '0 text', x: '0 text' }))).toThrow('"e" and "x" both stand for 0 text');
  });

  it('are refused when a diagram cannot hold them', () => {
    expect(loopMarbles(({ expectEvents }) => expectEvents(of()).toBe('-|', { ab: '0 text' }))).toThrow('"ab" is not a letter');
    expect(loopMarbles(({ expectEvents }) => expectEvents(of()).toBe('-|', { '#': '0 text' }))).toThrow('"#" is not a letter');
  });
});

// prettier-ignore
describe('an error', () => {
  const failing = (events: LoopEvent[] = [start()]) => concat(from(events), throwError(() => new BudgetError('max-steps', 3, 3)));

  it('is any error, or one with a code and a message', loopMarbles(({ expectEvents }) => {
    expectEvents(failing()).toBe('#');
    expectEvents(failing()).toBe('#', {}, { code: 'budget' });
    expectEvents(failing()).toBe('#', {}, { code: 'budget', message: /maxSteps is 3/ });
  }));

  it.each([
    [{ code: 'other' }, 'expected was the code other'],
    [{ message: 'no' }, 'expected was the message "no"'],
    [{ message: /maxTotalTokens/ }, 'expected was the message /maxTotalTokens/'],
  ])('is drawn with what was expected of it: %j', (error, words) => {
    const failure = failureOf(({ expectEvents }) => expectEvents(failing()).toBe('#', {}, error));

    expect(failure).toMatch(/ {6}# = error budget: The run needs another model call.* \(/);
    expect(failure).toContain(words);
  });

  it('is drawn where none came', () => {
    const failure = failureOf(({ turn, script, expectEvents }) => {
      expectEvents(toolLoop({ model: script(turn('-(z|)')), prompt })).toBe('-#', {}, { code: 'budget' });
    });

    expect(failure).toContain('    expected  -#\n    actual    -(zL|)\n      # = error budget\n');
  });
});

// prettier-ignore
describe('having', () => {
  it('looks at the event, then at what it carries', loopMarbles((marbles) => {
    marbles.expectEvents(round(marbles)).toBe('-t-c-y-1-T-(ZL|)')
      .having('t', { step: 0, text: 'hi', delta: { type: 'text' } })
      .having('1', { callId: 'c0', isError: false, content: [{ type: 'text', text: '1' }] })
      .having('L', { reason: 'answer', outcome: { completion: { text: 'bye' } } });
  }));

  it.each([
    ['1', { isError: true }, '0 result add: isError is false, asked was true.'],
    ['1', { result: { name: 'mul' } }, '0 result add: result.name is "add", asked was "mul".'],
    ['1', { content: [] }, '0 result add: content has 1 items, asked were 0.'],
    ['1', { content: [{ text: '2' }] }, '0 result add: content[0].text is "1", asked was "2".'],
    ['1', { callId: ['c0'] }, '0 result add: callId is "c0", asked was ["c0"].'],
    ['1', { error: { kind: 'other' } }, '0 result add: error is undefined, asked was {"kind":"other"}.'],
    ['2', {}, 'no event of the run has this letter.'],
  ])('says where %s lacks %j', (letter, fields, words) => {
    const failure = failureOf((marbles) => marbles.expectEvents(round(marbles)).toBe('-t-c-y-1-T-(ZL|)').having(letter, fields));

    expect(failure).toBe(`having("${letter}", ...): ${words}`);
  });

  it('comes after a drawing', () => {
    expect(loopMarbles(({ expectEvents }) => expectEvents(of(start())).having('t', {}))).toThrow('having("t", ...) comes after toBe()');
  });
});

// prettier-ignore
describe('loopMarbles', () => {
  it('draws several lanes of one run', loopMarbles((marbles) => {
    marbles.expectEvents(round(marbles)).toBe('-t-c-y-1-T-(ZL|)').lane('frame').toBe('(Ss)-y-s---(ZL|)');
  }));

  it('draws requests and answers beside the calls, and what the host is told in its lane', loopMarbles(({ cold, expectEvents }) => {
    const events = [
      start(), ...wants(0, 'c', 'd'), ask(0, 'c'), ask(0, 'd'), ...hostEvents, reply(0, 'd', { type: 'decline' }), reply(0, 'c'),
      tool('tool-start', 0, 'c'), tool('tool-commit', 0, 'c'), result(0, 'c'), result(0, 'd', true), compaction(), ...answers(1),
      said('answer', [wanted(0, 2), record(1)], 'yes'),
    ];
    const letters = events.map((_, at) => String.fromCharCode(0x4e00 + at));
    const tools = '--------gh[{-----}]im12------|';
    const host = ' ------------:=%+*------~-----|';

    const run$ = cold<LoopEvent>(`${letters.join('')}|`, Object.fromEntries(events.map((event, at) => [letters[at], event] as const)));

    expectEvents(run$, null, { lane: 'tools' }).toBe(tools).lane('host').toBe(host);
  }));

  it('draws a nested run in a lane of its own, and by label beside the others', loopMarbles(({ cold, expectEvents }) => {
    const events = [
      start(), ...wants(0, 'c'), tool('tool-start', 0, 'c'), ...[start(), ...answers(0), done(1, 'yes')].map((event) => below('c', event)),
      tool('tool-commit', 0, 'c'), result(0, 'c'), ...answers(1), said('answer', [wanted(0, 1), record(1)], 'yes'),
    ];
    const letters = [...'abcdefghijklmnopqrstu'];
    const story = '---c-y---------1-T-ZL|';
    const tools = '------gi------m1-----|';
    const nested = '--------SstfzL-------|';
    const all = '  SsocfygiABCDEXm1sTFZL|';

    const run$ = cold<LoopEvent>(`${letters.join('')}|`, Object.fromEntries(events.map((event, at) => [letters[at], event] as const)));

    expectEvents(run$).toBe(story).lane('tools').toBe(tools).lane('nested').toBe(nested).having('t', { text: 'yes' });
    expectEvents(run$, null, { lane: 'all' }).toBe(all, {
      A: '0 add > run-start', B: '0 add > 0 step-start', C: '0 add > 0 text "yes"', D: '0 add > 0 finish stop', E: '0 add > 0 end stop', X: '0 add > done answer',
    });
  }));

  it('subscribes and leaves where a diagram says so', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('  -t-t-(z|)');
    const model = script(turn1);

    expectEvents(toolLoop({ model, prompt }), '--^--!').toBe('---t-');
    expectSubscriptions(turn1).toBe('          --^--!');
    expectSubscriptions(turn1.subscriptions).toBe(['--^--!']);
  }));

  it('draws a script from diagrams alone', loopMarbles(({ script, expectEvents }) => {
    expectEvents(toolLoop({ model: script('-t-(z|)'), prompt })).toBe('-t-(zL|)');
  }));

  it('counts ids, and gives the durations of diagrams', loopMarbles(({ ids, time }) => {
    expect([ids('run'), ids('call'), ids('call'), ids('block')]).toEqual(['run1', 'call1', 'call2', 'block1']);
    expect(time('---|')).toBe(3);
  }));

  it('compares other values by the equality of the framework', () => {
    loopMarbles(({ cold, hot, expectValues }) => {
      expectValues(cold('-a|', { a: { n: 1 } })).toBe('-a|', { a: { n: 1 } });
      expectValues(hot('-a|')).toBe('-a|');
    })();
    expect(loopMarbles(({ cold, expectValues }) => expectValues(cold('-a|')).toBe('-b|'))).toThrow();
  });

  it('says how many subscriptions there were', () => {
    expect(failureOf(({ turn, expectSubscriptions }) => expectSubscriptions(turn('-t')).toBe('^-!'))).toBe(
      'The subscriptions are not as drawn (1 expected, 0 made):\n    expected  ^-!\n    actual    -',
    );
  });

  it('refuses an expectation that draws nothing', () => {
    expect(failureOf(({ expectEvents }) => void expectEvents(of(start())))).toBe('expectEvents(): nothing was drawn. Add toBe(diagram).');
  });

  it('refuses a body that returns a promise', () => {
    expect(loopMarbles(() => Promise.resolve() as never)).toThrow('Promises do not live in virtual time');
  });
});
