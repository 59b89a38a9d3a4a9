import { describe, expect, it } from '@jest/globals';
import { ToolError } from '../../lib/index.ts';
import { rootFault } from '../../lib/serve/root-fault.ts';

const system = (code: string): Error => Object.assign(new Error(`${code}: secret place, open '/private/x'`), { code });

describe('rootFault', () => {
  it.each([
    ['ENOENT', 'not-found', '"a" does not exist.'],
    ['ENOTDIR', 'not-found', '"a" does not exist.'],
    ['EACCES', 'permission-denied', '"a" may not be read.'],
    ['EPERM', 'permission-denied', '"a" may not be read.'],
    ['ELOOP', 'invalid-input', 'a link that leads back to itself'],
    ['ENAMETOOLONG', 'invalid-input', 'longer than the file system takes'],
    ['EIO', 'other', '"a" cannot be read (EIO).'],
  ])('says %s in the words of a tool, without the place', (code, kind, words) => {
    const fault = rootFault(system(code), 'a');
    expect(fault).toMatchObject({ code: 'tool', kind });
    expect(fault.message).toContain(words);
    expect(fault.message).not.toContain('private');
  });

  it('keeps a failure that is one already', () => {
    const error = new ToolError('refused', 'no');
    expect(rootFault(error, 'a')).toBe(error);
  });

  it.each([undefined, null, 'boom', { code: 7 }])('takes whatever was thrown: %j', (error) => {
    expect(rootFault(error, 'a')).toMatchObject({ kind: 'other', message: '"a" cannot be read.' });
  });

  it('calls the root by its name', () => {
    expect(rootFault(system('EACCES'), '').message).toBe('The root may not be read.');
  });
});
