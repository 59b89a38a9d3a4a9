/**
 * The port that makes ids. Called with what the id is for; every call must give a new one.
 * Default: the kind and a random UUID. Give a counter for runs that must repeat exactly.
 */
export type Ids = (kind: 'run' | 'call' | 'block' | 'request') => string;

/** `run_…`, `call_…`, `block_…`, `request_…` with a random UUID, without its dashes: some providers take 40 characters at most. */
export const randomIds: Ids = (kind) => `${kind}_${crypto.randomUUID().replaceAll('-', '')}`;
