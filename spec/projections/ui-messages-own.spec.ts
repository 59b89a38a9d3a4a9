import { describe, expect, it } from '@jest/globals';
import { ownMetadata, readOwn } from '../../lib/projections/ui-messages-own.ts';

describe('what the library keeps in a part', () => {
  it('stands under its own name, without what is absent', () => {
    expect(ownMetadata({ meta: { signature: 's' }, kind: undefined })).toEqual({ providerMetadata: { 'rx-tool-loop': { meta: { signature: 's' } } } });
  });

  it('is no field at all where there is nothing', () => {
    expect(ownMetadata({})).toEqual({});
    expect(ownMetadata({ meta: undefined })).toEqual({});
  });

  it('is read back as it was written', () => {
    const own = { meta: { signature: 's' }, kind: 'opaque', data: [1], settled: true } as const;
    expect(readOwn(ownMetadata(own).providerMetadata)).toEqual(own);
  });

  it('is the whole metadata where somebody else wrote it', () => {
    expect(readOwn({ anthropic: { signature: 's' } })).toEqual({ meta: { anthropic: { signature: 's' } } });
  });

  it.each([undefined, null, 'text', 7])('is nothing where there is none: %p', (metadata) => {
    expect(readOwn(metadata)).toEqual({});
  });
});
