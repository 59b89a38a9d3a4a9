import { describe, expect, it } from '@jest/globals';
import { actionOfKey } from '../../../lib/view/inspector/action-of-key.ts';

const pressed = (key: string, held: object = {}) => actionOfKey({ key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...held });

describe('actionOfKey', () => {
  it.each([
    ['ArrowLeft', 'previous'], ['ArrowRight', 'next'], ['ArrowUp', 'lane-above'], ['ArrowDown', 'lane-below'], ['Home', 'first'], ['End', 'last'],
    ['+', 'closer'], ['=', 'closer'], ['-', 'farther'], ['0', 'fit'], [' ', 'hold'], ['.', 'step'],
  ])('takes %j for %s', (key, action) => expect(pressed(key)).toBe(action));

  it('moves with Shift', () => {
    expect([pressed('ArrowLeft', { shiftKey: true }), pressed('ArrowRight', { shiftKey: true }), pressed('+', { shiftKey: true })]).toEqual(['left', 'right', 'closer']);
  });

  it('leaves the browser its own', () => {
    expect(['Tab', 'Enter', 'a', 'toString', 'F5'].map((key) => pressed(key))).toEqual(Array(5).fill(undefined));
    for (const held of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) expect(pressed('+', held)).toBeUndefined();
  });
});
