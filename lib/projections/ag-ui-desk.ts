import type { AgUiEvent, AgUiMessage } from './ag-ui-event.ts';
import { AgUiMessages } from './ag-ui-messages.ts';
import { AgUiUsage } from './ag-ui-usage.ts';

/**
 * Where the events of one AG-UI stream are written: what is said here is in the next batch, and in the messages that the
 * client holds.
 *
 * @internal
 */
export class AgUiDesk {
  readonly messages: AgUiMessages;
  readonly usage = new AgUiUsage();
  /** What is meant for developers stays out of sight. */
  readonly mask: boolean;
  private said: AgUiEvent[] = [];

  constructor(messages: readonly AgUiMessage[], mask: boolean) {
    this.messages = new AgUiMessages(messages);
    this.mask = mask;
  }

  say(event: AgUiEvent): void {
    this.messages.fold(event);
    this.said.push(event);
  }

  /** Says what only a developer may see. */
  reveal(event: () => AgUiEvent): void {
    if (!this.mask) this.say(event());
  }

  /** An id that no message has: the wanted one, or that with a number. */
  newId(wanted: string): string {
    let id = wanted;
    for (let n = 2; this.messages.has(id); n++) id = `${wanted}~${n}`;
    return id;
  }

  /** Says which messages there are. */
  snapshot(): void {
    this.say({ type: 'MESSAGES_SNAPSHOT', messages: this.messages.snapshot() });
  }

  /** What was said since the last call. */
  take(): readonly AgUiEvent[] {
    const said = this.said;
    this.said = [];
    return said;
  }
}
