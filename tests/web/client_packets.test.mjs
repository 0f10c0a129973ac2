// The JavaScript client's tables and bytes: protocol/*.def, the examples of protocol/examples, damaged answers.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import ts from 'typescript';
import { WebSocket } from 'ws';
import { CODES } from '../../clients/js/errors.js';
import { Frames, PosedError } from '../../clients/js/posed.js';
import * as posed from '../../clients/js/posed.js';
import * as packets from '../../clients/js/packets.js';
import { toFields } from '../../clients/js/parameters.js';
import { FOLDER, exampleNames, matches, readExample } from './packet_examples.mjs';
import { startServer } from './posed.mjs';

const TESTS = path.dirname(fileURLToPath(import.meta.url));
const document = (name) => fs.readFileSync(path.join(FOLDER, '..', name), 'utf8');

let server;

before(async () => { server = await startServer(FOLDER); });
after(async () => { if (server) assert.equal(await server.end(), 0, 'the server ends well'); });

test('errors and kinds are those of the protocol', () => {
  const errors = [...document('errors.def').matchAll(/^X\(ERR_\w+, (\d+), (\d+), "(\w+)"/gm)].map(([, number, status, code]) => [+number, [code, +status]]);
  assert.ok(errors.length > 40);
  assert.deepEqual(new Map([...CODES].sort(([a], [b]) => a - b)), new Map(errors.sort(([a], [b]) => a - b)));
  const kinds = [...document('packets.def').matchAll(/^PACKET\(\w+, (\d+), "?(\w+)"?,/gm)].map(([, number, name]) => [name, +number]);
  assert.ok(kinds.length > 20);
  assert.deepEqual(packets.KINDS, Object.fromEntries(kinds));
});

// The client's packets in each example.
const asked = (op, parameters) => packets.query(toFields(op, parameters));
const arm = '{"queries":[{"op":"pose","model":"awkward.gltf","joints":["arm"]}]}';
const BUILT = {
  hello: [packets.hello()],
  hello_token: [packets.hello('a-token-of-20-letters')],
  open: [packets.packet('open', 1, packets.open('awkward.gltf'))],
  info: [packets.packet('info', 9, undefined, 1)],
  palette: [packets.packet('palette', 5, asked('palette', { clip: 0, skin: 0, t: 0.5, layout: 'mat3x4' }), 1)],
  pose: [packets.packet('pose', 6, asked('pose', { clip: '0', joints: [2], what: 'local', t: '0:1:2' }), 1, 1)],
  mesh: [packets.packet('mesh', 7, asked('mesh', { clip: '-', mesh: 1 }), 1)],
  call: [packets.packet('call', 10, packets.call('/healthz')), packets.packet('call', 11, packets.call('/v1/bounds', '{"clip":"bend","t":0.5}'), 1)],
  batch: [packets.packet('call', 12, packets.call('/v1/query', arm))],
};

test('the client makes the bytes of the examples', () => {
  const same = (name, steps, built) => built.forEach((bytes, i) => assert.deepEqual([...bytes], steps[i].bytes, `${name} ${i}`));
  for (const [name, built] of Object.entries(BUILT)) {
    const steps = readExample(name).steps.filter((step) => step.isClient);
    assert.equal(steps.length, built.length, name);
    same(name, steps, built);
  }
  const [find] = readExample('find').steps;
  assert.deepEqual([...packets.packet('find', 2, packets.find(1, 'bend'), 1)], find.bytes);
  const clock = { op: 'palette', paused: true, credit: 2, rate: 60, position: 0, speed: 1 };
  const [subscribe, seek, credit, unsubscribe] = readExample('stream').steps.filter((step) => step.isClient);
  const fields = toFields('palette', { clip: 0, skin: [0], layout: 'mat3x4' });
  assert.deepEqual([...packets.packet('subscribe', 13, packets.query(fields, clock), 1)], subscribe.bytes);
  assert.deepEqual([...packets.packet('control', 14, packets.control(13, { position: 0.5 }))], seek.bytes);
  assert.deepEqual([...packets.packet('credit', credit.bytes[8], packets.credit(13, 1))], credit.bytes);
  assert.deepEqual([...packets.packet('unsubscribe', unsubscribe.bytes[8], packets.unsubscribe(13))], unsubscribe.bytes);
  const [watch, ping, close] = readExample('watch').steps.filter((step) => step.isClient);
  assert.deepEqual([...packets.packet('watch', 17, packets.watch(true), 1)], watch.bytes);
  assert.deepEqual([...packets.packet('ping', 18)], ping.bytes);
  assert.deepEqual([...packets.packet('close', 19, undefined, 1)], close.bytes);
});

// The messages of a WebSocket, one by one; null when it closed.
function messagesOf(socket) {
  const [come, wanted] = [[], []];
  const put = (value) => (wanted.length ? wanted.shift()(value) : come.push(value));
  socket.on('message', (data) => put(data));
  socket.on('close', () => put(null));
  return () => (come.length ? Promise.resolve(come.shift()) : new Promise((resolve) => { wanted.push(resolve); }));
}

for (const name of exampleNames()) {
  test(`example ${name}, replayed over a WebSocket`, async () => {
    const socket = new WebSocket(server.url.replace('http', 'ws') + '/v1/stream', 'posed.1');
    socket.binaryType = 'arraybuffer';
    const next = messagesOf(socket);
    await new Promise((resolve, reject) => { socket.on('open', resolve); socket.on('error', reject); });
    const { after: ahead, steps } = readExample(name);
    try {
      for (const step of [...ahead.flatMap((one) => readExample(one).steps), ...steps]) {
        if (step.isClient) {
          socket.send(Uint8Array.from(step.bytes));
          continue;
        }
        const message = await next();
        assert.ok(matches(step, new Uint8Array(message)), `${name}: ${Buffer.from(message).toString('hex')}`);
        readWhole(packets.read(message));
      }
    } finally {
      socket.terminate();
    }
  });
}

// Every field that the client reads of a packet.
function readWhole(got) {
  const readers = { hello: packets.readHello, opened: packets.readOpened, found: packets.readFound, changed: packets.readChanged };
  if (got.kind === 'error') assert.ok([...CODES.values()].some(([code]) => code === packets.readError(got).code));
  else if (got.kind === 'frames') new Frames(got.payload).blocks.map((block) => new Frames(got.payload).view(block));
  else if (got.kind === 'stream') assert.equal(new Frames(packets.readStream(got).frames).frameCount, 1);
  else readers[got.kind]?.(got);
}

test('an answer that is damaged or cut is an error of its own', async () => {
  const bytes = new Uint8Array(await (await fetch(`${server.url}/v1/pose?model=awkward.gltf&what=local,scene&t=0,1&format=bin`)).arrayBuffer());
  const whole = new Frames(bytes);
  assert.ok(whole.blocks.length >= 2 && whole.frameCount === 2);
  for (let length = 0; length < bytes.length; length++) {
    assert.throws(() => new Frames(bytes.slice(0, length)), (error) => error instanceof PosedError && error.code === 'bad_answer', `${length} bytes`);
  }
  let refused = 0;
  for (let at = 0; at < 96 + 32 * whole.blocks.length; at++) {
    for (const bit of [1, 0x80]) {
      const damaged = bytes.slice();
      damaged[at] ^= bit;
      try {
        const frames = new Frames(damaged);
        for (const block of frames.blocks) frames.view(block, 0);
      } catch (error) {
        assert.ok(error instanceof PosedError || error.message.startsWith('there is no frame'), `byte ${at}: ${error}`);
        refused++;
      }
    }
  }
  assert.ok(refused > 60, `${refused} of the damages were noticed`);
  for (const length of [0, 31, 47, 48]) assert.throws(() => packets.read(new ArrayBuffer(length)), PosedError, `a packet of ${length} bytes`);
});

test('the types compile', () => {
  execFileSync(process.execPath, [path.join(TESTS, 'node_modules/typescript/bin/tsc'), '-p', path.join(TESTS, 'tsconfig.json')], { stdio: 'inherit' });
});

// The classes and functions of posed.d.ts are written by hand. It declares exactly what the modules export.
test('the types are those of the modules', () => {
  const source = ts.createSourceFile('posed.d.ts', fs.readFileSync(path.join(TESTS, '../../clients/js/posed.d.ts'), 'utf8'), ts.ScriptTarget.ES2022);
  const classes = source.statements.filter(ts.isClassDeclaration);
  const functions = source.statements.filter(ts.isFunctionDeclaration);
  assert.deepEqual([...classes, ...functions].map((declared) => declared.name.text).sort(), Object.keys(posed).sort());
  for (const { name, parameters } of functions) assert.equal(posed[name.text].length, parameters.length, name.text);
  for (const declared of classes) {
    const own = posed[declared.name.text];
    const methods = declared.members.filter(ts.isMethodDeclaration);
    const isStatic = (method) => (method.modifiers ?? []).some((modifier) => modifier.kind === ts.SyntaxKind.StaticKeyword);
    for (const method of methods) {
      const name = ts.isComputedPropertyName(method.name) ? Symbol[method.name.expression.name.text] : method.name.text;
      assert.equal(typeof (isStatic(method) ? own : own.prototype)[name], 'function', `${declared.name.text}.${String(name)}`);
    }
  }
});
