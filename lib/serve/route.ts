import { Problem } from './problem.ts';
import { isRunId } from './run-id.ts';

/** What a request asks of the door. */
export type Route =
  | { readonly action: 'start' }
  | { readonly action: 'list' }
  | { readonly action: 'status' | 'events' | 'steer' | 'answers' | 'cancel'; readonly runId: string };

const METHODS = { start: 'POST', status: 'GET', events: 'GET', steer: 'POST', answers: 'POST', cancel: 'POST' } as const;

/**
 * Reads method and path of a request.
 *
 * @param hasList - whether runs are listed
 * @throws Problem 404 for a path that leads nowhere, 405 with `Allow` for the wrong method, 404 `run-gone` for an id that no
 * run can have
 * @internal
 */
export function route({ method, url }: Pick<Request, 'method' | 'url'>, path: string, hasList = false): Route {
  const { pathname } = new URL(url);
  const parts = pathname.startsWith(`${path}/`) ? pathname.slice(path.length + 1).split('/') : [];
  const [runId = '', action = 'status', ...more] = parts;
  const found = pathname === path ? 'start' : isAction(action) && parts.length > 0 && more.length === 0 ? action : undefined;
  if (found === undefined) throw new Problem(404, 'no-such-path', `There is nothing at this path: the runs are at ${path}.`);
  if (found === 'start' && method === 'GET' && hasList) return { action: 'list' };
  const allowed = [...(found === 'start' && hasList ? ['GET'] : []), METHODS[found]];
  if (!allowed.includes(method)) {
    const which = allowed.length > 1 ? 'one of them' : 'that method';
    throw new Problem(405, 'wrong-method', `This path takes ${allowed.join(' and ')} alone: ask with ${which}.`, { allow: [...allowed, 'OPTIONS'].join(', ') });
  }
  if (found === 'start') return { action: found };
  if (!isRunId(runId)) throw new Problem(404, 'run-gone', 'There is no run of this id: an id is 1 to 128 letters, digits, - and _.');
  return { action: found, runId };
}

type OfRun = Exclude<keyof typeof METHODS, 'start'>;

function isAction(action: string): action is OfRun {
  return action !== 'start' && Object.hasOwn(METHODS, action);
}
