import { ChangeDetectionStrategy, Component, computed, input } from '@angular/core';
import DOMPurify from 'dompurify';
import { marked } from 'marked';

/** No images: a model could send what it knows to whoever serves them. */
const ALLOWED = { USE_PROFILES: { html: true }, FORBID_TAGS: ['img', 'picture', 'video', 'audio', 'form', 'input', 'button', 'style'], FORBID_ATTR: ['style', 'id', 'class'] };

/** What a model says, as HTML that is safe: cleaned here, and once more by Angular. */
@Component({
  selector: 'app-markdown',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `<div class="markdown" [innerHTML]="html()"></div>`,
})
export class Markdown {
  readonly text = input.required<string>();
  protected readonly html = computed(() => DOMPurify.sanitize(marked.parse(this.text(), { async: false, gfm: true, breaks: true }), ALLOWED));
}
