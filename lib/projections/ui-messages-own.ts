import type { Meta, ResultPart } from '../message.ts';
import type { UiProviderMetadata } from './ui-messages-chunk.ts';

/** What this library keeps in a part of a UI message, so that the message can be read back without loss. */
export interface Own {
  /** Of the part or the call, as its adapter gave it. */
  readonly meta?: Meta;
  /** The text is a refusal, or the reasoning stands for a block that is not shown. */
  readonly kind?: 'refusal' | 'opaque';
  /** Of a source or an opaque block. */
  readonly data?: unknown;
  /** The reasoning supersedes all of its step before it. */
  readonly replaces?: true;
  /** The request that the call's result answers. */
  readonly request?: string;
  /** The call was not finished: no part of the conversation. */
  readonly incomplete?: true;
  /** The run below which asked: the call is no part of this conversation. */
  readonly nested?: string;
  /** The server has said this result: it answers nothing any more. */
  readonly settled?: true;
  /** The call goes on with its run: this is no result. */
  readonly waiting?: true;
  /** What the model reads of the result, where that is not its output's text. */
  readonly content?: readonly ResultPart[];
}

const NAME = 'rx-tool-loop';

/** The field of a chunk that carries these; none where there is nothing to carry. */
export function ownMetadata(own: { readonly [K in keyof Own]: Own[K] | undefined }): { providerMetadata?: UiProviderMetadata } {
  const entries = Object.entries(own).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return {};
  // What it holds is JSON at birth, as everything in an event.
  return { providerMetadata: { [NAME]: Object.fromEntries(entries) } as UiProviderMetadata };
}

/** What {@link ownMetadata} wrote; metadata of somebody else is the part's `meta`, whole. */
export function readOwn(providerMetadata: unknown): Own {
  if (typeof providerMetadata !== 'object' || providerMetadata === null) return {};
  const own = (providerMetadata as Record<string, unknown>)[NAME];
  if (typeof own === 'object' && own !== null) return own as Own;
  return { meta: providerMetadata as Meta };
}
