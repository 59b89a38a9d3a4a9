/**
 * As much of other packages as the documents show, so that their examples compile without these packages installed.
 * Each follows its package's own declarations, for what it declares.
 */
export const ambient = `
declare module 'vitest' {
  interface Matchers { toBe(value: unknown): void; toEqual(value: unknown): void; toThrow(message?: string | RegExp): void }
  export function describe(title: string, body: () => void): void;
  export function it(title: string, body: () => void | Promise<void>): void;
  export const test: typeof it;
  export function expect(value: unknown): Matchers & { readonly not: Matchers };
}
`;
