import fc from 'fast-check';
import { map, timer } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import type { ApprovalAnswer, Delta, Hooks, ToolLoopOptions } from '../../lib/index.ts';
import type { ToolName } from './random-scenario.ts';

/** What hooks and people do in a run: each list is read from its beginning again when it is over. */
export interface Control {
  /** Which of them answer later, by so many frames; 0: at once. */
  readonly lateMs: number;
  readonly requests: readonly ('no opinion' | 'no tools' | 'append' | 'stop')[];
  readonly deltas: readonly ('no opinion' | 'stop')[];
  readonly steps: readonly ('no opinion' | 'retract' | 'correct' | 'stop')[];
  readonly invalid: readonly ('no opinion' | 'repair' | 'skip' | 'retry' | 'stop')[];
  readonly before: readonly ('no opinion' | 'rewrite' | 'skip' | 'block' | 'ask' | 'stop')[];
  readonly after: readonly ('no opinion' | 'rewrite' | 'stop')[];
  readonly answers: readonly ApprovalAnswer['type'][];
  readonly eager: readonly ToolName[];
  readonly asks: readonly ToolName[];
  /** Tools whose bodies are runs of their own. */
  readonly nested: readonly ToolName[];
}

const mostly = <T extends string>(...others: T[]): fc.Arbitrary<('no opinion' | T)[]> =>
  fc.array(fc.oneof({ weight: 6, arbitrary: fc.constant('no opinion' as const) }, { weight: others.length, arbitrary: fc.constantFrom(...others) }), { minLength: 1, maxLength: 6 });
const some = fc.subarray<ToolName>(['add', 'mul', 'bad']);

export const randomControl: fc.Arbitrary<Control> = fc.record({
  lateMs: fc.constantFrom(0, 0, 1, 4),
  requests: mostly('no tools', 'append', 'stop'),
  deltas: fc.array(fc.oneof({ weight: 12, arbitrary: fc.constant('no opinion' as const) }, { weight: 1, arbitrary: fc.constant('stop' as const) }), { minLength: 1, maxLength: 9 }),
  steps: mostly('retract', 'correct', 'stop'),
  invalid: mostly('repair', 'skip', 'retry', 'stop'),
  before: fc.oneof(fc.constant(['no opinion' as const]), mostly('rewrite', 'skip', 'block', 'ask', 'stop')),
  after: mostly('rewrite', 'stop'),
  answers: fc.array(fc.constantFrom<ApprovalAnswer['type']>('approve', 'approve', 'approve', 'decline', 'stop'), { minLength: 1, maxLength: 4 }),
  eager: fc.oneof(fc.constant<ToolName[]>(['add', 'mul', 'bad']), some),
  asks: some,
  nested: some,
});

/** The options that do so. */
export function controlled(control: Control, scheduler: SchedulerLike): Pick<ToolLoopOptions, 'hooks' | 'approvals'> {
  const { lateMs } = control;
  const turns = new Map<string, number>();
  const next = <T>(name: keyof Control & string, list: readonly T[]): T => {
    const turn = turns.get(name) ?? 0;
    turns.set(name, turn + 1);
    return list[turn % list.length] as T;
  };
  const soon = <T>(value: T): T | Observable<T> => (lateMs === 0 ? value : timer(lateMs, scheduler).pipe(map(() => value)));
  const stop = { type: 'stop', reason: 'Enough.' } as const;
  const hooks: Hooks = {
    beforeRequest() {
      const said = next('requests', control.requests);
      if (said === 'stop') return soon(stop);
      if (said === 'no tools') return soon({ tools: [] });
      return said === 'append' ? soon({ append: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'By the way.' }] }] }) : undefined;
    },
    deltas: ['text', 'tool-call-end'],
    onDelta: (_delta: Delta) => (next('deltas', control.deltas) === 'stop' ? soon(stop) : undefined),
    afterStep() {
      const said = next('steps', control.steps);
      if (said === 'correct') return soon({ type: 'correct', message: 'Otherwise.' } as const);
      if (said === 'retract') return soon({ type: 'retract' } as const);
      return said === 'stop' ? soon(stop) : undefined;
    },
    invalidCall() {
      const said = next('invalid', control.invalid);
      if (said === 'repair') return soon({ type: 'repair', name: 'add' } as const);
      if (said === 'skip') return soon({ type: 'skip', reason: 'Not here.' } as const);
      if (said === 'retry') return soon({ type: 'retry', feedback: 'Another.' } as const);
      return said === 'stop' ? soon(stop) : undefined;
    },
    beforeTool() {
      const said = next('before', control.before);
      if (said === 'rewrite') return soon({ type: 'rewrite', arguments: { rewritten: true } } as const);
      if (said === 'skip' || said === 'block') return soon({ type: said, reason: 'No.' } as const);
      if (said === 'ask') return soon({ type: 'ask' } as const);
      return said === 'stop' ? soon(stop) : undefined;
    },
    afterTool() {
      const said = next('after', control.after);
      if (said === 'rewrite') return soon({ type: 'rewrite', content: 'seen' } as const);
      return said === 'stop' ? soon(stop) : undefined;
    },
  };
  // A hook before the tools keeps them from starting early: it is there only where it has something to say.
  const { beforeTool, ...others } = hooks;
  return {
    hooks: control.before.every((said) => said === 'no opinion') ? others : hooks,
    approvals() {
      const type = next('answers', control.answers);
      return soon({ type } as ApprovalAnswer);
    },
  };
}
