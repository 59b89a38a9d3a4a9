/** What a run tells its host beside the conversation. */

/** One entry of a plan. */
export interface PlanEntry {
  readonly content: string;
  readonly status: 'pending' | 'in-progress' | 'completed';
  readonly priority?: 'high' | 'medium' | 'low';
}

/** One operation of a JSON Patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };
