import { VirtualTimeScheduler } from 'rxjs';
import { openRequests, resumeToolLoop, toolLoop } from '../../lib/index.ts';
import type { ApprovalRequest, Checkpoint } from '../../lib/index.ts';
import { play } from '../support/play.ts';
import type { Played } from '../support/play.ts';
import type { ResumeScenario } from './resume-scenario.ts';
import { kept, keyOf, optionsOf, replyTo } from './resume-world.ts';
import type { World } from './resume-world.ts';

/** A world in which nothing has happened. */
export const newWorld = (scenario: ResumeScenario, unanswered: World['unanswered']): World => ({
  scenario, scheduler: new VirtualTimeScheduler(), bodies: [], exchanges: 0, waiting: new Map(), ids: 0, unanswered,
});

/** Which of the open requests are answered in a round: one, or all of them. */
function chosen(open: readonly ApprovalRequest[], { order }: ResumeScenario, round: number, all: boolean): readonly ApprovalRequest[] {
  const sorted = [...open].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return all ? sorted : [sorted[(order[round % order.length] as number) % sorted.length] as ApprovalRequest];
}

/** The run that nobody interrupts: whenever it can only wait, somebody answers. */
export function inFlight(scenario: ResumeScenario, all: boolean): { readonly world: World; readonly played: Played } {
  const world = newWorld(scenario, 'waits');
  const played = play(toolLoop({ ...optionsOf(world), prompt: 'go', runId: 'run' }));
  for (let round = 0; ; round++) {
    world.scheduler.flush();
    if (played.ending !== 'none' || world.waiting.size === 0) return { world, played };
    const open = [...world.waiting.values()].map(({ request }) => request);
    for (const request of chosen(open, scenario, round, all)) {
      // An answer before it may have made it needless.
      world.waiting.get(keyOf(request))?.subscriber.next(replyTo(scenario, request).answer);
    }
  }
}

/** The same run, suspended whenever it can only wait, and gone on with from what JSON has kept. */
export function suspended(scenario: ResumeScenario, all: boolean): { readonly world: World; readonly pieces: Played[] } {
  const world = newWorld(scenario, 'suspends');
  const pieces: Played[] = [];
  let run$ = toolLoop({ ...optionsOf(world), prompt: 'go', runId: 'run' });
  for (let round = 0; round < 100; round++) {
    const played = play(run$);
    world.scheduler.flush();
    pieces.push(played);
    const last = played.events.at(-1);
    if (last?.type !== 'done' || last.outcome.reason !== 'suspended') break;
    const checkpoint = kept(last.outcome.checkpoint as Checkpoint);
    const answers = Object.fromEntries(chosen(openRequests(checkpoint), scenario, round, all).map((request) => [request.id, replyTo(scenario, request).answer]));
    run$ = resumeToolLoop(checkpoint, answers, optionsOf(world));
  }
  return { world, pieces };
}
