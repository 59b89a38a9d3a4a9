import { describe, expect, it } from '@jest/globals';
import { map } from 'rxjs';
import type { Observable } from 'rxjs';
import { ModelError, RunError } from '../../lib/index.ts';
import type { LoopEvent } from '../../lib/index.ts';
import { toAgUi } from '../../lib/projections/ag-ui.ts';
import type { AgUiEvent } from '../../lib/projections/ag-ui.ts';
import { agUiOf, input, inShort } from '../support/ag-ui-of.ts';
import { Told } from '../support/hosted-runs.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const run = new Told();
const said = (delta: object): LoopEvent => run.deltas(0, delta)[0] as LoopEvent;
const words = (block: string): LoopEvent => said({ type: 'text', block, text: 'w' });
const call = (index: number, id: string): { [phase in 'start' | 'more' | 'end']: LoopEvent } => ({
  start: said({ type: 'tool-call-start', index, id, name: 'add' }),
  more: said({ type: 'tool-call-arguments', index, chunk: '{}' }),
  end: said({ type: 'tool-call-end', index, call: { id, name: 'add', arguments: {}, rawArguments: '{}' } }),
});
const [c, d] = [call(0, 'c'), call(1, 'd')];
const lost = said({ type: 'tool-call-arguments', index: 7, chunk: '{"a' });
const letters: Record<string, LoopEvent> = {
  S: run.start(), s: run.step(0), t: words('b'), u: words('other'), k: said({ type: 'reasoning', block: 'r', text: 'h' }),
  c: c.start, C: c.more, x: c.end, d: d.start, D: d.more, y: d.end, f: lost, z: run.end(0), Y: run.end(0, 1), Z: run.end(0, 2), L: run.done(),
  T: run.result(0, 'c', 'add'),
};

/** One letter an event of AG-UI: lower case opens and adds, upper case closes; `R` and `F` are the run. */
const LETTER: Partial<Record<AgUiEvent['type'], string>> = {
  RUN_STARTED: 'R', RUN_FINISHED: 'F', RUN_ERROR: 'X', STEP_STARTED: 's', STEP_FINISHED: 'S',
  TEXT_MESSAGE_START: 'b', TEXT_MESSAGE_CONTENT: 't', TEXT_MESSAGE_END: 'B',
  REASONING_START: 'o', REASONING_MESSAGE_START: 'k', REASONING_MESSAGE_CONTENT: 'h', REASONING_MESSAGE_END: 'K', REASONING_END: 'O',
  TOOL_CALL_START: 'c', TOOL_CALL_ARGS: 'a', TOOL_CALL_END: 'C', TOOL_CALL_RESULT: 'r', MESSAGES_SNAPSHOT: 'M',
};
const drawn = (events$: Observable<LoopEvent>): Observable<string> => events$.pipe(toAgUi({ input }), map(({ type }) => LETTER[type] ?? type));

describe('toAgUi', () => {
  // prettier-ignore
  it.each([
    ['brackets a step and its text',
      '-S-s-t----t-z----L|',
      '-R-s-(bt)-t-(BS)-F|'],
    ['closes reasoning before text begins',
      '-S-s-k-----k-t-------z----L|',
      '-R-s-(okh)-h-(KObt)--(BS)-F|'],
    ['never weaves two texts together [146]',
      '-S-s-t----u-----t-----z----L|',
      '-R-s-(bt)-(Bbt)-(Bbt)-(BS)-F|'],
    ['lets two calls be written at the same time',
      '-S-s-c-d-C-D-x-y-Z-L-----|',
      '-R-s-c-c-a-a-C-C-S-(rrF)-|'],
    ['gives a call without a start one [147]',
      '-S-s-x-----Y-T-L|',
      '-R-s-(caC)-S-r-F|'],
    ['drops a fragment that belongs to nothing [147]',
      '-S-s-f-t----z----L|',
      '-R-s---(bt)-(BS)-F|'],
    ['takes back a call that has no end [147]',
      '-S-s-c-C-z-----L|',
      '-R-s-c-a-(CSM)-F|'],
    ['says cancelled where the run is cut off by whoever runs it',
      '-S-s-t----|        ',
      '-R-s-(bt)-(BSF|)   '],
    ['ends with RUN_ERROR and completes where the run fails [148]',
      '-S-s-t----#        ',
      '-R-s-(bt)-(BSX|)   '],
    ['says nothing after the end [148]',
      '-S-L-t-#      ',
      '-R-F---|      '],
    ['begins and ends where the run fails before anything',
      '--#           ',
      '--(RX|)       '],
    ['begins and ends where there is no run',
      '--|           ',
      '--(RF|)       '],
    ['never ends if the run does not',
      '-S-s-         ',
      '-R-s-         '],
  ])('%s', (_name, events, agUi) => loopMarbles(({ cold, expectValues }) => {
    expectValues(drawn(cold(events, letters))).toBe(agUi);
  })());

  it('leaves the run in the tick in which it is left', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const events = cold('                -S-s-t-', letters);
    expectValues(drawn(events), '----!').toBe('-R-s-');
    expectSubscriptions(events).toBe('   ^---!');
  }));

  it('is a stream of its own for each subscription', loopMarbles(({ cold, expectValues }) => {
    const agUi$ = drawn(cold('  -S-s-z-L|', letters));
    expectValues(agUi$).toBe('  -R-s-S-F|');
    expectValues(agUi$, '--^').toBe('  ---R-s-S-F|');
  }));

  it('says the text of an error only where it is not masked [152]', () => {
    const record = { runId: 'run', steps: [], usage: {}, messages: [], completion: { text: '', toolCalls: [] } };
    const error = new RunError(new ModelError('model-http', 'No credit.', { status: 402 }), record);
    const last = (mask?: boolean): unknown => {
      const all: AgUiEvent[] = [];
      const failing = toAgUi({ input, ...(mask !== undefined && { mask }) });
      loopMarbles(({ cold }) => void failing(cold('S#', letters, error)).subscribe((event) => all.push(event)))();
      return all.at(-1);
    };
    expect(last()).toEqual({ type: 'RUN_ERROR', message: 'The run failed.', code: 'model-http' });
    expect(last(false)).toEqual({ type: 'RUN_ERROR', message: 'No credit.', code: 'model-http' });
  });

  it('takes a done with reason error for the same', () => {
    const failed = [run.start(), run.done({ reason: 'error', error: { code: 'model-http', message: 'No credit.', retryable: false } })];
    expect(agUiOf(failed, { mask: false }).at(-1)).toMatchObject({ type: 'RUN_ERROR', message: 'No credit.', code: 'model-http' });
  });

  it('ignores an event that it does not know', () => {
    expect(agUiOf([run.start(), run.event('an-event-of-tomorrow' as LoopEvent['type']), run.done()]).map(inShort)).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
  });
});
