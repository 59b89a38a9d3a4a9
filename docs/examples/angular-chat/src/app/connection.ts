import { signal } from '@angular/core';

/** Whether the server of the run that is watched can be reached, as `remoteLoop` tells it. */
export class Connection {
  readonly state = signal<'open' | 'lost'>('open');
}
