import { describe, expect, it } from '@jest/globals';
import { toolCall, userMessage } from '../../lib/index.ts';
import type { AssistantMessage, Message, ToolMessage } from '../../lib/index.ts';
import { demoPlace, SENT_BACK } from '../../lib/serve/demo-place.ts';
import type { DemoPlace } from '../../lib/serve/demo-place.ts';

const answers: AssistantMessage = { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] };
const calls: AssistantMessage = { role: 'assistant', content: [{ type: 'tool-call', call: toolCall('c1', 'add', '{}') }] };
const result = { callId: 'c1', name: 'add', content: [{ type: 'text', text: '3' }], isError: false } as const;
const results: ToolMessage = { role: 'tool', results: [result] };

const at = (...messages: readonly Message[]): DemoPlace => demoPlace({ messages }, (text) => text.includes('plan'));

describe('demoPlace', () => {
  it('is at the prompt', () => {
    expect(at(userMessage('plan'))).toEqual({ prompt: 'plan', step: 0, results: [], steering: [] });
    expect(at(userMessage('one'), userMessage('two'))).toMatchObject({ prompt: 'two' });
  });

  it('is nowhere without messages', () => {
    expect(at()).toEqual({ prompt: '', step: 0, results: [], steering: [] });
  });

  it('reads the words of a prompt that has more than words', () => {
    expect(at({ role: 'user', content: [{ type: 'text', text: 'plan' }, { type: 'image', mediaType: 'image/png', data: '' }] })).toMatchObject({ prompt: 'plan ' });
  });

  it('counts the calls since the prompt, and has the results of the last one', () => {
    expect(at(userMessage('search'), answers, userMessage('plan'), calls, results)).toEqual({ prompt: 'plan', step: 1, results: [result], steering: [] });
    expect(at(userMessage('plan'), calls, results, calls)).toEqual({ prompt: 'plan', step: 2, results: [], steering: [] });
  });

  it('takes what follows results for said meanwhile', () => {
    expect(at(userMessage('plan'), calls, results, userMessage('shorter'), userMessage('please'))).toEqual({ prompt: 'plan', step: 1, results: [result], steering: ['shorter', 'please'] });
  });

  it('takes what asks for a script for a prompt, also after results', () => {
    expect(at(userMessage('plan'), calls, results, userMessage('another plan'))).toEqual({ prompt: 'another plan', step: 0, results: [], steering: [] });
  });

  it('goes on where an answer is sent back', () => {
    expect(at(userMessage('plan'), answers, userMessage(`${SENT_BACK} check.`))).toMatchObject({ prompt: 'plan', step: 1 });
  });
});
