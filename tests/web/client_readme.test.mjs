// The READMEs' examples of the JavaScript client work when they are pasted.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { SAMPLES, startServer, temporaryFolder } from './posed.mjs';

const TESTS = path.dirname(fileURLToPath(import.meta.url));
const TOP = path.resolve(TESTS, '../..');
const MAIN = fs.readFileSync(path.join(TOP, 'clients/README.md'), 'utf8');
const OWN = fs.readFileSync(path.join(TOP, 'clients/js/README.md'), 'utf8');
const blocks = (text, language) => [...text.matchAll(new RegExp('^```' + language + '\\n([\\s\\S]*?)^```', 'gm'))].map(([, block]) => block);

let folder, server;

// A folder in which `posed` is installed from a folder, as npm does it, and the folder of the README.
before(async () => {
  folder = temporaryFolder();
  fs.mkdirSync(path.join(folder, 'node_modules'));
  fs.symlinkSync(path.join(TOP, 'clients'), path.join(folder, 'clients'));
  fs.symlinkSync(path.join(TOP, 'clients/js'), path.join(folder, 'node_modules/posed'));
  server = await startServer(SAMPLES);
});

after(async () => {
  if (folder) fs.rmSync(folder, { recursive: true });
  if (server) assert.equal(await server.end(), 0, 'the server ends well');
});

// The output of a block, with the server of the test, on a Node with a WebSocket.
async function printed(block) {
  const ws = JSON.stringify(path.join(TESTS, 'node_modules/ws/wrapper.mjs'));
  fs.writeFileSync(path.join(folder, 'socket.mjs'), `import { WebSocket } from ${ws};\nglobalThis.WebSocket ??= WebSocket;\n`);
  fs.writeFileSync(path.join(folder, 'hello.mjs'), block.replaceAll('http://127.0.0.1:7878', server.url));
  const node = spawn(process.execPath, ['--import', './socket.mjs', 'hello.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  node.stdout.on('data', (data) => { text += data; });
  assert.equal(await new Promise((resolve) => { node.on('close', resolve); }), 0, block);
  return text;
}

test('clients/README.md', async () => {
  const [section] = /^### JavaScript\n[\s\S]*?(?=^##|(?![\s\S]))/m.exec(MAIN);
  const [block, ...others] = blocks(section, 'js');
  assert.equal(others.length, 0);
  assert.equal('$ node hello.mjs\n' + await printed(block), blocks(section, 'console')[0]);
  assert.equal(fs.readFileSync(path.join(folder, 'wave.png')).subarray(1, 4).toString(), 'PNG');
});

test('clients/js/README.md', async () => {
  const [first, crowd, poses, rays, stream, ...others] = blocks(OWN, 'js');
  assert.equal(others.length, 0);
  assert.equal(await printed(first), blocks(OWN, 'text')[0]);
  const [sizes, place] = (await printed(crowd)).trim().split(/\n(?=\{)/);
  assert.equal(sizes, `${2 * 16 * 19} 0`);
  assert.match(place.replace(/\s+/g, ' '), /^\{ offset: 304, count: 19, itemLength: 16 \} Float32Array\(3\) \[/);
  assert.equal(await printed(poses), '19 joints true\n');
  assert.match(await printed(rays), /^0 0 5 8\.712 Float32Array\(3\) \[[^]*\]\n1 1 3 8\.621 Float32Array\(3\) \[[^\]]*\]\n$/);
  const frames = (await printed(stream)).trim().split('\n').map((line) => line.split(' ').map(Number));
  assert.equal(frames.length, 10);
  frames.forEach(([time, skipped, length], i) => {
    assert.equal(length, 16 * 19);
    if (i) assert.ok(Math.abs(time - frames[i - 1][0] - (0.5 * (skipped + 1)) / 30) < 1e-9);
  });
});

test('the package holds what it exports', () => {
  const { exports, files, version, types } = JSON.parse(fs.readFileSync(path.join(TOP, 'clients/js/package.json')));
  for (const name of [types, ...Object.values(exports['.'])]) assert.ok(fs.existsSync(path.join(TOP, 'clients/js', name)), name);
  assert.ok(files.includes('*.js'));
  const [, server_version] = /POSED_RELEASE "(.*)"/.exec(fs.readFileSync(path.join(TOP, 'server/base/version.h'), 'utf8'));
  assert.equal(version, server_version);
});
