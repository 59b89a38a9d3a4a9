import { ChangeDetectionStrategy, Component, computed, forwardRef, input } from '@angular/core';
import type { CallState, LoopState, MessageState } from 'rx-tool-loop';
import { Markdown } from './markdown';
import { ToolCard } from './tool-card';
import type { Corrected, Withdrawn } from './trail';

interface Item {
  readonly key: string;
  readonly message?: MessageState;
  readonly withdrawn?: Withdrawn;
  readonly corrected?: Corrected | undefined;
}

/** What was said in a run, and in the runs of its tools. */
@Component({
  selector: 'app-run-view',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [Markdown, forwardRef(() => ToolCard)],
  template: `
    @for (item of items(); track item.key) {
      @if (item.withdrawn; as gone) {
        <article class="withdrawn" aria-label="Withdrawn">
          <p class="note"><strong>Withdrawn.</strong> {{ gone.reason }}</p>
          @if (gone.text !== '') {
            <s>{{ gone.text }}</s>
          }
          @for (name of gone.calls; track $index) {
            <s class="mono">{{ name }}(…)</s>
          }
        </article>
      } @else if (item.message; as message) {
        @if (message.role === 'user' && message.step !== undefined) {
          <article class="banner correction" aria-label="Correction">
            <p>
              <strong>Correction{{ item.corrected ? ' ' + item.corrected.count + ' of ' + item.corrected.max : '' }}.</strong>
              {{ item.corrected?.reason }}
            </p>
            <details>
              <summary>What the model was told</summary>
              @for (block of message.blocks; track $index) {
                @if (block.type === 'text') {
                  <pre>{{ block.text }}</pre>
                }
              }
            </details>
          </article>
        } @else {
          <article class="message" [class]="message.role" [class.broken]="message.state === 'broken'" [attr.aria-label]="message.role === 'user' ? 'You' : 'Assistant'">
            @for (block of message.blocks; track $index) {
              @switch (block.type) {
                @case ('text') {
                  @if (message.role === 'user') {
                    <p class="said">{{ block.text }}</p>
                  } @else {
                    <app-markdown [text]="block.text" />
                  }
                }
                @case ('refusal') {
                  <p class="refusal"><strong>Refused.</strong> {{ block.text }}</p>
                }
                @case ('reasoning') {
                  <details class="reasoning">
                    <summary>{{ isThinking(message, $last) ? 'Thinking…' : 'Reasoning' }}</summary>
                    <p>{{ block.text }}</p>
                  </details>
                }
                @case ('tool-call') {
                  @if (calls().get(block.callId); as call) {
                    <app-tool-card [call]="call" [nested]="nestedOf(call)" [withdrawn]="withdrawn()" [corrected]="corrected()" />
                  }
                }
                @case ('source') {
                  <p class="muted">Source: {{ block.title ?? block.url }}</p>
                }
                @case ('image') {
                  <p class="muted">An image</p>
                }
                @case ('file') {
                  <p class="muted">A file ({{ block.mediaType }})</p>
                }
              }
            }
            @if (message.state === 'broken') {
              <p class="note">Not finished: the run ended here.</p>
            }
          </article>
        }
      }
    }
  `,
})
export class RunView {
  readonly run = input.required<LoopState>();
  readonly withdrawn = input<readonly Withdrawn[]>([]);
  readonly corrected = input<readonly Corrected[]>([]);

  protected readonly calls = computed(() => new Map(this.run().calls.map((call) => [call.callId, call])));
  /** Withdrawn attempts stand before the one that took their place. */
  protected readonly items = computed(() => {
    const { messages, parent, runId } = this.run();
    const isHere = (one: Withdrawn): boolean => parent === undefined || one.runId === runId;
    let waiting = this.withdrawn().filter(isHere);
    const items: Item[] = [];
    const put = (some: readonly Withdrawn[]): void => void items.push(...some.map((withdrawn) => ({ key: `gone ${withdrawn.runId}.${withdrawn.step}.${withdrawn.attempt}`, withdrawn })));
    for (const message of messages) {
      const [own = ''] = message.id.split('.');
      const { step = -1, attempt = Infinity } = message;
      const isBefore = (one: Withdrawn): boolean => one.runId === own && (one.step < step || (one.step === step && one.attempt < attempt));
      put(waiting.filter(isBefore));
      waiting = waiting.filter((one) => !isBefore(one));
      items.push({ key: message.id, message, corrected: this.corrected().find((one) => one.runId === own && one.step === step) });
    }
    put(waiting.filter((one) => one.runId === runId));
    return items;
  });

  protected nestedOf({ callId }: CallState): readonly LoopState[] {
    return Object.values(this.run().nested).filter(({ parent }) => parent?.callId === callId);
  }

  protected isThinking({ state }: MessageState, isLast: boolean): boolean {
    return isLast && state === 'provisional';
  }
}
