/** What a reader of events looks into, by the type of the event. A type that is not here is taken as it is. */
const NEEDS: Readonly<Record<string, string>> = {
  'step-start': 'step attempt model',
  delta: 'step delta.type',
  retry: 'step count max reason delayMs',
  fallback: 'step from to reason',
  'step-retract': 'step attempt reason callIds',
  'step-end': 'step finish',
  'tool-call': 'step callId call.name',
  'approval-request': 'step callId id kind call.name',
  'approval-answer': 'step callId id answer.type',
  'tool-start': 'step callId call.name',
  'tool-progress': 'step callId',
  'tool-commit': 'step callId call.name',
  'tool-result': 'step callId call.name result.content elapsedMs',
  'tool-dropped': 'step callId reason',
  correction: 'step cause count max reason',
  steering: 'messages',
  plan: 'entries',
  status: 'text',
  done: 'outcome.reason outcome.usage outcome.steps',
};

/** Likewise, by the type of the delta. */
const DELTA_NEEDS: Readonly<Record<string, string>> = {
  text: 'block text',
  reasoning: 'block text',
  refusal: 'block text',
  'tool-call-start': 'id name',
  'tool-call-end': 'call.id call.name',
};

const NUMBERS: ReadonlySet<string> = new Set(['step', 'attempt', 'count', 'max', 'delayMs', 'elapsedMs']);
const LISTS: ReadonlySet<string> = new Set(['callIds', 'messages', 'entries', 'outcome.steps', 'result.content']);
const OBJECTS: ReadonlySet<string> = new Set(['outcome.usage']);

/**
 * What a line of a tape lacks, in words that follow "line 3 "; undefined where a reader can take it.
 *
 * @internal
 */
export function tapeFault(line: unknown): string | undefined {
  if (!isObject(line)) return 'is no JSON object';
  const { at, event, error } = line;
  if (!(typeof at === 'number' && Number.isSafeInteger(at) && at >= 0)) return 'has no whole number of milliseconds as at';
  if ((event === undefined) === (error === undefined)) return 'has neither an event nor an error, or both';
  if (error !== undefined) return isObject(error) && isText(error['code']) && isText(error['message']) ? undefined : 'has an error without code and message';
  if (!isObject(event) || !isText(event['type'])) return 'has an event without a type';
  const { type, runId, parent, delta } = event;
  if (!isText(runId)) return `has an event ${JSON.stringify(type)} without runId`;
  if (parent !== undefined && !(isObject(parent) && isText(parent['runId']) && isText(parent['callId']))) return `has an event ${JSON.stringify(type)} whose parent has no runId and callId`;
  const missing = lacking(event, needsOf(NEEDS, type));
  if (missing !== undefined) return `has an event ${JSON.stringify(type)} without ${missing}`;
  if (type !== 'delta' || !isObject(delta)) return undefined;
  const absent = lacking(delta, needsOf(DELTA_NEEDS, String(delta['type'])));
  return absent === undefined ? undefined : `has a delta ${JSON.stringify(delta['type'])} without ${absent}`;
}

function needsOf(table: Readonly<Record<string, string>>, type: string): string {
  return Object.hasOwn(table, type) ? (table[type] ?? '') : '';
}

function lacking(holder: Readonly<Record<string, unknown>>, needs: string): string | undefined {
  return needs.split(' ').find((path) => path !== '' && !isFit(path, valueAt(holder, path)));
}

function valueAt(holder: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), holder);
}

function isFit(path: string, value: unknown): boolean {
  if (NUMBERS.has(path)) return typeof value === 'number' && Number.isFinite(value);
  if (LISTS.has(path)) return Array.isArray(value) && value.every((one) => path === 'callIds' || isObject(one));
  return OBJECTS.has(path) ? isObject(value) : isText(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
