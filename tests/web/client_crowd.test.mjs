// Crowds of the JavaScript client: the bytes of the example, the answer in place, damaged answers, both transports.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { Client, Entities, PosedError } from '../../clients/js/posed.js';
import { buildCrowd } from '../../clients/js/crowd.js';
import * as packets from '../../clients/js/packets.js';
import { FOLDER, readExample } from './packet_examples.mjs';
import { SAMPLES, startServer } from './posed.mjs';

// A place that rotates, scales unevenly and moves, column by column.
const WORLD = [0, 0, -2, 0, 0, 3, 0, 0, 0.5, 0, 0, 0, 7, -4, 20, 1];
const CROWD = {
  models: ['robot.glb', 'octopus.glb'],
  masks: [{ subtree: [4] }, { nodes: [1, 2], except: [5] }],
  wanted: [{}, { skin: 0, joints: [3, 0] }, { nodes: [7, 2, 1] }],
  entities: [
    { layers: [{ clip: 0, t: 0.3 }] },
    { model: 1, layout: 'mat3x4', wanted: 1, world: WORLD },
    { wanted: 2, layers: [{ clip: 0, t: 0.1, wrap: 'mirror' }, { clip: 1, t: 0.2, weight: 0.5, mask: 0 },
      { clip: 2, weight: 0.25, mode: 'additive', mask: 1, reference: { clip: 2, t: 0.5 } }] },
    { layers: [{ clip: 99 }] },
    { model: 1, layers: [{ clip: 1, t: 0.75 }], world: Float32Array.from(WORLD) },
  ],
};

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

test('the client makes the bytes of the example', () => {
  const [step] = readExample('crowd').steps.filter(({ isClient }) => isClient);
  const body = buildCrowd({ models: ['awkward.gltf'], entities: [{ layout: 'mat3x4', layers: [{ clip: 0, t: 0.5 }] }], wanted: [{ joints: [0] }] });
  assert.deepEqual([...packets.packet('crowd', 24, body)], step.bytes);
  assert.ok(FOLDER);
});

test('a clip file stands among the models, or is put behind them', () => {
  const layers = [{ clip: 1 }, { clip: 2, clip_file: 'b.glb' }, { mode: 'additive', clip_file: 'c.glb', reference: { clip: 3 } }, { clip_file: 'a.glb' }];
  const [unlisted, listed] = [['a.glb', 'b.glb'], ['a.glb', 'b.glb', 'c.glb']].map((models) => buildCrowd({ models, entities: [{ layers }] }));
  assert.deepEqual(unlisted, listed);
  const view = new DataView(listed.buffer);
  assert.deepEqual([0, 1, 2, 3].map((i) => view.getUint16(64 + 24 + 40 * i + 26, true)), [0, 2, 3, 1]);
  assert.equal(view.getUint32(24, true), 3);
});

test('entities are what each is alone, where they lie in one array', async () => {
  const crowd = await client.crowd(CROWD);
  assert.ok(crowd instanceof Entities && crowd.floats instanceof Float32Array);
  assert.equal(crowd.length, 5);
  assert.deepEqual([...crowd.errors.keys()], [3]);
  assert.equal(crowd.errors.get(3).code, 'clip_not_found');
  assert.throws(() => crowd.matrices(3), (error) => error instanceof PosedError && error.status === 404);
  assert.throws(() => crowd.place(5), RangeError);
  const [robot, octopus] = CROWD.models.map((path) => client.model(path));
  assert.deepEqual([...crowd.hashes], [(await robot.info()).hash, (await octopus.info()).hash]);
  assert.deepEqual(crowd.matrices(0), (await robot.palette({ clip: 0, t: 0.3, skin: 0 })).palette());
  const rest = (await octopus.palette({ clip: '-', skin: 0 })).palette();
  assert.deepEqual(crowd.place(1), { offset: crowd.place(0).count * 16, count: 2, itemLength: 12 });
  near(crowd.matrices(1), [3, 0].flatMap((joint) => rows(product(WORLD, rest.subarray(16 * joint, 16 * joint + 16)))));
  const posed = await robot.pose({ joints: [7, 2, 1], layers: [{ clip: 0, t: 0.1, wrap: 'mirror' }, { clip: 1, t: 0.2, weight: 0.5, subtree: 4 },
    { clip: 2, t: 0, weight: 0.25, mode: 'additive', joints: [1, 2], except: 5, reference: { clip: 2, t: 0.5 } }] });
  assert.deepEqual(crowd.matrices(2), posed.array('scene'));
  const moved = (await octopus.palette({ clip: 1, t: 0.75, skin: 0 })).palette();
  near(crowd.matrices(4).subarray(0, 16), product(WORLD, moved.subarray(0, 16)));
});

const product = (a, b) => Array.from({ length: 16 }, (_, i) => [0, 1, 2, 3].reduce((sum, k) => sum + a[4 * k + (i % 4)] * b[4 * Math.floor(i / 4) + k], 0));
const rows = (m) => [0, 1, 2].flatMap((row) => [0, 1, 2, 3].map((column) => m[4 * column + row]));
function near(found, expected) {
  assert.equal(found.length, expected.length);
  found.forEach((number, i) => assert.ok(Math.abs(number - expected[i]) <= 1e-5 * (1 + Math.abs(expected[i])), `${i}: ${number} ${expected[i]}`));
}

test('a WebSocket carries the same bits', async () => {
  const [one, other] = await Promise.all([client.crowd(CROWD), link.crowd(CROWD)]);
  assert.deepEqual(new Uint8Array(other.floats.buffer, other.floats.byteOffset, other.floats.byteLength), new Uint8Array(one.floats.buffer, one.floats.byteOffset, one.floats.byteLength));
  assert.deepEqual([...other.errors.keys()], [...one.errors.keys()]);
  assert.equal(other.floats.byteOffset % 16, 0);
});

test('what is wrong with the whole is thrown', async () => {
  for (const from of [client, link]) {
    await assert.rejects(from.crowd({ models: [], entities: [] }), (error) => error instanceof PosedError && error.status === 400);
    await assert.rejects(from.crowd({ models: ['robot.glb'], entities: [{ layout: 'mat5' }] }), TypeError);
    await assert.rejects(from.crowd({ models: ['robot.glb'], entities: [{ world: [1, 2] }] }), TypeError);
    await assert.rejects(from.crowd({ models: ['robot.glb'], entities: [{}], hashes: ['abc'] }), TypeError);
    const pinned = await from.crowd({ models: ['robot.glb'], entities: [{}], hashes: ['0'.repeat(63) + '1'] });
    assert.equal(pinned.errors.get(0).code, 'hash_mismatch');
    assert.deepEqual([...pinned.hashes], ['']);
  }
  const left = new AbortController();
  left.abort();
  await assert.rejects(client.crowd({ ...CROWD, signal: left.signal }), { name: 'AbortError' });
});

test('an answer that is damaged or cut is an error of its own', async () => {
  const answer = await fetch(`${server.url}/v1/crowd`, { method: 'POST', body: buildCrowd(CROWD), headers: { 'Content-Type': 'application/vnd.posed.crowd' } });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  assert.equal(new Entities(bytes).length, 5);
  const shifted = new Uint8Array(bytes.length + 1);
  shifted.set(bytes, 1);
  assert.deepEqual(new Entities(shifted.subarray(1)).floats, new Entities(bytes).floats);
  const isBad = (error) => error instanceof PosedError && error.code === 'bad_answer';
  for (let length = 0; length < bytes.length; length += length < 512 ? 1 : 97) assert.throws(() => new Entities(bytes.slice(0, length)), isBad, `${length} bytes`);
  let refused = 0;
  for (let at = 0; at < 64 + 16 * 5 + 48 * 2; at++) {
    for (const bit of [1, 0x80]) {
      const damaged = bytes.slice();
      damaged[at] ^= bit;
      try {
        const crowd = new Entities(damaged);
        for (let i = 0; i < crowd.length; i++) if (!crowd.errors.has(i)) crowd.matrices(i);
      } catch (error) {
        assert.ok(isBad(error), `byte ${at}: ${error}`);
        refused++;
      }
    }
  }
  assert.ok(refused > 60, `${refused} of the damages were noticed`);
});
