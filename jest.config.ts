/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import { join } from 'node:path';

const compilerOptions = {
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

/** Where another Angular is than the one in the repository: `spec/e2e/angular.mjs` sets it. */
const angular = process.env['RX_TOOL_LOOP_ANGULAR'];

// Tests run as CommonJS (no experimental VM flag); sources keep their `.ts` specifiers, which the compiler rewrites to
// `.js` and the mapper below sends back to the source. The one module that the package loads by its own name is a source too.
const config: Config = {
  testEnvironment: 'node',
  roots: ['<rootDir>/spec'],
  testMatch: ['**/*.spec.ts'],
  // They need a Chromium, and have a configuration of their own.
  testPathIgnorePatterns: ['/node_modules/', '/spec/browser/'],
  transform: {
    '^.+\\.ts$': ['ts-jest', { tsconfig: compilerOptions }],
    // Angular is published as modules only.
    '/@angular/.+\\.mjs$': '<rootDir>/spec/support/module-as-commonjs.mjs',
  },
  transformIgnorePatterns: ['/node_modules/(?!@angular/)'],
  // Found before that of the repository; what it needs in turn is here.
  ...(angular !== undefined && { moduleDirectories: [join(angular, 'node_modules'), 'node_modules'], modulePaths: ['<rootDir>/node_modules'] }),
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^rx-tool-loop/json-schema$': '<rootDir>/lib/invoke/json-schema-validator.ts',
  },
  maxWorkers: 2,
  testTimeout: 30_000,
};

export default config;
