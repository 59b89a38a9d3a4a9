import { describe, expect, it } from '@jest/globals';
import { of, Subject } from 'rxjs';
import { scripted } from '../../lib/deltas/scripted.ts';
import { resumeToolLoop, toolLoop } from '../../lib/index.ts';
import type { Checkpoint, Done, Tool } from '../../lib/index.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { takeTools } from '../../lib/loop/take-tools.ts';
import { fakeTool } from '../../marbles/index.ts';
import { hear } from '../support/invoke-context.ts';
import { loopUnit } from '../support/loop-unit.ts';
import { play } from '../support/play.ts';

const [add, mul] = [fakeTool(of(1)), fakeTool(of(2), { name: 'mul' })];

function taking(options: Partial<ToolLoopOptions> = {}, latest?: readonly Tool[]) {
  const { run, state } = loopUnit({ tools: new Subject<readonly Tool[]>(), ...options });
  const set = (tools: readonly Tool[]): void => {
    run.toolSet.latest = tools;
    run.toolSet.first.set();
  };
  if (latest !== undefined) set(latest);
  return { run, state, set, heard: hear(takeTools(run, state)) };
}

describe('takeTools', () => {
  it('waits for the first set', () => {
    const { heard, set } = taking();
    expect(heard.values).toEqual([]);
    set([add]);
    expect(heard).toMatchObject({ values: [{ tools: new Map([['add', add]]), specs: [{ name: 'add' }] }], ended: true });
  });

  it('takes the latest at once afterwards, and keeps the state where it is the same', () => {
    const { run, heard, set } = taking({}, [add]);
    const [state] = heard.values;
    expect(hear(takeTools(run, state as never)).values[0]).toBe(state);
    set([mul]);
    expect(hear(takeTools(run, state as never)).values[0]?.specs).toMatchObject([{ name: 'mul' }]);
  });

  it('may take none', () => {
    expect(taking({}, []).heard.values).toMatchObject([{ specs: [] }]);
  });

  it('fails for a set that is none, or that takes the name of the output', () => {
    expect(taking({}, {} as never).heard.error).toMatchObject({ code: 'config', message: expect.stringContaining('tools is no array') });
    expect(taking({}, [add, add]).heard.error).toMatchObject({ code: 'config' });
    const output = { schema: { type: 'object' }, name: 'add' };
    expect(taking({ output }, [add]).heard.error).toMatchObject({ code: 'config', message: expect.stringContaining('give output.name another') });
  });

  it('fails for a model that cannot call tools, as the preflight does', () => {
    expect(taking({ model: scripted([], { capabilities: [] }) }, [add]).heard.error).toMatchObject({ code: 'unsupported', message: expect.stringContaining('cannot call tools') });
  });
});

describe('a resumed run whose tools come', () => {
  const suspended = (): Checkpoint => {
    const model = scripted([{ calls: [{ name: 'add', id: 'c' }] }]);
    const { events } = play(toolLoop({ model, prompt: 'go', tools: of([{ ...add, needsApproval: true }]) as never }));
    return (events.at(-1) as Done).outcome.checkpoint as Checkpoint;
  };

  it('has them in the batch that it goes on with', () => {
    const checkpoint = suspended();
    const id = checkpoint.batch?.calls[0]?.request?.id ?? '';
    const { events } = play(resumeToolLoop(checkpoint, { [id]: { type: 'approve' } }, { model: scripted([{ text: 'ok' }]), tools: of([add]) as never }));
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({ result: { isError: false, output: 1 } });
  });

  it('waits for them, but not past a stop', () => {
    const checkpoint = suspended();
    const [tools, abort$] = [new Subject<readonly Tool[]>(), new Subject<void>()];
    const played = play(resumeToolLoop(checkpoint, {}, { model: scripted([]), tools: tools as never, abort$ }));
    expect(played.events.map(({ type }) => type)).toEqual(['run-start']);
    abort$.next();
    expect([played.ending, played.events.at(-1)]).toMatchObject(['complete', { outcome: { reason: 'aborted' } }]);
  });
});
