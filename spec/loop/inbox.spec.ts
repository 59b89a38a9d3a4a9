import { describe, expect, it } from '@jest/globals';
import { Inbox } from '../../lib/loop/inbox.ts';
import { userMessage } from '../../lib/message.ts';

const [a, b, c] = [userMessage('a'), userMessage('b'), userMessage('c')];

describe('Inbox', () => {
  it('is empty at first', () => {
    const inbox = new Inbox();
    expect([inbox.isEmpty, inbox.unread, inbox.read(true)]).toEqual([true, undefined, []]);
  });

  it('hands out all that steers at once, in the order in which it came', () => {
    const inbox = new Inbox();
    inbox.steer('a');
    inbox.steer(b);
    expect(inbox.isEmpty).toBe(false);
    expect([inbox.read(false), inbox.read(false), inbox.isEmpty]).toEqual([[a, b], [], true]);
  });

  it('hands out a follow-up where the model has answered, one at a time', () => {
    const inbox = new Inbox();
    inbox.follow('a');
    inbox.follow('b');
    expect(inbox.read(false)).toEqual([]);
    expect([inbox.read(true), inbox.read(true), inbox.read(true)]).toEqual([[a], [b], []]);
  });

  it('hands out what steers before any follow-up', () => {
    const inbox = new Inbox();
    inbox.follow('c');
    inbox.steer('a');
    expect([inbox.read(true), inbox.read(true)]).toEqual([[a], [c]]);
  });

  it('says what nobody has read, and does not forget it by that', () => {
    const inbox = new Inbox();
    inbox.steer('a');
    inbox.follow('b');
    inbox.follow('c');
    const unread = { steering: [a], followUp: [b, c] };
    expect([inbox.unread, inbox.unread]).toEqual([unread, unread]);
    inbox.read(true);
    expect(inbox.unread).toEqual({ steering: [], followUp: [b, c] });
  });

  it('does not change what it has handed out', () => {
    const inbox = new Inbox();
    inbox.steer('a');
    const { unread } = inbox;
    const read = inbox.read(false);
    inbox.steer('b');
    expect([unread, read]).toEqual([{ steering: [a], followUp: [] }, [a]]);
  });

  it('takes a message as it is', () => {
    const inbox = new Inbox();
    const picture = { role: 'user', content: [{ type: 'image', url: 'u' }] } as const;
    inbox.steer(picture);
    expect(inbox.read(false)[0]).toBe(picture);
  });
});

describe('the inbox of a resumed run', () => {
  it('begins with what the run before it had not read, and does not change that', () => {
    const unread = { steering: [a], followUp: [b] };
    const inbox = new Inbox(unread);
    inbox.steer('c');
    expect([inbox.isEmpty, inbox.read(false), inbox.read(true), inbox.unread]).toEqual([false, [a, c], [b], undefined]);
    expect(unread).toEqual({ steering: [a], followUp: [b] });
  });
});
