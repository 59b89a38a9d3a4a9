import { catchError, defaultIfEmpty, defer, EMPTY, firstValueFrom, fromEvent, map, merge, Observable, of, Subscription, take, takeUntil } from 'rxjs';
import { ConfigError, errorText } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import { remembered } from '../remembered.ts';
import type { JsonSchema, ToolContext } from '../tool.ts';
import type { McpClient } from './mcp-client.ts';
import { mcpMethod } from './mcp-method.ts';
import type { McpVersion } from './mcp-version.ts';

const ELICIT = 'elicitation/create';

/** In `_meta`: names a call to the server, which may name it back when it asks. */
const CALL = 'rx-tool-loop/call';
/** In `_meta`: why a question was declined; the protocol has no place for it. */
const REASON = 'rx-tool-loop/reason';

/** What a server asks. */
interface Question {
  readonly message?: string;
  readonly requestedSchema?: JsonSchema;
  /** Where the person is to go, instead of answering in words. */
  readonly url?: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

interface Reply {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: object;
  readonly _meta?: Readonly<Record<string, string>>;
}

interface Running {
  readonly id: string;
  readonly context: ToolContext;
  /** Closed when the call is answered or left. */
  readonly life: Subscription;
}

const roomOf = remembered((_client: McpClient) => ({ holders: new Set<Subscription>(), running: new Set<Running>() }));

/**
 * The questions of a server that has tools running.
 *
 * A question does not say which call it belongs to, unless the server gives back the `_meta` that came with the call. Else
 * it is that of the one call that runs; of several none can be told, and the question is declined.
 *
 * @internal
 */
export const mcpElicitation = {
  /**
   * Answers the client's questions until it is unsubscribed; many may hold the one handler that a client has room for.
   *
   * @throws ConfigError if the client has not declared that it takes questions
   */
  hold(client: McpClient, version: McpVersion): Subscription {
    const { holders } = roomOf(client);
    if (holders.size === 0) {
      const handler = ({ params = {} }: { params?: Question }, extra?: Extra) => firstValueFrom(reply(client, params, extra));
      try {
        client.setRequestHandler?.(mcpMethod(ELICIT, version), handler as never);
      } catch (cause) {
        throw new ConfigError(`fromMcp: elicitation needs a client with the capability: new Client(info, { capabilities: { elicitation: { form: {} } } }). ${errorText(cause)}`, { cause });
      }
    }
    const held = new Subscription(() => {
      holders.delete(held);
      if (holders.size === 0) client.removeRequestHandler?.(ELICIT);
    });
    holders.add(held);
    return held;
  },

  /** Counts a call among those that run until it is unsubscribed. `meta` goes with its request. */
  enter(client: McpClient, context: ToolContext): { readonly life: Subscription; readonly meta: Readonly<Record<string, string>> } {
    const { running } = roomOf(client);
    const id = `${context.runId}/${context.callId}`;
    const life = new Subscription(() => void running.delete(one));
    const one: Running = { id, context, life };
    running.add(one);
    return { life, meta: { [CALL]: id } };
  },
};

/** What the clients tell a handler beside the request. */
interface Extra {
  readonly signal?: AbortSignal;
  readonly mcpReq?: { readonly signal?: AbortSignal };
}

function reply(client: McpClient, question: Question, extra: Extra | undefined): Observable<Reply> {
  const running = [...roomOf(client).running];
  const named = question._meta?.[CALL];
  const asking = named === undefined ? running : running.filter(({ id }) => id === named);
  const [one, another] = asking;
  if (one === undefined) return of(declined('No call is running that it could belong to.'));
  if (another !== undefined) return of(declined(`${asking.length} calls are running, and it does not say which of them asks.`));
  const withdrawn = extra?.signal ?? extra?.mcpReq?.signal;
  return asked(one.context, question).pipe(
    takeUntil(merge(ended(one.life), withdrawn === undefined ? EMPTY : fromEvent(withdrawn, 'abort'))),
    catchError(() => EMPTY),
    defaultIfEmpty<Reply, Reply>({ action: 'cancel' }),
  );
}

function asked(context: ToolContext, { message, requestedSchema: schema, url }: Question): Observable<Reply> {
  const reason = [message, url].filter((text) => text !== undefined).join(' ');
  return defer(() => context.input({ ...(reason !== '' && { reason }), ...(schema !== undefined && { schema }) })).pipe(
    take(1),
    map((answer): Reply => {
      if (answer.type === 'decline') return declined(answer.reason);
      if (url !== undefined) return { action: 'accept' };
      const { value } = answer;
      if (!isRecord(value)) return declined('What came is no object.');
      return { action: 'accept', content: value };
    }),
  );
}

function declined(reason?: string): Reply {
  return { action: 'decline', ...(reason !== undefined && { _meta: { [REASON]: reason } }) };
}

function ended(life: Subscription): Observable<void> {
  return new Observable((subscriber) => life.add(() => subscriber.next()));
}
