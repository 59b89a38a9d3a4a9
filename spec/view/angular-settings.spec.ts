import { expect, it } from '@jest/globals';
import { TOOL_LOOP } from '../../lib/view/angular-settings.ts';

it('the token of the settings names what provides it, for the error messages of Angular', () => {
  expect(String(TOOL_LOOP)).toContain('provideToolLoop() or provideRemoteLoop()');
});
