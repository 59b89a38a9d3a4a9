import { describe, expect, it } from '@jest/globals';
import { from } from 'rxjs';
import type { Observable } from 'rxjs';
import type { ApprovalAnswer, ApprovalRequest } from '../../lib/index.ts';
import { StoreDesk } from '../../lib/view/store-desk.ts';

const request = (id: string): ApprovalRequest => ({ id, kind: 'approval', runId: 'run1', step: 0, callId: 'call1', call: { id: 'call1', name: 'add', arguments: {} } });

/** What somebody hears of a source from now on; `|` is its end. */
function heardOf(source$: Observable<unknown>): { readonly all: unknown[]; leave(): void } {
  const all: unknown[] = [];
  const subscription = source$.subscribe({ next: (value) => all.push(value), complete: () => all.push('|') });
  return { all, leave: () => subscription.unsubscribe() };
}

const asking = (desk: StoreDesk, id: string) => heardOf(from(desk.controls.approvals(request(id)) as Observable<ApprovalAnswer>));

describe('StoreDesk', () => {
  it('steers and aborts whoever listens, and knows whether anybody does', () => {
    const desk = new StoreDesk();
    expect([desk.steer('early'), desk.abort()]).toEqual([false, false]);
    const [one, other, aborted] = [heardOf(desk.controls.steering$), heardOf(desk.controls.steering$), heardOf(desk.controls.abort$)];
    expect([desk.steer('now'), desk.abort()]).toEqual([true, true]);
    one.leave();
    expect(desk.steer('later')).toBe(true);
    other.leave();
    expect(desk.steer('last')).toBe(false);
    expect([one.all, other.all, aborted.all]).toEqual([['now'], ['now', 'later'], [undefined]]);
  });

  it('lets a listener leave while it speaks', () => {
    const desk = new StoreDesk();
    const heard: string[] = [];
    const other = desk.controls.steering$.subscribe(() => heard.push('other'));
    const one = desk.controls.steering$.subscribe(() => (other.unsubscribe(), one.unsubscribe(), heard.push('one')));
    desk.steer('a');
    expect(heard).toEqual(['other', 'one']);
    expect(desk.steer('b')).toBe(false);
  });

  it('gives each request its answer once', () => {
    const desk = new StoreDesk();
    const [one, other] = [asking(desk, 'q1'), asking(desk, 'q2')];
    expect(desk.answer({ q1: { type: 'approve' } })).toBe(true);
    expect([one.all, other.all]).toEqual([[{ type: 'approve' }, '|'], []]);
    expect(desk.answer({ q1: { type: 'decline' } })).toBe(false);
    expect(desk.answer({ q2: { type: 'decline' } })).toBe(true);
    expect(one.all).toHaveLength(2);
  });

  it('gives all answers or none', () => {
    const desk = new StoreDesk();
    const one = asking(desk, 'q1');
    expect(desk.answer({ q1: { type: 'approve' }, q2: { type: 'approve' } })).toBe(false);
    expect(desk.answer({})).toBe(false);
    expect(one.all).toEqual([]);
  });

  it('forgets a request that nobody waits for, and no other of the same id', () => {
    const desk = new StoreDesk();
    const [first, second] = [asking(desk, 'q1'), asking(desk, 'q1')];
    first.leave();
    expect(desk.answer({ q1: { type: 'approve' } })).toBe(true);
    expect([first.all, second.all]).toEqual([[], [{ type: 'approve' }, '|']]);
    asking(desk, 'q3').leave();
    expect(desk.answer({ q3: { type: 'approve' } })).toBe(false);
  });
});
