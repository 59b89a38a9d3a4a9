import { describe, expect, it } from '@jest/globals';
import { answer, request } from '../lib/schema-approval.ts';
import { answers, checkpoint } from './support/examples.ts';
import { keepsTheLaws, sent } from './support/schema-laws.ts';

// In place of a list of parts a text would do: so the text is the example.
const plain = answers.map((one) => (one.type === 'result' ? { ...one, content: '3' } : one));
for (const one of plain) keepsTheLaws(`the answer ${one.type}`, 'approval.answer', answer, one);
keepsTheLaws('the request', 'approval.request', request, checkpoint.batch.calls[0]?.request);

describe('an answer', () => {
  it('is none while its request stays open', () => {
    expect(answer.safeParse({ type: 'suspend' }).error?.issues[0]?.path).toEqual(['type']);
  });

  it("gives a client's result as parts too", () => {
    expect(answers.map((one) => answer.parse(sent(one)))).toEqual(answers);
    expect(answer.safeParse({ type: 'result', content: 3 }).error?.issues[0]?.path).toEqual(['content']);
  });
});
