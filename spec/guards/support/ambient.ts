/**
 * As much of other packages as the documents show, so that their examples compile without these packages installed.
 * Each follows its package's own declarations, for what it declares.
 */
export const ambient = `
declare module '@angular/core' {
  type Class = abstract new (...args: never[]) => unknown;
  export interface Signal<T> { (): T }
  export interface WritableSignal<T> extends Signal<T> { set(value: T): void; update(change: (value: T) => T): void; asReadonly(): Signal<T> }
  export interface ComponentOptions { selector?: string; standalone?: boolean; template?: string; imports?: readonly unknown[]; providers?: readonly unknown[]; changeDetection?: number }
  export function Component(options: ComponentOptions): (target: Class, context: ClassDecoratorContext) => void;
  export function Injectable(options?: { providedIn?: 'root' }): (target: Class, context: ClassDecoratorContext) => void;
  export function inject<T>(token: abstract new (...args: never[]) => T): T;
  export function signal<T>(value: T): WritableSignal<T>;
  export function computed<T>(compute: () => T): Signal<T>;
  export abstract class DestroyRef { abstract onDestroy(callback: () => void): () => void }
  export const ChangeDetectionStrategy: { readonly OnPush: 0; readonly Default: 1 };
}
declare module '@angular/core/rxjs-interop' {
  import type { DestroyRef, Signal } from '@angular/core';
  import type { MonoTypeOperatorFunction, Observable } from 'rxjs';
  export function toSignal<T>(source: Observable<T>): Signal<T | undefined>;
  export function toSignal<T, U>(source: Observable<T>, options: { initialValue: U; requireSync?: false }): Signal<T | U>;
  export function toObservable<T>(source: Signal<T>): Observable<T>;
  export function takeUntilDestroyed<T>(destroyRef?: DestroyRef): MonoTypeOperatorFunction<T>;
}
declare module 'vitest' {
  interface Matchers { toBe(value: unknown): void; toEqual(value: unknown): void; toThrow(message?: string | RegExp): void }
  export function describe(title: string, body: () => void): void;
  export function it(title: string, body: () => void | Promise<void>): void;
  export const test: typeof it;
  export function expect(value: unknown): Matchers & { readonly not: Matchers };
}
`;
