// The floor: the least code that streams a tool loop over an in-process model. A plain callback a delta, no ids, no
// checks, no errors, no cancelling. Everything that an engine does on top is what the ratio shows.
import { deltas, RESULT } from './workloads.mjs';

async function* stream(step) {
  yield* deltas(step);
}

const lookup = async () => RESULT;

export async function run(workload, emit) {
  const messages = [{ role: 'user', content: 'go' }];
  for (const step of workload.steps) {
    let text = '';
    const calls = [];
    for await (const delta of stream(step)) {
      switch (delta.type) {
        case 'text':
          text += delta.text;
          emit(delta.text.length);
          break;
        case 'tool-call-start':
          calls[delta.index] = { id: delta.id, name: delta.name, json: '' };
          break;
        case 'tool-call-arguments':
          calls[delta.index].json += delta.chunk;
          emit(delta.chunk.length);
          break;
      }
    }
    if (calls.length === 0) return text;
    messages.push({ role: 'assistant', text, calls });
    messages.push({ role: 'tool', results: await Promise.all(calls.map(async ({ id, json }) => ({ id, content: await lookup(JSON.parse(json)) }))) });
  }
}
