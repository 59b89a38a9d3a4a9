import type { ApplicationConfig } from '@angular/core';
import { ErrorHandler, provideZonelessChangeDetection } from '@angular/core';
import { provideRouter, withComponentInputBinding } from '@angular/router';
import type { Route } from '@angular/router';
import { provideRemoteLoop } from 'rx-tool-loop/angular';
import { Chat } from './chat';
import { Connection } from './connection';
import { Faults } from './faults';
import { Kept, KEPT } from './kept';

/** A conversation with the runs of one server; what it keeps for a reload is its own. */
function chatWith(name: 'embedded' | 'demo'): Route {
  const kept = new Kept(`chat.${name}`);
  const connection = new Connection();
  return {
    path: name,
    component: Chat,
    data: { model: name },
    providers: [
      { provide: KEPT, useValue: kept },
      { provide: Connection, useValue: connection },
      provideRemoteLoop({
        url: `/runs/${name}`,
        onConnection: (now) => connection.state.set(now),
        // The id is known before the server knows it: a reload at any moment finds the run.
        body: (messages, prompt) => ({ messages: [...messages, prompt], runId: kept.begin(messages, prompt) }),
      }),
    ],
  };
}

export const appConfig: ApplicationConfig = {
  providers: [
    provideZonelessChangeDetection(),
    { provide: ErrorHandler, useExisting: Faults },
    provideRouter([chatWith('embedded'), chatWith('demo'), { path: '**', redirectTo: 'embedded' }], withComponentInputBinding()),
  ],
};
