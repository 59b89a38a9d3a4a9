import { describe, expect, it, jest } from '@jest/globals';
import { ErrorHandler, inject, InjectionToken } from '@angular/core';
import { of } from 'rxjs';
import { scripted } from '../../lib/deltas/scripted.ts';
import { defineTool } from '../../lib/index.ts';
import type { Model } from '../../lib/index.ts';
import { provideToolLoop, withStrategy } from '../../lib/view/angular.ts';
import { AT_ONCE, viewOf } from '../support/angular-view.ts';
import * as z from 'zod';

const pay = defineTool({ name: 'pay', description: 'Pays.', input: z.object({}), needsApproval: true, run: () => 'paid' });
const turns = [{ calls: [{ name: 'pay' }] }, { text: 'Paid.' }];

describe('provideToolLoop', () => {
  it('takes the options of runs in the page', () => {
    const { loop } = viewOf([provideToolLoop({ model: scripted([{ text: ['Hel', 'lo'] }]), threadId: 't1' }, AT_ONCE)]);
    expect(loop.run('Hi.')).toBe(true);
    expect(loop.state()).toMatchObject({ status: 'done', threadId: 't1' });
    expect(loop.text()).toBe('Hello');
  });

  it('takes a function that makes them for each run, with what it injects', () => {
    const MODEL = new InjectionToken<Model>('model');
    let made = 0;
    const config = () => {
      made += 1;
      return { model: inject(MODEL) };
    };
    const { loop } = viewOf([{ provide: MODEL, useValue: scripted([{ text: 'one' }, { text: 'two' }]) }, provideToolLoop(config, AT_ONCE)]);
    expect(made).toBe(0);
    loop.run('a');
    loop.run('b');
    expect([made, loop.text()]).toEqual([2, 'two']);
  });

  it('leaves approvals to the view, unless the options answer them', () => {
    const asking = viewOf([provideToolLoop({ model: scripted(turns), tools: [pay] }, AT_ONCE)]).loop;
    asking.run('Pay.');
    expect([asking.status(), asking.pending().length]).toEqual(['waiting', 1]);
    const answering = viewOf([provideToolLoop({ model: scripted(turns), tools: [pay], approvals: () => of({ type: 'approve' }) }, AT_ONCE)]).loop;
    answering.run('Pay.');
    expect([answering.status(), answering.text()]).toEqual(['done', 'Paid.']);
  });

  it('shows a wrong option as the error of the run, and tells the programmer', () => {
    const handleError = jest.fn();
    const { loop } = viewOf([{ provide: ErrorHandler, useValue: { handleError } }, provideToolLoop({ model: scripted([]), preset: 'loose' as 'strict' }, AT_ONCE)]);
    loop.run('Hi.');
    expect([loop.status(), loop.error()?.code]).toEqual(['error', 'config']);
    expect(handleError.mock.calls).toEqual([[expect.objectContaining({ code: 'config' })]]);
  });
});
