import { describe, expect, it } from '@jest/globals';
import { eventLetters, labeller, onLane } from '../../marbles/index.ts';
import type { Lane } from '../../marbles/index.ts';
import type { LoopEvent } from '../../lib/index.ts';
import {
  ask, below, compaction, correction, delta, done, dropped, eager, end, fallback, hostEvents, reply, result, resumed, retract, retractWhole, start, steering, step, tool,
} from '../support/events.ts';

const labels = (...events: LoopEvent[]): [string, string | undefined][] => {
  const read = labeller();
  return events.map((event) => {
    const { label, letter } = read(event);
    return [label, letter];
  });
};

const twoCalls: LoopEvent[] = [
  start(),
  step(0),
  delta(0, { type: 'tool-call-start', index: 0, id: 'c', name: 'add' }),
  delta(0, { type: 'tool-call-arguments', index: 0, chunk: '{}' }),
  delta(0, { type: 'tool-call-end', index: 0, call: { id: 'c', name: 'add', arguments: {} } }),
  delta(0, { type: 'tool-call-start', index: 1, id: 'd', name: 'add' }),
  delta(0, { type: 'tool-call-end', index: 1, call: { id: 'd', name: 'add', arguments: {} } }),
  delta(0, { type: 'usage', usage: {} }),
  delta(0, { type: 'finish', reason: 'tool-use' }),
  end(0, { finish: 'tool-use', toolCalls: 2 }),
  tool('tool-call', 0, 'c'),
  tool('tool-call', 0, 'd'),
  tool('tool-start', 0, 'c'),
  { type: 'tool-progress', runId: 'run1', step: 0, callId: 'c', progress: { done: 1 } },
  tool('tool-commit', 0, 'c'),
  result(0, 'c'),
  result(0, 'd', true),
];
const { length } = twoCalls;

describe('a label', () => {
  it('names an event with its step, and a call by its tool and its place', () => {
    expect(labels(...twoCalls, step(1), end(1), done())).toEqual([
      ['run-start', 'S'],
      ['0 step-start', 's'],
      ['0 call-start add', 'o'],
      ['0 call-arguments add "{}"', 'a'],
      ['0 call add', 'c'],
      ['0 call-start add#2', 'o'],
      ['0 call add#2', 'd'],
      ['0 usage', 'u'],
      ['0 finish tool-use', 'f'],
      ['0 end tool-use', 'y'],
      ['0 tool-call add', 'g'],
      ['0 tool-call add#2', 'h'],
      ['0 tool-start add', 'i'],
      ['0 tool-progress add {"done":1}', 'p'],
      ['0 tool-commit add', 'm'],
      ['0 result add', '1'],
      ['0 result add#2 error', '2'],
      ['1 step-start', 's'],
      ['1 end stop', 'Z'],
      ['done answer', 'L'],
    ]);
  });

  it('quotes what was said, and has a short form without it', () => {
    const read = labeller();

    expect(read(delta(0, { type: 'text', block: 'b', text: 'a "b"' }))).toEqual({ label: '0 text "a \\"b\\""', short: '0 text', letter: 't' });
    expect(read(delta(1, { type: 'reasoning', block: 'b', text: 'hm' }))).toEqual({ label: '1 reasoning "hm"', short: '1 reasoning', letter: 'K' });
  });

  it('counts the calls of each step anew', () => {
    expect(labels(...twoCalls, step(1), tool('tool-call', 1, 'e'), result(1, 'e')).slice(length)).toEqual([
      ['1 step-start', 's'],
      ['1 tool-call add', 'G'],
      ['1 result add', '3'],
    ]);
  });

  it('has no letter from the third step on, nor for a third call', () => {
    const third = (['c', 'd', 'e'] as const).map((id) => tool('tool-call', 0, id));

    expect(labels(step(0), ...third)).toEqual([['0 step-start', 's'], ['0 tool-call add', 'g'], ['0 tool-call add#2', 'h'], ['0 tool-call add#3', undefined]]);
    expect(labels(delta(2, { type: 'text', block: 'b', text: 'x' }))).toEqual([['2 text "x"', undefined]]);
  });

  it('says the count of a retry, and the attempt where it is not the first', () => {
    const retry = { type: 'retry', runId: 'run1', step: 1, attempt: 1, count: 1, max: 3, reason: 'r', delayMs: 5, by: 'loop' } as const;

    expect(labels(retry, { ...step(0), attempt: 2 } as LoopEvent)).toEqual([['1 retry 1/3', 'W'], ['0 step-start attempt 2', 's']]);
  });

  it('says how an attempt went on, and what came between', () => {
    const events = [fallback(0, 'a', 'b'), retract(0, 1), correction(1, 2), steering('and', 'then'), steering(), fallback(1, 'b', 'c'), retract(1, 2)];

    expect(labels(...events)).toEqual([
      ['0 fallback a -> b', 'b'],
      ['0 retract', 'e'],
      ['1 correction 2/3', 'V'],
      ['steering "and then"', 'l'],
      ['steering ""', 'l'],
      ['1 fallback b -> c', 'B'],
      ['1 retract', 'E'],
    ]);
  });

  it('names what was said beside the text by its words alone', () => {
    const picture = { type: 'image', url: 'u' } as const;
    const said = { type: 'steering', runId: 'run1', messages: [{ role: 'user', content: [picture, { type: 'text', text: 'see' }] }] } as const;

    expect(labels(said)).toEqual([['steering "see"', 'l']]);
  });

  it('names a call that is late by its tool and its place, in whatever step that comes', () => {
    const later = [dropped(0, 'd'), step(1), dropped(0, 'c'), tool('tool-call', 1, 'e'), dropped(1, 'e')];

    expect(labels(...twoCalls, ...later).slice(length)).toEqual([
      ['0 dropped add#2', '6'], ['1 step-start', 's'], ['0 dropped add', '5'], ['1 tool-call add', 'G'], ['1 dropped add', '7'],
    ]);
  });

  it('names what it does not know by its type', () => {
    const events = [{ type: 'tomorrow', runId: 'run1', step: 3 }, { type: 'weather', runId: 'run1' }] as unknown as LoopEvent[];

    expect(labels(...events)).toEqual([['3 tomorrow', undefined], ['weather', undefined]]);
  });

  it('says what is asked about a call, and what the answer is', () => {
    const events = [ask(0, 'd'), ask(0, 'c', 'result'), reply(0, 'c', { type: 'result', content: '3' }, 'result'), reply(0, 'd', { type: 'decline' })];

    expect(labels(...twoCalls, ...events).slice(length)).toEqual([
      ['0 request add#2 approval', '{'], ['0 request add result', '['], ['0 answer add result', ']'], ['0 answer add#2 decline', '}'],
    ]);
    expect(labels(step(1), ask(1, 'c'), reply(1, 'c'), ask(1, 'd', 'input'), reply(1, 'd', { type: 'stop' })).map(([, letter]) => letter)).toEqual([...'s<>«»']);
  });

  it('says why a run begins, a step is corrected or withdrawn, and a call starts early or is dropped', () => {
    const events = [
      resumed(), step(0), eager(0, 'c'), dropped(0, 'c', 'retracted'), dropped(0, 'c', 'restarted'), retractWhole(0, 1),
      correction(0, 1, { cause: 'output' }), correction(0, 2, { cause: 'hook' }),
    ];

    expect(labels(...events)).toEqual([
      ['run-start resumed', 'S'], ['0 step-start', 's'], ['0 tool-start add speculative', 'i'], ['0 dropped add retracted', '5'], ['0 dropped add restarted', '5'],
      ['0 retract stop', 'e'], ['0 correction output 1/3', 'v'], ['0 correction hook 2/3', 'v'],
    ]);
  });

  it('names a call as soon as somebody says its name', () => {
    expect(labels(resumed(), reply(0, 'c'), reply(0, 'd'), tool('tool-start', 0, 'd'), tool('tool-start', 0, 'c'), result(0, 'd')).slice(1)).toEqual([
      ['0 answer ? approve', ']'], ['0 answer ?#2 approve', '}'], ['0 tool-start add', 'j'], ['0 tool-start add#2', 'i'], ['0 result add', '2'],
    ]);
  });

  it('quotes what a host is told', () => {
    expect(labels(compaction(), ...hostEvents)).toEqual([
      ['compaction 4', '~'],
      ['status "Adding."', ':'],
      ['plan ["Add."]', '='],
      ['title "Sums"', '%'],
      ['state [{"op":"remove","path":"/a"}]', '+'],
      ['custom seen 1', '*'],
    ]);
  });

  it('names an event of a nested run after the calls above it, with the letter of its own run', () => {
    const inner = [start(), step(0), tool('tool-call', 0, 'x'), delta(0, { type: 'text', block: 'b', text: 'hi' })];
    const deeper = below('x', start(), 'run3', 'run2');

    expect(labels(...twoCalls, ...inner.map((event) => below('d', event)), deeper, tool('tool-commit', 0, 'd')).slice(length)).toEqual([
      ['0 add#2 > run-start', 'S'], ['0 add#2 > 0 step-start', 's'], ['0 add#2 > 0 tool-call add', 'g'], ['0 add#2 > 0 text "hi"', 't'],
      ['0 add#2 > 0 add > run-start', 'S'], ['0 tool-commit add#2', 'n'],
    ]);
    expect(labels(below('c', start()))).toEqual([['? > run-start', 'S']]);
  });
});

describe('a lane', () => {
  const drawn = (lane: Lane): string => twoCalls.filter((event) => onLane(lane, event)).map((event) => labelOf.get(event)).join('');
  const read = labeller();
  const labelOf = new Map(twoCalls.map((event) => [event, read(event).letter]));

  it.each([
    ['story', 'cdy12'],
    ['tools', 'ghipm12'],
    ['frame', 'Ssy'],
    ['all', 'Ssoacodufyghipm12'],
  ] as const)('%s draws %s', (lane, letters) => {
    expect(drawn(lane)).toBe(letters);
  });

  it('draws what is said in the story, and events to come by their type', () => {
    const told = [
      ...(['text', 'reasoning', 'refusal'] as const).map((type) => delta(0, { type, block: 'b', text: 'x' })),
      delta(0, { type: 'reasoning-replace', text: 'x' }),
      ...['retry', 'fallback', 'step-retract', 'correction'].map((type) => ({ type, runId: 'run1', step: 0 }) as unknown as LoopEvent),
      done(),
    ];
    const untold = ['run-start', 'step-start', 'tool-call', 'status', 'steering', 'tool-dropped'].map((type) => ({ type, runId: 'run1' }) as unknown as LoopEvent);

    expect(told.map((event) => onLane('story', event))).toEqual(told.map(() => true));
    expect(untold.map((event) => onLane('story', event))).toEqual(untold.map(() => false));
  });
});

describe('the host lane', () => {
  it('draws what is said beside the steps', () => {
    const said = [steering('hi'), compaction(), dropped(0, 'c'), ...hostEvents];

    expect(said.filter((event) => onLane('host', event))).toEqual(said);
    expect(twoCalls.filter((event) => onLane('host', event))).toEqual([]);
  });
});

describe('the tools lane', () => {
  it('draws what is asked about calls', () => {
    const asked = [ask(0, 'c'), reply(0, 'c'), eager(0, 'c')];

    expect(asked.filter((event) => onLane('tools', event))).toEqual(asked);
    expect(asked.filter((event) => onLane('story', event) || onLane('host', event) || onLane('frame', event))).toEqual([]);
  });
});

describe('the nested lane', () => {
  it('draws nested runs whole, and no other lane but all draws them', () => {
    const nested = [...twoCalls, ...hostEvents, done()].map((event) => below('c', event));
    const lanes = ['story', 'tools', 'host', 'frame'] as const;

    expect(nested.filter((event) => onLane('nested', event) && onLane('all', event))).toEqual(nested);
    expect(nested.filter((event) => lanes.some((lane) => onLane(lane, event)))).toEqual([]);
    expect(twoCalls.filter((event) => onLane('nested', event))).toEqual([]);
  });
});

describe('the frame lane', () => {
  it('draws what opens and closes an attempt', () => {
    const events = [step(0), fallback(0, 'a', 'b'), retract(0, 1), step(0, 2), end(0, { attempt: 2 })];

    expect(events.filter((event) => onLane('frame', event))).toEqual(events);
  });
});

describe('the alphabet', () => {
  it('says in words what a letter stands for', () => {
    expect(['t', 'T', 'd', '4', '8', 'L', 's', 'l', 'E', '9', '?'].map((letter) => eventLetters.describe(letter))).toEqual([
      '0 text', '1 text', '0 call (call 2 of the step)', '1 result (call 2 of the step)', '1 dropped (call 2 of the step)', 'done', 'step-start',
      'steering', '1 retract', undefined, undefined,
    ]);
  });

  it('gives no letter twice', () => {
    const letters = (['request', 'answer', 'tool-call', 'tool-start', 'tool-progress', 'tool-commit', 'result', 'dropped', 'call'] as const)
      .flatMap((kind) => [0, 1].flatMap((step) => [0, 1].map((place) => eventLetters.of(kind, step, place))));
    const fixed = (['run-start', 'step-start', 'steering', 'compaction', 'status', 'plan', 'title', 'state', 'custom', 'done'] as const).map((kind) => eventLetters.of(kind));

    expect(new Set([...letters, ...fixed]).size).toBe(letters.length + fixed.length);
    expect([...letters, ...fixed].filter((letter) => '-|#()^! @'.includes(letter ?? ''))).toEqual([]);
    expect(eventLetters.free.filter((letter) => eventLetters.describe(letter) !== undefined)).toEqual([]);
    expect(new Set(eventLetters.free).size).toBe(eventLetters.free.length);
  });
});
