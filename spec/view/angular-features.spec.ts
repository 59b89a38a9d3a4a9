import { describe, expect, it } from '@jest/globals';
import { withCancelOnDestroy, withServerRendering, withStrategy, withUpdates } from '../../lib/view/angular.ts';

describe('a feature', () => {
  it.each([
    [withStrategy('concat'), { strategy: 'concat' }],
    [withUpdates({ ms: 50 }), { updates: { ms: 50 } }],
    [withServerRendering(), { onServer: true }],
    [withCancelOnDestroy(), { cancelOnDestroy: true }],
  ])('%# is one setting', (feature, settings) => {
    expect(feature.settings).toEqual(settings);
  });

  it('is known by its name', () => {
    const all = [withStrategy('switch'), withUpdates('none'), withServerRendering(), withCancelOnDestroy()];
    expect(all.map(({ name }) => name)).toEqual(['withStrategy', 'withUpdates', 'withServerRendering', 'withCancelOnDestroy']);
  });
});
