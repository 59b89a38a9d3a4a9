import { ChangeDetectionStrategy, Component, DOCUMENT, effect, inject, signal } from '@angular/core';

const THEMES = ['system', 'light', 'dark'] as const;

@Component({
  selector: 'app-theme-toggle',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `<button type="button" class="quiet" (click)="next()" [attr.aria-label]="'Theme: ' + theme() + '. Change it.'">
    <span aria-hidden="true">{{ signs[theme()] }}</span>
  </button>`,
})
export class ThemeToggle {
  protected readonly signs = { system: '◐', light: '☀', dark: '☾' };
  protected readonly theme = signal(THEMES.find((one) => one === localStorage.getItem('theme')) ?? 'system');

  constructor() {
    const { documentElement } = inject(DOCUMENT);
    effect(() => {
      documentElement.dataset['theme'] = this.theme();
      localStorage.setItem('theme', this.theme());
    });
  }

  protected next(): void {
    this.theme.update((now) => THEMES[(THEMES.indexOf(now) + 1) % THEMES.length] ?? 'system');
  }
}
