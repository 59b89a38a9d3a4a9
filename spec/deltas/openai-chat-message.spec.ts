import { describe, expect, it } from '@jest/globals';
import { openaiChatMessage } from '../../lib/deltas/openai-chat-message.ts';
import type { OpenaiChatServer } from '../../lib/deltas/openai-chat-message.ts';
import { toolCall } from '../../lib/message.ts';
import type { AssistantMessage, AssistantPart, Message, UserPart } from '../../lib/message.ts';

const SERVER: OpenaiChatServer = { host: 'server.test', id: 'm' };

function written(message: Message, more: Partial<OpenaiChatServer> = {}): { wire: unknown; lacks: string[] } {
  const lacks: string[] = [];
  const json = openaiChatMessage(message, { ...SERVER, ...more }, lacks);
  return { wire: json === '' ? undefined : JSON.parse(json), lacks };
}

const asked = (...content: UserPart[]): { wire: unknown; lacks: string[] } => written({ role: 'user', content });
const turn = (content: AssistantPart[], model?: string): AssistantMessage => ({ role: 'assistant', content, ...(model !== undefined && { model }) });
const text = (said: string): AssistantPart & UserPart => ({ type: 'text', text: said });
const reasoning = (said: string, meta?: Record<string, unknown>): AssistantPart => ({ type: 'reasoning', text: said, ...(meta && { meta }) });

describe('the parts of a user', () => {
  it.each<[name: string, part: UserPart, wire: object]>([
    ['an image by URL', { type: 'image', url: 'https://x.test/i.png' }, { type: 'image_url', image_url: { url: 'https://x.test/i.png' } }],
    ['an image as data', { type: 'image', data: 'AAAA', mediaType: 'image/jpeg' }, { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,AAAA' } }],
    ['an image of no type', { type: 'image', data: 'AAAA' }, { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
    [
      'a file',
      { type: 'file', mediaType: 'application/pdf', data: 'AAAA', name: 'a.pdf' },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
    ],
    [
      'a file without a name',
      { type: 'file', mediaType: 'application/pdf', data: 'AAAA' },
      { type: 'file', file: { filename: 'file', file_data: 'data:application/pdf;base64,AAAA' } },
    ],
    ['sound', { type: 'file', mediaType: 'audio/mpeg', data: 'AAAA' }, { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } }],
    ['other sound', { type: 'file', mediaType: 'audio/x-wav', data: 'AAAA' }, { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }],
  ])('hold %s', (_name, part, wire) => {
    expect(asked(part)).toEqual({ wire: { role: 'user', content: [wire] }, lacks: [] });
    expect(asked(text('see'), part).wire).toEqual({ role: 'user', content: [text('see'), wire] });
  });

  it('are left out and named where the wire has no place for them', () => {
    const file: UserPart = { type: 'file', mediaType: 'application/pdf', url: 'https://x.test/a.pdf' };
    expect(asked(text('see'), file)).toEqual({ wire: { role: 'user', content: 'see' }, lacks: ['file without data'] });
    expect(asked({ type: 'image' })).toEqual({ wire: undefined, lacks: ['image without data'] });
  });
});

describe('the reasoning of a past turn', () => {
  const said = [reasoning('so'), text('a')];

  it.each([undefined, 'm', 'm-2025'])('goes back to the model that sent it, known as %s', (model) => {
    expect(written(turn(said, model), { model: 'm-2025' }).wire).toEqual({ role: 'assistant', content: 'a', reasoning_content: 'so' });
  });

  it('of another model stays away', () => {
    expect(written(turn(said, 'other')).wire).toEqual({ role: 'assistant', content: 'a' });
  });

  it.each(['reasoning_content', 'reasoning', 'reasoning_text'] as const)('goes under the name that the server has for it: %s', (field) => {
    expect(written(turn(said), { reasoning: field }).wire).toEqual({ role: 'assistant', content: 'a', [field]: 'so' });
  });

  it('is a part of the content where the server has it so', () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'so' }] };
    expect(written(turn(said), { reasoning: 'thinking' }).wire).toEqual({ role: 'assistant', content: [thinking, text('a')] });
    expect(written(turn([text('a')]), { reasoning: 'thinking' }).wire).toEqual({ role: 'assistant', content: 'a' });
  });

  it('goes back sealed to its server alone', () => {
    const reasoning_details = [{ type: 'reasoning.text', text: 'so', signature: 's' }];
    const sealed = turn([reasoning('so', { server: 'server.test', reasoning_details }), text('a')], 'other');
    expect(written(sealed).wire).toEqual({ role: 'assistant', content: 'a', reasoning_details });
    expect(written(sealed, { host: 'other.test' }).wire).toEqual({ role: 'assistant', content: 'a' });
  });

  it('goes back beside its seal where that does not hold it', () => {
    const sealed = turn([reasoning('so', { server: 'server.test', reasoning_opaque: 'o' }), text('a')]);
    expect(written(sealed, { reasoning: 'reasoning_text' }).wire).toEqual({ role: 'assistant', content: 'a', reasoning_text: 'so', reasoning_opaque: 'o' });
  });

  it('of another wire stays away', () => {
    expect(written(turn([reasoning('so', { signature: 's' }), text('a')])).wire).toEqual({ role: 'assistant', content: 'a' });
  });
});

describe('the images of a round of results', () => {
  const png = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
  const round: Message = {
    role: 'tool',
    results: [
      { callId: 'c1', name: 'draw', content: [{ type: 'text', text: 'see' }, png, { type: 'image', url: 'https://x.test/i.png' }], isError: false },
      { callId: 'c2', name: 'add', content: [{ type: 'text', text: '3' }], isError: false },
      { callId: 'c3', name: 'scan', content: [png, { type: 'file', mediaType: 'application/pdf', data: 'AAAA' }], isError: false },
    ],
  };
  const wire = (images: boolean): unknown => JSON.parse(`[${openaiChatMessage(round, { ...SERVER, images }, [])}]`);
  const answers = [
    { role: 'tool', tool_call_id: 'c1', content: 'see\n[image image/png]\n[image https://x.test/i.png]' },
    { role: 'tool', tool_call_id: 'c2', content: '3' },
    { role: 'tool', tool_call_id: 'c3', content: '[image image/png]\n[file application/pdf]' },
  ];

  it('follow all of them in one message that names their calls', () => {
    const shown = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    expect(wire(true)).toEqual([
      ...answers,
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What the tool draw gave for the call c1:' },
          shown,
          { type: 'image_url', image_url: { url: 'https://x.test/i.png' } },
          { type: 'text', text: 'What the tool scan gave for the call c3:' },
          shown,
        ],
      },
    ]);
  });

  it('are named alone where the model sees none', () => {
    expect(wire(false)).toEqual(answers);
  });
});

describe('a past turn', () => {
  it('leaves out what other wires put into it', () => {
    const foreign: AssistantPart[] = [
      { type: 'server-tool', id: 's', name: 'search', phase: 'call' },
      { type: 'source', url: 'https://x.test', title: 'X' },
      { type: 'file', mediaType: 'image/png', data: 'AAAA' },
      { type: 'opaque', data: { type: 'redacted_thinking', data: 'x' } },
    ];
    expect(written(turn([...foreign, text('a')]))).toEqual({ wire: { role: 'assistant', content: 'a' }, lacks: [] });
    expect(written(turn(foreign)).wire).toBeUndefined();
  });

  it('gives a signed call its signature, at its server alone, and keeps the ids of the loop to itself', () => {
    const extra_content = { google: { thought_signature: 's' } };
    const call = toolCall('c', 'f', '{}', { server: 'server.test', extra_content, providerId: 'p' });
    const wire = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const calls = (host: string): unknown => (written(turn([{ type: 'tool-call', call }]), { host }).wire as { tool_calls: unknown }).tool_calls;
    expect(calls('server.test')).toEqual([{ ...wire, extra_content }]);
    expect(calls('other.test')).toEqual([wire]);
  });
});
