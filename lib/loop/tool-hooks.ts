import { isObservable, map } from 'rxjs';
import type { Observable } from 'rxjs';
import type { ResultAnswer, ToolAnswer } from '../hooks.ts';
import type { CallRecord } from '../invoke/call-record.ts';
import { isContent, partsOf } from '../invoke/call-result.ts';
import type { HookVerdict } from '../invoke/clear-call.ts';
import { toJson } from '../invoke/to-json.ts';
import type { ToolCall, ToolResult } from '../message.ts';
import { askHooks, halt, hookContext, textIn, unknownAnswer, wrongAnswer } from './hook-chain.ts';
import type { Run, RunState } from './run-state.ts';

/** Asks the `beforeTool` hooks: rewrites chain, and the first that decides otherwise is the last that is asked. */
export function beforeTool(run: Run, state: RunState, call: ToolCall): HookVerdict | Observable<HookVerdict> {
  const context = hookContext(run, state);
  return askHooks<HookVerdict, ToolAnswer>(
    run,
    {
      hook: 'beforeTool',
      ask: (hooks, { call: asked }) => hooks.beforeTool?.(asked, context),
      fold: (verdict, said) => {
        switch (said.type) {
          case 'run':
            return verdict;
          case 'rewrite':
            return { ...verdict, call: rewritten(verdict.call, said.arguments) };
          case 'skip':
          case 'block':
            textIn('beforeTool', said, 'reason');
            return { ...verdict, answer: said };
          case 'ask':
          case 'stop':
            return { ...verdict, answer: said };
          default:
            throw unknownAnswer('beforeTool', said);
        }
      },
      // One that asks a person may still be overruled by one that blocks.
      isOver: ({ answer }) => answer.type !== 'run' && answer.type !== 'ask',
    },
    { call, answer: { type: 'run' } },
  );
}

/** Asks the `afterTool` hooks for the result that the model sees. A stop is told to the run; the result stays. */
export function afterTool(run: Run, state: RunState, record: CallRecord, call: ToolCall, result: ToolResult): ToolResult | Observable<ToolResult> {
  const context = hookContext(run, state);
  interface Seen {
    readonly result: ToolResult;
    readonly stop?: Extract<ResultAnswer, { type: 'stop' }>;
  }
  const asked = askHooks<Seen, ResultAnswer>(
    run,
    {
      hook: 'afterTool',
      ask: (hooks, seen) => hooks.afterTool?.(call, seen.result, context),
      fold: (seen, said) => {
        if (said.type === 'keep') return seen;
        if (said.type === 'stop') return { ...seen, stop: said };
        if (said.type !== 'rewrite') throw unknownAnswer('afterTool', said);
        if (!isContent(said.content)) throw wrongAnswer('afterTool', 'rewrites the content to something that is neither a text nor a list of parts');
        return { result: { ...seen.result, content: partsOf(said.content), ...(said.isError !== undefined && { isError: said.isError }) } };
      },
      isOver: ({ stop }) => stop !== undefined,
    },
    { result },
  );
  const end = (seen: Seen): ToolResult => {
    if (seen.stop !== undefined) halt(run, seen.stop, { callId: record.call.id, index: record.index });
    return seen.result;
  };
  return isObservable(asked) ? asked.pipe(map(end)) : end(asked);
}

function rewritten({ rawArguments, ...call }: ToolCall, args: unknown): ToolCall {
  const json = toJson(args);
  if (!json.ok) throw wrongAnswer('beforeTool', `rewrites the arguments to something that is no JSON: ${json.reason}`);
  return { ...call, arguments: json.value };
}
