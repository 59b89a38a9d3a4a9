import { describe, expect, it } from '@jest/globals';
import { NEVER, of, Subject, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import type { ApprovalAnswer } from '../../lib/approval.ts';
import { ConfigError } from '../../lib/errors.ts';
import type { McpClient } from '../../lib/invoke/mcp-client.ts';
import { mcpElicitation } from '../../lib/invoke/mcp-elicitation.ts';
import type { ToolContext } from '../../lib/tool.ts';

type Answers = Observable<Extract<ApprovalAnswer, { type: 'input' | 'decline' }>>;
type Handler = (request: { params?: object }, extra?: object) => Promise<unknown>;

const page = Promise.resolve({ tools: [] });
const running = (callId: string, answer: Answers): ToolContext => ({ runId: 'r', callId, input: () => answer }) as unknown as ToolContext;
const input = (value: unknown): Answers => of({ type: 'input', value });

/** A client that keeps its handler. */
function fake() {
  const told: string[] = [];
  let handler: Handler | undefined;
  const client: McpClient = {
    listTools: () => page,
    callTool: () => page,
    setRequestHandler: (what: string, given: Handler) => {
      told.push(`set ${what}`);
      handler = given;
    },
    removeRequestHandler: (method) => void told.push(`remove ${method}`),
  };
  return { client, told, ask: (params?: object, extra?: object) => handler!({ ...(params && { params }) }, extra) };
}

describe('mcpElicitation', () => {
  it('is one handler, as long as somebody holds it', () => {
    const { client, told } = fake();
    const [a, b] = [mcpElicitation.hold(client, 2), mcpElicitation.hold(client, 2)];
    a.unsubscribe();
    expect(told).toEqual(['set elicitation/create']);
    b.unsubscribe();
    expect(told).toEqual(['set elicitation/create', 'remove elicitation/create']);
  });

  it('names the capability that a client lacks', () => {
    const client = { ...fake().client, setRequestHandler: () => { throw new Error('Client does not support it.'); } };
    expect(() => mcpElicitation.hold(client, 2)).toThrow(ConfigError);
    expect(() => mcpElicitation.hold(client, 2)).toThrow(/capabilities: \{ elicitation: \{ form: \{\} \} \}.*Client does not support it/);
  });

  it.each<[name: string, answer: Answers, params: object, reply: object]>([
    ['an object', input({ a: 1 }), { message: 'a?' }, { action: 'accept', content: { a: 1 } }],
    ['a list', input([1]), {}, { action: 'decline', _meta: { 'rx-tool-loop/reason': 'What came is no object.' } }],
    ['whatever came of an address', input('seen'), { message: 'Sign in.', url: 'https://x.test' }, { action: 'accept' }],
    ['a refusal', of({ type: 'decline' }), {}, { action: 'decline' }],
    ['a refusal with its reason', of({ type: 'decline', reason: 'No.' }), {}, { action: 'decline', _meta: { 'rx-tool-loop/reason': 'No.' } }],
    ['nothing', of(), {}, { action: 'cancel' }],
    ['a failure', throwError(() => new Error('no')), {}, { action: 'cancel' }],
  ])('answers with %s', async (_name, answer, params, reply) => {
    const { client, ask } = fake();
    const held = mcpElicitation.hold(client, 2);
    const { life } = mcpElicitation.enter(client, running('c', answer));
    expect(await ask(params)).toEqual(reply);
    life.unsubscribe();
    held.unsubscribe();
  });

  it('finds the call that a question names, and never guesses', async () => {
    const { client, ask } = fake();
    mcpElicitation.hold(client, 2);
    const reason = (text: string) => ({ action: 'decline', _meta: { 'rx-tool-loop/reason': text } });
    expect(await ask()).toEqual(reason('No call is running that it could belong to.'));
    const a = mcpElicitation.enter(client, running('a', input({ from: 'a' })));
    const b = mcpElicitation.enter(client, running('b', input({ from: 'b' })));
    expect(await ask({})).toEqual(reason('2 calls are running, and it does not say which of them asks.'));
    expect(await ask({ _meta: b.meta })).toMatchObject({ content: { from: 'b' } });
    b.life.unsubscribe();
    expect(await ask({ _meta: b.meta })).toEqual(reason('No call is running that it could belong to.'));
    expect(await ask({})).toMatchObject({ content: { from: 'a' } });
    a.life.unsubscribe();
  });

  it.each(['signal', 'mcpReq'])('leaves the question when the server takes it back, known by %s', async (name) => {
    const { client, ask } = fake();
    mcpElicitation.hold(client, 2);
    const answer$ = new Subject<never>();
    mcpElicitation.enter(client, running('c', answer$));
    const controller = new AbortController();
    const { signal } = controller;
    const reply = ask({}, name === 'signal' ? { signal } : { mcpReq: { signal } });
    expect(answer$.observed).toBe(true);
    controller.abort();
    expect(await reply).toEqual({ action: 'cancel' });
    expect(answer$.observed).toBe(false);
  });

  it('leaves the question when its call is over', async () => {
    const { client, ask } = fake();
    mcpElicitation.hold(client, 2);
    const { life } = mcpElicitation.enter(client, running('c', NEVER));
    const reply = ask({});
    life.unsubscribe();
    expect(await reply).toEqual({ action: 'cancel' });
  });
});
