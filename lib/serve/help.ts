/**
 * What `--help` says.
 *
 * @internal
 */
export const help = `Usage: rx-tool-loop run "<prompt>" [options]

Runs a language model with tools and shows the run while it happens.

Options
  -m, --model <model>   embedded (default; offline, rule-based), or <base-url>#<id> of a server
                        that speaks OpenAI's chat completions, such as
                        https://api.openai.com/v1#gpt-5-mini
  -t, --tools <tools>   comma-separated: calculator, clock, the path of an ES module whose exports
                        are tools, or none. Default: calculator,clock with the embedded model,
                        none with another
      --max-steps <n>   model calls at most; default 10
      --system <text>   system prompt
      --json            write a tape: a header line, then a JSON line for each event
      --marbles         draw the run as a marble line
  -h, --help            this text
  -v, --version         the version

Environment
  RX_TOOL_LOOP_API_KEY  the key for <base-url>; else OPENAI_API_KEY is taken
  NO_COLOR              no colours

Exit codes
  0 answer   1 the run failed   2 wrong usage   3 ended without an answer   130 cancelled
`;
