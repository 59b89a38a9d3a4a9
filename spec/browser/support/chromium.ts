import { existsSync } from 'node:fs';

/** Chromium's program: that of the environment variable `CHROMIUM`, or where Debian puts it; undefined where there is none. */
export function chromiumPath(): string | undefined {
  const { CHROMIUM: path = '/usr/bin/chromium' } = process.env;
  return existsSync(path) ? path : undefined;
}

/** Before all browser specs: without Chromium they fail in CI, and elsewhere say that they did not run. */
export default function chromiumOrLeave(): void {
  if (chromiumPath() !== undefined) return;
  const missing = 'There is no Chromium at /usr/bin/chromium, nor at the path in the variable CHROMIUM.';
  if (process.env['CI'] !== undefined) throw new Error(`${missing} Install it: the browser specs are a part of the check.`);
  process.stderr.write(`The browser specs did NOT run. ${missing}\n`);
  process.exit(0);
}
