import { describe, expect, it } from '@jest/globals';
import { Gate } from '../../lib/projections/gate.ts';

function ask(gate: Gate): { readonly said: string[]; leave(): void } {
  const said: string[] = [];
  const subscription = gate.ready().subscribe({ next: () => said.push('next'), complete: () => said.push('complete') });
  return { said, leave: () => subscription.unsubscribe() };
}

describe('Gate', () => {
  it('is open at once while fewer than highWaterMark values wait', () => {
    const gate = new Gate(2);
    gate.came();
    expect(ask(gate).said).toEqual(['next', 'complete']);
  });

  it('stays closed until the reader has taken enough', () => {
    const gate = new Gate(2);
    gate.came();
    gate.came();
    gate.came();
    const { said } = ask(gate);
    gate.went();
    expect(said).toEqual([]);
    gate.went();
    expect(said).toEqual(['next', 'complete']);
  });

  it('asks nothing of who has left', () => {
    const gate = new Gate(1);
    gate.came();
    const left = ask(gate);
    const stayed = ask(gate);
    left.leave();
    gate.went();
    expect([left.said, stayed.said]).toEqual([[], ['next', 'complete']]);
  });

  it('lets one ask after another within an answer', () => {
    const gate = new Gate(1);
    const said: number[] = [];
    const again = (n: number): void => void (n < 100 && gate.ready().subscribe(() => { said.push(n); again(n + 1); }));
    again(0);
    expect(said).toHaveLength(100);
  });

  it('acts on 0 as on 1, because one that never opens would hang the run', () => {
    expect(ask(new Gate(0)).said).toEqual(['next', 'complete']);
  });
});
