import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Tool, ToolContext } from '../../lib/index.ts';
import { InsideRoot } from '../../lib/serve/inside-root.ts';

/** What a path holds: a text or bytes, or a link to somewhere. */
export type Content = string | Uint8Array | { readonly link: string };

export interface TemporaryRoot {
  /** Holds `root`, and `outside` beside it with the file `secret.txt`. */
  readonly folder: string;
  readonly path: string;
  readonly inside: InsideRoot;
  put(files: Readonly<Record<string, Content>>): void;
  remove(): void;
}

/** What nothing may ever read. */
export const SECRET = 'the secret outside';

/** A root of its own in a new folder, with something to reach for beside it. */
export async function temporaryRoot(files: Readonly<Record<string, Content>> = {}): Promise<TemporaryRoot> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rx-tool-loop-')));
  const path = join(folder, 'root');
  const put = (more: Readonly<Record<string, Content>>): void => {
    for (const [name, content] of Object.entries(more)) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      if (typeof content === 'string' || content instanceof Uint8Array) writeFileSync(join(path, name), content);
      else symlinkSync(content.link, join(path, name));
    }
  };
  mkdirSync(path);
  mkdirSync(join(folder, 'outside'));
  writeFileSync(join(folder, 'outside/secret.txt'), SECRET);
  put(files);
  return { folder, path, inside: await InsideRoot.at(path), put, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Calls a tool as a run does: with checked arguments. */
export async function callTool(tool: Tool, args: Readonly<Record<string, unknown>>, signal = new AbortController().signal): Promise<string> {
  const checked = await tool.input['~standard'].validate(args);
  if (checked.issues !== undefined) throw new TypeError(checked.issues.map(({ message }) => message).join('; '));
  return (await tool.run(checked.value as never, { signal } as ToolContext)) as string;
}
