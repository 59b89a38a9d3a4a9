// The provider of the HTTP benchmark: a process of its own, so that its CPU is not counted. It speaks chat completions on
// 127.0.0.1, writes 8 KB blocks and honours back-pressure. Control by messages: { ask } answers how far it got.
import { createServer } from 'node:http';
import { httpWorkloads } from './http-workloads.mjs';

const frame = (delta, finish = null) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-bench0123456789', object: 'chat.completion.chunk', created: 1760000000, model: 'bench-1', service_tier: 'default', system_fingerprint: 'fp_0123456789', choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] })}\n\n`;

function frames({ text, calls }) {
  const list = [frame({ role: 'assistant', content: '' })];
  for (const piece of text) list.push(frame({ content: piece }));
  for (const [index, { id, pieces }] of calls.entries()) {
    list.push(frame({ tool_calls: [{ index, id, type: 'function', function: { name: 'lookup', arguments: '' } }] }));
    for (const piece of pieces) list.push(frame({ tool_calls: [{ index, function: { arguments: piece } }] }));
  }
  list.push(frame({}, calls.length > 0 ? 'tool_calls' : 'stop'));
  list.push(`data: ${JSON.stringify({ id: 'chatcmpl-bench0123456789', choices: [], usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } })}\n\n`, 'data: [DONE]\n\n');
  return list;
}

function blocks(list, perEvent) {
  if (perEvent) return list.map((one) => ({ data: Buffer.from(one), count: 1 }));
  const joined = [];
  let text = '';
  let count = 0;
  for (const one of list) {
    text += one;
    count += 1;
    if (text.length < 8192) continue;
    joined.push({ data: Buffer.from(text), count });
    [text, count] = ['', 0];
  }
  if (count > 0) joined.push({ data: Buffer.from(text), count });
  return joined;
}

const cache = new Map();
function bodyOf(name, step) {
  const key = `${name} ${step}`;
  if (!cache.has(key)) cache.set(key, blocks(frames(httpWorkloads[name].steps[step]), httpWorkloads[name].perEvent));
  return cache.get(key);
}

const seen = { requests: 0, written: 0, closedAt: undefined };

/** Settles when the socket takes more, or is gone. */
function writable(response) {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}

async function answer(response, name, step) {
  const { paceMs } = httpWorkloads[name];
  response.on('close', () => {
    if (!response.writableFinished) seen.closedAt = Date.now();
  });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const { data, count } of bodyOf(name, step)) {
    if (response.destroyed) return;
    if (!response.write(data)) await writable(response);
    seen.written += count;
    if (paceMs !== undefined) await new Promise((resolve) => setTimeout(resolve, paceMs));
  }
  response.end();
}

const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    seen.requests += 1;
    const name = request.url.split('/')[1];
    const step = Buffer.concat(pieces).toString('latin1').split('"role":"assistant"').length - 1;
    void answer(response, name, step);
  });
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', (message) => {
  if (message.stop) process.exit(0);
  if (message.reset) Object.assign(seen, { requests: 0, written: 0, closedAt: undefined });
  process.send({ ...seen });
});
setTimeout(() => process.exit(1), 30 * 60_000).unref();
