import { describe, expect, it } from '@jest/globals';
import { map, throwError } from 'rxjs';
import { ConfigError } from '../../lib/index.ts';
import type { LoopEvent } from '../../lib/index.ts';
import { toUiMessages } from '../../lib/projections/ui-messages.ts';
import type { UiMessageChunk, UiMessageOptions } from '../../lib/projections/ui-messages.ts';
import { delta, done, end, start, step } from '../support/events.ts';
import { loopMarbles } from '../support/jest-marbles.ts';
import { chunksOf } from '../support/ui-client.ts';

const hi = delta(0, { type: 'text', block: 'a', text: 'hi' });
const events: Record<string, LoopEvent> = { r: start(), s: step(0), t: hi, Z: end(0), L: done(1, 'hi') };
/** Letters of chunks, by type. */
const LETTERS: Record<string, string> = {
  start: 'a', 'start-step': 'b', 'text-start': 'c', 'text-delta': 'd', 'text-end': 'e', 'finish-step': 'f', finish: 'g', 'message-metadata': 'm', error: 'x', abort: 'y',
};

const letters = map(({ type }: UiMessageChunk) => LETTERS[type] as string);

// prettier-ignore
describe('toUiMessages', () => {
  it.each([
    ['says a run as one message',                   ' r-s-t----(ZL|)', ' a-b-(cd)-(efg|)'],
    ['ends with a masked error where the run fails',' r-s-t----#',     ' a-b-(cd)-(efmx|)'],
    ['never ends if the run does not',              ' r-s-t----',      ' a-b-(cd)'],
    ['ends a source that is cut short',             ' r-s-t----|',     ' a-b-(cd)-(efmy|)'],
    ['ends a source that says nothing',             ' -|',             ' -(my|)'],
    ['leaves what comes after the ending',          ' r-s-t----(ZL)t|',' a-b-(cd)-(efg|)'],
  ])('%s', (_name, source, chunks) => loopMarbles(({ cold, expectValues }) => {
    expectValues(cold(source, events, new Error('secret')).pipe(toUiMessages(), letters)).toBe(chunks);
  })());

  it('leaves the run in the same tick, and is a message of its own for each reader', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const run = cold('  r-s-t----(ZL|)', events);
    const leave = '     ---!';
    const later = '     ---^';
    const chunks$ = run.pipe(toUiMessages(), letters);

    expectValues(chunks$, leave).toBe('a-b');
    expectValues(chunks$, later).toBe('---a-b-(cd)-(efg|)');
    expectSubscriptions(run.subscriptions).toBe(['^--!', '---^--------!']);
  }));
});

describe('the options of toUiMessages', () => {
  it.each<[object, string]>([
    [{ version: 5 }, 'toUiMessages: `version` is 5; give 6 or 7, the client\'s version of the AI SDK.'],
    [{ masked: true }, 'toUiMessages: there is no option `masked`; there are version, messageId, mask, reasoning, dynamic.'],
  ])('are refused where they are wrong: %j', (options, message) => {
    expect(() => toUiMessages(options as UiMessageOptions)).toThrow(new ConfigError(message));
  });

  it('name the message; else the run does', async () => {
    expect((await chunksOf([start()], { messageId: 'm1' }))[0]).toEqual({ type: 'start', messageId: 'm1' });
    expect((await chunksOf([start()]))[0]).toEqual({ type: 'start', messageId: 'run1' });
  });

  it('unmask an error, or write its text [152]', async () => {
    const last = async (options: UiMessageOptions): Promise<unknown> => (await chunksOf([start()], options, new Error('The disk is full.'))).at(-1);
    expect(await last({})).toEqual({ type: 'error', errorText: 'The run failed.' });
    expect(await last({ mask: false })).toEqual({ type: 'error', errorText: 'The disk is full.' });
    expect(await last({ mask: ({ of: what }) => `Sorry for the ${what}.` })).toEqual({ type: 'error', errorText: 'Sorry for the run.' });
  });

  it('fail the stream where the mask itself throws', async () => {
    const mask = (): string => { throw new Error('No words.'); };
    await expect(chunksOf([start()], { mask }, new Error('x'))).rejects.toThrow('No words.');
  });

  it('leave out reasoning, with what a provider wants back', async () => {
    const said = [start(), step(0), delta(0, { type: 'reasoning', block: 'r', text: 'x' }), delta(0, { type: 'reasoning-replace', text: 'y' }), delta(0, { type: 'opaque', block: 'o', data: 1 }), hi];
    expect((await chunksOf(said, { reasoning: false })).filter(({ type }) => type.startsWith('reasoning'))).toEqual([]);
  });

  it('take an error that a run brings as its outcome', async () => {
    const failed = done(0, '', { reason: 'error', error: { code: 'other', message: 'The disk is full.', retryable: false } });
    expect((await chunksOf([start(), failed], { mask: false })).at(-1)).toEqual({ type: 'error', errorText: 'The disk is full.' });
  });

  it('pass on no error: it is the last chunk', async () => {
    const chunks: string[] = [];
    throwError(() => new Error('x')).pipe(toUiMessages()).subscribe(({ type }) => chunks.push(type));
    expect(chunks).toEqual(['message-metadata', 'error']);
  });
});
