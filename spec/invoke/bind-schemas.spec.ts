import { describe, expect, it } from '@jest/globals';
import { lastValueFrom } from 'rxjs';
import type { Observable } from 'rxjs';
import * as z from 'zod';
import { bindSchemas } from '../../lib/invoke/bind-schemas.ts';
import { defineTool } from '../../lib/invoke/define-tool.ts';
import type { SchemaValidator } from '../../lib/schema-validator.ts';
import type { Tool, Validation } from '../../lib/tool.ts';

const zodTool: Tool = defineTool({ name: 'typed', description: 'Is typed.', input: z.object({ a: z.number() }), run: () => 1 });
const raw = (name: string): Tool => defineTool({ name, description: 'Is raw.', input: { title: name, type: 'object' }, run: () => 1 });
const byName = (...tools: Tool[]): ReadonlyMap<string, Tool> => new Map(tools.map((tool) => [tool.name, tool]));

function now<T>(value$: Observable<T>): T {
  const values: T[] = [];
  value$.subscribe((value) => values.push(value));
  if (values.length !== 1) throw new Error(`${values.length} values at once`);
  return values[0] as T;
}

describe('bindSchemas', () => {
  it('gives tools that need no validator back as they are, and asks for none', () => {
    const tools = byName(zodTool);
    expect(now(bindSchemas(tools, undefined))).toBe(tools);
  });

  it('lets each raw schema be checked by what the validator makes of it, at once', () => {
    const asked: unknown[] = [];
    /** Its method needs its object, as a method may. */
    class Check {
      readonly issues;
      constructor(toolName: string) {
        this.issues = [{ message: `no ${toolName}` }];
      }
      validate(): Validation<unknown> {
        return { issues: this.issues };
      }
    }
    const validator: SchemaValidator = (schema, toolName) => (asked.push([schema, toolName]), new Check(toolName));
    const [one, two] = [raw('one'), raw('two')];
    const bound = now(bindSchemas(byName(one, zodTool, two), validator));
    expect([...bound.keys()]).toEqual(['one', 'typed', 'two']);
    expect(asked).toEqual([[one.parameters, 'one'], [two.parameters, 'two']]);
    expect(bound.get('typed')).toBe(zodTool);
    expect(bound.get('two')?.input['~standard'].validate({})).toEqual({ issues: [{ message: 'no two' }] });
    expect(bound.get('two')).toMatchObject({ name: 'two', description: 'Is raw.', parameters: two.parameters, run: two.run });
    expect(() => two.input['~standard'].validate({})).toThrow('checked in a run');
  });

  it('passes on what the validator throws', () => {
    const broken = new Error('broken');
    const errors: unknown[] = [];
    const validator: SchemaValidator = () => {
      throw broken;
    };
    bindSchemas(byName(raw('one')), validator).subscribe({ error: (error) => errors.push(error) });
    expect(errors).toEqual([broken]);
  });

  it('loads the default validator where none is given, later', async () => {
    const seen: ReadonlyMap<string, Tool>[] = [];
    const bound$ = bindSchemas(byName(raw('one')), undefined);
    bound$.subscribe((bound) => seen.push(bound));
    expect(seen).toEqual([]);
    const bound = await lastValueFrom(bound$);
    expect(bound.get('one')?.input['~standard'].validate([])).toEqual({ issues: [{ message: 'must be of type object', path: [] }] });
  });
});
