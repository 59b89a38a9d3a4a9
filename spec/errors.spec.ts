import { describe, expect, it } from '@jest/globals';
import {
  BudgetError,
  ConfigError,
  EmptyAnswerError,
  InvalidToolSchemaError,
  LoopError,
  ModelError,
  RunError,
  ToolError,
  UnsupportedError,
  errorInfo,
  isLoopError,
} from '../lib/errors.ts';
import type { RunRecord } from '../lib/errors.ts';

const run: RunRecord = { runId: 'r1', steps: [], usage: { inputTokens: 1 }, messages: [], completion: { text: '', toolCalls: [] } };

const all: readonly [string, string, LoopError][] = [
  ['ConfigError', 'config', new ConfigError('Two tools are named "add".')],
  ['UnsupportedError', 'unsupported', new UnsupportedError('No images.')],
  ['InvalidToolSchemaError', 'invalid-tool-schema', new InvalidToolSchemaError('add', 'no keyword.', { path: 'items', keyword: 'x' })],
  ['ModelError', 'model-http', new ModelError('model-http', 'Busy.')],
  ['BudgetError', 'budget', new BudgetError('max-steps', 1, 1)],
  ['EmptyAnswerError', 'empty-answer', new EmptyAnswerError('Cut before a word.')],
  ['ToolError', 'tool', new ToolError('timeout', 'Too slow.')],
  ['RunError', 'other', new RunError(new Error('boom'), run)],
];

describe.each(all)('%s', (name, code, error) => {
  it('is an Error with its own name and code', () => {
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(LoopError);
    expect([error.name, error.code]).toEqual([name, code]);
    expect(error.stack).toContain(error.message);
  });

  it('is known by its brand, which shows nowhere', () => {
    expect(isLoopError(error)).toBe(true);
    const shown = Object.getOwnPropertySymbols(error).filter((key) => Object.prototype.propertyIsEnumerable.call(error, key));
    expect(shown).toEqual([]);
  });

  it('is as JSON its code, its message and whether to try again, nothing more', () => {
    const info = JSON.parse(JSON.stringify(error)) as Record<string, unknown>;
    expect(Object.keys(info)).toEqual(['code', 'message', 'retryable']);
    expect(info).toMatchObject({ code, retryable: error.retryable });
  });
});

describe('errorInfo', () => {
  it('keeps what an error of this library says of itself, and nothing that another one says', () => {
    expect(errorInfo(new ConfigError('Give a prompt.'))).toEqual({ code: 'config', message: 'Give a prompt.', retryable: false });
    for (const error of [new Error('the key is 1234'), 'the key is 1234', undefined]) {
      expect(errorInfo(error)).toEqual({ code: 'other', message: 'The run failed.', retryable: false });
    }
  });
});

describe('isLoopError', () => {
  it('knows an error of another installed copy', () => {
    const foreign = Object.defineProperty(new Error('x'), Symbol.for('rx-tool-loop.error'), { value: true });
    expect(foreign).not.toBeInstanceOf(LoopError);
    expect(isLoopError(foreign)).toBe(true);
  });

  it.each([new Error('x'), { code: 'config' }, { [Symbol.for('rx-tool-loop.error')]: 1 }, null, undefined, 'config', 1, () => undefined])(
    'knows that %p is none',
    (value) => {
      expect(isLoopError(value)).toBe(false);
    },
  );
});

describe('ModelError', () => {
  it('is fatal and has no more to say unless told', () => {
    const error = new ModelError('model-stream', 'Bad frame.');
    expect('cause' in error).toBe(false);
    expect(error).toMatchObject({
      code: 'model-stream',
      retryable: false,
      status: undefined,
      retryAfterMs: undefined,
      type: undefined,
      detail: undefined,
    });
  });

  it('keeps the evidence to itself: JSON has the status, but not the body', () => {
    const cause = new Error('socket');
    const options = { status: 529, retryable: true, retryAfterMs: 1000, type: 'overloaded', detail: '{"secret":1}', cause };
    const error = new ModelError('model-http', 'Busy.', options);
    expect(error).toMatchObject(options);
    expect(error.toJSON()).toEqual({ code: 'model-http', message: 'Busy.', retryable: true, status: 529 });
  });
});

describe('BudgetError', () => {
  it('says which limit is spent and what to do', () => {
    const error = new BudgetError('max-steps', 10, 10);
    expect(error).toMatchObject({ budget: 'max-steps', limit: 10, used: 10, retryable: false });
    expect(error.message).toBe('The run needs another model call, but budget.maxSteps is 10. Raise it, or ask for less.');
    expect(new BudgetError('max-tokens', 100, 120).message).toBe(
      'The run has used 120 tokens, over budget.maxTotalTokens 100; the tools it asked for did not run.',
    );
  });
});

describe('ToolError', () => {
  it.each([
    ['timeout', true],
    ['rate-limited', true],
    ['provider', true],
    ['network', true],
    ['invalid-input', false],
    ['cancelled', false],
    ['not-found', false],
    ['permission-denied', false],
    ['refused', false],
    ['other', false],
  ] as const)('of kind %s may be worth another try: %s, unless told otherwise', (kind, retryable) => {
    expect(new ToolError(kind, 'x')).toMatchObject({ kind, retryable });
    expect(new ToolError(kind, 'x', { retryable: !retryable })).toMatchObject({ kind, retryable: !retryable });
  });

  it('keeps its cause', () => {
    const cause = new Error('ENOENT');
    expect(new ToolError('not-found', 'No such file.', { cause }).cause).toBe(cause);
  });
});

describe('RunError', () => {
  it('has the code, the text and the hope of its cause, and what the run had come to', () => {
    const cause = new ModelError('model-http', 'Busy.', { status: 529, retryable: true });
    const error = new RunError(cause, run);
    expect(error).toMatchObject({ code: 'model-http', message: 'Busy.', retryable: true });
    expect(error.cause).toBe(cause);
    expect(error.run).toBe(run);
  });

  it('speaks as its cause does where that is an error of this library', () => {
    const cause = new ModelError('model-http', 'Busy.', { status: 529, retryable: true });
    expect(new RunError(cause, run).toJSON()).toEqual(cause.toJSON());
    expect(new RunError(new RunError(cause, run), run).toJSON()).toEqual(cause.toJSON());
  });

  it.each([
    [new Error('password=hunter2'), 'password=hunter2'],
    ['password=hunter2', 'password=hunter2'],
    [{ secret: 1 }, '[object Object]'],
    [undefined, 'undefined'],
    [Symbol('s'), 'Symbol(s)'],
  ])('keeps the text of a stranger, %p, out of what is shown to users', (cause, message) => {
    const error = new RunError(cause, run);
    expect(error).toMatchObject({ code: 'other', message, retryable: false });
    expect(error.cause).toBe(cause);
    expect(JSON.parse(JSON.stringify(error))).toEqual({ code: 'other', message: 'The run failed.', retryable: false });
  });

  it('does not take a code from an error that is not of this library', () => {
    const cause = Object.assign(new Error('x'), { code: 'ECONNRESET', retryable: true });
    expect(new RunError(cause, run)).toMatchObject({ code: 'other', retryable: false });
  });
});
