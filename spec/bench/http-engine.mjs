// The library over HTTP, through its public doors.
import { pull, defineTool, toolLoop } from 'rx-tool-loop';
import { openaiChat } from 'rx-tool-loop/openai-chat';
import { RESULT } from './workloads.mjs';

const input = { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }), jsonSchema: { input: () => ({ type: 'object' }) } } };
const tools = [defineTool({ name: 'lookup', description: 'Looks a thing up.', input, run: async () => RESULT })];

function size(event) {
  if (event.type !== 'delta') return 0;
  const { delta } = event;
  return delta.type === 'text' ? delta.text.length : delta.type === 'tool-call-arguments' ? delta.chunk.length : 0;
}

export async function run(baseUrl, emit, { signal, pause } = {}) {
  const options = { model: openaiChat({ baseUrl, model: 'bench-1' }), prompt: 'go', tools, budget: { maxSteps: Infinity } };
  if (pause) {
    for await (const event of pull((demand) => toolLoop({ ...options, demand }))) {
      const characters = size(event);
      if (characters === 0) continue;
      emit(characters);
      await pause();
    }
    return;
  }
  await new Promise((resolve, reject) => {
    const subscription = toolLoop(options).subscribe({
      next: (event) => {
        const characters = size(event);
        if (characters > 0) emit(characters);
      },
      error: reject,
      complete: resolve,
    });
    signal?.addEventListener('abort', () => {
      subscription.unsubscribe();
      resolve();
    });
  });
}
