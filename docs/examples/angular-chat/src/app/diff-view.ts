import { ChangeDetectionStrategy, Component, computed, input } from '@angular/core';

@Component({
  selector: 'app-diff-view',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <figure class="diff">
      <figcaption class="mono">{{ path() }}</figcaption>
      <pre tabindex="0" role="group" aria-label="What changed">@for (line of lines(); track $index) {<span [class]="line.kind"><span aria-hidden="true">{{ line.sign }} </span><span class="unseen">{{ line.name }}</span>{{ line.text }}
</span>}</pre>
    </figure>
  `,
})
export class DiffView {
  readonly path = input.required<string>();
  readonly before = input.required<string>();
  readonly after = input.required<string>();
  protected readonly lines = computed(() => {
    const [before, after] = [linesOf(this.before()), linesOf(this.after())];
    let [start, end] = [0, 0];
    while (start < Math.min(before.length, after.length) && before[start] === after[start]) start += 1;
    while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
    // What is the same at both ends stays; what lies between is taken out and put in as a whole.
    return [
      ...before.slice(Math.max(0, start - 2), start).map((text) => ({ kind: 'same', sign: ' ', name: '', text })),
      ...before.slice(start, before.length - end).map((text) => ({ kind: 'taken', sign: '−', name: 'removed: ', text })),
      ...after.slice(start, after.length - end).map((text) => ({ kind: 'put', sign: '+', name: 'added: ', text })),
      ...after.slice(after.length - end).slice(0, 2).map((text) => ({ kind: 'same', sign: ' ', name: '', text })),
    ];
  });
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
