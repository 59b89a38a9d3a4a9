import { describe, expect, it } from '@jest/globals';
import { agUiResult } from '../../lib/projections/ag-ui-result.ts';
import type { ToolResult } from '../../lib/index.ts';

const good: ToolResult = { callId: 'c', name: 'add', content: [{ type: 'text', text: '3' }], isError: false };
const bad: ToolResult = { ...good, isError: true, content: [{ type: 'text', text: 'No such file: /secret' }], error: { kind: 'not-found', message: 'No such file: /secret', retryable: false } };

describe('agUiResult', () => {
  it('says a result as it is', () => {
    expect(agUiResult(good, true)).toEqual({ content: '3' });
  });

  it('says of a failure its kind alone, and that it is one [152]', () => {
    expect(agUiResult(bad, true)).toEqual({ content: 'The tool failed (not-found).', metadata: { isError: true, kind: 'not-found' } });
  });

  it('says the text of a failure where nothing is masked', () => {
    expect(agUiResult(bad, false)).toEqual({ content: 'No such file: /secret', metadata: { isError: true, kind: 'not-found' } });
  });

  it('says whether the same may succeed later, and calls a failure without a kind other', () => {
    expect(agUiResult({ ...bad, error: { kind: 'timeout', message: '', retryable: true } }, true).metadata).toEqual({ isError: true, kind: 'timeout', retryable: true });
    const { error, ...without } = bad;
    expect(agUiResult(without, true)).toEqual({ content: 'The tool failed (other).', metadata: { isError: true, kind: 'other' } });
  });
});
