import { defaultIfEmpty, defer, firstValueFrom } from 'rxjs';
import { answer } from '../answer.ts';
import type { HttpSettings } from './http-options.ts';
import { isLoopback } from './is-loopback.ts';
import { Problem } from './problem.ts';

/**
 * The subject of a request; nothing where it has none.
 *
 * Rejects with a {@link Problem}: 403 for a page of an origin that is not let in, and for a request to a name that is not
 * this machine's own where nobody checks who asks; 401 for one that `authorize` does not let in.
 *
 * @internal
 */
export async function access(request: Request, { authorize, cors }: Pick<HttpSettings, 'authorize' | 'cors'>): Promise<string | undefined> {
  const { origin: own, hostname } = new URL(request.url);
  const origin = request.headers.get('origin');
  // Without this any page could send what needs no leave to be sent.
  if (origin !== null && origin !== own && !cors.includes(origin)) {
    throw new Problem(403, 'origin-refused', 'Pages of this origin are not let in: name it in the option cors.');
  }
  if (authorize === undefined) {
    // A page can give any name an address of this machine, but not a name of this machine.
    if (!isLoopback(hostname)) throw new Problem(403, 'not-loopback', 'Without the option authorize only requests to localhost are answered: give httpHandler one.');
    return undefined;
  }
  const leave = await firstValueFrom(defer(() => answer(authorize(request))).pipe(defaultIfEmpty(undefined)));
  if (leave === true) return undefined;
  if (typeof leave === 'object' && leave !== null && typeof leave.subject === 'string') return leave.subject;
  throw new Problem(401, 'unauthorized', 'You are not let in: send what this server asks of its users.', { 'www-authenticate': 'Bearer' });
}
