// The live model in motion, under a pointer, without its connection or its context, and with unusual files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './posed.mjs';
import { load, openViewer, settled } from './viewer_page.mjs';
import { browser, overlap, server, useViewer, withModel } from './viewer_server.mjs';

// Small files with difficulties for a viewer.
const gltf = (rest) => JSON.stringify({ asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], ...rest });
const triangle = () => {
  const bytes = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
  return { buffers: [{ byteLength: 36, uri: 'data:application/octet-stream;base64,' + bytes.toString('base64') }], bufferViews: [{ buffer: 0, byteLength: 36 }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }] };
};
const FILES = {
  'still.gltf': gltf({ ...triangle(), nodes: [{ mesh: 0, rotation: [0, 0.6, 0, 0.8], scale: [1, 3, 1], translation: [50, -9, 4] }], meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }] }),
  'bones.gltf': gltf({ nodes: [{ children: [1], name: 'a' }, { translation: [0, 1, 0], children: [2], name: 'b' }, { translation: [1, 1, 0], name: 'c' }] }),
  'gone.gltf': gltf({ ...triangle(), nodes: [{ mesh: 0 }], meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
    materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }], textures: [{ source: 0 }, { source: 1 }],
    images: [{ uri: 'gone.png' }, { uri: 'data:image/png;base64,AAAA' }] }),
};

useViewer(FILES);

test('plays, steps, stops at the end, and at another speed', () => withModel({ model: 'robot.glb' }, async (page) => {
  const time = () => page.evaluate(() => window.viewer.time_s);
  assert.equal(await page.evaluate(() => window.viewer.isPlaying), false);
  await page.evaluate(() => window.viewer.play());
  const seen = new Set();
  await until('ten different times', async () => { seen.add(await time()); return seen.size >= 10; });
  await page.evaluate(() => window.viewer.pause());
  const stopped = await time();
  await settled(page);
  assert.equal(await time(), stopped);
  await page.evaluate(() => { window.viewer.time_s = 0.5; });
  await page.evaluate(() => window.viewer.step(3));
  assert.ok(Math.abs(await time() - 0.6) < 1e-9, String(await time()));
  await page.evaluate(() => window.viewer.step(-1));
  assert.ok(Math.abs(await time() - 17 / 30) < 1e-9);
  await page.evaluate(() => { Object.assign(window.viewer, { loop: false, speed: 4 }); window.viewer.play(); });
  await until('the end', () => page.evaluate(() => !window.viewer.isPlaying));
  assert.equal(await time(), await page.evaluate(() => window.viewer.duration_s));
  await page.evaluate(() => { window.events.length = 0; Object.assign(window.viewer, { loop: true, speed: -1 }); window.viewer.play(); });
  await until('it goes back', () => page.evaluate(() => { // not from the end to the start
    const times = window.events.filter(({ type }) => type === 'time').map(({ detail }) => detail.time_s);
    return times.some((t, i) => i > 0 && t < times[i - 1] && t > times[i - 1] - 0.5);
  }));
  for (const wrong of ['x', NaN, Infinity, -5, 1e9]) await page.evaluate((one) => { window.viewer.time_s = one; window.viewer.speed = one; window.viewer.step(one); }, wrong);
  const { now, duration } = await page.evaluate(() => ({ now: window.viewer.time_s, duration: window.viewer.duration_s }));
  assert.ok(now >= 0 && now <= duration);
}));

test('a stream that is lost is opened again and goes on where it was', () => withModel({ model: 'dragon.glb' }, async (page) => {
  await page.evaluate(async () => { window.viewer.keepsClips = false; await window.viewer.load({ model: 'dragon.glb' }); window.viewer.play(); });
  const times = () => page.evaluate(() => window.events.filter(({ type }) => type === 'time').map(({ detail }) => detail.time_s));
  await until('frames of a stream', async () => (await times()).length > 20 && await page.evaluate(() => window.sockets.length === 1 && window.viewer.time_s > 0.3));
  const before = await page.evaluate(() => { const now = window.viewer.time_s; window.sockets.at(-1).close(); window.events.length = 0; return now; });
  await until('the loss', () => page.evaluate(() => window.events.some(({ type, detail }) => type === 'lost' && detail === 'connection')));
  await until('frames again', async () => (await times()).length > 3);
  assert.equal(await page.evaluate(() => window.sockets.length), 2);
  const first = (await times())[0];
  assert.ok(first >= before - 0.2 && first < before + 1.5, `${before} ${first}`);
  await page.evaluate(() => window.viewer.pause());
}));

test('what moves is drawn quickly, what stands still in full', () => withModel({ model: 'robot.glb' }, async (page) => {
  await settled(page);
  assert.ok(await page.evaluate(() => window.viewer.isSharp));
  await page.evaluate(() => window.viewer.play());
  await until('it is quick', () => page.evaluate(() => !window.viewer.isSharp && window.viewer.time_s > 0.2));
  await until('frames', () => page.evaluate(() => window.viewer.framesDrawn > 30));
  const width = await page.evaluate(() => document.querySelector('canvas').width);
  assert.ok(width >= 200 && width <= 400, String(width));
  await page.evaluate(() => window.viewer.pause());
  await until('it is sharp', () => page.evaluate(() => window.viewer.isSharp));
  assert.equal(await page.evaluate(() => document.querySelector('canvas').width), 400);
  assert.ok(await overlap(page) > 0.97);
}));

test('knows the surfaces whose backs nobody sees', () => withModel({ model: 'still.gltf' }, async (page) => {
  const counts = await page.evaluate(async () => {
    const { closedFirst } = await import('/page/viewer/closed.js');
    const entry = (indices, places) => ({ rest: new Float32Array(places), indices: new Uint32Array(indices), topology: 'triangles',
      firsts: Uint32Array.from({ length: places.length / 3 + 1 }, (_, i) => i), joints: new Uint32Array(places.length / 3), weights: new Float32Array(places.length / 3).fill(1) });
    const corners = [5, 5, 5, 6, 5, 5, 5, 6, 5, 5, 5, 6], outward = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
    const inward = outward.map((_, i) => outward[i - i % 3 + (2 - i % 3)]);
    const split = outward.flatMap((v) => corners.slice(3 * v, 3 * v + 3)); // as at a seam of texture coordinates
    const moved = entry([...outward.keys()], split);
    moved.joints[0] = 1; // it may separate from the others
    const both = entry([0, 1, 2, ...outward.map((v) => v + 3)], [0, 0, 0, 1, 0, 0, 0, 1, 0, ...corners]);
    const sorted = closedFirst(both);
    return [closedFirst(entry(outward, corners)).count, closedFirst(entry(inward, corners)).count, closedFirst(entry(outward.slice(3), corners)).count,
      closedFirst(entry([...outward.keys()], split)).count, closedFirst(moved).count, sorted.count, [...sorted.indices].slice(12)];
  });
  assert.deepEqual(counts, [12, 0, 0, 12, 0, 12, [0, 1, 2]]);
}));

test('blends two clips, and rests', () => withModel({ model: 'robot.glb' }, async (page) => {
  await page.evaluate(() => window.viewer.setClip({ clip: 0, blend: { clip: 1, weight: 0.5 } }));
  await page.evaluate(() => { window.viewer.time_s = 0.4; });
  await settled(page);
  const [blended, plain] = await page.evaluate(async () => {
    const joint = 5, { viewer } = window;
    const at = () => JSON.stringify(viewer.pick(0.5, 0.5)) + viewer.framesDrawn;
    return [at(), joint];
  });
  assert.ok(blended && plain);
  await page.evaluate(() => window.viewer.play());
  await until('it moves', () => page.evaluate(() => window.viewer.time_s > 0.6));
  await page.evaluate(() => window.viewer.setClip({ clip: '-' }));
  assert.equal(await page.evaluate(() => window.viewer.duration_s), 0);
  await settled(page);
  assert.ok(await overlap(page, { clip: '-' }) > 0.97);
}));

test('a model loaded again leaves nothing of the one before on the graphics processor', () => withModel({ model: 'robot.glb' }, async (page) => {
  await page.evaluate(() => {
    const context = document.querySelector('canvas').getContext('webgl2');
    window.more = {};
    for (const kind of ['Texture', 'Buffer', 'VertexArray', 'Program', 'Shader']) {
      for (const [word, step] of [['create', 1], ['delete', -1]]) {
        const call = context[word + kind];
        context[word + kind] = function (...of) {
          window.more[kind] = (window.more[kind] ?? 0) + step;
          return call.apply(this, of);
        };
      }
    }
  });
  assert.equal(await load(page, { model: 'robot.glb' }), null);
  await settled(page);
  assert.deepEqual(await page.evaluate(() => window.more), { Texture: 0, Buffer: 0, VertexArray: 0, Program: 0, Shader: 0 });
}));

test('a context that is lost is restored', () => withModel({ model: 'robot.glb' }, async (page) => {
  await page.evaluate(() => { window.loser = document.querySelector('canvas').getContext('webgl2').getExtension('WEBGL_lose_context'); window.loser.loseContext(); });
  await until('the loss', () => page.evaluate(() => window.events.some(({ type, detail }) => type === 'lost' && detail === 'context')));
  await page.evaluate(() => window.loser.restoreContext());
  await until('the context', () => page.evaluate(() => !document.querySelector('canvas').getContext('webgl2').isContextLost()));
  assert.ok(await overlap(page) > 0.97);
}));

test('pointers turn, move and zoom; a double click focuses; what is under the pointer has a name', () => withModel({ model: 'robot.glb' }, async (page) => {
  const camera = () => page.evaluate(() => window.viewer.camera);
  const start = await camera();
  await page.mouse.move(200, 150);
  await until('a name', () => page.evaluate(() => window.events.some(({ type, detail }) => type === 'hover' && detail?.joint?.name && detail.mesh && detail.material)));
  await page.mouse.down();
  await page.mouse.move(260, 130, { steps: 4 });
  await page.mouse.up();
  const turned = await camera();
  assert.ok(Math.abs(start.yaw - 36 - turned.yaw) < 0.5 && Math.abs(start.pitch - 12 - turned.pitch) < 0.5, JSON.stringify(turned));
  await page.mouse.wheel(0, -200);
  await until('the wheel', async () => (await camera()).distance < 0.9 * turned.distance);
  await page.keyboard.down('Shift');
  await page.mouse.down();
  await page.mouse.move(200, 100, { steps: 3 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  assert.notDeepEqual((await camera()).target, turned.target);
  await settled(page);
  assert.ok(await overlap(page) > 0.97);
  await page.evaluate(() => window.viewer.reset());
  await settled(page);
  const reset = await camera();
  await page.mouse.dblclick(200, 150);
  assert.notDeepEqual((await camera()).target, reset.target);
  assert.equal(await page.evaluate(() => window.viewer.pick(0.01, 0.01)), null);
  await page.evaluate(() => window.viewer.focus({ joint: 3 }));
  await page.evaluate(() => window.viewer.focus({ joint: 'nobody' }));
}));

test('models with little in them, or with something broken', async () => {
  for (const model of Object.keys(FILES)) {
    await withModel({ model }, async (page) => {
      await page.evaluate(() => { window.viewer.play(); window.viewer.step(1); window.viewer.joint = 99; window.viewer.view = 'weights'; window.viewer.view = 'lit'; });
      await settled(page);
      assert.ok(await overlap(page) > 0.9, model);
      assert.equal(await page.evaluate(() => window.viewer.duration_s), 0);
    });
  }
  const { page, close } = await openViewer(browser, server.url);
  assert.match(await load(page, { model: 'none.glb' }), /none\.glb/);
  assert.equal(await load(page, { model: 'robot.glb' }), null); // loading works again after a failure
  await page.evaluate(() => window.viewer.dispose());
  await close();
});
