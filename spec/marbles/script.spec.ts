import { describe, expect, it } from '@jest/globals';
import { asyncScheduler, EMPTY, finalize, NEVER, of } from 'rxjs';
import { userMessage } from '../../lib/index.ts';
import type { Message, ModelRequest } from '../../lib/index.ts';
import { finish, script, text } from '../../marbles/index.ts';
import { modelRequest } from '../support/model-request.ts';

const request = (messages: readonly Message[] = []): ModelRequest => modelRequest({ messages, scheduler: asyncScheduler });

describe('script', () => {
  it('plays turn n for call n', () => {
    const model = script(of(text('one'), finish('stop')), of(text('two')));
    const said: unknown[] = [];

    model.stream(request()).subscribe((delta) => said.push(delta));
    model.stream(request()).subscribe((delta) => said.push(delta));

    expect(said).toMatchObject([{ text: 'one' }, { type: 'finish', reason: 'stop' }, { text: 'two' }]);
  });

  it('counts a call when it is subscribed, not when it is made', () => {
    const model = script(EMPTY);

    const call$ = model.stream(request());
    expect(model.requests).toHaveLength(0);
    call$.subscribe();
    expect(model.requests).toHaveLength(1);
  });

  it('keeps each request with the messages as they stood', () => {
    const model = script(EMPTY, EMPTY);
    const messages = [userMessage('first')];

    model.stream(request(messages)).subscribe();
    messages.push(userMessage('second'));
    model.stream(request(messages)).subscribe();

    expect(model.requests.map((one) => one.messages.length)).toEqual([1, 2]);
    expect(model.requests[0]).toMatchObject({ toolChoice: 'auto', messages: [userMessage('first')] });
  });

  it('fails a call past its last turn, for good, and says how many turns it has', () => {
    const model = script(EMPTY);
    const errors: unknown[] = [];

    model.stream(request()).subscribe();
    model.stream(request()).subscribe({ error: (error) => errors.push(error) });

    expect(errors).toMatchObject([
      { code: 'model-protocol', retryable: false, message: 'The script has 1 turn, but call 2 was made. Draw another turn.' },
    ]);
  });

  it('leaves the turn when it is left', () => {
    let left = 0;
    const model = script(NEVER.pipe(finalize(() => (left += 1))));

    model.stream(request()).subscribe().unsubscribe();

    expect(left).toBe(1);
  });

  it('does what a loop may ask, and less when it is spread', () => {
    expect(script().capabilities).toEqual(['tools', 'parallel-tools', 'images']);
    expect({ ...script(), capabilities: [] }.capabilities).toEqual([]);
  });
});
