// Raycasts of the JavaScript client: the bytes of the example, hits in place, rays as objects and as arrays, damaged answers, both transports.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { Client, Hits, PosedError } from '../../clients/js/posed.js';
import { buildRaycast } from '../../clients/js/raycast.js';
import * as packets from '../../clients/js/packets.js';
import { readExample } from './packet_examples.mjs';
import { SAMPLES, startServer } from './posed.mjs';

// The identity moved along x, column by column.
const at = (x) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0, 0, 1];
const CROWD = {
  models: ['robot.glb'],
  entities: [{ layers: [{ clip: 0, t: 0.3 }] }, { layers: [{ clip: 0, t: 0.5 }], world: at(3) }, { layers: [{ clip: 1, t: 0.1 }], world: at(3) }],
};
const TARGETS = [{ begin: 0, end: 1, mask: 1 }, { begin: 2, mask: 2 }];
const ahead = (x, more) => ({ origin: [x, 1, 9], direction: [0, 0, -1], ...more });
const RAYS = [ahead(0), ahead(3, { radius: 0.2, at: 1, mask: 1, max: 20 }), ahead(3, { radius: 0.2, at: 1, ignore: 1 }), ahead(1.5, { at: 0.5 }), ahead(3, { max: 2 }), ahead(90)];
const isBad = (error) => error instanceof PosedError && error.code === 'bad_answer';

let server, client, link;

before(async () => {
  server = await startServer(SAMPLES);
  client = new Client(server.url, { WebSocket });
  link = await client.connect();
});
after(async () => {
  link?.close();
  if (server) assert.equal(await server.end(), 0, 'the server ends well');
});

test('the client makes the bytes of the example, but for the handle, and reads its answer', () => {
  const [asked, answer] = readExample('raycast').steps.map(({ bytes }) => bytes);
  const body = buildRaycast({
    models: ['awkward.gltf'], entities: [{ world: at(0) }], wanted: [{ nodes: [0] }], rays: [{ origin: [0, 0, 5000], direction: [0, 0, -1], radius: 1000 }],
  });
  const made = [...packets.packet('raycast', 25, body)];
  // all except sizes, handle and path
  for (const [from, to] of [[44, 52], [56, 200], [204, 236], [240, 376], [384, 444]]) assert.deepEqual(made.slice(from, to), asked.slice(from, to), `from ${from}`);
  const [hit, ...more] = new Hits(Uint8Array.from(answer.slice(32)));
  assert.deepEqual([hit.ray, hit.entity, hit.node, hit.part, hit.triangle, hit.inside, hit.distance, hit.point[0]], [0, 0, 2, 1, 0, false, 3951.832763671875, 13]);
  assert.equal(more.length, 0);
});

test('hits are those of JSON', async () => {
  const [origin, direction] = [[0, 1.5, 9], [0, 0, -1]];
  for (const words of [{}, { fit: 'sphere', hits: 'all' }, { fit: 'box' }, { test: 'mesh' }]) {
    const told = (await client.raycast({ entities: [{ model: 'robot.glb', clip: 0, t: 0.3 }], rays: [{ origin, direction }], ...words })).hits;
    const hits = await client.raycastCrowd({ ...CROWD, targets: [{ begin: 0 }], rays: [{ origin, direction }], ...words });
    assert.ok(hits instanceof Hits && hits.length > 0);
    assert.deepEqual([hits.length, hits.entityCount, hits.rayCount, hits.test], [told.length, 1, 1, words.test ?? 'volumes']);
    Array.from(hits).forEach((hit, i) => {
      assert.deepEqual([hit.ray, hit.entity, hit.node, hit.triangle], [0, 0, told[i].joint ?? told[i].node, told[i].triangle ?? 0]);
      assert.deepEqual([hit.distance, ...hit.point, ...hit.normal], [told[i].distance, ...told[i].point, ...told[i].normal].map(Math.fround));
    });
  }
});

test('objects and arrays, HTTP and WebSocket have the same bits', async () => {
  const all = { ...CROWD, targets: TARGETS, rays: RAYS };
  const bytesOf = ({ words }) => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  const one = await client.raycastCrowd(all);
  assert.deepEqual(Array.from(one, ({ ray, entity }) => [ray, entity]), [[0, 0], [1, 0], [2, 0], [3, 0]]);
  const column = (name, without, Type) => Type.from(RAYS, (ray) => ray[name] ?? without);
  const rays = {
    origins: Float64Array.from(RAYS.flatMap(({ origin }) => origin)), directions: RAYS.flatMap(({ direction }) => direction), max: column('max', Infinity, Float64Array),
    radius: column('radius', 0, Float64Array), at: column('at', 0, Array), mask: column('mask', 2 ** 32 - 1, Uint32Array), ignore: column('ignore', -1, Int32Array),
  };
  const [other, third] = await Promise.all([client.raycastCrowd({ ...all, rays }), link.raycastCrowd(all)]);
  assert.deepEqual(bytesOf(other), bytesOf(one));
  assert.deepEqual(bytesOf(third), bytesOf(one));
  const same = await link.raycastCrowd({ ...CROWD, rays: { origins: RAYS.flatMap(({ origin }) => origin), directions: RAYS.flatMap(({ direction }) => direction), max: 20 } });
  assert.deepEqual(bytesOf(same), bytesOf(await client.raycastCrowd({ ...CROWD, rays: RAYS.map(({ origin, direction }) => ({ origin, direction, max: 20 })) })));
});

test('vectors are views on the answer', async () => {
  const hits = await link.raycastCrowd({ ...CROWD, rays: RAYS, test: 'mesh', hits: 'all' });
  const { point, barycentric } = hits.hit(hits.length - 1);
  assert.equal(point.buffer, hits.words.buffer);
  assert.deepEqual(point, hits.floats.subarray(16 * hits.length - 9, 16 * hits.length - 6));
  assert.ok(Math.abs(barycentric.reduce((sum, share) => sum + share) - 1) < 1e-6);
  assert.throws(() => hits.hit(hits.length), RangeError);
  assert.throws(() => hits.hit(-1), RangeError);
});

test('what cannot be asked is a TypeError that names it', async () => {
  const cases = [
    [{ fit: 'cube' }, /fit is one of capsule, box, sphere, not 'cube'/], [{ test: 'meshes' }, /test is one of volumes, mesh/], [{ hits: 'first' }, /hits is one of nearest, all/],
    [{ rays: [ahead(0), { origin: [0, 1], direction: [0, 0, 1] }] }, /origin of rays\[1\] has 2 numbers/], [{ rays: [{ origin: [0, 1, 2] }] }, /direction of rays\[0\] has no numbers/],
    [{ rays: [ahead(0, { mask: -1 })] }, /mask of rays\[0\]/], [{ rays: [ahead(0, { ignore: 0.5 })] }, /ignore of rays\[0\]/], [{ targets: [{ begin: -1 }] }, /begin of targets\[0\]/],
    [{ targets: [{}] }, /begin of targets\[0\]/], [{ rays: undefined }, /origins and directions/], [{ rays: { origins: [0, 0], directions: [0, 0] } }, /3 numbers for each ray/],
    [{ rays: { origins: [0, 0, 0], directions: [0, 0, 1], at: [0, 1] } }, /at is a number, or has 1 of them, not 2/],
  ];
  for (const from of [client, link]) {
    for (const [words, message] of cases) await assert.rejects(from.raycastCrowd({ ...CROWD, rays: RAYS, ...words }), (error) => error instanceof TypeError && message.test(error.message), String(message));
  }
});

test('what the server refuses is thrown and named', async () => {
  const cases = [
    [{ rays: [ahead(0), { origin: [0, 0, 0], direction: [0, 0, 0] }] }, 'bad_parameter', /rays\[1\]: .*direction/], [{ rays: [ahead(0, { at: 2 })] }, 'bad_parameter', /rays\[0\]: 'at'/],
    [{ rays: [ahead(NaN)] }, 'bad_parameter', /rays\[0\]/], [{ rays: [] }, 'bad_parameter', /3 entities and 0 rays/], [{ targets: [{ begin: 0 }, { begin: 7 }] }, 'bad_parameter', /entities\[1\]: its poses are 7/],
    [{ entities: [{}, { layers: [{ clip: 99 }] }] }, 'clip_not_found', /entities\[1\]: /], [{ models: ['nobody.glb'] }, 'model_not_found', /nobody\.glb/],
    [{ hashes: ['1'.repeat(64)] }, 'hash_mismatch', /robot\.glb/],
  ];
  for (const from of [client, link]) {
    for (const [words, code, message] of cases) {
      await assert.rejects(from.raycastCrowd({ ...CROWD, rays: RAYS, ...words }), (error) => error instanceof PosedError && error.code === code && message.test(error.message), String(message));
    }
  }
  const left = new AbortController();
  left.abort();
  for (const from of [client, link]) await assert.rejects(from.raycastCrowd({ ...CROWD, rays: RAYS, signal: left.signal }), { name: 'AbortError' });
});

test('an answer that is damaged or cut is an error of its own', async () => {
  const answer = await fetch(`${server.url}/v1/raycast`, { method: 'POST', body: buildRaycast({ ...CROWD, rays: RAYS }), headers: { 'Content-Type': 'application/vnd.posed.raycast' } });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const { length, words } = new Hits(bytes);
  assert.ok(length > 2);
  const shifted = new Uint8Array(bytes.length + 1);
  shifted.set(bytes, 1);
  assert.deepEqual(new Hits(shifted.subarray(1)).words, words);
  for (let size = 0; size < bytes.length; size++) assert.throws(() => new Hits(bytes.slice(0, size)), isBad, `${size} bytes`);
  for (const where of [0, 4, 16, 20, 24, 35, 39]) { // magic, version, counts, test, size; places of the first hit
    const damaged = bytes.slice();
    damaged[where] ^= 0x82;
    assert.throws(() => new Hits(damaged), isBad, `byte ${where}`);
  }
});
