import { describe, expect, it } from '@jest/globals';
import { of, Subject, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Delta } from '../../lib/delta.ts';
import { HookError } from '../../lib/control-errors.ts';
import { claimIds } from '../../lib/fold/claim-ids.ts';
import { Step, step } from '../../lib/fold/step.ts';
import type { Screened, StepOptions } from '../../lib/fold/step.ts';
import { call, finish, text, usage } from '../../marbles/index.ts';

// What stands between a model's deltas and their reader.

function read(deltas: Observable<Delta>, pass?: (delta: Delta) => Screened | Observable<Screened>, options: StepOptions = {}) {
  const shown: string[] = [];
  let closing: Step | undefined;
  let ended = false;
  const subscription = deltas.pipe(step(claimIds(() => 'own'), 'm', { ...options, ...(pass && { screen: { pass } }) })).subscribe({
    next: (value) => {
      if (value instanceof Step) closing = value;
      else shown.push(value.type);
    },
    complete: () => (ended = true),
  });
  return { shown, step: () => closing as Step, ended: () => ended, leave: () => subscription.unsubscribe() };
}

const said = of(text('a'), text('b'), finish('stop'));

describe('a screen', () => {
  it('shows what it passes, changed or not, and the step holds what was shown', () => {
    const { shown, step: end } = read(said, (delta) => ({ delta: delta.type === 'text' ? { ...delta, text: delta.text.toUpperCase() } : delta }));
    expect([shown, end().parts]).toMatchObject([['text', 'text', 'finish'], [{ text: 'AB' }]]);
  });

  it('keeps a delta without showing it', () => {
    const { shown, step: end } = read(of(...call('add', {}), finish('tool-use')), (delta) => ({ delta, hidden: true }));
    expect([shown, end().calls.length, end().shown]).toEqual([['finish'], 1, false]);
  });

  it('drops a delta, which leaves no trace', () => {
    const { shown, step: end } = read(said, () => ({ delta: undefined }));
    expect([shown, end().parts, end().shown]).toEqual([['finish'], [], false]);
  });

  it('sees no ping, no finish and no second end of a call', () => {
    const seen: string[] = [];
    const deltas = call('add', {});
    read(of<Delta[]>({ type: 'alive' }, ...deltas, deltas.at(-1) as Delta, usage({}), finish('tool-use')), (delta) => (seen.push(delta.type), { delta }));
    expect(seen.filter((type) => type === 'tool-call-end')).toHaveLength(1);
    expect(seen).not.toContain('alive');
    expect(seen).not.toContain('finish');
  });

  it('may answer later: what comes behind it waits', () => {
    const later = new Subject<Screened>();
    const { shown, step: end } = read(said, (delta) => (delta.type === 'text' && delta.text === 'a' ? later : { delta }));
    expect(shown).toEqual([]);
    later.next({ delta: text('a') });
    later.complete();
    expect([shown, end().parts]).toMatchObject([['text', 'text', 'finish'], [{ text: 'ab' }]]);
  });

  it.each<[string, () => never | Observable<never>]>([
    ['throws', () => { throw new HookError('boom'); }],
    ['fails later', () => throwError(() => new HookError('boom'))],
  ])('that %s breaks the step', (_name, pass) => {
    expect(read(said, pass).step().failure?.error).toMatchObject({ code: 'hook' });
  });

  it('is left with the step when that is told to stop', () => {
    const [stop$, later] = [new Subject<void>(), new Subject<Screened>()];
    const { step: end } = read(said, () => later, { stop$ });
    stop$.next();
    expect([end().stopped, later.observed]).toEqual([true, false]);
  });
});

describe('a finish that is held', () => {
  it('is in the step, and is not shown', () => {
    const { shown, step: end, ended } = read(said, undefined, { holdFinish: true });
    expect([shown, end().finish, ended()]).toMatchObject([['text', 'text'], { reason: 'stop' }, true]);
  });
});
