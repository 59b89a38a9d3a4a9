/** What the page's parts are, by their ids in `page.html`. */
interface Parts {
  readonly start: HTMLFormElement;
  readonly prompt: HTMLInputElement;
  readonly access: HTMLDetailsElement;
  readonly 'token-form': HTMLFormElement;
  readonly token: HTMLInputElement;
  readonly runs: HTMLUListElement;
  readonly 'runs-note': HTMLElement;
  readonly rewind: HTMLButtonElement;
  readonly hold: HTMLButtonElement;
  readonly step: HTMLButtonElement;
  readonly farther: HTMLButtonElement;
  readonly closer: HTMLButtonElement;
  readonly fit: HTMLButtonElement;
  readonly scale: HTMLInputElement;
  readonly file: HTMLInputElement;
  readonly save: HTMLButtonElement;
  readonly svg: HTMLButtonElement;
  readonly state: HTMLElement;
  readonly stage: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly hint: HTMLElement;
  readonly empty: HTMLElement;
  readonly first: HTMLButtonElement;
  readonly previous: HTMLButtonElement;
  readonly next: HTMLButtonElement;
  readonly last: HTMLButtonElement;
  readonly about: HTMLElement;
  readonly json: HTMLElement;
}

/** Finds parts of the page. */
export type Elements = <Id extends keyof Parts>(id: Id) => Parts[Id];

/**
 * @throws Error for a part that the page does not have: page and program are of different versions
 * @internal
 */
export function elementsOf(page: Pick<Document, 'getElementById'>): Elements {
  return <Id extends keyof Parts>(id: Id) => {
    const found = page.getElementById(id);
    if (found === null) throw new Error(`The page has no part ${id}.`);
    return found as unknown as Parts[Id];
  };
}
