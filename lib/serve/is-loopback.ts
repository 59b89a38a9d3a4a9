/**
 * Whether a host name or an address is this machine's own, and no other machine can reach it.
 *
 * @internal
 */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').replace(/^::ffff:/, '').toLowerCase();
  return name === 'localhost' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}
