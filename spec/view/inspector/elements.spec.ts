import { describe, expect, it } from '@jest/globals';
import { elementsOf } from '../../../lib/view/inspector/elements.ts';
import { read } from '../../guards/support/project.ts';

describe('elementsOf', () => {
  it('finds a part by its id, and says which one the page does not have', () => {
    const part = {} as HTMLElement;
    const element = elementsOf({ getElementById: (id) => (id === 'json' ? part : null) });
    expect(element('json')).toBe(part);
    expect(() => element('svg')).toThrow('The page has no part svg.');
  });

  it('names parts that the page has', () => {
    const page = read('lib/view/inspector/page.html');
    const named = [...read('lib/view/inspector/elements.ts').matchAll(/readonly '?([\w-]+)'?: HTML/g)].map(([, id]) => id);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((id) => !page.includes(`id="${id}"`))).toEqual([]);
  });
});
