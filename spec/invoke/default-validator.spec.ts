import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { firstValueFrom } from 'rxjs';

// Loaded anew for each test: whether its package is installed is decided by the host's module loader.
type Module = typeof import('../../lib/invoke/default-validator.ts');
const load = (): Module => jest.requireActual<Module>('../../lib/invoke/default-validator.ts');

describe('defaultValidator', () => {
  beforeEach(() => void jest.resetModules());
  afterEach(() => void jest.dontMock('@cfworker/json-schema'));

  it('gives the validator of rx-tool-loop/json-schema', async () => {
    const validator = await firstValueFrom(load().defaultValidator('act'));
    expect(validator({ type: 'string' }, 'act').validate(1)).toMatchObject({ issues: [{ message: 'must be of type string' }] });
    expect(() => validator({ tpye: 'string' }, 'act')).toThrow('"tpye" at its root');
  });

  it('gives what has been loaded at once', async () => {
    const { defaultValidator } = load();
    const first = await firstValueFrom(defaultValidator('act'));
    const seen: unknown[] = [];
    defaultValidator('act').subscribe((validator) => seen.push(validator));
    expect(seen).toEqual([first]);
  });

  it('says what to install or to give where it cannot be loaded', async () => {
    const missing = new Error('Cannot find package');
    jest.doMock('@cfworker/json-schema', () => {
      throw missing;
    });
    const error: unknown = await firstValueFrom(load().defaultValidator('act')).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'InvalidToolSchemaError', code: 'invalid-tool-schema', toolName: 'act', path: '', keyword: undefined, cause: missing });
    expect((error as Error).message).toMatch(/^The JSON Schema of tool "act" cannot be checked: .*Install @cfworker\/json-schema, or give the option validator.*jsonSchemaValidator\(\)/);
  });

  it('says nothing to who has left', async () => {
    const seen: unknown[] = [];
    const validator$ = load().defaultValidator('act');
    validator$.subscribe((value) => seen.push(value)).unsubscribe();
    await firstValueFrom(validator$);
    expect(seen).toEqual([]);
  });
});
