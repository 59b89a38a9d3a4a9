import { describe, expect, it } from '@jest/globals';
import { scripted } from '../../lib/deltas/scripted.ts';
import { provideRemoteLoop, provideToolLoop, withStrategy } from '../../lib/view/angular.ts';
import type { ToolLoopFeature } from '../../lib/view/angular.ts';

describe.each([
  ['provideToolLoop', (...features: readonly ToolLoopFeature[]) => provideToolLoop({ model: scripted([]) }, ...features)],
  ['provideRemoteLoop', (...features: readonly ToolLoopFeature[]) => provideRemoteLoop({ url: '/runs' }, ...features)],
])('%s', (name, provide) => {
  it('refuses a feature that is given twice, and says which', () => {
    expect(() => provide(withStrategy('concat'), withStrategy('exhaust'))).toThrow(`${name}: withStrategy() is given twice; give it once.`);
    expect(() => provide(withStrategy('concat'))).not.toThrow();
  });
});
