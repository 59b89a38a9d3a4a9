/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

// Tests run as CommonJS (no experimental VM flag); sources keep their `.ts` specifiers, which the compiler rewrites to
// `.js` and the mapper below sends back to the source. The one module that the package loads by its own name is a source too.
const compiler = {
  target: 'ES2022',
  lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  module: 'CommonJS',
  moduleResolution: 'Node10',
  // A default import of a CommonJS package is its `module.exports`, as under Node.
  esModuleInterop: true,
  isolatedModules: true,
  allowImportingTsExtensions: true,
  rewriteRelativeImportExtensions: true,
  sourceMap: true,
  skipLibCheck: true,
};

const config: Config = {
  testEnvironment: 'node',
  roots: ['<rootDir>/spec'],
  testMatch: ['**/*.spec.ts'],
  // They need a Chromium, and have a configuration of their own.
  testPathIgnorePatterns: ['/node_modules/', '/spec/browser/'],
  transform: {
    '^.+\\.ts$': ['ts-jest', { tsconfig: compiler }],
    // Angular comes as ES modules alone.
    '/@angular/.+\\.mjs$': ['ts-jest', { tsconfig: { ...compiler, allowJs: true, sourceMap: false }, diagnostics: false }],
  },
  transformIgnorePatterns: ['/node_modules/(?!@angular/)'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^rx-tool-loop/json-schema$': '<rootDir>/lib/invoke/json-schema-validator.ts',
  },
  maxWorkers: 2,
  testTimeout: 30_000,
};

export default config;
