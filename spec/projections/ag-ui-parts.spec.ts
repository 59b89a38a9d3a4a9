import { describe, expect, it } from '@jest/globals';
import { agUiParts } from '../../lib/projections/ag-ui-parts.ts';

const at = 'messages[0].content';

describe('agUiParts', () => {
  it('takes a text as one part', () => {
    expect(agUiParts('hi', at)).toEqual([{ type: 'text', text: 'hi' }]);
  });

  it('calls a file of unknown type bytes', () => {
    expect(agUiParts([{ type: 'document', source: { type: 'url', value: 'https://example.com/a' } }], at)).toEqual([{ type: 'file', mediaType: 'application/octet-stream', url: 'https://example.com/a' }]);
  });

  it.each<[string, unknown]>([
    ['messages[0].content is missing; it must be a list', undefined],
    ['messages[0].content is of type number; it must be a list', 7],
    ['messages[0].content[0] is of type string; it must be an object', ['hi']],
    ['messages[0].content[1].type is "binary"; it must be text, image, audio, video or document', [{ type: 'text', text: '' }, { type: 'binary' }]],
    ['messages[0].content[0].text is missing; it must be a text', [{ type: 'text' }]],
    ['messages[0].content[0].source is missing; it must be an object', [{ type: 'image' }]],
    ['messages[0].content[0].source.type is "file"; send the bytes (data) or an address (url)', [{ type: 'image', source: { type: 'file', value: 'file-1' } }]],
    ['messages[0].content[0].source.mimeType is missing; it must be a text', [{ type: 'image', source: { type: 'data', value: 'AA==' } }]],
    ['messages[0].content[0].source.value is null; it must be a text', [{ type: 'audio', source: { type: 'url', value: null } }]],
    ['messages[0].content[0].source.mimeType is a list; it must be a text', [{ type: 'video', source: { type: 'url', value: 'x', mimeType: [] } }]],
  ])('refuses what it cannot carry: %s', (message, content) => {
    expect(() => agUiParts(content, at)).toThrow(new RegExp(`^fromAgUi: input\\.${message.replace(/[[\]().]/g, '\\$&')}\\.$`));
  });
});
