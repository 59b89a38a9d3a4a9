import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Lets in whoever sends `authorization: Bearer <token>`. The comparison takes as long for a token that is nearly right.
 *
 * @internal
 */
export function bearer(token: string): (request: Request) => boolean {
  const wanted = digest(`Bearer ${token}`);
  return (request) => timingSafeEqual(digest(request.headers.get('authorization') ?? ''), wanted);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
