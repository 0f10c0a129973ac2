// Streams and watches of the JavaScript client, with the real server. No test depends on how fast frames arrive.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { WebSocket } from 'ws';
import { Client, PosedError, poseOf } from '../../clients/js/posed.js';
import { SAMPLES, startServer, temporaryFolder, until } from './posed.mjs';

let root, server, posed, link, robot;

before(async () => {
  root = temporaryFolder();
  for (const name of ['robot.glb', 'dragon.glb']) fs.copyFileSync(path.join(SAMPLES, name), path.join(root, name));
  server = await startServer(root);
  posed = new Client(server.url, { WebSocket });
});

after(async () => {
  const status = await server?.end();
  if (root) fs.rmSync(root, { recursive: true });
  if (server) assert.equal(status, 0, 'the server ends well');
});

beforeEach(async () => {
  link = await posed.connect();
  robot = await link.open('robot.glb');
});

afterEach(() => link.close());

async function take(stream, count) {
  const frames = [];
  while (frames.length < count) frames.push((await stream.next()).value);
  return frames;
}

test('a frame is what the request of its time is answered', async () => {
  const cases = [
    ['palette', { clip: 'walk', layout: 'mat3x4', skin: 'robot' }],
    ['pose', { clip: 'wave', joints: ['hand_right', 0], what: ['local', 'scene'], wrap: 'mirror', from: 0.1, to: 1 }],
    ['mesh', { clip: 2, mesh: 'robot', normals: true }],
  ];
  for (const [op, asked] of cases) {
    const parameters = op === 'palette' ? { ...asked, skin: (await robot.info()).skins[0].index } : asked;
    const stream = await robot.stream(op, parameters, { rate: 120, position: -0.25, speed: 1.5, credit: 20 });
    for (const { time, frames, tick } of await take(stream, 4)) {
      const want = await posed.model('robot.glb')[op]({ ...parameters, t: time });
      assert.equal(time, -0.25 + 1.5 * (tick / 120));
      assert.deepEqual(frames.blocks, want.blocks);
      for (const block of want.blocks) assert.deepEqual(frames.view(block), want.view(block), block.kind);
    }
    await stream.return();
  }
});

test('names are looked up, and what is no stream is refused', async () => {
  const stream = await robot.stream('palette', { clip: 'dance' }, { paused: true });
  await stream.seek(0.5);
  const [{ frames, time }] = await take(stream, 1);
  assert.deepEqual([frames.clip, time], [2, 0.5]);
  await assert.rejects(robot.stream('palette', { clip: 'dnce' }), (error) => error.code === 'clip_not_found' && error.candidates.length === 3);
  await assert.rejects((await robot.stream('palette', { clip: 7 })).next(), { code: 'clip_not_found', status: 404 });
  await assert.rejects(robot.stream('palette', { t: 1 }), TypeError);
  await assert.rejects(robot.stream('pose', { layers: [] }), { code: 'bad_parameter' });
  await assert.rejects(robot.stream('pose', { dance: 1 }), { code: 'unknown_parameter' });
  await assert.rejects(robot.stream('bounds'), TypeError);
});

test('layers, given poses and turns', async () => {
  const walk = await robot.pose({ clip: 'walk', t: 0.3, what: 'local' });
  for (const parameters of [
    { what: 'local', layers: [{ clip: 'wave' }, { pose: poseOf(walk) }] }, { what: 'local', clip: 'walk', turn: ['head:0,40,0', 'arm_left:0,0,70'] },
    { what: ['local', 'scene'], joints: ['head', 'arm_left'], wrap: 'clamp', layers: [{ pose: { nodes: ['head'], rate: 1, frames: [{ degrees: [[0, 0, 0]] }, { degrees: [[0, 90, 0]] }] } }] },
  ]) {
    const stream = await robot.stream('pose', parameters, { position: 0.6, rate: 100, paused: true });
    for (const t of [0.6, 0.1]) {
      await stream.seek(t);
      const [{ frames }] = await take(stream, 1);
      const want = await robot.pose({ ...parameters, t });
      for (const block of want.blocks) assert.deepEqual(frames.view(block), want.view(block), block.kind);
      if (parameters.layers?.length === 2) assert.deepEqual(frames.array('local'), walk.array('local'));
    }
    await stream.return();
  }
});

test('pause, seek, resume, speed, rate', async () => {
  const stream = await robot.stream('palette', {}, { rate: 200, paused: true, credit: 3 });
  for (const position of [0.5, 0.1, 2.5]) {
    await stream.seek(position);
    assert.equal((await take(stream, 1))[0].time, position);
  }
  await stream.setSpeed(-2);
  await stream.setRate(50);
  await stream.resume();
  const frames = await take(stream, 6);
  for (const [i, frame] of frames.slice(1).entries()) {
    const steps = frame.tick - frames[i].tick;
    assert.equal(steps, frame.skipped + 1);
    assert.ok(Math.abs(frame.time - frames[i].time + (2 * steps) / 50) < 1e-9, `${frames[i].time}, then ${frame.time}`);
  }
  await stream.pause();
  await link.ping();
  assert.equal(stream.latest(), null);
  await stream.seek(1);
  assert.equal((await take(stream, 1))[0].time, 1);
});

const counted = async () => (await (await fetch(server.url + '/v1/stats')).json()).streams;

test('who is slow gets fewer frames, and none that is late', async () => {
  const stream = await robot.stream('palette', {}, { rate: 1000 });
  const [first] = await take(stream, 1);
  const { skipped } = await counted();
  await until('ticks pass while there is no credit', async () => (await counted()).skipped >= skipped + 20);
  const [second] = await take(stream, 1);
  assert.ok(second.skipped >= 20);
  assert.equal(second.tick, first.tick + 1 + second.skipped);
});

test('who polls gets the newest frame, however seldom', async () => {
  const stream = await robot.stream('palette', {}, { rate: 500 });
  let first;
  await until('a frame', () => { first = stream.latest(); return first; });
  for (let turn = 0; turn < 2; turn++) {
    const { frames } = await counted();
    await until('frames come without a call', async () => (await counted()).frames >= frames + 20);
    const newest = stream.latest();
    assert.ok(newest.tick >= first.tick + 19, `${newest.tick} after ${first.tick}`);
    first = newest;
  }
  await stream.setRate(0);
  await stream.pause();
  await link.ping();
  stream.latest();
  assert.equal(stream.latest(), null);
  await stream.seek(1);
  assert.equal((await take(stream, 1))[0].time, 1);
});

test('without a rate there is a frame whenever one is asked for', async () => {
  const stream = await robot.stream('pose', { joints: [1] }, { credit: 1 });
  const frames = await take(stream, 50);
  frames.forEach(({ tick, skipped }, i) => assert.deepEqual([tick, skipped], [i, 0]));
  await until('the newest', () => stream.latest());
  await until('and the next one', () => stream.latest());
});

test('leaving the loop ends the stream on the server', async () => {
  const before = link.limits.streamsMax;
  for (let i = 0; i < 2 * before; i++) {
    for await (const { frames } of await robot.stream('palette', {}, { rate: 0 })) {
      assert.equal(frames.frameCount, 1);
      break;
    }
  }
  const streams = [];
  for (let i = 0; i < before; i++) streams.push(await robot.stream('palette', {}, { paused: true }));
  await assert.rejects(robot.stream('palette'), { code: 'overloaded', status: 503 });
  await Promise.all(streams.map((stream) => stream.return()));
  await (await robot.stream('palette')).return();
});

test('a signal ends a stream for both sides', async () => {
  const controller = new AbortController();
  const stream = await robot.stream('palette', {}, { paused: true, signal: controller.signal });
  const next = stream.next();
  const reason = new Error('enough');
  controller.abort(reason);
  await assert.rejects(next, reason);
  assert.deepEqual(await stream.next(), { value: undefined, done: true });
  await assert.rejects(stream.seek(0), { code: 'not_found' });
  const early = new AbortController();
  const begun = robot.stream('palette', {}, { signal: early.signal });
  early.abort(reason);
  await assert.rejects(begun, reason);
  for (let i = 0; i < link.limits.streamsMax; i++) await robot.stream('palette', {}, { paused: true });
});

test('many streams beside each other', async () => {
  const all = await Promise.all(['walk', 'wave', 'dance'].map((clip) => robot.stream('palette', { clip }, { rate: 100, credit: 10 })));
  const taken = await Promise.all(all.map((stream) => take(stream, 8)));
  taken.forEach((frames, clip) => assert.ok(frames.every((frame) => frame.frames.clip === clip)));
});

test('a changed model: streams go on and say so, watchers are told, one that is gone ends both', async () => {
  const file = path.join(root, 'changing.glb');
  const put = (name) => { fs.copyFileSync(path.join(SAMPLES, name), file + '.part'); fs.renameSync(file + '.part', file); };
  put('robot.glb');
  const model = await link.open('changing.glb');
  const other = await posed.model('dragon.glb').info();
  const watch = await model.watch();
  await assert.rejects(model.watch(), /watched already/);
  const stream = await model.stream('palette', {}, { paused: true });
  await stream.seek(0);
  assert.equal((await take(stream, 1))[0].changed, false);

  put('dragon.glb');
  const { value: change } = await watch.next();
  assert.deepEqual([change.generation, change.error, change.hash], [2, null, (await posed.model('changing.glb').info()).hash]);
  assert.notEqual(change.hash, model.hash);
  await stream.seek(0);
  const [frame] = await take(stream, 1);
  assert.equal(frame.frames.array('palette').length, 16 * other.skins[0].joints.length);
  assert.equal(frame.frames.hash, change.hash);
  assert.equal((await model.palette({ clip: 'fly' })).hash, change.hash);
  assert.equal(model.generation, 2);

  fs.unlinkSync(file);
  const { value: gone } = await watch.next();
  assert.ok(gone.hash === null && gone.error instanceof PosedError && gone.error.code === 'model_not_found' && gone.error.status === 404);
  const seeking = stream.seek(0).catch((error) => error);
  await assert.rejects(stream.next(), { code: 'model_not_found', status: 404 });
  assert.ok(stream.ended);
  await seeking;
  await watch.return();
  put('robot.glb');
  assert.equal((await link.open('changing.glb')).hash, model.hash);
});
