import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { firstValueFrom, lastValueFrom, NEVER, of, toArray } from 'rxjs';
import type { Observable } from 'rxjs';
import type { ApprovalAnswer, ApprovalRequest } from '../../lib/approval.ts';
import { toolLoop } from '../../lib/index.ts';
import { call, finish, script, text, verifyEvents } from '../../marbles/index.ts';
import { fromMcp } from '../../lib/invoke/from-mcp.ts';
import type { Tool, ToolContext } from '../../lib/tool.ts';
import type { ToolOutput } from '../../lib/tool-output.ts';
import { connection } from './mcp-connection.ts';
import type { Connection, Version, Wire } from './mcp-connection.ts';

type Answered = Observable<Extract<ApprovalAnswer, { type: 'input' | 'decline' }>>;

/** What a running call is given, with the person's answer. */
function context(callId: string, input: ToolContext['input']): ToolContext {
  return { callId, runId: 'r', step: 0, signal: new AbortController().signal, scratch: new Map(), progress: () => undefined, status: () => undefined, plan: () => undefined, state: () => undefined, emit: () => undefined, input };
}

describe.each<[Version, Wire]>([[1, 'stdio'], [1, 'http'], [2, 'stdio'], [2, 'http']])('with package %d by %s, a question of the server', (version, wire) => {
  let open: Connection;
  let ask: Tool;
  let hang: Tool;

  beforeAll(async () => {
    open = await connection(version, wire, { asks: true });
    const tools = await firstValueFrom(fromMcp(open.client, { elicitation: true }));
    [ask, hang] = ['ask', 'hang'].map((name) => tools.find((tool) => tool.name === name)!) as [Tool, Tool];
  });
  afterAll(() => open.close());

  async function asked(callId: string, answer: () => Answered, args = {}): Promise<unknown> {
    const said = (await lastValueFrom(ask.run(args as never, context(callId, answer)) as Observable<ToolOutput>)).content;
    return JSON.parse((said as unknown as readonly { text: string }[] | undefined)?.[0]?.text ?? '') as unknown;
  }

  it('is asked of the running call, and its answer accepted', async () => {
    const questions: unknown[] = [];
    const input: ToolContext['input'] = (question) => (questions.push(question), of({ type: 'input', value: { colour: 'red' } } as const));
    const answered = await lastValueFrom(ask.run({} as never, context('c', input)) as Observable<ToolOutput>);
    expect(answered.content).toEqual([{ type: 'text', text: '{"action":"accept","content":{"colour":"red"}}' }]);
    expect(questions).toEqual([{ reason: 'Which colour?', schema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] } }]);
  });

  it('is an open request of the run that called the tool, answered by its approvals', async () => {
    const model = script(of(...call('ask', {}, { index: 0, id: 'c' }), finish('tool-use')), of(text('red it is', 'b'), finish('stop')));
    const questions: ApprovalRequest[] = [];
    const approvals = (request: ApprovalRequest): ApprovalAnswer => (questions.push(request), { type: 'input', value: { colour: 'red' } });
    const events = await lastValueFrom(toolLoop({ model, tools: [ask], prompt: 'go', approvals }).pipe(verifyEvents(), toArray()));
    const told = events.flatMap((event) => (/^(approval|tool)-/.test(event.type) ? [event.type] : []));
    expect(told).toEqual(['tool-call', 'tool-start', 'approval-request', 'approval-answer', 'tool-commit', 'tool-result']);
    expect(questions).toMatchObject([{ kind: 'input', callId: 'c', reason: 'Which colour?', schema: { type: 'object' } }]);
    expect(events.at(-1)).toMatchObject({ type: 'done', outcome: { reason: 'answer' } });
  });

  it('may be declined, with the reason', async () => {
    expect(await asked('c', () => of({ type: 'decline', reason: 'Not now.' } as const))).toEqual({ action: 'decline', reason: 'Not now.' });
    expect(await asked('c', () => of({ type: 'input', value: 'red' } as const))).toEqual({ action: 'decline', reason: 'What came is no object.' });
  });

  it('of one of several calls is declined where none can be told', async () => {
    const other = (hang.run({} as never, context('other', () => NEVER)) as Observable<ToolOutput>).subscribe();
    const reason = '2 calls are running, and it does not say which of them asks.';
    expect(await asked('c', () => NEVER)).toEqual({ action: 'decline', reason });
    other.unsubscribe();
  });

  it('that names its call goes to that one', async () => {
    const answers = ['red', 'blue'].map((colour) => asked(colour, () => of({ type: 'input', value: { colour } } as const), { echo: true }));
    expect(await Promise.all(answers)).toEqual(['red', 'blue'].map((colour) => ({ action: 'accept', content: { colour } })));
  });
});

it('a client without the capability is refused, and told what it lacks', async () => {
  for (const version of [1, 2] as const) {
    const open = await connection(version, 'stdio');
    await expect(firstValueFrom(fromMcp(open.client, { elicitation: true }))).rejects.toMatchObject({ code: 'config', message: expect.stringContaining('elicitation: { form: {} }') });
    await open.close();
  }
});
