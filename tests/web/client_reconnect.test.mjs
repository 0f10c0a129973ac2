// The JavaScript client when its connections end. Others replace them, and the caller gets only what it asked for.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { Client } from '../../clients/js/posed.js';
import { startRelay } from './cutting_relay.mjs';
import { SAMPLES, startServer, temporaryFolder } from './posed.mjs';

let root, server, direct;

before(async () => {
  root = temporaryFolder();
  for (const name of ['robot.glb', 'dragon.glb']) fs.copyFileSync(path.join(SAMPLES, name), path.join(root, name));
  server = await startServer(root);
  direct = new Client(server.url, { WebSocket });
});

after(async () => {
  const status = await server?.end();
  if (root) fs.rmSync(root, { recursive: true });
  if (server) assert.equal(status, 0, 'the server ends well');
});

async function relayed(cuts, body, options = {}) {
  const relay = await startRelay(server.url, cuts);
  try {
    return await body(relay, new Client(relay.url, { WebSocket, ...options }));
  } finally {
    await relay.end();
  }
}

const bytesOf = (frames) => Buffer.from(frames.palette(0).buffer, frames.palette(0).byteOffset, frames.palette(0).byteLength);

test('a GET that is cut at any byte is made again', async () => {
  const ask = (client) => client.ask('/v1/palette', { model: 'robot.glb', clip: 'walk', t: 0.3, format: 'bin' });
  const expected = (await ask(direct)).bytes;
  const whole = await relayed([], async (relay, client) => { await ask(client); return relay.passed[0]; });
  const cuts = [0, 1, 8, 12, 30, whole - expected.length - 1, whole - expected.length, whole - expected.length + 1, whole >> 1, whole - 1];
  for (const cut of cuts) {
    await relayed([cut], async (relay, client) => {
      assert.deepEqual((await ask(client)).bytes, expected, `cut at ${cut}`);
      assert.equal(relay.passed.length, 2, `cut at ${cut}`);
    });
  }
});

test('it gives up and says what was asked, how often, for how long and why', async () => {
  await relayed([20, 20, 20], async (relay, client) => {
    await assert.rejects(client.version(), (error) => {
      assert.match(error.message, /^gave up on GET \/v1\/version after 2 tries in [0-9.]+ s: .*cannot be reached/);
      return error.code === 'connection_lost' && error.tries === 2 && relay.passed.length === 2;
    });
  });
  await relayed([], async (relay, client) => {
    await client.version();
    const link = await client.connect();
    const robot = await link.open('robot.glb');
    await relay.refuse();
    await assert.rejects(client.version(), /gave up on GET \/v1\/version after 4 tries in .*ECONNREFUSED/);
    await assert.rejects(robot.palette(), /gave up on .* after 4 tries in .*/);
    assert.ok(link.closed);
  }, { reconnectTries: 3 });
  await relayed([], async (relay, client) => {
    const link = await client.connect();
    relay.sever();
    await assert.rejects(link.ping(), { code: 'connection_lost' });
    assert.equal(relay.passed.length, 1);
  }, { reconnectTries: 0 });
});

test('uploads and errors are not repeated', async () => {
  await relayed([20], async (relay, client) => {
    await assert.rejects(client.upload('a.glb', new Uint8Array(4)), { code: 'connection_lost' });
    assert.equal(relay.passed.length, 1);
    await assert.rejects(client.model('nobody.glb').info(), { code: 'model_not_found' });
  });
});

test('requests on a WebSocket that is cut at any byte are answered in full', async () => {
  const times = [0, 0.25, 0.5, 0.75, 1];
  const expected = await Promise.all(times.map((t) => direct.model('robot.glb').palette({ clip: 'walk', t })));
  const session = async (client) => {
    const link = await client.connect();
    const robot = await link.open('robot.glb');
    const frames = await Promise.all(times.map((t) => robot.palette({ clip: 0, t })));
    const { clips } = await robot.info();
    link.close();
    assert.deepEqual(frames.map(bytesOf), expected.map(bytesOf));
    assert.equal(clips.length, 3);
  };
  const whole = await relayed([], async (relay, client) => { await session(client); return relay.passed[0]; });
  const cuts = [0, 1, 60, 150, 200, 230, 231, 240, 300, ...Array.from({ length: 12 }, (_, i) => 330 + Math.floor(((whole - 331) * i) / 12))];
  for (const cut of cuts) {
    await relayed([cut], async (relay, client) => {
      await session(client).catch((cause) => { throw new Error(`cut at ${cut}: ${cause.message}`, { cause }); });
      assert.ok(relay.passed.length >= 2, `cut at ${cut}`);
    });
  }
});

test('another WebSocket goes to the server of the same model', async () => {
  await relayed([], async (relay, client) => {
    const link = await client.connect({ route: 'dragon.glb' });
    await link.open('robot.glb');
    relay.sever();
    await link.ping();
    const other = await client.connect();
    await other.open('robot.glb');
    relay.sever();
    await other.ping();
    assert.deepEqual([...new Set(relay.heads.map((head) => head.split(' ')[1]))], ['/v1/stream?route=dragon.glb', '/v1/stream', '/v1/stream?route=robot.glb']);
    link.close();
    other.close();
  });
});

test('a stream goes on behind its last frame, paused ones too', async () => {
  const told = [];
  await relayed([], async (relay, client) => {
    const link = await client.connect();
    const robot = await link.open('robot.glb');
    const stream = await robot.stream('palette', { clip: 'walk' }, { rate: 200, speed: 0.5, position: 0.25, credit: 1000 });
    const frames = [];
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 6; i++) frames.push((await stream.next()).value);
      relay.sever();
    }
    for (let i = 0; i < 6; i++) frames.push((await stream.next()).value);
    for (const [i, frame] of frames.slice(1).entries()) {
      assert.equal(frame.tick, frames[i].tick + 1 + frame.skipped);
      assert.ok(Math.abs(frame.time - frames[i].time - ((frame.tick - frames[i].tick) * 0.5) / 200) < 1e-9);
      assert.equal(frame.changed, false);
    }
    await stream.pause();
    relay.sever();
    await stream.seek(1.5);
    assert.equal((await stream.next()).value.time, 1.5);
    await stream.return();
    assert.ok(told.length >= 3 && told.every(({ tries }) => tries >= 1));
    link.close();
  }, { onReconnect: (event) => told.push(event) });
});

test('a watch tells what changed between two connections', async () => {
  const file = path.join(root, 'watched.glb');
  fs.copyFileSync(path.join(SAMPLES, 'robot.glb'), file);
  await relayed([], async (relay, client) => {
    const link = await client.connect();
    const model = await link.open('watched.glb');
    const { hash } = model;
    const watch = await model.watch();
    await relay.refuse();
    fs.copyFileSync(path.join(SAMPLES, 'dragon.glb'), path.join(root, 'new.part'));
    fs.renameSync(path.join(root, 'new.part'), file);
    await relay.listen(relay.port);
    const { value } = await watch.next();
    assert.equal(value.generation, 2);
    assert.notEqual(value.hash, hash);
    await watch.return();
    link.close();
  });
});

test('a server that drains is left for another', async () => {
  const old = await startServer(root);
  const relay = await startRelay(old.url);
  const client = new Client(relay.url, { WebSocket });
  const link = await client.connect();
  const robot = await link.open('robot.glb');
  const before = bytesOf(await robot.palette({ t: 0.3 }));
  const { hostname, port } = new URL(server.url);
  relay.target = { host: hostname, port: Number(port) };
  await old.end();
  assert.deepEqual(bytesOf(await robot.palette({ t: 0.3 })), before);
  assert.deepEqual(bytesOf(await client.model('robot.glb').palette({ t: 0.3 })), before);
  link.close();
  await relay.end();
});
