import { describe, expect, it } from '@jest/globals';
import { from, of } from 'rxjs';
import type { Observable } from 'rxjs';
import * as z from 'zod';
import { asTool, conversation, defineTool, errorAsDone, ModelError, resumeToolLoop, ToolError, toolLoop } from '../../lib/index.ts';
import type { Checkpoint, LoopEvent } from '../../lib/index.ts';
import { scripted } from '../../lib/deltas/scripted.ts';
import { toLoopback } from '../../lib/projections/loopback.ts';
import type { LoopbackEvent } from '../../lib/projections/loopback.ts';
import { call, usage, verifyEvents } from '../../marbles/index.ts';
import type { LoopMarbles } from '../../marbles/index.ts';
import { done, result, start, tool as toolEvent } from '../support/events.ts';
import { loopMarbles } from '../support/jest-marbles.ts';
import { turnLetters } from '../support/turn-letters.ts';

const prompt = 'go';
const words = { a: 'first', b: 'second' };

const turnOf = (run$: Observable<LoopEvent>): Observable<LoopbackEvent> => run$.pipe(verifyEvents(), toLoopback());
const drawn = (run$: Observable<LoopEvent>): Observable<string> => turnOf(run$).pipe(turnLetters());
const told = (run$: Observable<LoopEvent>): LoopbackEvent[] => {
  const heard: LoopbackEvent[] = [];
  run$.pipe(toLoopback()).subscribe((event) => heard.push(event));
  return heard;
};

// prettier-ignore
describe('zeph: a turn of the channel', () => {
  it('is chunks, thinking, tools and usage in their order, and flush as its end [146, 148]', loopMarbles(({ turn, tool, script, expectValues }) => {
    const turn1 = turn(' -k-t-c-(uy|)             ');
    const add = tool('          ----(1|)         ');
    const turn2 = turn('            -t-(uz|)     ');
    const channel = '    -k-t---(ub)rt-(uf|)      ';

    expectValues(drawn(toolLoop({ model: script(turn1, turn2), tools: [add], prompt }))).toBe(channel);
  }));

  it('starts a finished call that never ran, and leaves a dangling fragment out [147]', loopMarbles(({ turn, script, expectValues }) => {
    const turn1 = turn(' -x-c-(y|)       ', { x: { type: 'tool-call-start', index: 0, id: 'half', name: 'half' }, c: call('lost', {}, { index: 1 }) });
    const turn2 = turn('      ----t-(z|)');
    const channel = '    -----(br)t-(f|)';

    expectValues(drawn(toolLoop({ model: script(turn1, turn2), prompt }))).toBe(channel);
  }));

  it('ends by flush when its run fails, with the error masked [148, 152]', loopMarbles(({ turn, script, expectValues }) => {
    const turn1 = turn('-t-#     ', {}, new ModelError('model-stream', 'key sk-123'));
    const channel = '   -t-(shf|)';
    const values = { t: { type: 'chunk', text: 'hi' }, s: { type: 'status', text: 'The run failed.' }, h: { type: 'stop', hint: 'error' }, f: { type: 'flush' } };

    expectValues(turnOf(toolLoop({ model: script(turn1), prompt, preset: 'strict' }))).toBe(channel, values);
    expectValues(turnOf(toolLoop({ model: script(turn1), prompt, preset: 'strict' }).pipe(errorAsDone()))).toBe(channel, values);
  }));

  it('shows the failure of a tool by its kind alone [152]', loopMarbles(({ turn, tool, script, expectValues }) => {
    const turn1 = turn(' -c-(y|)             ');
    const add = tool('      ---#          ', { error: new ToolError('network', 'key sk-123') });
    const turn2 = turn('         --t-(z|)   ');
    const channel = '    ---b--r-t-(f|)      ';
    const values = {
      b: expect.objectContaining({ type: 'tool-start' }), r: expect.objectContaining({ isError: true, display: 'The tool failed (network).' }),
      t: { type: 'chunk', text: 'hi' }, f: { type: 'flush' },
    };

    expectValues(turnOf(toolLoop({ model: script(turn1, turn2), tools: [add], prompt }))).toBe(channel, values);
  }));
});

// prettier-ignore
describe('zeph: the stop hint', () => {
  const ending = (hint: string): Record<string, unknown> => ({
    t: { type: 'chunk', text: 'hi' }, u: expect.objectContaining({ type: 'usage' }), b: expect.objectContaining({ type: 'tool-start' }),
    r: expect.objectContaining({ type: 'tool-output', isError: false }), h: { type: 'stop', hint }, f: { type: 'flush' },
  });

  it('comes right before flush: an answer that was cut [149]', loopMarbles(({ turn, script, expectValues }) => {
    const turn1 = turn('-t-(l|)    ');
    const channel = '   -t-(hf|)   ';

    expectValues(turnOf(toolLoop({ model: script(turn1), prompt }))).toBe(channel, ending('max-tokens'));
  }));

  it('comes right before flush: the model calls are used up [149]', loopMarbles(({ turn, tool, script, expectValues }) => {
    const turn1 = turn(' -c-(y|)   ');
    const add = tool('      --(1|)');
    const channel = '    ---b-(rhf|)';

    expectValues(turnOf(toolLoop({ model: script(turn1), tools: [add], prompt, budget: { maxSteps: 1 } }))).toBe(channel, ending('max-turn-requests'));
  }));

  it('is missing where the turn ends with its answer [149]', loopMarbles(({ turn, script, expectValues }) => {
    expectValues(turnOf(toolLoop({ model: script(turn('-t-(z|)')), prompt }))).toBe('-t-(f|)', ending(''));
  }));

  it('says of a full context window that it is one of tokens, and of money and repetition that it is a limit [53, 54]', loopMarbles(({ turn, tool, script, expectValues }) => {
    const costly = { u: usage({ inputTokens: 9, outputTokens: 0 }) };
    const calls = (...frames: readonly string[]): ReturnType<LoopMarbles['script']> => script(...frames.map((frame) => turn(frame, costly)));
    const add = tool('(1|)');

    expectValues(turnOf(toolLoop({ model: { ...calls('-c-(uy|)'), contextWindow: 10 }, tools: [add], prompt, budget: { contextLimit: 0.8 } })))
      .toBe('---(ubrhf|)', ending('max-tokens'));
    expectValues(turnOf(toolLoop({ model: { ...calls('-c-(uz|)'), price: { input: 1e6, output: 1 } }, tools: [add], prompt, budget: { maxCostUsd: 1 } })))
      .toBe('---(ubrhf|)', { ...ending('max-turn-requests'), r: expect.objectContaining({ type: 'tool-output', isError: true }) });
    expectValues(turnOf(toolLoop({ model: calls('-c-(y|)', '-----c-(y|)'), tools: [add], prompt, budget: { repetition: 2 } })))
      .toBe('---(br)---(brhf|)', ending('max-turn-requests'));
  }));

  it('is of the cancel where other things would have ended the turn as well [149]', loopMarbles(({ turn, tool, script, hot, expectValues }) => {
    const turn1 = turn(' -c-(y|)        ');
    const add = tool('      ----(1|)   ');
    const abort$ = hot(' -----x         ');
    const channel = '    ---b-(rhf|)    ';
    const values = { ...ending('cancelled'), r: expect.objectContaining({ isError: true }) };

    expectValues(turnOf(toolLoop({ model: script(turn1), tools: [add], prompt, abort$, budget: { maxSteps: 1 }, timeouts: { graceMs: 0 } }))).toBe(channel, values);
  }));
});

// prettier-ignore
describe('zeph: tools on the channel', () => {
  it('have one output each when the turn is cancelled in their middle [140]', loopMarbles(({ turn, tool, script, hot, expectValues }) => {
    const turn1 = turn(' -c-d-(y|)              ');
    const add = tool('        -----(1|)      ', { parallelSafe: true });
    const mul = tool('        -----(2|)      ', { name: 'mul', parallelSafe: true });
    const abort$ = hot(' ----------x            ');
    const channel = '    -----(bb)-(rrhf|)      ';

    expectValues(drawn(toolLoop({ model: script(turn1), tools: [add, mul], prompt, abort$, timeouts: { graceMs: 0 } }))).toBe(channel);
  }));

  it('always carry their name, and those of a sub-agent the call that it runs for [151]', loopMarbles(({ turn, tool, script, expectValues }) => {
    const turn1 = turn(' -c-(y|)                      ', { c: call('agent', {}, { id: 'outer' }) });
    const inner1 = turn('   -k-c-(y|)                 ', { c: call('add', {}, { id: 'inner' }) });
    const add = tool('           -----(1|)            ');
    const inner2 = turn('             -t-(z|)         ');
    const turn2 = turn('                 -----t-(z|) ');
    const channel = '    ---b----c----d--e----t-(f|)  ';
    const agent = asTool({ name: 'agent', description: 'Asks an agent.', input: z.object({}), loop: () => ({ model: script(inner1, inner2), tools: [add], prompt }) });
    const [outer, inner] = [{ toolName: 'agent', toolCallId: 'outer' }, { toolName: 'add', toolCallId: 'inner', parentToolUseId: 'outer' }];

    expectValues(turnOf(toolLoop({ model: script(turn1, turn2), tools: [agent], prompt }))).toBe(channel, {
      b: { type: 'tool-start', ...outer, startedAt: 3, params: {} }, c: { type: 'tool-start', ...inner, startedAt: 8, params: {} },
      d: { type: 'tool-output', ...inner, startedAt: 8, display: '1', isError: false }, e: { type: 'tool-output', ...outer, startedAt: 3, display: 'hi', isError: false },
      t: { type: 'chunk', text: 'hi' }, f: { type: 'flush' },
    });
  }));

  it('of a suspended turn are ended by the turn that resumes it', () => {
    const ask = defineTool({ name: 'ask', description: 'Asks.', input: z.object({}), needsApproval: true, run: () => 'done' });
    const model = scripted([{ calls: [{ name: 'ask', arguments: {} }] }, { text: 'Done.' }]);
    const suspended: LoopEvent[] = [];
    toolLoop({ model, tools: [ask], prompt, approvals: () => ({ type: 'suspend' }) }).subscribe((event) => suspended.push(event));
    const last = suspended.at(-1);
    const checkpoint = last?.type === 'done' ? last.outcome.checkpoint : undefined;
    const answers = Object.fromEntries(suspended.flatMap((event) => (event.type === 'approval-request' ? [[event.id, { type: 'approve' as const }]] : [])));
    expect(told(from(suspended))).toEqual([{ type: 'status', text: '"ask" waits for approval.' }, { type: 'flush' }]);
    expect(told(resumeToolLoop(checkpoint as Checkpoint, answers, { model, tools: [ask] })).map(({ type }) => type)).toEqual(['tool-start', 'tool-output', 'chunk', 'flush']);
  });
});

describe('zeph: what a host is told', () => {
  // prettier-ignore
  it('is status, an empty one to clear it, and always the whole plan [150]', loopMarbles(({ turn, script, expectValues }) => {
    const plan = (status: 'pending' | 'completed'): { content: string; status: typeof status }[] => [{ content: 'a', status }, { content: 'b', status: 'pending' }];
    const work = defineTool({
      name: 'add', description: 'Works.', input: z.object({}), run: (_args, context) => {
        context.status('Working');
        context.plan(plan('pending'));
        context.plan(plan('completed'));
        context.status('');
        return 'done';
      },
    });
    const turn1 = turn(' -k-c-(y|)                   ', { c: call('add', {}) });
    const turn2 = turn('      -----------t-(uz|)     ');
    const channel = '    -k---(bspqer)---t-(uf|)      ';
    const values = {
      k: { type: 'thinking-chunk', text: 'hm' }, b: expect.objectContaining({ type: 'tool-start' }), s: { type: 'status', text: 'Working' },
      p: { type: 'plan', entries: plan('pending') }, q: { type: 'plan', entries: plan('completed') }, e: { type: 'status', text: '' },
      r: expect.objectContaining({ type: 'tool-output' }), t: { type: 'chunk', text: 'hi' },
      u: { type: 'usage', inputTokens: 3, outputTokens: 2, contextWindow: 100 }, f: { type: 'flush' },
    };
    const model = { ...script(turn1, turn2), contextWindow: 100 };

    expectValues(turnOf(toolLoop({ model, tools: [work], prompt }))).toBe(channel, values);
  }));

  it('is a title, as it comes [150]', () => {
    expect(told(of<LoopEvent[]>(start(), { type: 'title', runId: 'run1', title: 'Sums' }, done()))).toEqual([{ type: 'session-title', title: 'Sums' }, { type: 'flush' }]);
  });
});

// prettier-ignore
describe('zeph: turn after turn', () => {
  it('each ends by its own flush, and nothing of one reaches the next [153]', loopMarbles(({ turn, script, hot, expectValues }) => {
    const prompt$ = hot('a-----b       ', words);
    const turn1 = turn(' -t-(z|)       ');
    const turn2 = turn('       -t-(z|) ');
    const channel = '    -t-f---t-f    ';

    expectValues(drawn(conversation(prompt$, { model: script(turn1, turn2) }))).toBe(channel);
  }));

  it('one that is left for the next prompt ends as cancelled, and its tool with it [153]', loopMarbles(({ turn, tool, script, hot, expectValues, expectSubscriptions }) => {
    const prompt$ = hot('a----b               ', words);
    const turn1 = turn(' -c-(y|)             ');
    const add = tool('      ---------(1|)   ');
    const turn2 = turn('      ------t-(z|)   ');
    const channel = '    ---b-(rhf)-t-f       ';

    expectValues(turnOf(conversation(prompt$, { model: script(turn1, turn2), tools: [add] }))).toBe(channel, {
      b: expect.objectContaining({ type: 'tool-start' }), r: expect.objectContaining({ type: 'tool-output', isError: true }),
      h: { type: 'stop', hint: 'cancelled' }, t: { type: 'chunk', text: 'hi' }, f: { type: 'flush' },
    });
    expectSubscriptions(add).toBe('---^-!');
  }));

  it('a cancel that comes too late does not hit the next one [141]', loopMarbles(({ turn, script, hot, expectValues }) => {
    const prompt$ = hot('a-----b        ', words);
    const turn1 = turn(' -t-(z|)        ');
    const abort$ = hot(' -----x         ');
    const turn2 = turn('       -t-(z|)  ');
    const channel = '    -t-f---t-f     ';

    expectValues(drawn(conversation(prompt$, { model: script(turn1, turn2), abort$ }))).toBe(channel);
  }));

  it('one that fails ends by flush, and the next is as if it had not been [148, 153]', loopMarbles(({ turn, script, hot, expectValues }) => {
    const prompt$ = hot('a---------b        ', words);
    const turn1 = turn(' -t-#               ');
    const turn2 = turn('           -t-(z|)  ');
    const channel = '    -t-(shf)---t-f     ';

    expectValues(drawn(conversation(prompt$, { model: script(turn1, turn2), preset: 'strict' }, { each: errorAsDone() }))).toBe(channel);
  }));

  it('are the same for the same run [146]', () => {
    const events = [start(), toolEvent('tool-start', 0, 'c0'), result(0, 'c0'), done()];
    expect(told(from(events))).toEqual(told(from(events)));
  });
});
