import type { Tone } from './glyph.ts';

/** Of one theme: what is written and drawn on what. */
export interface Palette {
  readonly paper: string;
  readonly ink: string;
  /** Small words. */
  readonly faint: string;
  /** Lines of lanes. */
  readonly line: string;
  /** Behind an attempt. */
  readonly band: string;
  readonly tones: Readonly<Record<Tone, { readonly fill: string; readonly edge: string }>>;
}

/** Colours of drawings. Words on paper and on every fill have a contrast of 4.5 or more. */
export const palette: { readonly light: Palette; readonly dark: Palette } = {
  light: {
    paper: '#ffffff',
    ink: '#1c2128',
    faint: '#545d68',
    line: '#8b949e',
    band: '#eef1f5',
    tones: {
      said: { fill: '#d7ebff', edge: '#0b62c4' },
      thought: { fill: '#ecdfff', edge: '#7a3fc4' },
      call: { fill: '#fbedb7', edge: '#8a6100' },
      end: { fill: '#e1e5ea', edge: '#545d68' },
      trouble: { fill: '#ffdfc4', edge: '#b04a00' },
      asked: { fill: '#ffdcee', edge: '#b23482' },
      ok: { fill: '#cdf3d5', edge: '#1a7435' },
      error: { fill: '#ffd8d5', edge: '#c4232e' },
      host: { fill: '#cdf0ef', edge: '#17727a' },
      frame: { fill: '#c4cbd3', edge: '#6a737d' },
    },
  },
  dark: {
    paper: '#12161c',
    ink: '#e8edf3',
    faint: '#a3adb8',
    line: '#5e6873',
    band: '#1f262f',
    tones: {
      said: { fill: '#123a6b', edge: '#66aefc' },
      thought: { fill: '#3f2a66', edge: '#b692f6' },
      call: { fill: '#4a3a0a', edge: '#dcae37' },
      end: { fill: '#343c46', edge: '#a3adb8' },
      trouble: { fill: '#5a2e0e', edge: '#f0924b' },
      asked: { fill: '#57224a', edge: '#ee86c4' },
      ok: { fill: '#124a26', edge: '#52c271' },
      error: { fill: '#62191f', edge: '#fb7b78' },
      host: { fill: '#0f4449', edge: '#4cc3cc' },
      frame: { fill: '#454e59', edge: '#8b949e' },
    },
  },
};
