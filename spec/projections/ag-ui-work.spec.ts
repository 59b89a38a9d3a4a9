import { beforeEach, describe, expect, it } from '@jest/globals';
import type { EventOf } from '../../lib/index.ts';
import { AgUiWork } from '../../lib/projections/ag-ui-work.ts';
import { deskOf } from '../support/ag-ui-of.ts';
import { Told } from '../support/hosted-runs.ts';

const run = new Told();
let { desk } = deskOf();
let work = new AgUiWork(desk);
beforeEach(() => {
  ({ desk } = deskOf());
  work = new AgUiWork(desk);
});

const begins = (told = run, more: object = {}): EventOf<'tool-start'> => ({ ...told.begins(0, 'c', 'add'), ...more }) as EventOf<'tool-start'>;
const progress = (value: unknown): EventOf<'tool-progress'> => run.event('tool-progress', { step: 0, callId: 'c', progress: value }) as EventOf<'tool-progress'>;
const result = (fields: object = {}): EventOf<'tool-result'> => run.result(0, 'c', 'add', fields) as EventOf<'tool-result'>;
const dropped = run.event('tool-dropped', { step: 0, callId: 'c', elapsedMs: 9, reason: 'retracted' }) as EventOf<'tool-dropped'>;
const shown = (): unknown[] => desk.take().map((event) => ('content' in event ? event.content : event));
const running = { toolCallId: 'c', toolName: 'add', status: 'running', startedAt: 5, title: 'Runs add', kind: 'execute' };

describe('what a tool is doing', () => {
  it('is one activity that always says the tool, from its start to its result [151]', () => {
    work.start(begins());
    expect(desk.take()).toEqual([{ type: 'ACTIVITY_SNAPSHOT', messageId: 'run/tool/c', activityType: 'TOOL', content: running }]);
    work.progress(progress('half'));
    work.progress(progress('most'));
    work.finish(result({ display: { text: 'Added.' } }));
    expect(shown()).toEqual([
      { ...running, progress: 'half' }, { ...running, progress: 'most' }, { ...running, status: 'done', progress: 'most', elapsedMs: 7, display: { text: 'Added.' } },
    ]);
  });

  it('says the call that a sub-agent belongs to [151]', () => {
    work.start(begins(new Told('child', { runId: 'run', callId: 'p' }), { speculative: true }));
    expect(desk.take()).toMatchObject([{ messageId: 'child/tool/c', subagentRunId: 'child', content: { parentToolCallId: 'p', speculative: true } }]);
  });

  it('goes on after a suspended run without what was said of it then', () => {
    work.goOn({ runId: 'run', callId: 'c' }, 'add');
    work.goOn({ runId: 'run', callId: 'c' }, 'add');
    work.finish(result());
    const going = { toolCallId: 'c', toolName: 'add', status: 'running' };
    expect(shown()).toEqual([going, { ...going, status: 'done', elapsedMs: 7 }]);
    work.goOn({ runId: 'child', callId: 'd', parent: { runId: 'run', callId: 'c' } }, undefined);
    expect(desk.take()).toMatchObject([{ messageId: 'child/tool/d', subagentRunId: 'child', content: { toolCallId: 'd', status: 'running' } }]);
  });

  it('fails without its display, which may hold the error', () => {
    work.start(begins());
    work.finish(result({ isError: true, display: { text: 'secret' } }));
    expect(shown().at(-1)).toEqual({ ...running, status: 'failed', elapsedMs: 7 });
    ({ desk } = deskOf(false));
    work = new AgUiWork(desk);
    work.start(begins());
    work.finish(result({ isError: true, display: { text: 'secret' } }));
    expect(shown().at(-1)).toMatchObject({ display: { text: 'secret' } });
  });

  it('is said to be over where its outcome is dropped, or the run ends', () => {
    work.start(begins());
    work.drop(dropped);
    expect(shown().at(-1)).toEqual({ ...running, status: 'dropped', elapsedMs: 9 });
    work.start(begins());
    shown();
    work.close('dropped');
    expect(shown()).toEqual([{ ...running, status: 'dropped' }]);
    work.close('dropped');
    expect(shown()).toEqual([]);
    work.start(begins());
    work.close('waiting');
    expect(shown().at(-1)).toEqual({ ...running, status: 'waiting' });
  });

  it('is nothing where no body ran, or the call was answered before', () => {
    work.finish(result());
    work.drop(dropped);
    expect(shown()).toEqual([]);
  });
});
