import { animationFrameScheduler, asyncScheduler, auditTime, catchError, defer, EMPTY, exhaustMap, filter, from, fromEvent, map, merge, mergeMap, Observable, of, retry, startWith, switchMap, tap, timer } from 'rxjs';
import type { Subscription } from 'rxjs';
import { readTape, toMarbleSvg } from '../../../marbles/index.ts';
import type { Tape } from '../../../marbles/index.ts';
import { isLoopError } from '../../index.ts';
import { remoteRuns } from '../remote.ts';
import type { RemotePlace } from '../remote.ts';
import { download } from './download.ts';
import { elementsOf } from './elements.ts';
import { feed } from './feed.ts';
import type { Wanted } from './feed.ts';
import { Film } from './film.ts';
import { gestures } from './gestures.ts';
import { isoTime } from './iso-time.ts';
import { markRun, showRuns } from './run-list.ts';
import { Stage } from './stage.ts';
import { tapeText } from './tape-text.ts';

/** Between two looks at the list of runs. */
const LIST_MS = 3_000;

/**
 * The program of the inspector's page. It asks its own server alone; the token is kept in a variable and nowhere else.
 *
 * Contract:
 * - starts: at the call.
 * - leaves: `unsubscribe()` lets go of the page and of the server.
 *
 * @internal
 */
export function inspector(page: Document): Subscription {
  const view = page.defaultView as Window;
  const element = elementsOf(page);
  const scheduler = asyncScheduler;
  const film = new Film();
  const dark = view.matchMedia('(prefers-color-scheme: dark)');
  const stage = new Stage(element, film, () => dark.matches);
  let token = '';
  let runId: string | undefined;
  let trouble = '';
  const place: RemotePlace = { url: '/runs', headers: (): Readonly<Record<string, string>> => (token === '' ? {} : { authorization: `Bearer ${token}` }) };

  const fail = (error: unknown): void => {
    trouble = isLoopError(error) ? error.message : String(error);
    if (isLoopError(error) && error.code === 'unauthorized') element('access').open = true;
  };
  const begin = (tape?: Tape): void => {
    trouble = '';
    film.reset(isoTime(scheduler.now()), tape);
    stage.reset();
  };
  const click = (id: Parameters<typeof element>[0], act: () => void): Observable<unknown> => fromEvent(element(id), 'click').pipe(tap(act));

  /** The run of the address, and one that is asked for by its prompt. */
  const named$ = fromEvent(view, 'hashchange').pipe(
    startWith(undefined),
    map(() => runIn(view.location.hash)),
    filter((id) => id !== '' && id !== runId),
    map((id): Wanted => ({ runId: id })),
  );
  const picked$ = fromEvent<MouseEvent>(element('runs'), 'click').pipe(
    map(({ target }) => (target as Element).closest<HTMLElement>('[data-run]')?.dataset['run']),
    // That of the address may have been lost, or another one was asked for since.
    filter((id) => id !== undefined && (id !== runId || trouble !== '')),
    map((id = ''): Wanted => ({ runId: id })),
    tap((wanted) => 'runId' in wanted && view.history.pushState(null, '', `#${encodeURIComponent(wanted.runId)}`)),
  );
  const asked$ = fromEvent<Event>(element('start'), 'submit').pipe(
    tap((event) => event.preventDefault()),
    map((): Wanted => ({ prompt: element('prompt').value.trim() })),
    filter((wanted) => 'prompt' in wanted && wanted.prompt !== ''),
  );
  const opened$ = tapes(page, element('file'), element('stage'));
  const token$ = fromEvent<Event>(element('token-form'), 'submit').pipe(
    tap((event) => {
      event.preventDefault();
      token = element('token').value.trim();
      element('access').open = false;
    }),
  );

  const watched = (wanted: Wanted): Observable<unknown> => {
    begin();
    runId = 'runId' in wanted ? wanted.runId : undefined;
    return feed(wanted, place).pipe(
      tap((line) => {
        film.push(line);
        if (runId !== undefined || !('event' in line)) return;
        runId = line.event.runId;
        view.history.replaceState(null, '', `#${encodeURIComponent(runId)}`);
      }),
      catchError((error: unknown) => {
        fail(error);
        const again$ = token$.pipe(tap(() => (trouble = '')), filter(() => isRefused(error)), switchMap(() => watched(wanted)));
        return again$.pipe(startWith(undefined));
      }),
      // The page says at once that the run before is gone from it.
      startWith(undefined),
    );
  };
  const loaded = (text$: Observable<string>): Observable<unknown> =>
    text$.pipe(
      tap((text) => {
        const tape = readTape(text);
        runId = undefined;
        view.history.replaceState(null, '', view.location.pathname);
        begin(tape);
      }),
      catchError((error: unknown) => {
        fail(error);
        return of(undefined);
      }),
    );
  const film$ = merge(merge(named$, picked$, asked$).pipe(map((wanted) => () => watched(wanted))), opened$.pipe(map((text$) => () => loaded(text$)))).pipe(
    switchMap((run) => run()),
  );

  const listed$ = merge(of(undefined), token$).pipe(
    switchMap(() => timer(0, LIST_MS)),
    filter(() => page.visibilityState === 'visible'),
    exhaustMap(() =>
      remoteRuns(place).pipe(
        tap((runs) => {
          showRuns(element('runs'), runs, runId);
          note(runs.length === 0 ? 'There is no run yet.' : '', false);
        }),
        catchError((error: unknown) => {
          note(isRefused(error) ? 'This server wants a token.' : 'The list of runs cannot be read.', true);
          if (isRefused(error)) element('access').open = true;
          return EMPTY;
        }),
      ),
    ),
  );
  const note = (text: string, isError: boolean): void => {
    element('runs-note').textContent = text;
    element('runs-note').className = isError ? 'error' : '';
  };

  const acts$ = merge(
    click('rewind', () => {
      film.toStart();
      stage.reset();
    }),
    click('hold', () => film.toggle()),
    click('step', () => stage.step()),
    ...(['closer', 'farther', 'fit'] as const).map((way) => click(way, () => stage.zoom(way))),
    ...(['first', 'previous', 'next', 'last'] as const).map((way) => click(way, () => stage.walk(way))),
    click('save', () => download(page, 'run.jsonl', 'application/jsonl', tapeText(film.tape))),
    click('svg', () => download(page, 'run.svg', 'image/svg+xml', toMarbleSvg(film.tape))),
    fromEvent(element('scale'), 'change').pipe(
      tap(() => {
        stage.viewport.axis = element('scale').checked ? 'time' : 'even';
        stage.viewport.showAll(film.chart.end);
      }),
    ),
    gestures(element('stage')).pipe(tap((gesture) => stage.gesture(gesture))),
    fromEvent<KeyboardEvent>(element('stage'), 'keydown').pipe(tap((event) => stage.key(event) && event.preventDefault())),
    resized(element('stage')),
    fromEvent(dark, 'change'),
  );

  const show = (): void => {
    stage.draw();
    const { shown, length, isHeld } = film;
    element('empty').hidden = length > 0;
    element('hold').textContent = isHeld ? 'Resume' : 'Pause';
    for (const id of ['save', 'svg', 'rewind', 'hold', 'step'] as const) element(id).disabled = length === 0;
    const standing = film.isOver ? `ended: ${film.chart.ending ?? '…'}` : runId === undefined ? 'left' : 'live';
    element('state').textContent = trouble !== '' ? trouble : length === 0 ? '' : `${shown === length ? '' : `${shown} of `}${length} events, ${isHeld ? 'paused' : standing}`;
    element('state').className = trouble === '' ? '' : 'error';
    markRun(element('runs'), runId);
  };
  return merge(acts$, film$, listed$, of(undefined))
    .pipe(
      // Something in the page's own program has failed: it says so, and goes on.
      tap({ error: fail }),
      retry({ delay: () => timer(0) }),
      auditTime(0, animationFrameScheduler),
      tap(show),
    )
    .subscribe();
}

/** The run of an address; none where its escapes are broken. */
function runIn(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return '';
  }
}

function isRefused(error: unknown): boolean {
  return isLoopError(error) && error.code === 'unauthorized';
}

/** Texts of the files that are chosen or dropped. */
function tapes(page: Document, input: HTMLInputElement, stage: HTMLElement): Observable<Observable<string>> {
  const dragged$ = merge(fromEvent<DragEvent>(page, 'dragover'), fromEvent<DragEvent>(page, 'dragleave'), fromEvent<DragEvent>(page, 'drop')).pipe(
    tap((event) => {
      event.preventDefault();
      stage.classList.toggle('dropping', event.type === 'dragover');
    }),
  );
  const dropped$ = dragged$.pipe(map(({ type, dataTransfer }) => (type === 'drop' ? dataTransfer?.files[0] : undefined)));
  const chosen$ = fromEvent(input, 'change').pipe(
    map(() => input.files?.[0]),
    // So that the same file can be chosen again.
    tap(() => (input.value = '')),
  );
  return merge(dropped$, chosen$).pipe(mergeMap((file) => (file === undefined ? EMPTY : of(defer(() => from(file.text()))))));
}

function resized(element: Element): Observable<unknown> {
  return new Observable((subscriber) => {
    const observer = new ResizeObserver(() => subscriber.next(undefined));
    observer.observe(element);
    return () => observer.disconnect();
  });
}
