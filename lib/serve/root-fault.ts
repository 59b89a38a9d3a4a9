import { isLoopError, ToolError } from '../index.ts';
import { quoted } from './quoted.ts';

/**
 * What the system said about a path below the root, as the tool's failure. The path is the one that the model wrote:
 * where the root is, or where a link leads, is not told.
 *
 * @internal
 */
export function rootFault(error: unknown, path: string): ToolError {
  if (isLoopError(error) && error.code === 'tool') return error as ToolError;
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  const name = path === '' ? 'The root' : quoted(path);
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new ToolError('not-found', `${name} does not exist. list_files tells what there is.`, { cause: error });
    case 'EACCES':
    case 'EPERM':
      return new ToolError('permission-denied', `${name} may not be read.`, { cause: error });
    case 'ELOOP':
      return new ToolError('invalid-input', `${name} is a link that leads back to itself, or changed while it was opened.`, { cause: error });
    case 'ENAMETOOLONG':
      return new ToolError('invalid-input', `${name} is longer than the file system takes.`, { cause: error });
    default:
      return new ToolError('other', `${name} cannot be read${typeof code === 'string' ? ` (${code})` : ''}.`, { cause: error });
  }
}
