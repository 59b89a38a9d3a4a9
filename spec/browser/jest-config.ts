/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import base from '../../jest.config.ts';

// Specs that drive the built package in a real Chromium: `npm run test:browser`. They are no part of `npm test`, which
// needs nothing but Node.
const config: Config = {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/spec/browser'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/spec/browser/support/chromium.ts',
  testTimeout: 60_000,
};

export default config;
