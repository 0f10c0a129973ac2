// three_page - a page with three.js in one Chromium that runs already, for programs that answer lines on stdin.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../../web/posed.mjs';

const THREE = fileURLToPath(new URL('../../web/node_modules/three', import.meta.url));
const HEAD = '<!doctype html><script type="importmap">{"imports": {"three": "/three/build/three.module.js"}}</script>\n<script type="module">\n';
const TYPES = { '.js': 'text/javascript', '.html': 'text/html' };

// Opens the page of a script, and waits until it sets window.isReady. Then each line of JSON on stdin gets as answer a line of what
// onLine(page, fields of the line) returns. In the page /three/ is the library, /models/ the folder of the line; what it puts to
// /pictures/NAME lies in the line's `out`.
export async function answerLines(script, onLine) {
  let fields = {};
  function answer(request, response) {
    const [, place, ...rest] = decodeURI(request.url).split('/');
    const name = rest.join('/');
    if (request.method === 'PUT') {
      const file = fs.createWriteStream(path.join(fields.out, name));
      request.pipe(file).on('finish', () => response.end());
      return;
    }
    const from = { three: THREE, models: fields.folder }[place];
    response.setHeader('Content-Type', from ? TYPES[path.extname(name)] ?? 'application/octet-stream' : 'text/html');
    if (from) fs.createReadStream(path.join(from, name)).on('error', () => response.writeHead(404).end()).pipe(response);
    else response.end(HEAD + script + '</script>');
  }
  const server = http.createServer(answer);
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const browser = await launchBrowser('--use-angle=swiftshader', '--enable-unsafe-swiftshader');
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction('window.isReady');
  for await (const line of readline.createInterface({ input: process.stdin })) {
    fields = JSON.parse(line);
    console.log(JSON.stringify(await onLine(page, fields)));
  }
  await browser.close();
  server.close();
}
