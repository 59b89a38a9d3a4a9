// The page, and behind the same address the runs of `rx-tool-loop serve`:
//
//   node page-server.mjs --port 4200 --embedded http://127.0.0.1:8080/runs --demo http://127.0.0.1:8081/runs
//
// A page and its runs at one address need no CORS, and the page may be told to speak to nobody else.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, request as ask } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { parseArgs } from 'node:util';

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.ico': 'image/x-icon' };
const HEADERS = {
  'content-security-policy': "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};
const pages = join(import.meta.dirname, 'dist');

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' }, embedded: { type: 'string' }, demo: { type: 'string' } } });
const runs = new Map(['embedded', 'demo'].flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));

const server = createServer((request, response) => {
  const { pathname, search } = new URL(request.url, 'http://page');
  const [, name, rest] = /^\/runs\/([a-z]+)(\/.*)?$/.exec(pathname) ?? [];
  if (runs.has(name)) return forward(request, response, `${runs.get(name)}${rest ?? ''}${search}`);
  const file = normalize(join(pages, pathname));
  const isFile = file.startsWith(pages) && existsSync(file) && statSync(file).isFile();
  if (!isFile && extname(pathname) !== '') return response.writeHead(404).end();
  // Every other path is one of the application's own.
  const sent = isFile ? file : join(pages, 'index.html');
  response.writeHead(200, { ...HEADERS, 'content-type': TYPES[extname(sent)] ?? 'application/octet-stream' });
  createReadStream(sent).pipe(response);
});

/** Hands a request on as it is, and lets go of it when the page does. */
function forward(request, response, address) {
  const onward = ask(address, { method: request.method, headers: request.headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers).flushHeaders();
    answer.on('error', () => response.destroy()).pipe(response);
    // An answer that was cut ends for the page as it did here.
    answer.on('close', () => void (!answer.complete && response.destroy()));
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

server.listen(Number(values.port), '127.0.0.1', () => console.log(`The page is at http://127.0.0.1:${server.address().port}/`));
