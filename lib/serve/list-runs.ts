import { firstValueFrom } from 'rxjs';
import type { LoggedRun, RunLog } from '../index.ts';
import type { Standing } from './runs.ts';

/** A run in a list. */
export interface ListedRun {
  readonly runId: string;
  readonly threadId?: string;
  /** The beginning of what it was asked for, where that is one text. */
  readonly prompt?: string;
  readonly status: Standing;
  readonly position: number;
}

/** How many are listed, and looked at: each has to be loaded. */
const [MOST, LOOKS] = [100, 1_000];
const PROMPT = 200;

/**
 * The runs of a subject, newest first, at most 100: of the newest 1,000 of the log.
 *
 * @internal
 */
export async function listRuns(log: RunLog, subject: string | undefined, standing: (runId: string, run: LoggedRun) => Standing): Promise<readonly ListedRun[]> {
  const runIds = await firstValueFrom(log.list?.() ?? log.unfinished());
  const found: ListedRun[] = [];
  for (const runId of runIds.slice(0, LOOKS)) {
    if (found.length === MOST) break;
    const run = await firstValueFrom(log.load(runId), { defaultValue: undefined });
    if (run === undefined || run.about.subject !== subject) continue;
    const { prompt } = (run.about.body ?? {}) as { readonly prompt?: unknown };
    found.push({
      runId,
      ...(run.about.threadId !== undefined && { threadId: run.about.threadId }),
      ...(typeof prompt === 'string' && { prompt: prompt.slice(0, PROMPT) }),
      status: standing(runId, run),
      position: run.position,
    });
  }
  return found;
}
