// An MCP server of the official packages, older or newer:
//   node mcp-server.mjs <1|2> <stdio|http|modern> [tools|faulty|pages|pages2|cycle|endless|names] [port]
// It holds a connection to the port for as long as it lives.
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { randomUUID } from 'node:crypto';
import * as z from 'zod';

const [version = '2', wire = 'stdio', mode = 'tools', port] = process.argv.slice(2);
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** What this process has seen, whichever connection it came by. */
const log = [];

// Not to keep the process up: it ends when its input does.
if (port !== undefined) connect(Number(port), '127.0.0.1').unref();

const kit = version === '1' ? await older() : await newer();

/** The same hands for both: what a tool may do while it runs. */
async function older() {
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
  const { Server } = await import('@modelcontextprotocol/sdk/server/index.js');
  const types = await import('@modelcontextprotocol/sdk/types.js');
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const { WebStandardStreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js');
  return {
    McpServer,
    Server,
    StdioServerTransport,
    HttpTransport: WebStandardStreamableHTTPServerTransport,
    list: types.ListToolsRequestSchema,
    call: types.CallToolRequestSchema,
    input: (shape) => shape,
    hands: (extra) => ({
      signal: extra.signal,
      meta: extra._meta,
      progress: (params) => extra.sendNotification({ method: 'notifications/progress', params }),
      ping: () => extra.sendRequest({ method: 'ping' }, types.EmptyResultSchema),
      elicit: (params) => extra.sendRequest({ method: 'elicitation/create', params }, types.ElicitResultSchema),
    }),
  };
}

async function newer() {
  const { McpServer, Server, WebStandardStreamableHTTPServerTransport } = await import('@modelcontextprotocol/server');
  const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  return {
    McpServer,
    Server,
    StdioServerTransport,
    HttpTransport: WebStandardStreamableHTTPServerTransport,
    list: 'tools/list',
    call: 'tools/call',
    input: (shape) => z.object(shape),
    hands: (ctx) => ({
      signal: ctx.mcpReq.signal,
      meta: ctx.mcpReq._meta,
      progress: (params) => ctx.mcpReq.notify({ method: 'notifications/progress', params }),
      ping: () => ctx.mcpReq.send({ method: 'ping' }),
      elicit: (params) => ctx.mcpReq.elicitInput(params),
    }),
  };
}

const text = (said) => ({ content: [{ type: 'text', text: said }] });
const dying = () => new Promise(() => process.stderr.write('I die.\n', () => process.exit(3)));
const ASKED = { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] };

function toolServer() {
  const server = new kit.McpServer({ name: 'fixture', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  const tool = (name, { input = {}, ...config }, run) =>
    server.registerTool(name, { description: `The tool ${name}.`, inputSchema: kit.input(input), ...config }, (args, extra) => run(args, kit.hands(extra)));
  const sum = version === '1' ? { sum: z.number() } : z.object({ sum: z.number() });

  tool('add', { input: { a: z.number(), b: z.number() }, outputSchema: sum, annotations: { readOnlyHint: true, title: 'Add' } }, ({ a, b }) => {
    log.push(`add ${a} ${b}`);
    return { ...text(String(a + b)), structuredContent: { sum: a + b } };
  });
  tool('fail', { annotations: { destructiveHint: true, idempotentHint: true } }, () => ({ ...text('There is no disk.'), isError: true }));
  tool('media', {}, () => ({
    content: [
      { type: 'text', text: 'All of it:' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'note://1', mimeType: 'text/plain', text: 'A note.' } },
      { type: 'resource', resource: { uri: 'file:///a/b.pdf', mimeType: 'application/pdf', blob: 'JVBE' } },
      { type: 'resource_link', uri: 'https://x.test/a', name: 'a', mimeType: 'text/html' },
    ],
  }));
  tool('count', { input: { to: z.number() } }, async ({ to }, { meta, progress, ping }) => {
    for (let n = 1; n <= to; n++) await progress({ progressToken: meta.progressToken, progress: n, total: to, message: `at ${n}` });
    // The newer client drops the progress that comes in one piece with the result.
    await ping();
    return text('counted');
  });
  tool('hang', { annotations: { readOnlyHint: true } }, async (_args, { signal, meta, progress }) => {
    log.push('hang starts');
    await progress({ progressToken: meta.progressToken, progress: 0 });
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    log.push('hang is cancelled');
    return text('late');
  });
  tool('log', {}, () => text(log.join('\n')));
  tool('die', {}, dying);
  tool('grow', {}, async (_args, { ping }) => {
    tool('grown', {}, () => text('I am new.'));
    await ping();
    return text('grown');
  });
  // Two names that are one where what providers refuse becomes an underscore.
  tool('spoil', {}, async (_args, { ping }) => {
    for (const name of ['two.x', 'two/x']) tool(name, {}, () => text(name));
    // Once the client has answered, it knows of the change.
    await ping();
    return text('spoilt');
  });
  tool('ask', { input: { echo: z.boolean().optional() }, annotations: { readOnlyHint: true } }, async ({ echo }, { meta, elicit }) => {
    const _meta = echo ? { 'rx-tool-loop/call': meta['rx-tool-loop/call'] } : undefined;
    const { action, content, _meta: more } = await elicit({ message: 'Which colour?', requestedSchema: ASKED, ...(_meta && { _meta }) });
    return text(JSON.stringify({ action, content, reason: more?.['rx-tool-loop/reason'] }));
  });
  return server;
}

const schema = { type: 'object', properties: {} };

/** Listings that the high-level server never makes. */
function listServer() {
  const server = new kit.Server({ name: 'lists', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(kit.list, ({ params }) => {
    const at = Number(params?.cursor ?? 0);
    const page = (next, ...names) => ({ tools: names.map((name) => ({ name, inputSchema: schema })), ...(next !== undefined && { nextCursor: String(next) }) });
    switch (mode) {
      case 'pages':
        return page(at < 2 ? at + 1 : undefined, `page${at}`);
      case 'cycle':
        return page(at === 2 ? 1 : at + 1, `page${at}`);
      case 'endless':
        return page(at + 1, `page${at}`);
      case 'pages2':
        return page(undefined, 'notes/read', 'notes.read2', 'plain');
      default:
        return page(undefined, 'notes.read', 'notes/read', 'plain');
    }
  });
  server.setRequestHandler(kit.call, ({ params }) => text(`called ${params.name}`));
  return server;
}

/** Its list fails for as many readings as it is given reasons, and has one more tool each time that it changes. */
function faultyServer() {
  const server = new kit.Server({ name: 'faulty', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  const names = ['change', 'die'];
  const faults = [];
  server.setRequestHandler(kit.list, () => {
    const fault = faults.shift();
    if (fault !== undefined) throw new Error(fault);
    return { tools: names.map((name) => ({ name, inputSchema: schema })) };
  });
  server.setRequestHandler(kit.call, async ({ params }) => {
    if (params.name === 'die') return dying();
    if (params.name !== 'change') return text(`called ${params.name}`);
    faults.push(...(params.arguments?.faults ?? []));
    names.push(`more${names.length - 1}`);
    await server.notification({ method: 'notifications/tools/list_changed' });
    return text('changed');
  });
  return server;
}

const make = { tools: toolServer, faulty: faultyServer }[mode] ?? listServer;

if (wire === 'modern') {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  serveStdio(make);
} else if (wire === 'stdio') {
  await make().connect(new kit.StdioServerTransport());
} else {
  const sessions = new Map();
  const http = createServer(async (req, res) => {
    let transport = sessions.get(req.headers['mcp-session-id']);
    if (transport === undefined) {
      transport = new kit.HttpTransport({ sessionIdGenerator: randomUUID, onsessioninitialized: (id) => void sessions.set(id, transport) });
      await make().connect(transport);
    }
    const body = ['GET', 'HEAD'].includes(req.method) ? {} : { body: Readable.toWeb(req), duplex: 'half' };
    const answered = await transport.handleRequest(new Request(`http://127.0.0.1${req.url}`, { method: req.method, headers: req.headers, ...body }));
    res.writeHead(answered.status, Object.fromEntries(answered.headers)).flushHeaders();
    if (answered.body === null) res.end();
    else await pipeline(Readable.fromWeb(answered.body), res).catch(() => undefined);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  process.stdout.write(`http://127.0.0.1:${http.address().port}/mcp\n`);
  // Ends with whoever started it.
  process.stdin.on('end', () => process.exit()).resume();
}
