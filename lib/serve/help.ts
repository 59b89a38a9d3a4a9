/**
 * What `--help` says.
 *
 * @internal
 */
export const help = `Usage: rx-tool-loop run "<prompt>" [options]
       rx-tool-loop serve [options]
       rx-tool-loop replay <tape> [options]

run     runs a language model with tools and shows the run while it happens
serve   starts such runs for whoever asks over HTTP, and lets many watch them; its page at / draws
        them as marble diagrams
replay  shows a run again from its tape, a file or - for stdin

Options
  -m, --model <model>   embedded (default; offline, rule-based)
                        demo, scripted: a word of the prompt chooses what it shows
                        openai:<id>, anthropic:<id>
                        <base-url>#<id>, a server that speaks OpenAI's chat completions, such as
                        http://127.0.0.1:11434/v1#qwen3
                        anthropic+<base-url>#<id>, one that speaks Anthropic's messages
  -t, --tools <tools>   comma-separated: calculator, clock, the path of an ES module whose exports
                        are tools, or none. Default: calculator,clock with embedded and demo,
                        none with another
  -r, --root <folder>   add list_files, read_file and search_files, which read below it alone
      --mcp <command>   add the tools of an MCP server that this command line starts; repeatable
      --max-steps <n>   model calls at most; default 10
      --system <text>   system prompt
      --json            run, replay: write a tape: a header line, then a JSON line for each event
      --marbles         run, replay: draw the run as a marble line
      --svg [file]      replay: draw the run as an image, to stdout where no file is named
      --speed <n>       replay: 1 as fast as it was, 2 twice as fast; default: without waits
  -p, --port <n>        serve: the port; default 0, any that is free
      --host <host>     serve: default 127.0.0.1; another one needs RX_TOOL_LOOP_TOKEN
      --log <log>       serve: memory (default), or a folder in which runs outlive the process
      --cors <origins>  serve: origins of pages that may ask, comma-separated
  -h, --help            this text
  -v, --version         the version

Environment
  OPENAI_API_KEY, ANTHROPIC_API_KEY
                        the keys for openai:<id> and anthropic:<id>
  RX_TOOL_LOOP_API_KEY  the key for <base-url>; where it is not set, that of the wire is taken
  RX_TOOL_LOOP_TOKEN    serve: who asks must send it, as authorization: Bearer <token>
  NO_COLOR              no colours

Exit codes
  run    0 answer   1 the run failed   2 wrong usage   3 ended without an answer   130 cancelled
  serve  0 ended with Ctrl-C   1 it cannot listen   2 wrong usage   130 ended with a second Ctrl-C
  replay 0 shown, however the run ended   2 wrong usage, or the file is no tape   130 cancelled
`;
