import { ChangeDetectionStrategy, Component } from '@angular/core';
import { RouterLink, RouterLinkActive, RouterOutlet } from '@angular/router';
import { ThemeToggle } from './theme-toggle';

@Component({
  selector: 'app-root',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [RouterOutlet, RouterLink, RouterLinkActive, ThemeToggle],
  template: `
    <header class="bar">
      <h1>Chat <span class="muted wide">with rx-tool-loop</span></h1>
      <nav aria-label="Model">
        <a routerLink="/embedded" routerLinkActive="here" ariaCurrentWhenActive="page">Embedded model</a>
        <a routerLink="/demo" routerLinkActive="here" ariaCurrentWhenActive="page">Scripted demo</a>
      </nav>
      <app-theme-toggle />
    </header>
    <router-outlet />
  `,
})
export class App {}
