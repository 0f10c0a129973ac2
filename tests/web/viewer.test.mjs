// The live model (clients/page/viewer) in a real browser, drawn by software, on a real server.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { SAMPLES, launchBrowser, startServer, temporaryFolder, until } from './posed.mjs';
import { WEBGL, compare, load, openViewer, picture, settled } from './viewer_page.mjs';

const SHARED = path.resolve(import.meta.dirname, '../../../shared/models');
const OTHERS = ['gltf/Fox.glb', 'gltf/MorphStressTest.gltf', 'gltf/cesium_man.gltf', 'adversarial/d2_eight_influences_u8.gltf',
  'adversarial/m_morph_and_skin.gltf', 'fbx_ufbx/maya_dual_quaternion_7500_ascii.fbx', 'fbx_ufbx/max_transformed_skin_7500_ascii.fbx', 'bvh/01_01.bvh',
  'fbx/ozz_run.fbx', 'md5/Bob.md5mesh', 'x/dwarf.x', 'dae/ozz_astro_max.dae'];

// Small files with what a viewer may trip over.
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

let root, server, browser;

before(async () => {
  root = temporaryFolder();
  for (const name of fs.readdirSync(SAMPLES)) if (name.endsWith('.glb')) fs.copyFileSync(path.join(SAMPLES, name), path.join(root, name));
  for (const [name, text] of Object.entries(FILES)) fs.writeFileSync(path.join(root, name), text);
  server = await startServer(root);
  browser = await launchBrowser(...WEBGL);
});

after(async () => {
  await browser?.close();
  await server?.end();
  if (root) fs.rmSync(root, { recursive: true });
});

// Opens a page with the model loaded, does `work`, and checks that nothing went wrong in it, OpenGL neither.
async function withModel(what, work, { url = server.url, complains = false } = {}) {
  const { page, complaints, close } = await openViewer(browser, url);
  try {
    assert.equal(await load(page, what), null);
    await work(page);
    const errors = await page.evaluate(() => ({ gl: document.querySelector('canvas').getContext('webgl2').getError(),
      told: window.events.filter(({ type }) => type === 'error').map(({ detail }) => detail) }));
    if (!complains) assert.deepEqual([errors.gl, errors.told, complaints], [0, [], []]);
  } finally {
    await close();
  }
}

const overlap = async (page, query) => (await compare(page, query)).overlap;

test('shows what the server draws, in every clip and from every side', async () => {
  for (const name of ['robot.glb', 'dragon.glb', 'octopus.glb']) {
    await withModel({ model: name }, async (page) => {
      const shares = [];
      const measure = async (query) => { await settled(page); shares.push(await overlap(page, query)); };
      await measure();
      await page.evaluate(() => { window.viewer.camera = { yaw: -120, pitch: 40 }; });
      await until('the camera', () => page.evaluate(() => window.events.some(({ type, detail }) => type === 'camera' && detail.pitch === 40)));
      await measure();
      await page.evaluate(() => { window.viewer.camera = { yaw: 70, pitch: -20, distance: 1.4, target: [0.1, 0.6, 0.1] }; });
      await measure();
      await page.evaluate(() => window.viewer.setClip({ clip: 1 }));
      await page.evaluate(() => { window.viewer.time_s = 0.37; });
      await measure({ clip: 1 });
      assert.ok(Math.min(...shares) > 0.97, `${name}: ${shares}`);
    });
  }
});

test('shows files of other programs as the server does', { skip: !fs.existsSync(SHARED) && 'there is no ../shared/models' }, async () => {
  const other = await startServer(SHARED);
  try {
    for (const model of OTHERS.filter((name) => fs.existsSync(path.join(SHARED, name)))) {
      await withModel({ model }, async (page) => {
        const length = await page.evaluate(() => window.viewer.duration_s);
        await page.evaluate((t) => { window.viewer.time_s = t; }, length * 0.4);
        await settled(page);
        const share = await overlap(page);
        // of a bare skeleton the server leaves out the bones of nodes that no clip moves
        assert.ok(share > (/bvh$|ozz_run/.test(model) ? 0.85 : 0.97), `${model}: ${share}`);
      }, { url: other.url });
    }
  } finally {
    await other.end();
  }
});

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
  await until('it goes back', () => page.evaluate(() => { // and not from the end to the start
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

// A light of other colours from each side, as a Radiance picture of 8 x 4 pixels: red, green, blue, exponent.
const HDR = Buffer.concat([Buffer.from('#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 4 +X 8\n'),
  Buffer.from(Array.from({ length: 32 }, (_, i) => (i % 8 < 4 ? [200, 60, 20, 129] : [20, 90, 220, 129])).flat())]);

test('has every light of the server, its exposure and its tones', async () => {
  fs.writeFileSync(path.join(root, 'sides.hdr'), HDR);
  await withModel({ model: 'robot.glb' }, async (page) => {
    assert.deepEqual(await page.evaluate(() => window.viewer.lightParameters), {});
    const pictures = new Set();
    const look = async (choice) => {
      await page.evaluate((one) => Object.assign(window.viewer, one), choice);
      await until(`the light ${JSON.stringify(choice)}`, async () => {
        const now = (await picture(page)).toString('base64');
        if (pictures.has(now) || (await compare(page)).difference > 4) return false;
        return pictures.add(now);
      });
    };
    await look({});
    await look({ light: 'outdoor' });
    await look({ light: 'flat' });
    await look({ light: 'outdoor', exposure: -1.5 });
    await look({ tone: 'aces', exposure: 0 });
    await look({ tone: 'none' });
    await look({ tone: 'neutral', light: null, environment: 'sides.hdr' });
    await look({ environment_yaw: 120 });
    for (const wrong of ['x', NaN, {}, null]) await page.evaluate((one) => Object.assign(window.viewer, { light: one, exposure: one, tone: one, environment_yaw: one }), wrong);
    assert.deepEqual(await page.evaluate(() => window.viewer.lightParameters), { environment: 'sides.hdr' });
    await page.evaluate(() => { window.viewer.environment = 'none.hdr'; });
    await until('the fault', () => page.evaluate(() => window.events.some(({ type, detail }) => type === 'error' && /none\.hdr/.test(detail))));
  }, { complains: true });
});

test('coats, fibres, films, brushed and clear surfaces look as in the server\'s pictures', async () => {
  const folder = temporaryFolder();
  execFileSync(process.env.PYTHON || '/usr/bin/python3', [path.resolve(import.meta.dirname, '../golden/layer_spheres.py'), folder]);
  const other = await startServer(folder);
  try {
    for (const model of ['clearcoat', 'sheen', 'iridescence', 'anisotropy', 'transmission'].map((name) => `layers_${name}.glb`)) {
      await withModel({ model }, async (page) => {
        const { overlap: share, difference } = await compare(page);
        assert.ok(share > 0.97 && difference < 1.5, `${model}: ${share} ${difference}`);
      }, { url: other.url });
    }
  } finally {
    await other.end();
    fs.rmSync(folder, { recursive: true });
  }
});

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
    const split = outward.flatMap((v) => corners.slice(3 * v, 3 * v + 3)); // as where texture coordinates have a seam
    const moved = entry([...outward.keys()], split);
    moved.joints[0] = 1; // it may come off the others
    const both = entry([0, 1, 2, ...outward.map((v) => v + 3)], [0, 0, 0, 1, 0, 0, 0, 1, 0, ...corners]);
    const sorted = closedFirst(both);
    return [closedFirst(entry(outward, corners)).count, closedFirst(entry(inward, corners)).count, closedFirst(entry(outward.slice(3), corners)).count,
      closedFirst(entry([...outward.keys()], split)).count, closedFirst(moved).count, sorted.count, [...sorted.indices].slice(12)];
  });
  assert.deepEqual(counts, [12, 0, 0, 12, 0, 12, [0, 1, 2]]);
}));

// A triangle that blinks, with one below it whose own visibility is hidden; another one that is shown late.
const BLINKS = (() => {
  const numbers = (list, type) => Buffer.from(new type(list).buffer);
  const bytes = Buffer.concat([numbers([0, 0, 0, 1, 0, 0, 0, 1, 0], Float32Array), numbers([0, 1, 2], Float32Array), Buffer.from([1, 0, 1, 0, 0, 0, 1, 0])]);
  const veil = { KHR_node_visibility: { visible: false } };
  const points = (sampler, node) => ({ sampler, target: { path: 'pointer', extensions: { KHR_animation_pointer: { pointer: `/nodes/${node}/extensions/KHR_node_visibility/visible` } } } });
  return JSON.stringify({ asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], extensionsUsed: ['KHR_animation_pointer', 'KHR_node_visibility'],
    buffers: [{ byteLength: bytes.length, uri: 'data:application/octet-stream;base64,' + bytes.toString('base64') }],
    bufferViews: [[0, 36], [36, 12], [48, 3], [52, 3]].map(([byteOffset, byteLength]) => ({ buffer: 0, byteOffset, byteLength })),
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }, { bufferView: 1, componentType: 5126, count: 3, type: 'SCALAR', min: [0], max: [2] },
      { bufferView: 2, componentType: 5121, count: 3, type: 'SCALAR' }, { bufferView: 3, componentType: 5121, count: 3, type: 'SCALAR' }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }], materials: [{ doubleSided: true }],
    nodes: [{ children: [1, 2, 5], rotation: [0, 0.6, 0, 0.8], scale: [2, 0.5, 1.5], translation: [3, -2, 5] }, { mesh: 0, children: [3, 4] }, { mesh: 0, translation: [2, 2, 0], extensions: veil },
      { mesh: 0, translation: [2, 0, 0] }, { mesh: 0, translation: [0, 2, 0], extensions: veil }, { mesh: 0, translation: [-2, 0, 0] }],
    animations: [{ samplers: [2, 3].map((output) => ({ input: 1, output, interpolation: 'STEP' })), channels: [points(0, 1), points(1, 2)] }] });
})();

test('hides what a clip hides', async () => {
  fs.writeFileSync(path.join(root, 'blinks.gltf'), BLINKS);
  await withModel({ model: 'blinks.gltf' }, async (page) => {
    for (const [t, hidden] of [[0.5, 2], [1.5, 4], [2, 1]]) {
      await page.evaluate((one) => { window.viewer.time_s = one; }, t);
      await settled(page);
      const share = await overlap(page, { wrap: 'clamp' });
      assert.ok(share > 0.95, `${t} (${hidden} of five are hidden): ${share}`);
    }
    await page.evaluate(() => window.viewer.setClip({ clip: '-' }));
    await settled(page);
    assert.ok(await overlap(page, { clip: '-' }) > 0.95);
  });
});

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

test('draws every view, a ground and a background', () => withModel({ model: 'dragon.glb' }, async (page) => {
  const seen = new Set();
  for (const [view, joint] of [['lit', null], ['skeleton', null], ['weights', null], ['weights', 4], ['wireframe', null], ['normals', null], ['none such', null]]) {
    await page.evaluate(([name, node]) => { Object.assign(window.viewer, { view: name, joint: node }); }, [view, joint]);
    assert.ok(await overlap(page, view === 'none such' ? {} : { view, ...(joint !== null && { joint }) }) > 0.93, view);
    seen.add((await picture(page)).toString('base64'));
  }
  await page.evaluate(() => { Object.assign(window.viewer, { view: 'lit', ground: true, background: '203040' }); });
  await settled(page);
  assert.equal(await page.evaluate(() => window.viewer.background), '203040');
  assert.equal(seen.size, 6); // no such view is the usual one
}));

test('cameras and skies far away from a skeleton are left out', async () => {
  const keys = Buffer.from(new Float32Array([0, 1, 0, 0, 0, 1, 0, 0, 0.6, 0.8]).buffer); // two times, two rotations
  const accessor = (byteOffset, type) => ({ bufferView: 0, byteOffset, componentType: 5126, count: 2, type, ...(type === 'SCALAR' && { min: [0], max: [1] }) });
  fs.writeFileSync(path.join(root, 'far.gltf'), JSON.stringify({ asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 3, 4] }],
    nodes: [{ name: 'hips', children: [1], translation: [3, 1, 2] }, { name: 'knee', children: [2], translation: [0, 1, 0.2], rotation: [0, 0, 0.6, 0.8] }, { name: 'foot', translation: [0, 1, 0] },
      { name: 'sky', translation: [-15000, 9000, 0] }, { name: 'camera', translation: [0, 0, 12000] }],
    buffers: [{ byteLength: 40, uri: 'data:application/octet-stream;base64,' + keys.toString('base64') }], bufferViews: [{ buffer: 0, byteLength: 40 }],
    accessors: [accessor(0, 'SCALAR'), accessor(8, 'VEC4')],
    animations: [{ samplers: [{ input: 0, output: 1 }], channels: [{ sampler: 0, target: { node: 0, path: 'rotation' } }, { sampler: 0, target: { node: 1, path: 'rotation' } }] }] }));
  await withModel({ model: 'far.gltf' }, async (page) => {
    await page.evaluate(() => { window.viewer.time_s = 0.5; });
    await settled(page);
    assert.ok(await overlap(page) > 0.9);
  });
});

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
  assert.equal(await load(page, { model: 'robot.glb' }), null); // another one comes after a failure
  await page.evaluate(() => window.viewer.dispose());
  await close();
});
