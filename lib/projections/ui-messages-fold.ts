import type { Delta, DeltaOf } from '../delta.ts';
import { isLoopError } from '../errors.ts';
import type { RunError } from '../errors.ts';
import type { EventOf, LoopEvent } from '../event.ts';
import type { Outcome } from '../outcome.ts';
import type { Usage } from '../usage.ts';
import { UiCalls } from './ui-messages-calls.ts';
import type { UiJson, UiMessageChunk } from './ui-messages-chunk.ts';
import { dataChunks } from './ui-messages-data.ts';
import { UiNested } from './ui-messages-nested.ts';
import { endingOf } from './ui-messages-ending.ts';
import type { UiFailure } from './ui-messages-mask.ts';
import { ownMetadata } from './ui-messages-own.ts';
import { UiSpeech } from './ui-messages-speech.ts';
import { UiStepLog } from './ui-messages-step-log.ts';

/** Every option, decided. */
export interface UiSettings {
  readonly version: 6 | 7;
  readonly messageId: string | undefined;
  readonly dynamic: boolean;
  readonly reasoning: boolean;
  readonly isMasked: boolean;
  readonly text: (failure: UiFailure) => string;
}

/**
 * One message as it is written: events in, chunks out. A step of the message stays open until its results are there, so
 * that they are inside it, and is one step however many attempts it takes.
 *
 * @internal
 */
export class UiMessageFold {
  private readonly settings: UiSettings;
  private readonly speech = new UiSpeech();
  private readonly calls: UiCalls;
  /** Only version 7 can take a step back, and only an attempt that is not committed is taken back. */
  private readonly log = new UiStepLog();
  private readonly nested: UiNested;
  private readonly serverTools = new Set<string>();
  private runId: string | undefined;
  private isStepOpen = false;
  private isCommitted = false;
  /** Results that the open step waits for. */
  private missing = 0;
  /** The last step has calls. */
  private hasCalls = false;
  private isOver = false;

  constructor(settings: UiSettings) {
    this.settings = settings;
    this.calls = new UiCalls(settings);
    this.nested = new UiNested(this.calls, () => new UiMessageFold(settings));
  }

  said(event: LoopEvent): UiMessageChunk[] {
    return this.kept(this.write(event));
  }

  failed(error: unknown): UiMessageChunk[] {
    const run = isLoopError(error) && 'run' in error ? (error as RunError).run : undefined;
    return this.kept(this.end({ reason: 'error', usage: run?.usage, error }));
  }

  /** The source is over; without an ending of its own it was cut. */
  ended(): UiMessageChunk[] {
    return this.kept(this.end({ reason: 'aborted', usage: undefined }));
  }

  private kept(chunks: Iterable<UiMessageChunk>): UiMessageChunk[] {
    const all: UiMessageChunk[] = [];
    for (const chunk of chunks) {
      // One by one: what is written next may already need it.
      if (this.settings.version === 7 && !this.isCommitted) this.log.add(chunk);
      all.push(chunk);
    }
    return all;
  }

  private *write(event: LoopEvent): Generator<UiMessageChunk> {
    if (this.isOver) return;
    this.runId ??= event.runId;
    if (event.runId !== this.runId) return yield* this.nested.said(event);
    switch (event.type) {
      case 'run-start':
        this.calls.isResumed = event.resumed === true;
        return yield { type: 'start', messageId: this.settings.messageId ?? event.runId };
      case 'step-start':
        return yield* this.attempt();
      case 'delta':
        return yield* this.delta(event.step, event.delta);
      case 'step-retract':
        return yield* this.retract(event);
      case 'step-end':
        yield* this.speech.close();
        yield* this.calls.end(event.toolCalls > 0 ? 'unfinished' : 'ignored');
        this.isCommitted = true;
        this.log.clear();
        this.missing = event.toolCalls;
        if (this.missing === 0) yield* this.finishStep();
        return;
      case 'tool-call':
        return yield* this.calls.complete(event.call);
      case 'approval-request':
        yield* this.calls.ask(event);
        return yield* dataChunks(event, this.settings.isMasked);
      case 'approval-answer':
        yield* this.calls.answer(event);
        return yield* dataChunks(event, this.settings.isMasked);
      case 'tool-start':
        return yield* this.calls.accept(event.call, { title: event.title });
      case 'tool-progress':
        return yield* this.calls.progress(event.callId, event.progress);
      case 'tool-result':
        yield* this.nested.closed(event.callId);
        yield* this.calls.settle(event.call, event.result);
        this.hasCalls = true;
        this.missing -= 1;
        if (this.missing === 0) yield* this.finishStep();
        return;
      case 'done':
        return yield* this.end(event.outcome);
      default:
        return yield* dataChunks(event, this.settings.isMasked);
    }
  }

  private *attempt(): Generator<UiMessageChunk> {
    this.calls.attempt();
    // After a withdrawn attempt version 7 is still in the step that it was reset to.
    if (this.isStepOpen && !this.isCommitted) return;
    yield* this.finishStep();
    [this.isStepOpen, this.isCommitted, this.hasCalls] = [true, false, false];
    this.log.clear();
    yield { type: 'start-step' };
  }

  private *finishStep(): Generator<UiMessageChunk> {
    if (this.isStepOpen) yield { type: 'finish-step' };
    this.isStepOpen = false;
  }

  private *delta(step: number, delta: Delta): Generator<UiMessageChunk> {
    switch (delta.type) {
      case 'text':
      case 'refusal':
        return yield* this.speech.say(step, delta);
      case 'reasoning':
        if (this.settings.reasoning) yield* this.speech.say(step, delta);
        return;
      case 'reasoning-replace':
        if (this.settings.reasoning) yield* this.replace(step, delta);
        return;
      case 'tool-call-start':
        yield* this.speech.close();
        this.hasCalls = true;
        return yield* this.calls.start(delta.index, delta.id, delta.name);
      case 'tool-call-arguments':
        return yield* this.calls.write(delta.index, delta.chunk);
      case 'tool-call-end':
        return yield* this.calls.complete(delta.call, delta.index);
      case 'server-tool':
      case 'source':
      case 'file':
      case 'opaque':
        yield* this.speech.close();
        return yield* this.whole(step, delta);
    }
  }

  /** What comes in one delta. */
  private *whole(step: number, delta: DeltaOf<'server-tool' | 'source' | 'file' | 'opaque'>): Generator<UiMessageChunk> {
    const { type, meta } = delta;
    if (type === 'file') {
      const { mediaType, data = '', url = `data:${mediaType};base64,${data}` } = delta;
      return yield { type, url, mediaType, ...ownMetadata({ meta }) };
    }
    if (type === 'source') {
      const { url, title, data } = delta;
      const [sourceId, own] = [`source-${step}-${this.speech.counted()}`, ownMetadata({ data, meta })];
      if (url !== undefined) return yield { type: 'source-url', sourceId, url, ...(title !== undefined && { title }), ...own };
      return yield { type: 'source-document', sourceId, mediaType: 'text/plain', title: title ?? '', ...own };
    }
    if (type === 'opaque') {
      if (!this.settings.reasoning) return;
      const id = `opaque-${step}-${this.speech.counted()}`;
      yield { type: 'reasoning-start', id };
      return yield { type: 'reasoning-end', id, ...ownMetadata({ kind: 'opaque', data: delta.data, meta }) };
    }
    const { id, name, phase, data } = delta;
    const tool = { toolCallId: id, dynamic: true, providerExecuted: true, ...ownMetadata({ meta }) };
    if (!this.serverTools.has(id)) yield { type: 'tool-input-available', toolName: name, input: phase === 'call' ? (data ?? {}) : {}, ...tool };
    this.serverTools.add(id);
    if (phase === 'result') yield { type: 'tool-output-available', output: data ?? null, ...tool };
  }

  /** Version 7 goes back and says again what stays; version 6 keeps the old reasoning, and the new part says so. */
  private *replace(step: number, { text, meta }: DeltaOf<'reasoning-replace'>): Generator<UiMessageChunk> {
    yield* this.speech.close();
    if (this.settings.version === 7) yield* this.again((log) => log.take());
    yield* this.speech.say(step, { type: 'reasoning', block: 'replaced', text, ...(meta && { meta }) }, { replaces: true });
    // What follows is a part of its own.
    yield* this.speech.close();
  }

  private *again(take: (log: UiStepLog) => UiMessageChunk[]): Generator<UiMessageChunk> {
    yield { type: 'reset-step' };
    yield* take(this.log);
  }

  private *retract({ reason, callIds }: EventOf<'step-retract'>): Generator<UiMessageChunk> {
    if (this.settings.version === 7) {
      this.speech.forget();
      this.calls.withdraw(callIds);
      [this.isStepOpen, this.isCommitted, this.hasCalls] = [true, false, false];
      return yield* this.again((log) => log.takeData());
    }
    // Version 6 can take nothing back: the step is marked, and the next attempt is a step of its own.
    yield* this.speech.close();
    yield* this.calls.end('open');
    this.calls.withdraw(callIds);
    yield { type: 'data-retract', data: this.settings.isMasked ? {} : { reason } };
    yield* this.finishStep();
  }

  private *end(outcome: Pick<Outcome, 'reason' | 'checkpoint'> & { readonly usage: Usage | undefined; readonly error?: unknown }): Generator<UiMessageChunk> {
    if (this.isOver) return;
    this.isOver = true;
    const { reason, usage, checkpoint, error } = outcome;
    yield* this.speech.close();
    if (reason === 'suspended') {
      // What has settled behind an open call is not lost to a client that waits for all of its results.
      for (const { settled, released, request, call } of checkpoint?.batch?.calls ?? []) {
        if (settled !== undefined && !released) yield* this.calls.settle(call, settled.result);
        if (settled === undefined && request === undefined) yield* this.calls.wait(call);
      }
      yield* this.nested.waits();
    } else yield* this.calls.end('open');
    yield* this.finishStep();
    // A client that sends again once all calls of the last step have results would do so for ever.
    if (this.hasCalls && reason !== 'suspended' && reason !== 'error') yield* [{ type: 'start-step' }, { type: 'finish-step' }] as const;
    const metadata = { reason, ...(usage !== undefined && { usage: usage as UiJson }) };
    yield* endingOf(reason, metadata, () => this.settings.text({ of: 'run', error }));
  }
}
