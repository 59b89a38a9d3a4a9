import { describe, expect, it } from '@jest/globals';
import { openaiChatFinish } from '../../lib/deltas/openai-chat-finish.ts';

describe('openaiChatFinish', () => {
  it.each([
    [['stop', 'eos', 'end_turn'], 'stop'],
    [['length', 'model_length', 'max_tokens', 'model_context_window_exceeded'], 'length'],
    [['tool_calls', 'function_call'], 'tool-use'],
    [['content_filter', 'sensitive'], 'content-filter'],
    [['refusal'], 'refusal'],
    [['error', 'network_error', 'insufficient_system_resource'], 'error'],
    [['', 'STOP', 'stop eos', 'constructor', 'whatever', undefined, null, 5], 'other'],
  ])('reads %j as %s', (raws, reason) => {
    expect(raws.map((raw) => openaiChatFinish(raw))).toEqual(raws.map(() => reason));
  });
});
