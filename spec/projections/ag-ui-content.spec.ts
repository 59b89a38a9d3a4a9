import { describe, expect, it } from '@jest/globals';
import { agUiContent } from '../../lib/projections/ag-ui-content.ts';
import { agUiParts } from '../../lib/projections/ag-ui-parts.ts';
import type { ResultPart } from '../../lib/index.ts';

describe('agUiContent', () => {
  it('says one text as a text, and nothing as an empty one', () => {
    expect(agUiContent([{ type: 'text', text: 'hi' }])).toBe('hi');
    expect(agUiContent([])).toBe('');
  });

  it('says parts by what they are', () => {
    expect(agUiContent([
      { type: 'text', text: 'hi' }, { type: 'image', mediaType: 'image/png', data: 'AA==' }, { type: 'image', url: 'https://example.com/a.png' },
      { type: 'file', mediaType: 'audio/wav', data: 'AA==' }, { type: 'file', mediaType: 'video/mp4', url: 'https://example.com/a.mp4' },
      { type: 'file', mediaType: 'application/pdf', data: 'AA==', name: 'a.pdf' },
    ])).toEqual([
      { type: 'text', text: 'hi' }, { type: 'image', source: { type: 'data', value: 'AA==', mimeType: 'image/png' } }, { type: 'image', source: { type: 'url', value: 'https://example.com/a.png' } },
      { type: 'audio', source: { type: 'data', value: 'AA==', mimeType: 'audio/wav' } }, { type: 'video', source: { type: 'url', value: 'https://example.com/a.mp4', mimeType: 'video/mp4' } },
      { type: 'document', source: { type: 'data', value: 'AA==', mimeType: 'application/pdf' }, metadata: { name: 'a.pdf' } },
    ]);
  });

  it('is read back as it was', () => {
    const parts: ResultPart[] = [{ type: 'text', text: 'hi' }, { type: 'image', mediaType: 'image/png', data: 'AA==' }, { type: 'file', mediaType: 'application/pdf', url: 'https://example.com/a.pdf', name: 'a.pdf' }];
    expect(agUiParts(agUiContent(parts), 'x')).toEqual(parts);
  });
});
