// The floor over HTTP: fetch, split on newlines, JSON.parse, a plain callback a delta. `pause` is the slow reader's wait.
import { RESULT } from './workloads.mjs';

const tools = [{ type: 'function', function: { name: 'lookup', description: 'Looks a thing up.', parameters: { type: 'object' } } }];
const lookup = async () => RESULT;

async function stream(url, messages, signal, onDelta) {
  const body = JSON.stringify({ model: 'bench-1', messages, tools, stream: true, stream_options: { include_usage: true } });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal });
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body) {
    const text = rest + decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      if (text.startsWith('data: {', from)) {
        const delta = JSON.parse(text.slice(from + 6, end)).choices[0]?.delta;
        const wait = delta && onDelta(delta);
        if (wait) await wait;
      }
      from = end + 1;
    }
    rest = text.slice(from);
  }
}

export async function run(baseUrl, emit, { signal, pause } = {}) {
  const messages = [{ role: 'user', content: 'go' }];
  for (;;) {
    let text = '';
    const calls = [];
    await stream(`${baseUrl}/chat/completions`, messages, signal, (delta) => {
      if (delta.content) {
        text += delta.content;
        emit(delta.content.length);
        return pause?.();
      }
      for (const { index, id, function: fn } of delta.tool_calls ?? []) {
        const call = (calls[index] ??= { id, name: fn.name, json: '' });
        if (!fn.arguments) continue;
        call.json += fn.arguments;
        emit(fn.arguments.length);
      }
      return undefined;
    });
    if (calls.length === 0) return;
    messages.push({ role: 'assistant', content: text, tool_calls: calls.map(({ id, name, json }) => ({ id, type: 'function', function: { name, arguments: json } })) });
    const contents = await Promise.all(calls.map(({ json }) => lookup(JSON.parse(json))));
    messages.push(...contents.map((content, at) => ({ role: 'tool', tool_call_id: calls[at].id, content })));
  }
}
