import { ChangeDetectionStrategy, Component, DOCUMENT, effect, ElementRef, inject, input, output, signal, viewChild } from '@angular/core';

/** Where the user writes: a prompt, or, while a run goes on, something for it. */
@Component({
  selector: 'app-composer',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <form class="composer" (submit)="$event.preventDefault(); send()">
      <label class="unseen" for="prompt">Message</label>
      <textarea #box id="prompt" rows="1" [placeholder]="isRunning() ? 'A new prompt, or something for this run' : 'Ask something'"
        (input)="text.set(box.value)" (keydown.enter)="enter($event)"></textarea>
      <div class="row">
        @if (isRunning()) {
          <button type="button" (click)="stopped.emit()">{{ isStopping() ? 'Stop now' : 'Stop' }}</button>
          <button type="button" [disabled]="isStopping() || text().trim() === ''" (click)="steer()" title="The run hears it before its next step">Steer</button>
        }
        <button class="main" [disabled]="text().trim() === ''">{{ isRunning() ? 'Ask instead' : 'Send' }}</button>
      </div>
    </form>
  `,
})
export class Composer {
  readonly isRunning = input(false);
  readonly isStopping = input(false);
  readonly prompted = output<string>();
  readonly steered = output<string>();
  readonly stopped = output<void>();
  protected readonly text = signal('');
  private readonly box = viewChild.required<ElementRef<HTMLTextAreaElement>>('box');

  constructor() {
    const page = inject(DOCUMENT);
    // Before the buttons of the run go away, and the focus with them.
    effect(() => {
      if (this.isRunning()) return;
      const { nativeElement } = this.box();
      const { activeElement } = page;
      if (activeElement !== nativeElement && nativeElement.form?.contains(activeElement)) nativeElement.focus();
    });
  }

  protected enter(event: Event): void {
    const { shiftKey, isComposing } = event as KeyboardEvent;
    if (shiftKey || isComposing) return;
    event.preventDefault();
    this.send();
  }

  protected send(): void {
    this.take((text) => this.prompted.emit(text));
  }

  protected steer(): void {
    this.take((text) => this.steered.emit(text));
  }

  private take(use: (text: string) => void): void {
    const text = this.text().trim();
    if (text === '') return;
    const { nativeElement } = this.box();
    nativeElement.value = '';
    this.text.set('');
    use(text);
    nativeElement.focus();
  }
}
