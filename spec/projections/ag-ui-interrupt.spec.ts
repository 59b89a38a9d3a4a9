import { describe, expect, it } from '@jest/globals';
import { agUiInterrupt } from '../../lib/projections/ag-ui-interrupt.ts';
import { Told } from '../support/hosted-runs.ts';

const request = new Told().request('q1', 'approval', 'c1', 'remove');

describe('agUiInterrupt', () => {
  it('asks whether a call may run, and with which arguments instead', () => {
    expect(agUiInterrupt(request, 'run')).toEqual({
      id: 'q1', reason: 'tool_call', message: 'May remove run?', toolCallId: 'c1', metadata: { toolName: 'remove', arguments: { n: 1 } },
      responseSchema: { type: 'object', required: ['approved'], properties: { approved: { type: 'boolean' }, editedArgs: request.schema, reason: { type: 'string' } } },
    });
  });

  it('asks for a value by its schema', () => {
    expect(agUiInterrupt({ ...request, kind: 'input' }, 'run')).toMatchObject({ reason: 'input_required', responseSchema: request.schema });
  });

  it('takes any object, or any value, where there is no schema', () => {
    const { schema, reason, ...bare } = request;
    expect(agUiInterrupt(bare, 'run')).toMatchObject({ responseSchema: { properties: { editedArgs: { type: 'object' } } } });
    expect(agUiInterrupt(bare, 'run')).not.toHaveProperty('message');
    expect(agUiInterrupt({ ...bare, kind: 'input' }, 'run')).toMatchObject({ responseSchema: {} });
  });

  it('names the sub-agent that asks', () => {
    expect(agUiInterrupt(request, 'run')).not.toHaveProperty('subagentRunId');
    expect(agUiInterrupt({ ...request, runId: 'child' }, 'run')).toMatchObject({ subagentRunId: 'child' });
  });
});
