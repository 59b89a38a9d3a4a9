import { inject, Injectable, InjectionToken } from '@angular/core';
import { scan, Subject, switchMap } from 'rxjs';
import { errorAsDone, toolLoop, toText } from 'rx-tool-loop';
import type { Model } from 'rx-tool-loop';
import { embedded } from 'rx-tool-loop/embedded';

export const MODEL = new InjectionToken<Model>('model', { factory: () => embedded() });

@Injectable({ providedIn: 'root' })
export class Chat {
  private readonly model = inject(MODEL);
  readonly prompt$ = new Subject<string>();
  readonly answer$ = this.prompt$.pipe(switchMap((prompt) => this.ask(prompt)));
  private ask(prompt: string) {
    return toolLoop({ model: this.model, prompt }).pipe(errorAsDone(), toText(), scan((all, text) => all + text, ''));
  }
}
