import { makeEnvironmentProviders } from '@angular/core';
import type { EnvironmentProviders } from '@angular/core';
import { ConfigError } from '../index.ts';
import type { ToolLoopFeature } from './angular-features.ts';
import { TOOL_LOOP } from './angular-settings.ts';
import type { ToolLoopSource } from './angular-source.ts';

/**
 * What `injectToolLoop()` looks for: a source of runs, and what features say of it.
 *
 * @param caller - for the message of an error
 * @throws ConfigError for a feature that is given twice
 * @internal
 */
export function providersOf(caller: string, source: ToolLoopSource, features: readonly ToolLoopFeature[]): EnvironmentProviders {
  const twice = features.find(({ name }, at) => features.findIndex((one) => one.name === name) < at);
  if (twice !== undefined) throw new ConfigError(`${caller}: ${twice.name}() is given twice; give it once.`);
  const settings = Object.assign({}, ...features.map((feature) => feature.settings)) as ToolLoopFeature['settings'];
  return makeEnvironmentProviders([{ provide: TOOL_LOOP, useValue: { ...settings, source } }]);
}
