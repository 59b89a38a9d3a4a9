import { bootstrapApplication } from '@angular/platform-browser';
import { App } from './app/app';
import { appConfig } from './app/app.config';

bootstrapApplication(App, appConfig).then(
  (app) => {
    // A page that the browser keeps for the way back is not gone yet.
    addEventListener('pagehide', ({ persisted }) => void (!persisted && app.destroy()), { once: true });
  },
  (error: unknown) => console.error(error),
);
