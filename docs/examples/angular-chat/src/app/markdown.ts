import { ChangeDetectionStrategy, Component, computed, input } from '@angular/core';
import DOMPurify from 'dompurify';
import { Marked } from 'marked';

/** No images: a model could send what it knows to whoever serves them. */
const ALLOWED = { USE_PROFILES: { html: true }, FORBID_TAGS: ['img', 'picture', 'video', 'audio', 'form', 'input', 'button', 'style', 'dialog'], FORBID_ATTR: ['style', 'id', 'class'] };

/** A box of a list of things to do is a letter: fields are not let through. */
const markdown = new Marked({ gfm: true, breaks: true, renderer: { checkbox: ({ checked }) => (checked ? '☑ ' : '☐ ') } });

/** What a model says, as HTML that is safe: cleaned here, and once more by Angular. */
@Component({
  selector: 'app-markdown',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `<div class="markdown" [innerHTML]="html()"></div>`,
})
export class Markdown {
  readonly text = input.required<string>();
  protected readonly html = computed(() => DOMPurify.sanitize(markdown.parse(this.text(), { async: false }), ALLOWED));
}
