import { describe, expect, it } from '@jest/globals';
import type { ApprovalAnswer } from '../../lib/index.ts';
import { checkKind } from '../../lib/serve/check-kind.ts';

const APPROVE: ApprovalAnswer = { type: 'approve' };
const RESULT: ApprovalAnswer = { type: 'result', content: 'x' };

describe('checkKind', () => {
  it.each([['approval', APPROVE], ['result', RESULT], ['input', { type: 'input', value: 1 }], ['result', { type: 'decline' }], ['input', { type: 'stop' }], ['approval', undefined]] as const)(
    'lets a request of kind %s be answered with %j', (kind, given) => {
      expect(() => checkKind({ id: 'q1', kind }, given)).not.toThrow();
    },
  );

  it.each([['approval', RESULT], ['result', APPROVE], ['approval', { type: 'suspend' }]] as const)('refuses for a request of kind %s the answer %j', (kind, given) => {
    expect(() => checkKind({ id: 'q1', kind }, given)).toThrow(expect.objectContaining({ status: 400, message: `The request "q1" is of kind ${kind}: it cannot be answered with ${given.type}.` }));
  });
});
