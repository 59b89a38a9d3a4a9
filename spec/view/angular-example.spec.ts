import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Injector, runInInjectionContext } from '@angular/core';
import type { InjectionToken } from '@angular/core';
import { stop } from 'esbuild';
import type { Observable, Subject } from 'rxjs';
import { ModelError } from '../../lib/index.ts';
import type { Model } from '../../lib/index.ts';
import { read } from '../guards/support/project.ts';
import { loopMarbles } from '../support/jest-marbles.ts';
import { blockOf, pageModule } from '../support/page-module.ts';

const FILE = 'docs/examples/angular-chat.ts';

interface Example {
  readonly MODEL: InjectionToken<Model>;
  readonly Chat: new () => { readonly prompt$: Subject<string>; readonly answer$: Observable<string> };
}

let example: Example;
const chatWith = (model: Model): InstanceType<Example['Chat']> => {
  const injector = Injector.create({ providers: [{ provide: example.MODEL, useValue: model }] });
  return runInInjectionContext(injector, () => new example.Chat());
};

beforeAll(async () => {
  example = await pageModule<Example>(read(FILE), 'ts', ['@angular/core', 'rxjs'], require);
});
afterAll(() => stop());

describe('the service of the README', () => {
  it.each(['README.md', 'docs/angular.md'])('is in %s as it is in the examples', (file) => {
    expect(`${blockOf(file, 'ts', 'class Chat {')}\n`).toBe(read(FILE));
  });

  it('shows the answer as it grows, and a new prompt cancels the run before it', () =>
    loopMarbles(({ turn, script, hot, expectValues, expectSubscriptions }) => {
      const prompts = '   --a----b------';
      const turn1 = turn('  -t--t--(z|)  ');
      const turn2 = turn('       -t-t-(z|)');
      const answers = '   ---t--u-t-u---';
      const chat = chatWith(script(turn1, turn2));
      hot(prompts).subscribe(chat.prompt$);

      expectValues(chat.answer$, '^------------!').toBe(answers, { t: 'hi', u: 'hihi' });
      expectSubscriptions(turn1).toBe('--^----!');
      expectSubscriptions(turn2).toBe('-------^----!');
    })());

  it('goes on after a run that failed', () =>
    loopMarbles(({ turn, script, hot, expectValues, expectSubscriptions }) => {
      const prompts = ' a---b-----';
      const turn1 = turn('-t-#       ', {}, new ModelError('model-http', 'No.'));
      const turn2 = turn('    -t-(z|)');
      const answers = '-t---t-----';
      const chat = chatWith(script(turn1, turn2));
      hot(prompts).subscribe(chat.prompt$);

      expectValues(chat.answer$, '^----------!').toBe(answers, { t: 'hi' });
      expectSubscriptions(turn1).toBe('^--!');
      expectSubscriptions(turn2).toBe('----^--!');
    })());

  it('leaves the run when its view leaves', () =>
    loopMarbles(({ turn, script, hot, expectValues, expectSubscriptions }) => {
      const turn1 = turn('-t-----(z|)');
      const chat = chatWith(script(turn1));
      hot('               a----------').subscribe(chat.prompt$);
      expectValues(chat.answer$, '^---!').toBe('-t---', { t: 'hi' });
      expectSubscriptions(turn1).toBe('^---!');
    })());
});
