import { createEnvironmentInjector, Injector, PLATFORM_ID, runInInjectionContext } from '@angular/core';
import type { EnvironmentInjector, EnvironmentProviders, Provider } from '@angular/core';
import { injectToolLoop, withUpdates } from '../../lib/view/angular.ts';
import type { InjectToolLoopOptions, ToolLoopRef } from '../../lib/view/angular.ts';

/** Signals change with each event, so that a drawing shows all of them. */
export const AT_ONCE = withUpdates('none');

const open = new Set<EnvironmentInjector>();

/** Ends the views of a spec that are still there. */
export function closeViews(): void {
  for (const injector of open) injector.destroy();
  open.clear();
}

/** What a component in a browser would have, and its end. */
export function viewOf(
  providers: readonly (Provider | EnvironmentProviders)[],
  { platform = 'browser', ...options }: InjectToolLoopOptions & { readonly platform?: string } = {},
): { readonly loop: ToolLoopRef; readonly destroy: () => void } {
  const injector = createEnvironmentInjector([{ provide: PLATFORM_ID, useValue: platform }, ...providers], Injector.NULL as EnvironmentInjector);
  const loop = runInInjectionContext(injector, () => injectToolLoop(options));
  open.add(injector);
  const destroy = (): void => {
    open.delete(injector);
    injector.destroy();
  };
  return { loop, destroy };
}
