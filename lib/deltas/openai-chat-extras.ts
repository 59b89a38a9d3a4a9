import type { Delta } from '../delta.ts';
import type { Meta } from '../message.ts';

/** What compatible servers put beside the wire's own fields: in a chunk, in its pieces or in a part of content. */
export interface Extras {
  /** OpenAI, OpenRouter. */
  readonly annotations?: unknown;
  /** Perplexity, xAI: all of them so far, again in each chunk. */
  readonly citations?: unknown;
  readonly search_results?: unknown;
  /** Mistral. */
  readonly reference_ids?: unknown;
  /** Groq. */
  readonly executed_tools?: unknown;
  /** OpenRouter. */
  readonly images?: unknown;
  readonly reasoning_details?: unknown;
  /** Copilot. */
  readonly reasoning_opaque?: unknown;
}

/** See {@link openaiChatExtras}. */
export interface OpenaiChatExtras {
  read(from: Extras): void;
  /** What has to go back to the server unread, or nothing. */
  sealed(): Meta | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const ENCRYPTED = 'reasoning.encrypted';

/**
 * Sources, files, tools that the server ran and sealed reasoning of one response. Sources that are repeated count once.
 *
 * @param newId - the wire has no ids for tools that the server runs
 * @internal
 */
export function openaiChatExtras(newId: () => string, emit: (delta: Delta) => void): OpenaiChatExtras {
  const tools = new Map<unknown, string>();
  const details: Record<string, unknown>[] = [];
  let opaque: unknown;
  let isSealed = false;
  let [cited, files] = [0, 0];

  const source = (from: Fields, data: unknown): void =>
    emit({ type: 'source', ...textIn(from, 'url'), ...textIn(from, 'title'), data });

  const cite = (citations: readonly unknown[], results: readonly Fields[]): void => {
    for (const cites of (citations.length > 0 ? citations : results).slice(cited)) {
      cited += 1;
      const url = (cites as Fields | null)?.['url'] ?? cites;
      const found = results.find((result) => result['url'] === url) ?? cites;
      source({ ...(found as Fields), url }, found);
    }
  };

  const run = (tool: Fields): void => {
    const id = tools.get(tool['index']) ?? newId();
    tools.set(tool['index'], id);
    const phase = tool['output'] === undefined ? 'call' : 'result';
    emit({ type: 'server-tool', block: id, id, name: String(tool['name'] || tool['type']), phase, data: tool });
  };

  const show = (image: Fields): void => {
    const url = String((image['image_url'] as Fields | undefined)?.['url']);
    const [, mediaType = 'image/*', data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
    files += 1;
    emit({ type: 'file', block: `file-${files}`, mediaType, ...(data === undefined ? { url } : { data }) });
  };

  /** Texts come in pieces, which the server wants back as one. */
  const seal = (detail: Fields): void => {
    isSealed ||= Boolean(detail['signature']) || detail['type'] === ENCRYPTED;
    const last = details.at(-1);
    const goesOn = detail['type'] !== ENCRYPTED && detail['type'] === last?.['type'] && detail['index'] === last?.['index'];
    if (last === undefined || !goesOn) return void details.push({ ...detail });
    for (const [key, value] of Object.entries(detail)) {
      if (value !== null) last[key] = key === 'text' || key === 'summary' ? `${last[key] ?? ''}${value}` : value;
    }
  };

  return {
    read(from) {
      if (from.annotations) {
        for (const each of listOf(from.annotations)) source((each['url_citation'] as Fields | undefined) ?? each, each);
      }
      if (from.citations || from.search_results) cite(listOf(from.citations), listOf(from.search_results));
      if (from.reference_ids) for (const reference of listOf(from.reference_ids)) source({}, { reference });
      if (from.executed_tools) listOf(from.executed_tools).forEach(run);
      if (from.images) listOf(from.images).forEach(show);
      if (from.reasoning_details) listOf(from.reasoning_details).forEach(seal);
      if (from.reasoning_opaque) opaque = from.reasoning_opaque;
    },
    sealed() {
      if (!isSealed && opaque === undefined) return undefined;
      return { ...(isSealed && { reasoning_details: details }), ...(opaque !== undefined && { reasoning_opaque: opaque }) };
    },
  };
}

function textIn(from: Fields, field: 'url' | 'title'): Partial<Record<'url' | 'title', string>> {
  const text = from[field];
  return typeof text === 'string' && text !== '' ? { [field]: text } : {};
}

/** Its objects and texts; what servers send as `null` is left out. */
function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(Boolean) : [];
}
