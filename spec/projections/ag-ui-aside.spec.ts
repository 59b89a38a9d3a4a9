import { describe, expect, it } from '@jest/globals';
import { userMessage } from '../../lib/index.ts';
import type { EventType } from '../../lib/index.ts';
import { agUiAside } from '../../lib/projections/ag-ui-aside.ts';
import type { AsideEvent } from '../../lib/projections/ag-ui-aside.ts';
import { deskOf } from '../support/ag-ui-of.ts';
import { Told } from '../support/hosted-runs.ts';

const [masked, open] = [deskOf(true).desk, deskOf(false).desk];
const aside = (type: EventType, fields: object, desk = masked, run = new Told()): unknown => agUiAside(run.event(type, fields) as AsideEvent, desk);
const message = userMessage('again');
const call = { id: 'c', name: 'add', arguments: { a: 1 } };

describe('what stands beside a conversation', () => {
  it.each<[EventType, object, string, object]>([
    ['retry', { step: 0, attempt: 1, count: 1, max: 3, delayMs: 5, retryAfter: true, by: 'loop' }, 'retry', { step: 0, attempt: 1, count: 1, max: 3, delayMs: 5, retryAfter: true }],
    ['fallback', { step: 0, from: 'm', to: 'n' }, 'fallback', { step: 0, from: 'm', to: 'n' }],
    ['correction', { step: 0, cause: 'stream', count: 1, max: 3, message }, 'correction', { step: 0, cause: 'stream', count: 1, max: 3 }],
  ])('says that there is a %s, and why only where nothing is masked [152]', (type, fields, name, value) => {
    const said = { ...fields, reason: 'secret' };
    expect(aside(type, said)).toEqual({ type: 'CUSTOM', name, value });
    expect(aside(type, said, open)).toMatchObject({ type: 'CUSTOM', name, value: { ...value, reason: 'secret', ...('message' in fields && { message }) } });
  });

  it.each<[EventType, object, string, unknown]>([
    ['compaction', { removed: 3, kept: 2, summary: [message] }, 'compaction', { removed: 3, kept: 2 }],
    ['title', { title: 'A talk' }, 'session.title', { title: 'A talk' }],
    ['custom', { name: 'chart', data: [1] }, 'chart', [1]],
    ['approval-answer', { step: 0, callId: 'c', id: 'q', kind: 'approval', answer: { type: 'decline', reason: 'no' } }, 'approval-answer', { id: 'q', kind: 'approval', toolCallId: 'c', answer: 'decline' }],
    [
      'approval-request', { step: 0, callId: 'c', id: 'q', kind: 'approval', call, schema: {}, reason: 'May it?' },
      'approval-request', { id: 'q', kind: 'approval', toolCallId: 'c', toolName: 'add', arguments: { a: 1 }, schema: {}, reason: 'May it?' },
    ],
  ])('tells of %s as a custom event [150]', (type, fields, name, value) => {
    expect(aside(type, fields)).toEqual({ type: 'CUSTOM', name, value });
  });

  it('shows a status until an empty one clears it, and its data only where nothing is masked [150]', () => {
    const shown = { type: 'ACTIVITY_SNAPSHOT', messageId: 'run/status', activityType: 'STATUS' };
    expect(aside('status', { text: 'Looking', data: 1 })).toEqual({ ...shown, content: { text: 'Looking' } });
    expect(aside('status', { text: '' })).toEqual({ ...shown, content: { text: '' } });
    expect(aside('status', { text: 'Looking', data: 1 }, open)).toEqual({ ...shown, content: { text: 'Looking', data: 1 } });
  });

  it('shows the whole plan each time [150]', () => {
    const entries = [{ content: 'Look', status: 'pending' }];
    expect(aside('plan', { entries })).toEqual({ type: 'ACTIVITY_SNAPSHOT', messageId: 'run/plan', activityType: 'PLAN', content: { entries } });
  });

  it("passes a change of the application's state on", () => {
    const patch = [{ op: 'remove', path: '/a' }];
    expect(aside('state', { patch })).toEqual({ type: 'STATE_DELTA', delta: patch });
  });

  it('names the sub-agent that it comes from', () => {
    const child = new Told('child', { runId: 'run', callId: 'c' });
    expect(aside('title', { title: '' }, masked, child)).toMatchObject({ subagentRunId: 'child' });
    expect(aside('plan', { entries: [] }, masked, child)).toMatchObject({ subagentRunId: 'child', messageId: 'child/plan' });
  });

  it('is nothing where an event is not known', () => {
    expect(aside('an-event-of-tomorrow' as EventType, {})).toBeUndefined();
  });
});
