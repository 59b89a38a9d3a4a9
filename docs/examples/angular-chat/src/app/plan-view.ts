import { ChangeDetectionStrategy, Component, computed, input } from '@angular/core';
import type { PlanEntry } from 'rx-tool-loop';

@Component({
  selector: 'app-plan-view',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <details class="plan" open>
      <summary>Plan, {{ completed() }} of {{ entries().length }}</summary>
      <ol>
        @for (entry of entries(); track $index) {
          <li [class]="entry.status"><span aria-hidden="true">{{ signs[entry.status] }}</span> {{ entry.content }} <span class="unseen">({{ entry.status }})</span></li>
        }
      </ol>
    </details>
  `,
})
export class PlanView {
  readonly entries = input.required<readonly PlanEntry[]>();
  protected readonly signs = { pending: '○', 'in-progress': '◔', completed: '●' };
  protected readonly completed = computed(() => this.entries().filter(({ status }) => status === 'completed').length);
}
