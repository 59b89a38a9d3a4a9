/** Schemas of `lib/approval.ts`. */
import * as z from 'zod/mini';
import { flag, json, maybe, number, record, text } from './schema-field.ts';
import { call, plainPart } from './schema-message.ts';

/** What an open request has, and what an answer repeats of it. */
export const asked = { id: text, kind: z.enum(['approval', 'result', 'input']) };

/** A request without its run and its place there, which an event has of its own. */
export const question = { ...asked, call, schema: maybe(record), reason: maybe(text) };

export const request = z.looseObject({ runId: text, step: number, callId: text, ...question });

/** What came of a request; `suspend` leaves it open, which is no event. */
export const answer = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('approve'), arguments: maybe(json) }),
  z.looseObject({ type: z.enum(['decline', 'stop']), reason: maybe(text) }),
  z.looseObject({ type: z.literal('result'), content: z.union([text, z.array(plainPart)]), isError: maybe(flag) }),
  z.looseObject({ type: z.literal('input'), value: json }),
]);
