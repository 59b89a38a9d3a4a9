import { afterEach, describe, expect, it } from '@jest/globals';
import { agUiFormat } from '../../lib/projections/ag-ui.ts';
import { UI_MESSAGE_HEADERS, uiMessageFormat } from '../../lib/projections/ui-messages.ts';
import { closeDoors, doorOf, framesIn, get, post } from './door.ts';

// The formats of other protocols, through the door. What their own clients make of the streams is shown in spec/e2e.

afterEach(closeDoors);

const STREAM = { accept: 'text/event-stream' };
const PROMPT = { prompt: 'hi', runId: 'r1', threadId: 't1' };
const formats = { 'ag-ui': agUiFormat(), 'ai-sdk-ui': uiMessageFormat() };
const datas = (text: string): unknown[] => framesIn(text).map(({ data }) => (data === '[DONE]' ? data : (JSON.parse(data ?? 'null') as unknown)));

describe('a door with the formats of other protocols', () => {
  it('writes AG-UI, under the ids of the run', async () => {
    const door = doorOf([{ text: ['Hel', 'lo'] }], { formats });
    const response = await door(post('?format=ag-ui', PROMPT, STREAM));
    expect(response.status).toBe(200);
    const said = datas(await response.text()) as { type: string; delta?: string }[];
    expect(said[0]).toMatchObject({ type: 'RUN_STARTED', threadId: 't1', runId: 'r1' });
    expect(said.at(-1)).toMatchObject({ type: 'RUN_FINISHED', threadId: 't1', runId: 'r1' });
    expect(said.flatMap(({ type, delta }) => (type === 'TEXT_MESSAGE_CONTENT' ? [delta] : [])).join('')).toBe('Hello');
  });

  it('writes the stream of the AI SDK, with its headers and its end mark', async () => {
    const door = doorOf([{ text: ['Hel', 'lo'] }], { formats });
    const response = await door(post('?format=ai-sdk-ui', PROMPT, STREAM));
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe(UI_MESSAGE_HEADERS['x-vercel-ai-ui-message-stream']);
    const said = datas(await response.text()) as ({ type: string } | string)[];
    expect(said.at(-1)).toBe('[DONE]');
    expect(said.map((one) => (typeof one === 'string' ? one : one.type))).toEqual([
      'start', 'start-step', 'text-start', 'text-delta', 'text-delta', 'text-end', 'finish-step', 'finish', '[DONE]',
    ]);
  });

  it('tells of a run that failed in the words of each protocol, masked', async () => {
    const door = doorOf([], { formats, start: () => ({ model: { id: 'm', provider: 'p', capabilities: [], stream: () => { throw new Error('secret'); } } }) });
    await (await door(post('', PROMPT, STREAM))).text();
    const agUi = await (await door(get('/r1/events?format=ag-ui'))).text();
    const ui = await (await door(get('/r1/events?format=ai-sdk-ui'))).text();
    expect(datas(agUi).at(-1)).toMatchObject({ type: 'RUN_ERROR' });
    expect(datas(ui)).toContainEqual(expect.objectContaining({ type: 'error' }));
    expect(agUi + ui).not.toContain('secret');
  });
});
