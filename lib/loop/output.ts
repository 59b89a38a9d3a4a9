import { defaultIfEmpty, map, take } from 'rxjs';
import type { Observable } from 'rxjs';
import { answer, isAwaited } from '../answer.ts';
import type { Step } from '../fold/step.ts';
import { toJson } from '../invoke/to-json.ts';
import { issuesText, pathText } from '../invoke/validate.ts';
import type { Model, ModelRequest } from '../model.ts';
import type { Answer, Tool, ToolInput, Validation } from '../tool.ts';
import type { OutputSettings } from './options.ts';
import { saidText } from './said-text.ts';

/** What a step came to as the output that was asked for. */
export type OutputVerdict =
  | { readonly ok: true; readonly json: unknown; readonly text: string }
  /** `callId` is that of the call of the output tool, `text` what it says. */
  | { readonly ok: false; readonly path: string; readonly reason: string; readonly text: string; readonly callId?: string };

type Mode = Exclude<OutputSettings['mode'], 'auto'>;

/** How this model is asked for the output. */
export function outputMode({ mode }: OutputSettings, { capabilities }: Model): Mode {
  if (mode !== 'auto') return mode;
  if (capabilities.includes('json-schema')) return 'native';
  return capabilities.includes('tools') ? 'tool' : 'prompt';
}

/** What a request tells its model of the output. */
export function withOutput({ tools, system }: Pick<ModelRequest, 'tools' | 'system'>, output: OutputSettings, model: Model): Pick<ModelRequest, 'tools' | 'system' | 'output'> {
  const { name, parameters } = output;
  switch (outputMode(output, model)) {
    case 'native':
      return { tools, system, output: { name, schema: parameters } };
    case 'tool': {
      const tool = { name, description: 'Gives the final answer. Call it once, when the answer is ready, and alone.', parameters };
      return { tools: [...tools, tool], system };
    }
    case 'prompt': {
      const told = `Give the final answer as one JSON object, without any other text, that fits this JSON Schema:\n${JSON.stringify(parameters)}`;
      return { tools, system: system === undefined ? told : `${system}\n\n${told}` };
    }
  }
}

/**
 * Whether a step is the output: a call of the output tool, or a text of JSON. A step that calls real tools alone, or was
 * cut, is neither.
 *
 * @param checker - the output as a tool, able to check
 * @returns a plain value, unless the schema answers later; undefined for a step that does not answer
 */
export function checkOutput(checker: Tool, step: Step): OutputVerdict | undefined | Observable<OutputVerdict> {
  const { finish, calls, parts } = step;
  if (finish === undefined || !['stop', 'other', 'tool-use'].includes(finish.reason)) return undefined;
  const call = calls.find(({ name }) => name === checker.name);
  if (call !== undefined) {
    // Empty arguments are those of a call without any.
    const value = call.arguments === undefined || call.arguments === '' ? {} : call.arguments;
    return judged(checker.input, value, JSON.stringify(value), call.id);
  }
  if (calls.length > 0) return undefined;
  const text = saidText(parts);
  const value = jsonIn(text);
  if (value === undefined) return { ok: false, path: '', reason: 'the answer is not JSON.', text };
  return judged(checker.input, value.json, text);
}

function judged({ '~standard': { validate } }: ToolInput, value: unknown, text: string, callId?: string): OutputVerdict | Observable<OutputVerdict> {
  const at = { text, ...(callId !== undefined && { callId }) };
  const say = (said: Validation<unknown>): OutputVerdict => {
    if (said.issues !== undefined) return { ok: false, path: pathText(said.issues[0]?.path ?? []), reason: `${issuesText(said.issues)}.`, ...at };
    const json = toJson(said.value);
    return json.ok ? { ok: true, json: json.value, text } : { ok: false, path: '', reason: json.reason, ...at };
  };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { ok: false, path: '', reason: 'expected a JSON object.', ...at };
  const said = validate(value) as Answer<Validation<unknown>>;
  return isAwaited(said) ? answer(said).pipe(take(1), defaultIfEmpty<Validation<unknown>, Validation<unknown>>({ value }), map(say)) : say(said);
}

/** The whole text, or the one fenced block in it. */
function jsonIn(text: string): { readonly json: unknown } | undefined {
  const fenced = /^[^`]*```(?:json)?\s*\n([\s\S]*?)\n?```[^`]*$/.exec(text)?.[1];
  for (const one of [text, fenced]) {
    if (one === undefined) continue;
    try {
      return { json: JSON.parse(one) as unknown };
    } catch {
      // the next one
    }
  }
  return undefined;
}
