import { ChangeDetectionStrategy, Component, computed, effect, ElementRef, inject, input, signal, viewChild } from '@angular/core';
import { takeUntilDestroyed } from '@angular/core/rxjs-interop';
import type { ApprovalAnswer, Message, Reason } from 'rx-tool-loop';
import { injectToolLoop } from 'rx-tool-loop/angular';
import { Composer } from './composer';
import { Connection } from './connection';
import { Faults } from './faults';
import { KEPT } from './kept';
import { PlanView } from './plan-view';
import { RequestCard } from './request-card';
import { RunView } from './run-view';
import { MODELS } from './models';
import { Trail } from './trail';
import { UsageMeter } from './usage-meter';

/** A conversation, all of it from one `injectToolLoop()`. */
@Component({
  selector: 'app-chat',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [Composer, PlanView, RequestCard, RunView, UsageMeter],
  templateUrl: './chat.html',
})
export class Chat {
  readonly model = input.required<keyof typeof MODELS>();

  private readonly kept = inject(KEPT);
  private readonly said = viewChild.required<ElementRef<HTMLElement>>('said');
  protected readonly connection = inject(Connection).state;
  protected readonly fault = inject(Faults).last;
  protected readonly loop;
  protected readonly trail = new Trail();
  /** Asked for, or found again after a reload, and nothing was heard of it yet. */
  protected readonly isUnheard = signal(false);
  protected readonly isResumed = signal(false);
  protected readonly isStopping = signal(false);
  private readonly lastPrompt = signal('');

  protected readonly about = computed(() => MODELS[this.model()]);
  protected readonly isRunning = computed(() => this.isUnheard() || ['running', 'waiting'].includes(this.loop.status()));
  protected readonly isLost = computed(() => this.isRunning() && this.connection() === 'lost');
  protected readonly isEmpty = computed(() => this.loop.messages().length === 0 && !this.isRunning());
  protected readonly ending = computed(() => (this.isRunning() ? '' : endingOf(this.loop.state().reason)));
  protected readonly canTryAgain = computed(() => this.lastPrompt() !== '');
  /** For who does not see the page: the turning points, and not each word. */
  protected readonly announced = computed(() => {
    if (this.isLost()) return 'The connection is lost. Connecting again.';
    const { pending, status, error, text, state } = this.loop;
    const [request] = pending();
    if (request !== undefined) return `The tool ${request.call.name} waits for your answer.`;
    if (status() === 'error') return `The run failed. ${error()?.message ?? ''}`;
    if (status() === 'done') return this.ending() || `The answer: ${text()}`;
    const running = state().calls.findLast((call) => call.state === 'running');
    if (running !== undefined) return `The tool ${running.name} is running.`;
    return this.isRunning() ? 'The model is answering.' : '';
  });

  constructor() {
    const { history, running } = this.kept.read();
    this.loop = injectToolLoop({ messages: running === undefined ? history : [...history, running.prompt] });
    this.connection.set('open');
    this.loop.events$.pipe(takeUntilDestroyed()).subscribe((event) => {
      this.isUnheard.set(false);
      this.trail.hear(event);
    });
    if (running !== undefined) {
      this.isUnheard.set(true);
      this.isResumed.set(true);
      this.loop.watch(running.runId);
    }
    // The end of a run is that of what is kept for it.
    effect(() => {
      const [{ status }, messages] = [this.loop.state(), this.loop.history()];
      if (status !== 'done' && status !== 'error') return;
      this.end(messages);
    });
  }

  protected ask(prompt: string): void {
    this.connection.set('open');
    this.fault.set(undefined);
    this.isUnheard.set(true);
    this.isResumed.set(false);
    this.isStopping.set(false);
    this.lastPrompt.set(prompt);
    this.loop.run(prompt);
    this.goOn();
  }

  protected tryAgain(): void {
    this.ask(this.lastPrompt());
  }

  protected stop(): void {
    // Pressed again, or before there is anything to keep: the run is left at once, and leaves no trace in a reload either.
    const isHard = this.isStopping() || this.isUnheard();
    this.fault.set(undefined);
    this.isStopping.set(true);
    this.loop.cancel({ hard: isHard });
    if (isHard) this.end(this.loop.history());
  }

  protected steer(text: string): void {
    this.fault.set(undefined);
    this.loop.steer(text);
  }

  protected answer(id: string, answer: ApprovalAnswer): void {
    this.fault.set(undefined);
    this.loop.answer(id, answer);
    this.goOn();
  }

  /** A button that goes away would take the focus with it. */
  private goOn(): void {
    this.said().nativeElement.focus();
  }

  private end(messages: readonly Message[]): void {
    this.kept.end(messages);
    this.fault.set(undefined);
    this.isUnheard.set(false);
    this.isResumed.set(false);
    this.isStopping.set(false);
  }
}

/** What is worth saying of how a run ended; an answer speaks for itself. */
function endingOf(reason: Reason | undefined): string {
  if (reason === undefined || reason === 'answer' || reason === 'output' || reason === 'error') return '';
  if (reason === 'aborted') return 'Stopped. What was said until then is kept.';
  return `The run ended: ${reason}.`;
}
