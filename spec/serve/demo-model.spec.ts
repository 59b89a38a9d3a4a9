import { describe, expect, it } from '@jest/globals';
import { bufferCount, lastValueFrom, map, take, toArray } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { userMessage } from '../../lib/index.ts';
import type { Delta, Message, ModelRequest, ToolSpec } from '../../lib/index.ts';
import { demoModel } from '../../lib/serve/demo-model.ts';
import { demoScenes } from '../../lib/serve/demo-scenes.ts';
import { modelRequest } from '../support/model-request.ts';

const tools: readonly ToolSpec[] = ['calculator', 'clock'].map((name) => ({ name, description: '', parameters: {} }));
const answer = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] });

async function deltas(messages: readonly Message[], change: Partial<ModelRequest> = {}, model = demoModel(0)): Promise<Delta[]> {
  return lastValueFrom(model.stream(modelRequest({ messages, tools, ...change })).pipe(toArray()));
}

async function text(...messages: readonly (string | Message)[]): Promise<string> {
  const said = await deltas(messages.map((one) => (typeof one === 'string' ? userMessage(one) : one)));
  return said.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');
}

describe('demoModel', () => {
  it('says what it is', () => {
    expect(demoModel(0)).toMatchObject({ id: 'demo', provider: 'scripted', contextWindow: 16_000, price: { input: 3, output: 15 } });
  });

  it('plays the scene whose word stands first, as a whole word in any case', async () => {
    expect(await text('An ERROR, or markdown?')).toBe('I begin, but');
    expect(await text('Some Markdown, or an error?')).toMatch(/^## A run, in short/);
    expect(await text('I tried errors and markdowns')).toMatch(/^You said: I tried errors and markdowns\n/);
  });

  it('tells a prompt without such a word what there is, and no more of a long one than a line', async () => {
    const said = await text('constructor');
    for (const { word, shows } of demoScenes) expect(said).toContain(`- \`${word}\`: ${shows}`);
    expect((await text('\u{1f600}\n'.repeat(1_000))).split('\n')[0]?.length).toBeLessThan(420);
  });

  it('goes on where the messages are', async () => {
    const call = { id: 'c', name: 'calculator', arguments: {} };
    const asked: Message = { role: 'assistant', content: [{ type: 'tool-call', call }] };
    const result: Message = { role: 'tool', results: [{ callId: 'c', name: 'calculator', content: [{ type: 'text', text: '5' }], isError: false }] };
    expect(await deltas([userMessage('calculate 2 + 3')])).toContainEqual(expect.objectContaining({ type: 'tool-call-end', call: expect.objectContaining({ arguments: { expression: '2 + 3' } }) }));
    expect(await text('calculate 2 + 3', asked, result)).toBe('It is **5**.');
    expect(await text('calculate 2 + 3', asked, result, 'Quick, please.')).toBe('It is **5**.');
  });

  it('begins again with the next prompt, and does not repeat a scene that is over', async () => {
    expect(await text('error', answer('I begin, but'), 'Now markdown')).toMatch(/^## A run/);
    expect(await text('markdown', answer('## A run'), 'Thank you!')).toMatch(/^You said: Thank you!/);
  });

  it('says which tools a scene lacks', async () => {
    expect(await text('plan')).toBe('The scene `plan` calls `write_plan` and `search_notes`, and I was not given `write_plan` and `search_notes`. Start me with `--tools calculator,clock,docs/examples/demo-tools.mjs`.');
  });

  it('counts what a scene has tried for each run by itself', async () => {
    const model = demoModel(0);
    const [first, second] = [[userMessage('retract')], [userMessage('retract')]];
    const broken = async (messages: readonly Message[]): Promise<boolean> => {
      const failed = await deltas(messages, {}, model).then((all) => all.some(({ type }) => type === 'error'));
      return failed;
    };
    expect([await broken(first), await broken(second), await broken(first), await broken(second)]).toEqual([true, true, false, false]);
  });
});

describe('its pace', () => {
  const test = (body: (scheduler: TestScheduler, stream: (prompt: string, delayMs: number) => ReturnType<ReturnType<typeof demoModel>['stream']>) => void): void => {
    const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
    scheduler.run(() => body(scheduler, (prompt, delayMs) => demoModel(delayMs).stream(modelRequest({ messages: [userMessage(prompt)], scheduler }))));
  };

  it('is a pause before each delta, and nothing follows when it is left', () => {
    test((scheduler, stream) => {
      scheduler.expectObservable(stream('markdown', 25).pipe(map(() => 'd')), '^ 60ms !').toBe('25ms d 24ms d');
    });
  });

  it('is slow for a slow answer, however fast the model is', () => {
    test((scheduler, stream) => {
      scheduler.expectObservable(stream('slow', 0).pipe(map(() => 'd'), take(2))).toBe('200ms d 199ms (d|)');
    });
  });

  it('is a thousand deltas a second for a flood, however slow the model is', () => {
    test((scheduler, stream) => {
      const tens$ = stream('flood', 25).pipe(bufferCount(10), map(() => 't'));
      scheduler.expectObservable(tens$, '^ 35ms !').toBe('10ms t 9ms t 9ms t');
    });
  });
});
