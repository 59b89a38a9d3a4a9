import { describe, expect, it } from '@jest/globals';
import { VirtualTimeScheduler } from 'rxjs';
import type { Subscription } from 'rxjs';
import { toolCall, userMessage } from '../../lib/index.ts';
import type { Delta, Message, ModelRequest } from '../../lib/index.ts';
import { demoModel } from '../../lib/serve/demo-model.ts';
import { demoScripts } from '../../lib/serve/demo-scripts.ts';
import { modelRequest } from '../support/model-request.ts';

interface Heard {
  readonly deltas: Delta[];
  readonly text: string;
  readonly usage: unknown;
  readonly error: unknown;
}

function hear(prompt: string, change: Partial<ModelRequest> = {}, model = demoModel(0)): Heard {
  const deltas: Delta[] = [];
  let error: unknown;
  model.stream(modelRequest({ messages: [userMessage(prompt)], ...change })).subscribe({ next: (delta) => deltas.push(delta), error: (thrown: unknown) => (error = thrown) });
  const text = deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');
  const usage = deltas.find((delta) => delta.type === 'usage')?.usage;
  return { deltas, text, usage, error };
}

const tool = (name: string) => ({ name, description: '', parameters: {} });

describe('the demonstration model', () => {
  it('has a price and a window, so that a meter has something to show', () => {
    expect(demoModel(0)).toMatchObject({ id: 'demo', provider: 'scripted', price: { input: 3, output: 15 }, contextWindow: 8_000 });
  });

  it('chooses by the first of its words, whole and in any case', () => {
    expect(hear('Please, a little MARKDOWN? Or an error.').text).toMatch(/^## A run is a stream/);
    expect(hear('Markdowns, errors').text).toMatch(/^I am a scripted model/);
  });

  it('says without one of them that it is scripted, and what it can show', () => {
    const { text } = hear('What is love?');
    expect(text).toMatch(/^I am a scripted model: nothing in “What is love\?” is a word that I know\./);
    for (const { keyword, shows, needs } of demoScripts) expect(text).toContain(`- **${keyword}**: ${shows}${needs.length > 0 ? ' (needs tools that are not here)' : ''}\n`);
    expect(hear('x'.repeat(200)).text).toContain(`“${'x'.repeat(80)}…”`);
  });

  it('does not call a tool that the run does not have', () => {
    expect(hear('calculate', { tools: [tool('clock')] }).text).toMatch(/^To show “calculate” I need the tool calculator, which/);
    expect(hear('hi', { tools: [tool('calculator')] }).text).toContain('and the same call done right\n');
  });

  it('counts tokens of what it was sent and what it says', () => {
    const short = hear('retract me', {}).deltas;
    expect(short.find(({ type }) => type === 'usage')).toEqual({ type: 'usage', usage: { inputTokens: expect.any(Number), outputTokens: 15, reasoningTokens: 0 } });
    expect(hear('markdown').usage).toMatchObject({ reasoningTokens: 40 });
    const long = hear('retract me', { system: 'x'.repeat(400) }).usage as { inputTokens: number };
    expect(long.inputTokens).toBe((hear('retract me').usage as { inputTokens: number }).inputTokens + 100);
    expect(hear('retry').usage).toBeUndefined();
  });

  it('knows from the message alone how often it was asked', () => {
    const model = demoModel(0);
    const messages = [userMessage('retry')];
    expect(hear('', { messages }, model).error).toMatchObject({ code: 'model-http', status: 503, retryable: true });
    expect(hear('', { messages: [userMessage('retry')] }, model).error).toMatchObject({ status: 503 });
    expect(hear('', { messages }, model).error).toMatchObject({ status: 503 });
    expect(hear('', { messages: [...messages] }, model)).toMatchObject({ error: undefined, text: expect.stringContaining('you are reading it') });
  });

  it('is no wiser for a request without messages', () => {
    expect(hear('', { messages: [] }).text).toContain('I am a scripted model');
  });

  it('goes on with the script of the prompt while its tools are at work', () => {
    const call: Message = { role: 'assistant', content: [{ type: 'tool-call', call: toolCall('c', 'follow_plan', '{}') }] };
    const result: Message = { role: 'tool', results: [{ callId: 'c', name: 'follow_plan', content: [{ type: 'text', text: 'All done.' }], isError: false }] };
    const tools = [tool('follow_plan')];
    expect(hear('', { tools, messages: [userMessage('a plan'), call, result, userMessage('Shorter!')] }).text).toBe('You said meanwhile: “Shorter!”\n\nAll done.');
  });

  it('takes its time on the clock of the request, longer for the long answer, and stops when left', () => {
    const last = (prompt: string): number => {
      const scheduler = new VirtualTimeScheduler(undefined, 100_000);
      let at = 0;
      demoModel(10).stream(modelRequest({ scheduler, messages: [userMessage(prompt)] })).subscribe((delta) => (at = delta.type === 'finish' ? scheduler.now() : at));
      scheduler.flush();
      return at;
    };
    const pieces = (prompt: string): number => hear(prompt).deltas.length;
    expect(last('markdown')).toBe(pieces('markdown') * 10);
    expect(last('long')).toBe(pieces('long') * 60);

    const scheduler = new VirtualTimeScheduler();
    const heard: Delta[] = [];
    const life: Subscription = demoModel(10).stream(modelRequest({ scheduler, messages: [userMessage('long')] })).subscribe((delta) => {
      if (heard.push(delta) === 3) life.unsubscribe();
    });
    scheduler.flush();
    expect([heard.length, scheduler.now()]).toEqual([3, 180]);
  });
});
