import type { RemoteRunInfo } from '../remote.ts';

/**
 * Shows the runs of the server in a list of buttons, each with its run as `data-run`. What did not change is left alone, so
 * that the focus stays where it is.
 *
 * @param chosen - the run that is shown
 * @internal
 */
export function showRuns(list: HTMLUListElement, runs: readonly RemoteRunInfo[], chosen: string | undefined): void {
  const known = new Map([...list.children].map((item) => [item.querySelector('button')?.dataset['run'], item]));
  for (const [index, run] of runs.entries()) {
    const item = known.get(run.runId) ?? itemOf(list.ownerDocument, run);
    known.delete(run.runId);
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
    const about = item.querySelector('.about');
    const words = `${run.status}, ${run.position} ${run.position === 1 ? 'event' : 'events'}`;
    if (about !== null && about.textContent !== words) about.textContent = words;
  }
  for (const item of known.values()) item.remove();
  markRun(list, chosen);
}

/** Marks the run that is shown, and no other. */
export function markRun(list: HTMLUListElement, chosen: string | undefined): void {
  for (const button of list.querySelectorAll('button')) {
    if (button.dataset['run'] === chosen) button.setAttribute('aria-current', 'true');
    else button.removeAttribute('aria-current');
  }
}

function itemOf(page: Document, run: RemoteRunInfo): Element {
  const [item, button, prompt, about] = ['li', 'button', 'span', 'span'].map((name) => page.createElement(name)) as [HTMLElement, HTMLButtonElement, HTMLElement, HTMLElement];
  button.dataset['run'] = run.runId;
  button.title = run.runId;
  prompt.className = 'prompt';
  prompt.textContent = run.prompt ?? run.runId;
  about.className = 'about';
  button.append(prompt, about);
  item.append(button);
  return item;
}
