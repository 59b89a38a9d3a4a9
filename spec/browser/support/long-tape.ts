/** A tape of so many events: steps of a model that speaks and calls two tools, with a failure now and then. */
export function longTape(most: number): string {
  const lines: string[] = [JSON.stringify({ tape: 1, startedAt: '2026-01-05T05:03:09.000Z', model: 'm', tools: ['add', 'find'] })];
  let at = 0;
  const say = (type: string, more: object = {}): void => {
    at += 7;
    if (lines.length <= most) lines.push(JSON.stringify({ at, event: { type, runId: 'run1', ...more } }));
  };
  say('run-start');
  for (let step = 0; lines.length <= most; step++) {
    say('step-start', { step, attempt: 1, model: 'm' });
    for (let piece = 0; piece < 60; piece++) say('delta', { step, delta: { type: 'text', block: `b${step}`, text: `word ${piece} ` } });
    if (step % 9 === 0) say('retry', { step, attempt: 1, count: 1, max: 3, reason: 'Busy.', delayMs: 500, by: 'loop' });
    say('step-end', { step, attempt: 1, usage: {}, finish: 'tool-use', toolCalls: 2 });
    for (const name of ['add', 'find']) {
      const call = { id: `${name}${step}`, name, arguments: { a: step } };
      const ofCall = { step, callId: call.id, call };
      say('tool-call', ofCall);
      say('tool-start', { ...ofCall, startedAt: at });
      const isError = step % 17 === 0 && name === 'add';
      say('tool-result', { ...ofCall, result: { callId: call.id, name, content: [{ type: 'text', text: '5' }], ...(isError && { isError, error: { kind: 'other', message: 'No.' } }) }, elapsedMs: 7 });
    }
  }
  return `${lines.join('\n')}\n`;
}
