import { isShown } from '../delta.ts';
import type { Delta } from '../delta.ts';
import type { ErrorInfo } from '../errors.ts';
import type { Done, LoopEvent, StepEnd, StepRetract } from '../event.ts';
import type { ToolFault } from '../message.ts';
import type { Outcome } from '../outcome.ts';
import type { LoopbackEvent, LoopbackStopHint } from './loopback-event.ts';
import { loopbackNotice } from './loopback-notice.ts';
import { loopbackStop } from './loopback-stop.ts';
import { LoopbackTools } from './loopback-tools.ts';

const CLEAR: LoopbackEvent = { type: 'status', text: '' };

/**
 * One run, told as one turn of a channel. What belongs to another run is not heard.
 *
 * @internal
 */
export class LoopbackTurn {
  /** The turn has been flushed. */
  isOver = false;
  private readonly errorText: (error: ErrorInfo | ToolFault) => string;
  private readonly tools: LoopbackTools;
  private readonly runId: string;
  /** This run and those nested in it. */
  private readonly runIds: Set<string>;
  /** What the attempt has shown, should it be taken back. */
  private text = '';
  private thinking = '';
  /** The last step has ended without a chunk. */
  private isUnsaid = false;
  /** The status line is ours and not the run's. */
  private noticed = false;

  constructor(runId: string, errorText: (error: ErrorInfo | ToolFault) => string) {
    this.runId = runId;
    this.runIds = new Set([runId]);
    this.errorText = errorText;
    this.tools = new LoopbackTools(errorText);
  }

  next(event: LoopEvent): LoopbackEvent[] {
    if (!this.isOurs(event)) return [];
    switch (event.type) {
      case 'tool-start':
        return [this.tools.start(event)];
      case 'tool-result':
        return this.tools.result(event);
      case 'status':
        this.noticed = false;
        return [{ type: 'status', text: event.text }];
      case 'approval-request':
        return this.notice(event);
      case 'approval-answer':
        return this.cleared();
      case 'tool-dropped':
        return this.takeBack('', '', [event.callId]);
      case 'step-retract':
        return event.parent === undefined ? this.retract(event) : this.takeBack('', '', event.callIds);
      default:
        // A sub-agent's words, plan and usage are its own: the channel has one answer, one plan and one window.
        return event.parent === undefined ? this.own(event) : [];
    }
  }

  /** The run was left: it says nothing more. */
  cut(): LoopbackEvent[] {
    return this.end('cancelled', [...this.tools.end(), ...this.cleared()]);
  }

  fail(error: ErrorInfo): LoopbackEvent[] {
    return this.end('error', [...this.tools.end(), { type: 'status', text: this.errorText(error) }]);
  }

  private own(event: LoopEvent): LoopbackEvent[] {
    switch (event.type) {
      case 'step-start':
        this.text = this.thinking = '';
        return [];
      case 'delta':
        return isShown(event.delta) ? [...this.cleared(), ...this.delta(event.delta)] : [];
      case 'step-end':
        this.isUnsaid = this.text === '';
        return [...this.cleared(), ...usageOf(event)];
      case 'plan':
        return [{ type: 'plan', entries: event.entries }];
      case 'title':
        return [{ type: 'session-title', title: event.title }];
      case 'done':
        return this.done(event);
      default:
        return this.notice(event);
    }
  }

  private delta(delta: Delta): LoopbackEvent[] {
    switch (delta.type) {
      case 'text':
      case 'refusal':
        this.text += delta.text;
        return delta.text === '' ? [] : [{ type: 'chunk', text: delta.text }];
      case 'reasoning':
        this.thinking += delta.text;
        return delta.text === '' ? [] : [{ type: 'thinking-chunk', text: delta.text }];
      case 'reasoning-replace': {
        const taken = this.takeBack('', this.thinking, []);
        this.thinking = delta.text;
        return delta.text === '' ? taken : [...taken, { type: 'thinking-chunk', text: delta.text }];
      }
      default:
        return [];
    }
  }

  private retract(event: StepRetract): LoopbackEvent[] {
    const { text, thinking } = this;
    this.text = this.thinking = '';
    return [...this.takeBack(text, thinking, event.callIds), ...usageOf(event), ...this.notice(event)];
  }

  private takeBack(text: string, thinking: string, callIds: readonly string[]): LoopbackEvent[] {
    const toolCallIds = this.tools.retract(callIds);
    return text === '' && thinking === '' && toolCallIds.length === 0 ? [] : [{ type: 'retract', text, thinking, toolCallIds }];
  }

  private done({ outcome }: Done): LoopbackEvent[] {
    const { reason, error } = outcome;
    if (error !== undefined) return this.fail(error);
    // What is suspended goes on in the turn that resumes the run: its tools stay open, and its question stays on screen.
    if (reason === 'suspended') return this.end(undefined, []);
    return this.end(loopbackStop(reason), [...this.tools.end(), ...this.cleared(), ...(this.isUnsaid ? whole(outcome) : [])]);
  }

  private end(hint: LoopbackStopHint | undefined, last: readonly LoopbackEvent[]): LoopbackEvent[] {
    this.isOver = true;
    return [...last, ...(hint === undefined ? [] : [{ type: 'stop', hint } as const]), { type: 'flush' }];
  }

  private notice(event: LoopEvent): LoopbackEvent[] {
    const text = loopbackNotice(event);
    if (text === undefined) return [];
    this.noticed = true;
    return [{ type: 'status', text }];
  }

  private cleared(): LoopbackEvent[] {
    if (!this.noticed) return [];
    this.noticed = false;
    return [CLEAR];
  }

  private isOurs({ runId, parent }: LoopEvent): boolean {
    if (parent === undefined) return runId === this.runId;
    if (!this.runIds.has(parent.runId)) return false;
    this.runIds.add(runId);
    return true;
  }
}

function usageOf(event: StepEnd | StepRetract): LoopbackEvent[] {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens } = event.usage;
  const { context = undefined, costUsd = undefined } = event.type === 'step-end' ? event : {};
  const known = Object.entries({ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, contextWindow: context?.window, costUsd });
  const counts = known.filter(([, count]) => count !== undefined);
  return counts.length === 0 ? [] : [{ type: 'usage', ...Object.fromEntries(counts) }];
}

/** The answer of a step of which nothing was streamed: its words, or the structured output. */
function whole({ completion: { text, refusal, json } }: Outcome): LoopbackEvent[] {
  const said = text || refusal || (json === undefined ? '' : JSON.stringify(json));
  return said === '' ? [] : [{ type: 'full-message', text: said }];
}
