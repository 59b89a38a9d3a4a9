import { ChangeDetectionStrategy, Component, computed, forwardRef, input } from '@angular/core';
import type { CallState, LoopState } from 'rx-tool-loop';
import { DiffView } from './diff-view';
import { RunView } from './run-view';
import type { Corrected, Withdrawn } from './trail';

const SAID: Record<CallState['state'], string> = {
  writing: 'being written', asked: 'asked for', waiting: 'waits for you', running: 'running', ok: 'done', error: 'failed',
};

@Component({
  selector: 'app-tool-card',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [DiffView, forwardRef(() => RunView)],
  template: `
    <div class="card" role="group" [class]="call().state" [attr.aria-label]="'Tool ' + call().name">
      <header>
        <strong class="mono">{{ call().name }}</strong>
        @if (call().title; as title) {
          <span>{{ title }}</span>
        }
        <span class="chip">{{ said() }}</span>
        @if (call().elapsedMs !== undefined) {
          <span class="muted">{{ call().elapsedMs }} ms</span>
        }
      </header>
      @if (argumentsText(); as text) {
        <pre tabindex="0" role="group" aria-label="Arguments">{{ text }}</pre>
      }
      @if (call().state === 'running') {
        @if (share() !== undefined) {
          <progress [value]="share()" max="1" aria-label="Progress"></progress>
        }
        @if (progressText(); as text) {
          <p class="muted">{{ text }}</p>
        }
      }
      @for (run of nested(); track run.runId) {
        <details class="nested" open>
          <summary>Run inside: {{ run.status }}{{ run.usage?.totalTokens === undefined ? '' : ', ' + run.usage?.totalTokens + ' tokens' }}</summary>
          <app-run-view [run]="run" [withdrawn]="withdrawn()" [corrected]="corrected()" />
        </details>
      }
      @if (call().result; as result) {
        @if (call().display?.diff; as diff) {
          <app-diff-view [path]="diff.path" [before]="diff.oldText ?? ''" [after]="diff.newText" />
        }
        @if (call().display?.text; as text) {
          <p>{{ text }}</p>
        }
        @if (resultText(); as text) {
          <details [open]="text.length < 200">
            <summary>{{ result.isError ? 'Error' : 'Result' }}</summary>
            <pre tabindex="0" role="group" aria-label="Result">{{ text }}</pre>
          </details>
        }
      }
    </div>
  `,
})
export class ToolCard {
  readonly call = input.required<CallState>();
  readonly nested = input<readonly LoopState[]>([]);
  readonly withdrawn = input<readonly Withdrawn[]>([]);
  readonly corrected = input<readonly Corrected[]>([]);

  protected readonly said = computed(() => SAID[this.call().state]);
  /** As the model writes them, then as they were read. */
  protected readonly argumentsText = computed(() => {
    const { state, argumentsText, arguments: given } = this.call();
    if (state === 'writing' || given === undefined) return argumentsText;
    return typeof given === 'object' && given !== null && Object.keys(given).length === 0 ? '' : JSON.stringify(given, undefined, 1).replace(/\n\s*/g, ' ');
  });
  protected readonly resultText = computed(() => (this.call().result?.content ?? []).map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n'));
  /** Of progress like `{ done: 2, total: 5 }` or `{ looked: 2, of: 5 }`. */
  protected readonly share = computed(() => {
    const said = (this.call().progress ?? {}) as Readonly<Record<string, unknown>>;
    const [done, total] = [said['done'] ?? said['looked'], said['total'] ?? said['of']];
    return typeof done === 'number' && typeof total === 'number' && total > 0 ? done / total : undefined;
  });
  protected readonly progressText = computed(() => {
    const { progress } = this.call();
    if (progress === undefined) return '';
    const { text, message } = (progress ?? {}) as { readonly text?: unknown; readonly message?: unknown };
    const said = text ?? message;
    if (typeof progress !== 'object' || progress === null) return String(progress);
    return typeof said === 'string' ? said : Object.entries(progress).map(([name, value]) => `${name} ${String(value)}`).join(' · ');
  });
}
