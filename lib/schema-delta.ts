/** Schemas of `lib/delta.ts`. */
import * as z from 'zod/mini';
import type { Delta, DeltaOf, DeltaType } from './delta.ts';
import type { ErrorInfo } from './errors.ts';
import { figures, flag, json, maybe, number, open, text } from './schema-field.ts';
import { call, file, finish, meta, serverTool, source, usage } from './schema-message.ts';

export const errorInfo: z.ZodMiniType<ErrorInfo> = z.looseObject({
  code: text,
  message: text,
  retryable: flag,
  status: maybe(number),
});

export const ids = z.looseObject({ response: maybe(text), request: maybe(text) });

/** As JSON an error is its {@link ErrorInfo}. A run itself shows no `error` delta: it ends. */
type Wired<Type extends DeltaType> = Type extends 'error' ? { readonly error: ErrorInfo } : Omit<DeltaOf<Type>, 'type'>;

const spoken = z.looseObject({ block: text, text, meta: maybe(meta) });
const deltas: { readonly [Type in DeltaType]: z.ZodMiniType<Wired<Type>> } = {
  text: spoken,
  refusal: spoken,
  reasoning: spoken,
  'reasoning-replace': z.looseObject({ text, meta: maybe(meta) }),
  'tool-call-start': z.looseObject({ index: number, id: text, name: text }),
  'tool-call-arguments': z.looseObject({ index: number, chunk: text }),
  'tool-call-end': z.looseObject({ index: number, call }),
  'server-tool': z.looseObject({ block: text, ...serverTool }),
  source: z.looseObject(source),
  file: z.looseObject({ block: text, ...file }),
  opaque: z.looseObject({ block: text, data: json, meta: maybe(meta) }),
  warning: z.looseObject({ text, data: maybe(json) }),
  unknown: z.looseObject({ raw: json }),
  alive: z.looseObject({}),
  usage: z.looseObject({ usage, reported: maybe(figures) }),
  error: z.looseObject({ error: errorInfo }),
  finish: z.looseObject({ reason: finish, rawFinish: maybe(text), model: maybe(text), ids: maybe(ids) }),
};

/** What a model's stream says. One of an unknown type needs `type` alone. */
export const deltaSchema: z.ZodMiniType<Delta> = open<Delta>({}, deltas);
