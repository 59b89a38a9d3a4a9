import { parseArgs } from 'node:util';
import { ConfigError } from '../index.ts';
import { modelChoice } from './model-choice.ts';
import type { ModelChoice } from './model-choice.ts';

/** What the command line asks for. */
export type Wish =
  | { readonly wish: 'help' }
  | { readonly wish: 'version' }
  | { readonly wish: 'run'; readonly options: RunOptions }
  | { readonly wish: 'serve'; readonly options: ServeOptions }
  | { readonly wish: 'replay'; readonly options: ReplayOptions };

/** What runs are made of. */
export interface LoopChoice {
  /** As it was written. */
  readonly model: string;
  readonly choice: ModelChoice;
  /** Names of built-in tools and paths of modules. */
  readonly tools: readonly string[];
  /** The folder that the file tools read; without it there are none. */
  readonly root?: string;
  /** Command lines of MCP servers. */
  readonly mcp: readonly string[];
  readonly maxSteps?: number;
  readonly system?: string;
}

export interface RunOptions extends LoopChoice {
  readonly prompt: string;
  readonly view: 'live' | 'json' | 'marbles';
}

export interface ReplayOptions {
  /** A path, or `-` for stdin. */
  readonly tape: string;
  readonly view: 'live' | 'json' | 'marbles' | 'svg';
  /** Where the drawing goes: a path, or `-` for stdout. */
  readonly svg: string;
  /** 1 is as it was, Infinity without waits. */
  readonly speed: number;
}

export interface ServeOptions extends LoopChoice {
  /** 0: any that is free. */
  readonly port: number;
  readonly host: string;
  /** `memory`, or a folder. */
  readonly log: string;
  readonly cors: readonly string[];
}

/**
 * Reads the words after `rx-tool-loop`.
 *
 * @throws ConfigError of one line: what is wrong, and what would be right.
 * @internal
 */
export function runOptions(words: readonly string[]): Wish {
  const { values, positionals } = parse(words);
  if (values.help === true) return { wish: 'help' };
  if (values.version === true) return { wish: 'version' };
  const [command, ...prompts] = positionals;
  if (command === undefined) throw wrong(`A command is missing. ${USAGE}`);
  if (!isCommand(command)) throw wrong(`There is no command ${JSON.stringify(command)}. ${USAGE}`);
  const other = Object.keys(values).find((name) => !OPTIONS_OF[command].includes(name));
  if (other !== undefined) throw wrong(`--${other} is no option of ${command}. ${USAGE}`);
  if (values.json === true && values.marbles === true) throw wrong('--json and --marbles exclude each other. Give one of them.');
  const view = values.json === true ? 'json' : values.marbles === true ? 'marbles' : 'live';
  if (command === 'replay') return { wish: 'replay', options: replayOptions(prompts, view, values.svg, values.speed) };
  const model = values.model ?? 'embedded';
  const choice: LoopChoice = {
    model,
    choice: modelChoice(model),
    tools: toolNames(values.tools, model),
    mcp: (values.mcp ?? []).map(commandLine),
    ...(values.root === undefined ? {} : { root: folder('--root', values.root) }),
    ...(values['max-steps'] === undefined ? {} : { maxSteps: count('--max-steps', values['max-steps']) }),
    ...(values.system === undefined ? {} : { system: values.system }),
  };
  if (command === 'serve') {
    if (prompts.length > 0) throw wrong(`serve takes no prompt: prompts come in requests. ${USAGE}`);
    const { port = '0', host = '127.0.0.1', log = 'memory', cors } = values;
    return { wish: 'serve', options: { ...choice, port: portNumber(port), host, log: folder('--log', log), cors: cors?.split(',').map((one) => one.trim()) ?? [] } };
  }
  const [prompt] = prompts;
  if (prompt === undefined || prompt.trim() === '') throw wrong(`The prompt is missing. ${USAGE}`);
  if (prompts.length > 1) throw wrong(`One prompt is taken, ${prompts.length} came. Put it in quotes: ${USAGE}`);
  return { wish: 'run', options: { ...choice, prompt, view } };
}

function replayOptions([tape, more]: readonly string[], view: 'live' | 'json' | 'marbles', svg: string | undefined, speed: string | undefined): ReplayOptions {
  if (tape === undefined) throw wrong('The tape is missing. Usage: rx-tool-loop replay <tape> [options]; - reads it from stdin.');
  if (more !== undefined) throw wrong(`One tape is taken, more came. ${USAGE}`);
  if (svg !== undefined && view !== 'live') throw wrong(`--svg and --${view} exclude each other. Give one of them.`);
  if (svg === '') throw wrong('--svg is empty. Give the path of a file, or - for stdout.');
  const pace = speed === undefined ? Infinity : /^\d+(\.\d+)?$/.test(speed) ? Number(speed) : 0;
  if (!(pace > 0)) throw wrong(`--speed must be a number above 0, such as 1 or 0.5; ${JSON.stringify(speed)} came.`);
  return { tape, view: svg === undefined ? view : 'svg', svg: svg ?? '-', speed: pace };
}

const USAGE = 'Usage: rx-tool-loop run "<prompt>" [options]; --help lists them.';

const OF_LOOP = ['model', 'tools', 'root', 'mcp', 'max-steps', 'system'];
const OPTIONS_OF = {
  run: [...OF_LOOP, 'json', 'marbles'],
  serve: [...OF_LOOP, 'port', 'host', 'log', 'cors'],
  replay: ['json', 'marbles', 'svg', 'speed'],
};

function isCommand(word: string): word is keyof typeof OPTIONS_OF {
  return Object.hasOwn(OPTIONS_OF, word);
}

const OPTIONS = {
  model: { type: 'string', short: 'm' },
  tools: { type: 'string', short: 't' },
  root: { type: 'string', short: 'r' },
  mcp: { type: 'string', multiple: true },
  'max-steps': { type: 'string' },
  system: { type: 'string' },
  json: { type: 'boolean' },
  marbles: { type: 'boolean' },
  svg: { type: 'string' },
  speed: { type: 'string' },
  port: { type: 'string', short: 'p' },
  host: { type: 'string' },
  log: { type: 'string' },
  cors: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

function parse(words: readonly string[]) {
  try {
    // The value of --svg may be left out where no other word follows that could be one.
    const args = words.map((word, at) => (word === '--svg' && /^(-.+)?$/.test(words[at + 1] ?? '') ? '--svg=-' : word));
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    // Node's own words, on one line: they name the option and say how to write its value.
    const text = error instanceof Error ? error.message : String(error);
    const [first = text] = text.split('. To specify a positional');
    throw wrong(`${first.trim().replace(/\s+/g, ' ').replace(/[.]$/, '')}. ${USAGE}`);
  }
}

function toolNames(given: string | undefined, model: string): readonly string[] {
  // These models are for trying things out, so they get something to try; a real one gets what it is given.
  if (given === undefined) return model === 'embedded' || model === 'demo' ? ['calculator', 'clock'] : [];
  if (given === 'none') return [];
  const names = given.split(',').map((name) => name.trim());
  if (names.includes('')) throw wrong(`--tools ${JSON.stringify(given)} has an empty name. Write calculator,clock or the path of a module, or none.`);
  return names;
}

function commandLine(given: string): string {
  if (given.trim() === '') throw wrong('--mcp is empty. Give the command line of a server, such as --mcp "node server.mjs".');
  return given;
}

function folder(option: string, given: string): string {
  // An empty one is most often a variable that is not set, and would mean the current directory.
  if (given.trim() === '') throw wrong(`${option} is empty. Give the path of a folder, such as ${option} .`);
  return given;
}

function portNumber(given: string): number {
  const port = count('--port', given);
  if (port <= 65_535) return port;
  throw wrong(`--port must be at most 65535; ${JSON.stringify(given)} came.`);
}

function count(option: string, given: string): number {
  const number = /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw wrong(`${option} must be a whole number such as 10; ${JSON.stringify(given)} came.`);
}

function wrong(message: string): ConfigError {
  return new ConfigError(message);
}
