import { describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import { checkedTools, specsOf } from '../../lib/loop/tool-set.ts';
import { fakeTool } from '../../marbles/index.ts';

const [add, mul] = [fakeTool(of(1)), fakeTool(of(1), { name: 'mul' })];

describe('checkedTools', () => {
  it('is the tools by their names, in their order', () => {
    expect([...checkedTools([mul, add])]).toEqual([['mul', mul], ['add', add]]);
    expect(checkedTools([]).size).toBe(0);
  });

  it.each([
    ['no list', { add }, 'toolLoop: tools is no array; give tools made by defineTool().'],
    ['what is no tool', [add, { name: 'x' }], 'toolLoop: tools[1] is no tool; make it with defineTool().'],
    ['nothing in its list', [undefined], 'toolLoop: tools[0] is no tool; make it with defineTool().'],
    ['two of one name', [add, mul, add], 'toolLoop: tools[2] has the name "add", which another tool has; rename one.'],
  ])('refuses %s', (_name, tools, message) => {
    expect(() => checkedTools(tools as never)).toThrow(message);
  });
});

describe('specsOf', () => {
  it('is what a model is told', () => {
    expect(specsOf(checkedTools([add]))).toEqual([{ name: 'add', description: add.description, parameters: add.parameters }]);
  });
});
