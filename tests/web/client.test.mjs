// The JavaScript client with the real server: answers, errors, tokens, aborts. Streams are in client_stream.test.mjs.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { Client, Frames, PosedError, givenPose, poseOf } from '../../clients/js/posed.js';
import { FOLDER } from './packet_examples.mjs';
import { SAMPLES, startServer, temporaryFolder } from './posed.mjs';

const TOKEN = 'a-token-of-20-letters';
let root, server, posed, link;

before(async () => {
  root = temporaryFolder();
  for (const name of ['robot.glb', 'dragon.glb']) fs.copyFileSync(path.join(SAMPLES, name), path.join(root, name));
  fs.copyFileSync(path.join(FOLDER, 'awkward.gltf'), path.join(root, 'awkward.gltf'));
  server = await startServer(root, '--uploads', path.join(root, 'uploads'));
  posed = new Client(server.url + '/', { WebSocket });
  link = await posed.connect();
});

after(async () => {
  link?.close();
  const status = await server?.end();
  if (root) fs.rmSync(root, { recursive: true });
  if (server) assert.equal(status, 0, 'the server ends well');
});

const is = (code, status) => (error) => error instanceof PosedError && error.code === code && error.status === status;
const bits = (array) => [...new Uint32Array(Float32Array.from(array).buffer)];
const bytesOf = (frames) => Buffer.concat(frames.blocks.flatMap((block) => Array.from({ length: frames.frameCount }, (_, i) => {
  const { buffer, byteOffset, byteLength } = frames.view(block, i);
  return Buffer.from(buffer, byteOffset, byteLength);
})));

test('what is there', async () => {
  const names = [];
  for await (const { model } of posed.models({ prefix: 'ro' })) names.push(model);
  assert.deepEqual(names, ['robot.glb']);
  const info = await posed.model('robot.glb').info();
  assert.deepEqual(info.clips.map(({ name }) => name), ['walk', 'wave', 'dance']);
  assert.equal((await posed.version()).name, 'posed');
  assert.ok((await posed.formats()).formats.length > 5 && (await posed.stats()) instanceof Object);
  const light = await posed.environment({ light: 'flat' });
  assert.ok(light.kind === 'environment' && Math.abs(light.array('harmonics')[0] - 1) < 1e-3 && light.array('light_map', 0, 1)[0] === 0x3c00);
  assert.equal((await posed.environment({ format: 'json' })).light, 'studio');
  assert.equal((await posed.environment({ format: 'hdr' })).type, 'image/vnd.radiance');
  const robot = await link.open('robot.glb');
  assert.deepEqual(await robot.info(), info);
  assert.deepEqual([robot.hash, robot.counts.clips, robot.generation, link.limits.version], [info.hash, 3, 1, 1]);
  await robot.close();
  await assert.rejects(robot.palette({ clip: 0 }), is('model_not_found', 404));
  await link.ping();
});

const QUESTIONS = [
  ['robot.glb', 'palette', { clip: 'walk', t: [0, 0.25, '1:2:10'] }],
  ['robot.glb', 'palette', { clip: 1, t: 0.3, skin: 0, layout: 'mat3x4', space: 'root', wrap: 'mirror' }],
  ['robot.glb', 'palette', { clip: 2, t: new Float64Array([-0.1, 7]), from: 0.1, to: 0.9, speed: -2, phase: 0.5 }],
  ['robot.glb', 'pose', { clip: 'dance', what: ['local', 'scene'], joints: ['hand_right', 3], t: 0.7, root_motion: 'extract', yaw: true }],
  ['robot.glb', 'pose', { clip: 0, subtree: ['0'], t: Array.from({ length: 900 }, (_, i) => i / 77) }],
  ['dragon.glb', 'mesh', { clip: 'fly', t: [0.1, 0.2], normals: 1, indices: true, rest: 1 }],
  ['awkward.gltf', 'mesh', { clip: 'bend', t: 0.5, rest: 1, weights: true }],
  ['awkward.gltf', 'palette', { clip_name: 'bend', t: 0.5 }],
  ['awkward.gltf', 'pose', { clip: '-', what: ['scene', 'local'] }],
  ['robot.glb', 'pose', { clip: 'walk', t: 0.5, clip_file: 'robot.glb', rename_joints: ['hand_*=hand,*', 'head=cap'] }],
  ['robot.glb', 'mesh', { clip: 'walk', t: 0.5, clip_file: 'robot.glb', rename_joints: { 'hand_*': 'hand,*', head: 'cap' } }],
  ['robot.glb', 'pose', { t: 0.4, layers: [{ clip: 'walk' }, { clip: 'wave', weight: 0.5 }] }],
  ['robot.glb', 'pose', { t: 0.4, layers: [{ clip: 'walk' }, { pose: givenPose({ nodes: ['head', 4], scale: Float32Array.of(1, 2, 0.5, NaN, NaN, NaN) }) }] }],
  ['robot.glb', 'palette', { clip: 'walk', t: 0.4, turn: ['head:0,40,0', 'arm_left:0,0,70'] }],
];

for (const [name, op, parameters] of QUESTIONS) {
  test(`${op} of ${name} ${JSON.stringify(parameters).slice(0, 60)}: the same numbers in every way`, async () => {
    const remote = await link.open(name);
    const [http, socket, json] = await Promise.all([posed.model(name)[op](parameters), remote[op](parameters), posed.model(name)[op]({ ...parameters, format: 'json' })]);
    assert.ok(http instanceof Frames && http.byteLength === socket.byteLength && bytesOf(http).length > 0);
    assert.deepEqual(bytesOf(socket), bytesOf(http));
    assert.deepEqual([socket.hash, socket.clip, ...socket.pairs], [json.hash, http.clip, ...json.frames.flatMap((frame) => [frame.time, frame.clip_time])]);
    json.frames.forEach((frame, i) => {
      frame.palettes?.forEach((palette, k) => assert.deepEqual(bits(http.palette(i, json.skins[k].index)), bits(palette.flat())));
      if (frame.scene) assert.deepEqual(bits(http.array('scene', i)), bits(frame.scene.flat()));
      if (frame.local) assert.deepEqual(bits(http.array('local', i)), bits(frame.local.flatMap((one) => one ?? Array(10).fill(0))));
      frame.positions?.forEach((positions, k) => assert.deepEqual(bits(http.array('positions', i, k)), bits(positions)));
      frame.normals?.forEach((normals, k) => assert.deepEqual(bits(http.array('normals', i, k)), bits(normals)));
    });
    json.influences?.forEach((moved, k) => {
      assert.deepEqual([...http.array('influence_firsts', 0, k)], moved.firsts);
      assert.deepEqual([...http.array('influence_joints', 0, k)], moved.joints);
      assert.deepEqual(bits(http.array('influence_weights', 0, k)), bits(moved.weights));
    });
    if (json.influences) json.skins.forEach((skin) => {
      assert.deepEqual(bits(http.array('joint_from_bind', 0, skin.index)), bits(skin.joint_from_bind.flat()));
      assert.deepEqual([...http.array('joint_nodes', 0, skin.index)], skin.joints.map((joint) => joint.node));
    });
    json.indices?.forEach((indices, k) => assert.deepEqual([...http.array('indices', 0, k)], indices));
    assert.deepEqual(await remote[op]({ ...parameters, format: 'json' }), json);
    await remote.close();
  });
}

test('keys are the same numbers in every way', async () => {
  const remote = await link.open('robot.glb');
  const options = { clip: 'walk', joints: ['head', 3], path: ['rotation', 'translation'] };
  const [json, http, socket] = [await posed.model('robot.glb').keys(options), await posed.model('robot.glb').keys({ ...options, format: 'bin' }),
    await remote.keys({ ...options, format: 'bin' })];
  const { channels } = json.clips[0];
  assert.ok(channels.length > 1 && http.kind === 'keys' && http.frameCount === 0);
  channels.forEach((channel, i) => {
    assert.deepEqual([...http.array('key_times', 0, i)], channel.times);
    assert.deepEqual(bits(http.array('key_values', 0, i)), bits(channel.values));
    assert.deepEqual([...socket.array('key_values', 0, i)], [...http.array('key_values', 0, i)]);
    assert.deepEqual([...http.array('channels').subarray(6 * i, 6 * i + 2)], [json.clips[0].index, channel.node]);
  });
  await remote.close();
});

test('arrays are views on what came', async () => {
  const remote = await link.open('robot.glb');
  for (const frames of [await posed.model('robot.glb').palette({ t: [0, 1] }), await remote.palette({ t: [0, 1] })]) {
    const [one, other] = [frames.palette(0), frames.palette(1)];
    assert.ok(one.buffer === frames.pairs.buffer && one.buffer === other.buffer && one.byteOffset !== other.byteOffset);
    assert.ok(one.buffer.byteLength < frames.byteLength + 64 && one.byteOffset % 16 === 0);
    assert.throws(() => frames.palette(2), RangeError);
    assert.throws(() => frames.array('normals'), RangeError);
    assert.throws(() => frames.palette(0, 7), RangeError);
  }
  const moved = new Uint8Array(1 + (await posed.ask('/v1/palette', { model: 'robot.glb', format: 'bin' })).bytes.length);
  moved.set((await posed.ask('/v1/palette', { model: 'robot.glb', format: 'bin' })).bytes, 1);
  assert.deepEqual([...new Frames(moved.subarray(1)).palette()], [...(await remote.palette()).palette()]);
});

test('pictures, files, boxes and batches', async () => {
  const remote = await link.open('robot.glb');
  const robot = posed.model('robot.glb');
  const options = { clip: 'wave', t: 0.5, width: 64, height: 48, background: ['ff0000', '00ff00'], target: [0, 1, 0] };
  const picture = await robot.render(options);
  assert.deepEqual([...picture.bytes.subarray(0, 4), picture.type, picture.blob().size], [0x89, 0x50, 0x4e, 0x47, 'image/png', picture.bytes.length]);
  assert.deepEqual([picture.time, picture.camera.view_from_scene.length], [0.5, 16]);
  assert.deepEqual((await remote.render(options)).bytes, picture.bytes);
  assert.deepEqual((await robot.render({ ...options, format: 'json' })).camera, picture.camera);
  const sheet = { clip: 'walk', frames: 3, width: 16, height: 16, format: 'gif' };
  assert.deepEqual([(await robot.sheet(sheet)).type, (await remote.sheet({ ...sheet, format: 'json' })).clips?.length > 0], ['image/gif', true]);
  assert.deepEqual((await remote.turntable({ width: 16, height: 16 })).bytes, (await robot.turntable({ width: 16, height: 16 })).bytes);
  assert.equal(new TextDecoder().decode((await robot.glb({ t: 0.3 })).bytes.subarray(0, 4)), 'glTF');
  assert.equal(new TextDecoder().decode((await robot.export({ clips: ['walk'], textures: 'none' })).bytes.subarray(0, 4)), 'glTF');
  assert.deepEqual((await remote.glb({ t: 0.3, textures: 'none' })).bytes, (await robot.glb({ t: 0.3, textures: 'none' })).bytes);
  assert.deepEqual(await remote.bounds({ over: 'clip' }), await robot.bounds({ over: 'clip' }));
  const queries = [{ op: 'pose', model: 'robot.glb', joints: ['head'], t: [0, 1] }, { op: 'palette', model: 'robot.glb', clip: 'nope' }];
  for (const [pose, error] of [await posed.batch(queries), await link.batch(queries)]) {
    assert.equal(pose.frames.length, 2);
    assert.ok(is('clip_not_found', 404)(error) && error.candidates.length === 3);
  }
});

test('errors say what the server says', async () => {
  const cases = [
    ['robot.glb', 'palette', { clip: 'wlak' }, 'clip_not_found', 404],
    ['robot.glb', 'palette', { clip: 99 }, 'clip_not_found', 404],
    ['robot.glb', 'pose', { joints: ['tail'] }, 'joint_not_found', 404],
    ['robot.glb', 'pose', { wdth: 1 }, 'unknown_parameter', 400],
    ['robot.glb', 'pose', { t: NaN }, 'bad_parameter', 400],
    ['robot.glb', 'pose', { t: [] }, 'bad_parameter', 400],
    ['robot.glb', 'pose', { t: Array(2000).fill(1).concat(Infinity) }, 'bad_parameter', 400],
    ['robot.glb', 'palette', { layout: 'mat5' }, 'bad_parameter', 400],
    ['robot.glb', 'palette', { t: '0:1:1e6' }, 'too_many_frames', 400],
    ['robot.glb', 'palette', { hash: '0'.repeat(64) }, 'hash_mismatch', 409],
  ];
  const remote = await link.open('robot.glb');
  for (const [name, op, parameters, code, status] of cases) {
    const [one, other] = await Promise.all([posed.model(name), remote].map((model) => model[op](parameters).then(() => assert.fail(code), (error) => error)));
    assert.ok(is(code, status)(one) && is(code, status)(other), `${JSON.stringify(parameters).slice(-40)}: ${one}, ${other}`);
    assert.deepEqual([one.message.length > 10, one.candidates], [true, other.candidates], code);
  }
  const { candidates, requestId } = await posed.model('robot.glb').palette({ clip: 'wlak' }).catch((error) => error);
  assert.deepEqual([candidates[0], typeof requestId], [{ index: 0, name: 'walk' }, 'string']);
  await assert.rejects(posed.model('none.glb').info(), is('model_not_found', 404));
  await assert.rejects(link.open('none.glb'), is('model_not_found', 404));
  await assert.rejects(new Client('http://127.0.0.1:9').version(), is('connection_lost', 0));
  await assert.rejects(new Client('http://127.0.0.1:9', { WebSocket }).connect(), is('connection_lost', 0));
  await assert.rejects(new Client(server.url, { WebSocket: null }).connect(), is('unavailable', 0));
});

test('giving up', async () => {
  const model = posed.model('robot.glb');
  const remote = await link.open('robot.glb');
  const reason = new Error('enough');
  await assert.rejects(model.info({ signal: AbortSignal.abort(reason) }), reason);
  await assert.rejects(remote.info({ signal: AbortSignal.abort(reason) }), reason);
  for (const one of [model, remote]) {
    const controller = new AbortController();
    const given = one.palette({ clip: 0, t: 0.1, signal: controller.signal });
    const kept = one.palette({ clip: 0, t: 0.2 });
    controller.abort(reason);
    await assert.rejects(given, reason);
    assert.equal((await kept).time(), 0.2);
  }
  const controller = new AbortController();
  const opening = link.open('dragon.glb', { signal: controller.signal });
  controller.abort();
  await assert.rejects(opening, { name: 'AbortError' });
  await link.ping();
  await assert.rejects(posed.connect({ signal: AbortSignal.abort(reason) }), reason);
});

test('many requests at once are answered each with its own', async () => {
  const remote = await link.open('robot.glb');
  const times = Array.from({ length: 300 }, (_, i) => i / 100);
  const answers = await Promise.all(times.map((t) => (t % 0.5 ? remote.palette({ clip: 0, t }) : remote.palette({ clip: 'walk', t }))));
  assert.deepEqual(answers.map((frames) => frames.time()), times);
});

test('a connection that ends tells all who wait', async () => {
  const own = await posed.connect();
  const remote = await own.open('robot.glb');
  const [asked, stream] = [remote.mesh(), await remote.stream('palette', {}, { paused: true })];
  const frame = stream.next();
  const waiting = remote.palette();
  own.close();
  await asked.catch(() => {});
  await assert.rejects(waiting, is('connection_lost', 0));
  await assert.rejects(frame, is('connection_lost', 0));
  assert.deepEqual(await stream.next(), { value: undefined, done: true });
  await assert.rejects(remote.palette(), is('connection_lost', 0));
  assert.ok(own.closed);
});

test('a frame sent back as a pose is that frame', async () => {
  for (const [path, clip] of [['robot.glb', 'walk'], ['awkward.gltf', 'bend']]) {
    for (const model of [posed.model(path), await link.open(path)]) {
      const frames = await model.pose({ clip, t: [0, 0.2, 0.7], what: 'local' });
      const json = await model.pose({ clip, t: 0.7, what: 'local', format: 'json' });
      const sheared = frames.find('sheared') ? [...frames.array('sheared')] : [];
      const local = frames.array('local', 2).map((number, i) => (sheared.includes(Math.floor(i / 10)) ? NaN : number));
      const nodes = json.nodes.map(({ node }) => node);
      const part = (first, size) => Float64Array.from({ length: size * nodes.length }, (_, i) => local[10 * Math.floor(i / size) + first + (i % size)]);
      const lists = Array.from(nodes, (_, n) => (sheared.includes(n) ? null : [...local.subarray(10 * n, 10 * n + 10)]));
      const poses = [json, poseOf(frames), givenPose({ nodes, local }), givenPose({ nodes, local: lists }), givenPose({ nodes, local: [lists, lists] }),
        givenPose({ nodes, translation: part(0, 3), rotation: part(3, 4), scale: part(7, 3) })];
      for (const [i, pose] of poses.entries()) {
        const again = await model.pose({ t: 0.7, what: 'local', wrap: 'clamp', layers: [{ clip: '-' }, { pose }] });
        assert.deepEqual(bits(again.array('local')), bits(frames.array('local', 2)), `${path} ${i}`);
        assert.notDeepEqual(bits(again.array('local')), bits(frames.array('local', 1)));
      }
    }
  }
});

test('poses of arrays', async () => {
  const turn = [[[0, 0, 0, 1]], [[0, 0.6, 0, 0.8]]];
  for (const rotation of [turn, Float32Array.from(turn.flat(2))]) {
    const pose = givenPose({ nodes: ['head'], rotation, times: [0, 0.5], relative_to: 'rest', morphs: {}, rate: undefined });
    const frames = await posed.model('robot.glb').pose({ joints: 'head', t: [0, 0.5, 3], wrap: 'clamp', what: 'local', layers: [{ pose, mode: 'additive' }] });
    assert.deepEqual([0, 1, 2].map((i) => [...frames.array('local', i).subarray(3, 7)]), [turn[0], turn[1], turn[1]].map(([row]) => row.map(Math.fround)));
  }
  assert.deepEqual(givenPose({ nodes: [1], morphs: { smile: 0.5, blink: [0, 1] }, expressions: { happy: 1 }, rate: 10 }), { nodes: [1], rate: 10,
    morphs: ['smile', 'blink'], expressions: ['happy'], frames: [{ morphs: [0.5, 0], expressions: [1] }, { morphs: [0.5, 1], expressions: [1] }] });
  for (const [arrays, fault] of [
    [{ nodes: ['head'], rotation: [[0, 0, 0]] }, "'rotation': frame 0, node head has 3 numbers, not 4"],
    [{ nodes: ['head'], rotation: [[0, 0, NaN, 1]] }, "'rotation': frame 0, node head, number 2 is NaN"],
    [{ nodes: ['head', 4], scale: Float32Array.of(1, 1, 1, 1, Infinity, 1) }, "'scale': frame 0, node 4, number 1 is Infinity"],
    [{ nodes: ['head', 4], scale: [[1, 1, 1]] }, "'scale': frame 0 has 1 nodes, and 'nodes' has 2"],
    [{ nodes: ['head'], scale: new Float32Array(4) }, "'scale' has 4 numbers, no multiple of 3 for each of 1 nodes"],
    [{ nodes: ['head'], rotation: turn, times: [0] }, "'times' has 1 frames, and others have 2"],
  ]) assert.throws(() => givenPose(arrays), { name: 'RangeError', message: fault });
  const palette = await posed.model('robot.glb').palette();
  assert.throws(() => poseOf(palette), { name: 'RangeError', message: /no local transforms/ });
  assert.throws(() => poseOf({}), TypeError);
  await assert.rejects(posed.model('robot.glb').render({ layers: [{ pose: givenPose({ nodes: ['nose'], scale: [[1, 1, 1]] }) }] }), is('joint_not_found', 404));
});

test('uploads', async () => {
  const answer = await posed.upload('a b/copy.glb', fs.readFileSync(path.join(root, 'robot.glb')));
  assert.equal(answer.model, 'uploads/a b/copy.glb');
  assert.equal((await posed.model(answer.model).palette({ clip: 'walk' })).frameCount, 1);
  await posed.delete('a b/copy.glb');
  await assert.rejects(posed.model(answer.model).palette(), is('model_not_found', 404));
  await assert.rejects(posed.upload('bad.glb', new Uint8Array([1, 2, 3])), is('not_a_model', 415));
});

test('tokens', async () => {
  fs.writeFileSync(path.join(root, 'tokens'), TOKEN + '\n');
  const guarded = await startServer(root, '--token-file', path.join(root, 'tokens'));
  try {
    await assert.rejects(new Client(guarded.url).model('robot.glb').info(), is('unauthorized', 401));
    await assert.rejects(new Client(guarded.url, { WebSocket }).connect(), is('unauthorized', 401));
    const known = new Client(guarded.url, { token: TOKEN, WebSocket });
    const own = await known.connect();
    assert.deepEqual(await (await own.open('robot.glb')).info(), await known.model('robot.glb').info());
    own.close();
  } finally {
    assert.equal(await guarded.end(), 0);
  }
});
