/**
 * What `--help` says.
 *
 * @internal
 */
export const help = `Usage: rx-tool-loop run "<prompt>" [options]

Runs a language model with tools and shows the run while it happens.

Options
  -m, --model <model>   embedded (default; offline, rule-based)
                        openai:<id>, anthropic:<id>
                        <base-url>#<id>, a server that speaks OpenAI's chat completions, such as
                        http://127.0.0.1:11434/v1#qwen3
                        anthropic+<base-url>#<id>, one that speaks Anthropic's messages
  -t, --tools <tools>   comma-separated: calculator, clock, the path of an ES module whose exports
                        are tools, or none. Default: calculator,clock with the embedded model,
                        none with another
  -r, --root <folder>   add list_files, read_file and search_files, which read below it alone
      --mcp <command>   add the tools of an MCP server that this command line starts; repeatable
      --max-steps <n>   model calls at most; default 10
      --system <text>   system prompt
      --json            write a tape: a header line, then a JSON line for each event
      --marbles         draw the run as a marble line
  -h, --help            this text
  -v, --version         the version

Environment
  OPENAI_API_KEY, ANTHROPIC_API_KEY
                        the keys for openai:<id> and anthropic:<id>
  RX_TOOL_LOOP_API_KEY  the key for <base-url>; where it is not set, that of the wire is taken
  NO_COLOR              no colours

Exit codes
  0 answer   1 the run failed   2 wrong usage   3 ended without an answer   130 cancelled
`;
