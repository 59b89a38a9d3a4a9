import { ChangeDetectionStrategy, Component, computed, input, linkedSignal, output } from '@angular/core';
import type { ApprovalAnswer, ApprovalRequest } from 'rx-tool-loop';

/** One thing that the run asks of a person. */
@Component({
  selector: 'app-request-card',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <div class="banner request" role="group" [attr.aria-label]="'Request of ' + request().call.name">
      <p>
        <strong>{{ request().kind === 'approval' ? 'May this run?' : 'Wanted from you' }}</strong>
        {{ request().reason }}
      </p>
      <pre tabindex="0" role="group" aria-label="The call">{{ request().call.name }} {{ given() }}</pre>
      @if (request().kind === 'approval') {
        <div class="row">
          <button type="button" class="main" [disabled]="isAnswered()" (click)="say({ type: 'approve' })">Approve</button>
          <button type="button" [disabled]="isAnswered()" (click)="say({ type: 'decline', reason: 'The user said no.' })">Deny</button>
        </div>
      } @else {
        <form class="row" (submit)="$event.preventDefault(); give(box.value)">
          <input #box [attr.aria-label]="'Answer for ' + request().call.name" autocomplete="off">
          <button class="main" [disabled]="isAnswered()">Send</button>
          <button type="button" [disabled]="isAnswered()" (click)="say({ type: 'decline' })">Decline</button>
        </form>
      }
    </div>
  `,
})
export class RequestCard {
  readonly request = input.required<ApprovalRequest>();
  /** Why the last word did not reach the run. */
  readonly fault = input<object>();
  readonly answered = output<ApprovalAnswer>();
  protected readonly isAnswered = linkedSignal({ source: this.fault, computation: () => false });
  protected readonly given = computed(() => JSON.stringify(this.request().call.arguments));

  protected say(answer: ApprovalAnswer): void {
    this.isAnswered.set(true);
    this.answered.emit(answer);
  }

  protected give(text: string): void {
    const { kind, schema } = this.request();
    if (kind === 'result') this.say({ type: 'result', content: text });
    else this.say({ type: 'input', value: (schema as { readonly type?: unknown } | undefined)?.type === 'string' ? text : valueOf(text) });
  }
}

/** JSON where it is some, else the text. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
