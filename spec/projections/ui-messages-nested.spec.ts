import { describe, expect, it } from '@jest/globals';
import type { LoopEvent } from '../../lib/index.ts';
import { chunksOf } from '../support/ui-client.ts';
import { answering, asking, listed, refused, running } from '../support/ui-runs.ts';
import type { UiMessageChunk } from '../../lib/projections/ui-messages.ts';

const outer = { id: 'c1', name: 'ask', arguments: {}, rawArguments: '{}' };
const inner = { id: 'n1', name: 'remove', arguments: { path: 'a' }, rawArguments: '{"path":"a"}' };
const below = (event: LoopEvent): LoopEvent => ({ ...event, runId: 'run2', parent: { runId: 'run1', callId: 'c1' } });
const begin: LoopEvent[] = [{ type: 'run-start', runId: 'run1' }, ...asking(0, outer), running(outer, 'ok')[0] as LoopEvent];
const request: LoopEvent = { type: 'approval-request', runId: 'run2', step: 0, id: 'q1', kind: 'approval', callId: 'n1', call: inner, parent: { runId: 'run1', callId: 'c1' } };
const answer: LoopEvent = { type: 'approval-answer', runId: 'run2', step: 0, id: 'q1', kind: 'approval', callId: 'n1', answer: { type: 'approve' }, parent: { runId: 'run1', callId: 'c1' } };

const states = (chunks: readonly UiMessageChunk[]): unknown[] => chunks.flatMap((chunk) => (chunk.type === 'data-nested' ? [(chunk as { data: { state: string } }).data.state] : []));
const plainOf = (chunks: readonly UiMessageChunk[]): string[] => chunks.map(({ type }) => type).filter((type) => !type.startsWith('data-'));

describe('a run below', () => {
  it('is one part, which says of which tool and call it is, and how far it is [151]', async () => {
    const chunks = await chunksOf(listed.nested);
    expect(states(chunks)).toEqual(['running', 'done']);
    expect(chunks.find(({ type }) => type === 'data-nested')).toMatchObject({ id: 'run2', data: { runId: 'run2', parent: { runId: 'run1', callId: 'c1' }, name: 'ask' } });
  });

  it('leaves the chunks of the run above as if the tool were any other', async () => {
    const without = listed.nested.filter((event) => !('parent' in event));
    expect(plainOf(await chunksOf(listed.nested))).toEqual(plainOf(await chunksOf(without)));
  });

  it('passes by as a message of its own', async () => {
    const passed = (await chunksOf(listed.nested)).flatMap((chunk) => (chunk.type === 'data-nested-chunk' && 'transient' in chunk ? [(chunk.data as { chunk: UiMessageChunk }).chunk.type] : []));
    expect(passed).toEqual(['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish']);
  });

  it('has failed where its call is over and it is not', async () => {
    expect(states(await chunksOf([...begin, below({ type: 'run-start', runId: '' }), ...running(outer, 'no').slice(1)]))).toEqual(['running', 'error']);
  });

  it('waits with the run above, unless it has ended', async () => {
    const checkpoint = { batch: { calls: [{ call: outer }] } };
    const suspended = { type: 'done', runId: 'run1', outcome: { reason: 'suspended', completion: { text: '', toolCalls: [] }, messages: [], steps: [], usage: {}, checkpoint } } as unknown as LoopEvent;
    const chunks = await chunksOf([...begin, below({ type: 'run-start', runId: '' }), ...asking(0, inner).map(below), request, suspended]);
    expect(states(chunks)).toEqual(['running', 'waiting']);
    expect(chunks).toContainEqual(expect.objectContaining({ type: 'tool-output-available', toolCallId: 'c1', output: { waiting: true } }));
  });

  it('shows a call that a person has to answer beside those of the message, which a client can answer', async () => {
    const events = [...begin, below({ type: 'run-start', runId: '' }), ...asking(0, inner).map(below), request, answer, ...running(inner, 'gone').map(below)];
    const shown = (await chunksOf(events)).filter((chunk) => 'toolCallId' in chunk && chunk.toolCallId === 'n1');
    expect(shown.map(({ type }) => type)).toEqual(['tool-input-start', 'tool-input-delta', 'tool-input-available', 'tool-approval-request', 'tool-output-available']);
    expect(shown[2]).toMatchObject({ providerMetadata: { 'rx-tool-loop': { nested: 'run2' } } });
  });

  it('shows its other calls only as they pass by', async () => {
    const chunks = await chunksOf([...begin, below({ type: 'run-start', runId: '' }), ...asking(0, inner).map(below), below(refused(inner))]);
    expect(chunks.filter((chunk) => 'toolCallId' in chunk && chunk.toolCallId === 'n1')).toEqual([]);
  });

  it('is no other run that comes behind it in the stream', async () => {
    const other = answering(0, 'Other.').map((event): LoopEvent => ({ ...event, runId: 'run9' }));
    expect((await chunksOf([...begin, ...other])).filter(({ type }) => type === 'text-delta')).toEqual([]);
  });
});
