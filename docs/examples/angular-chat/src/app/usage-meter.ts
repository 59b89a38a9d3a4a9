import { DecimalPipe } from '@angular/common';
import { ChangeDetectionStrategy, Component, input } from '@angular/core';
import type { Usage } from 'rx-tool-loop';

@Component({
  selector: 'app-usage-meter',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [DecimalPipe],
  template: `
    @if (usage(); as used) { @if (used.inputTokens !== undefined || used.outputTokens !== undefined) {
      <dl class="usage" aria-label="Usage">
        <div><dt>read</dt><dd>{{ used.inputTokens ?? '?' }}</dd></div>
        <div><dt>written</dt><dd>{{ used.outputTokens ?? '?' }}</dd></div>
        @if (used.reasoningTokens) {
          <div><dt>reasoning</dt><dd>{{ used.reasoningTokens }}</dd></div>
        }
        <div><dt>tokens</dt><dd>{{ used.totalTokens ?? (used.inputTokens ?? 0) + (used.outputTokens ?? 0) }}{{ used.partial ? '+' : '' }}</dd></div>
        @if (used.costUsd !== undefined) {
          <div><dt>cost</dt><dd>&#36;{{ used.costUsd | number: '1.2-6' }}</dd></div>
        }
      </dl>
    } }
  `,
})
export class UsageMeter {
  readonly usage = input<Usage>();
}
