import { describe, expect, it } from '@jest/globals';
import { of, Subject } from 'rxjs';
import type { StepAnswer, StepView } from '../../lib/hooks.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { holdsFinish, NO_REVIEW, review } from '../../lib/loop/review.ts';
import { toolCall, userMessage } from '../../lib/message.ts';
import type { AssistantPart } from '../../lib/message.ts';
import { hear } from '../support/invoke-context.ts';
import { loopUnit } from '../support/loop-unit.ts';
import { ended, failed } from '../support/steps.ts';

const asked: AssistantPart = { type: 'tool-call', call: toolCall('c', 'add', '{}') };
const said = (text: string): AssistantPart => ({ type: 'text', text, block: 'b' });

function reviewed(answer: unknown, step = ended('stop'), options: Partial<ToolLoopOptions> = {}) {
  const hooks = answer === 'none' ? [] : [{ afterStep: () => answer as StepAnswer }];
  const { run, state } = loopUnit({ ...options, hooks });
  return hear(review(run, state, step));
}

const output = { schema: { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }), jsonSchema: { input: () => ({ type: 'object' }) } } } } as never;

describe('review', () => {
  it('shows the step to the hooks', () => {
    const seen: StepView[] = [];
    const { run, state } = loopUnit({ hooks: { afterStep: (view) => void seen.push(view) } });
    review(run, state, ended('tool-use', [said('a'), asked, said('b')], { inputTokens: 1 }));
    expect(seen).toEqual([{ content: [said('a'), asked, said('b')], text: 'ab', calls: [asked.type === 'tool-call' && asked.call], finish: 'tool-use', rawFinish: 'raw tool-use', usage: { inputTokens: 1 }, model: 'm-1', ids: { response: 'x' } }]);
  });

  it('asks nobody about a step that failed', () => {
    expect(reviewed({ type: 'stop' }, failed(new Error('x'))).values).toEqual([NO_REVIEW]);
  });

  it('has no opinion where no hook has one', () => {
    expect(reviewed(undefined).values).toEqual([{}]);
    expect(reviewed({ type: 'continue' }).values).toEqual([{}]);
  });

  it.each<StepAnswer>([{ type: 'retract' }, { type: 'correct', message: 'Again.' }, { type: 'correct', message: userMessage('Again.') }, { type: 'stop', reason: 'x' }])('says what a hook says: %j', (verdict) => {
    expect(reviewed(verdict).values).toEqual([{ verdict }]);
    expect(reviewed(of(verdict)).values).toEqual([{ verdict }]);
  });

  it.each([
    [{ type: 'go' }, 'has the type "go"'], ['stop', 'has the type undefined'], [{ type: 'correct' }, 'corrects without a message; give a text or a user message'],
    [{ type: 'correct', message: { role: 'assistant', content: [] } }, 'corrects without a message; give a text or a user message'],
  ])('fails for the answer %j, at once or later', (answer, why) => {
    const error = { code: 'hook', message: `An answer of afterStep ${why}.` };
    expect(reviewed(answer).values).toMatchObject([{ failed: { error } }]);
    expect(reviewed(of(answer)).values).toMatchObject([{ failed: { error } }]);
  });

  it('fails for a hook that withdraws a step with calls', () => {
    expect(reviewed({ type: 'retract' }, ended('tool-use', [asked])).values).toMatchObject([{ failed: { error: { code: 'hook' } } }]);
  });

  it('checks the output where the hooks have no opinion', () => {
    expect(reviewed('none', ended('stop', [said('{"a":1}')]), { output }).values).toMatchObject([{ output: { ok: true, json: { a: 1 } } }]);
    expect(reviewed(undefined, ended('stop', [said('{"a":1}')]), { output }).values).toMatchObject([{ output: { ok: true } }]);
    expect(reviewed({ type: 'stop' }, ended('stop', [said('{"a":1}')]), { output }).values).toEqual([{ verdict: { type: 'stop' } }]);
    expect(reviewed('none', ended('tool-use', [asked]), { output }).values).toEqual([{}]);
  });

  it('waits for the hooks', () => {
    const later = new Subject<StepAnswer>();
    const heard = reviewed(later);
    expect(heard.values).toEqual([]);
    later.next({ type: 'stop' });
    expect(heard).toMatchObject({ values: [{ verdict: { type: 'stop' } }], ended: true });
  });
});

describe('holdsFinish', () => {
  it('is where an attempt may be withdrawn', () => {
    expect([holdsFinish(loopUnit({ hooks: { afterStep: () => undefined } }).run), holdsFinish(loopUnit().run)]).toEqual([true, false]);
  });
});
