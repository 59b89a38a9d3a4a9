/** What a key does on the diagram. */
export type KeyAction =
  | 'previous' | 'next' | 'lane-above' | 'lane-below' | 'first' | 'last'
  | 'left' | 'right' | 'closer' | 'farther' | 'fit' | 'hold' | 'step';

const ACTIONS: Readonly<Record<string, KeyAction>> = {
  ArrowLeft: 'previous',
  ArrowRight: 'next',
  ArrowUp: 'lane-above',
  ArrowDown: 'lane-below',
  Home: 'first',
  End: 'last',
  '+': 'closer',
  '=': 'closer',
  '-': 'farther',
  0: 'fit',
  ' ': 'hold',
  '.': 'step',
};

/**
 * Undefined for a key that is the browser's.
 *
 * @internal
 */
export function actionOfKey(event: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>): KeyAction | undefined {
  const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey) return undefined;
  if (shiftKey && key === 'ArrowLeft') return 'left';
  if (shiftKey && key === 'ArrowRight') return 'right';
  return Object.hasOwn(ACTIONS, key) ? ACTIONS[key] : undefined;
}
