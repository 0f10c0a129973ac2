// The live model's pictures compared with the server's.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { MORPHS, writeAvatars, writeHumans } from './model_page.mjs';
import { startServer, temporaryFolder, until } from './posed.mjs';
import { compare, picture, settled } from './viewer_page.mjs';
import { overlap, root, useViewer, withModel } from './viewer_server.mjs';

useViewer();

const SHARED = path.resolve(import.meta.dirname, '../../../shared/models');
const OTHERS = ['gltf/Fox.glb', 'gltf/MorphStressTest.gltf', 'gltf/cesium_man.gltf', 'adversarial/d2_eight_influences_u8.gltf',
  'adversarial/m_morph_and_skin.gltf', 'fbx_ufbx/maya_dual_quaternion_7500_ascii.fbx', 'fbx_ufbx/max_transformed_skin_7500_ascii.fbx', 'bvh/01_01.bvh',
  'fbx/ozz_run.fbx', 'md5/Bob.md5mesh', 'x/dwarf.x', 'dae/ozz_astro_max.dae'];

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

const NOTHING = { turn: null, morph: null, expression: null, look: null };

// `least`: of the overlap with the server's picture of the same pose; `most`: with that of the clip alone.
async function comparePose(page, given, query, [least, most]) {
  await page.evaluate((lists) => { window.viewer.given = lists; }, given);
  await settled(page);
  await until('the pose', async () => await overlap(page, query) > least);
  assert.ok(await overlap(page, { ...query, ...NOTHING }) < most, 'the pose is another one than that of the clip');
}

test('shows a pose on top of a clip as the server does', async () => {
  const turn = ['head:0,70,25', 'arm_left:10,-20,80', 'leg_right:-50,0,0'];
  await withModel({ model: 'robot.glb' }, async (page) => {
    await page.evaluate(() => { window.viewer.time_s = 0.37; });
    await comparePose(page, { turn }, {}, [0.97, 0.9]);
    await page.evaluate(() => { window.viewer.given = {}; });
    await until('the clip alone', async () => await overlap(page) > 0.97);
    await page.evaluate(() => window.viewer.setClip({ clip: '-' }));
    await comparePose(page, { turn }, { clip: '-' }, [0.97, 0.9]); // the server frames the pose
    await page.evaluate(async (one) => { window.viewer.given = {}; await window.viewer.setClip({ clip: 0 }); window.viewer.play(); window.viewer.given = one; }, { turn });
    await until('it plays on', () => page.evaluate(() => window.viewer.time_s > 0.5));
    await page.evaluate(() => window.viewer.pause());
    await settled(page);
    assert.ok(await overlap(page, { clip: 0 }) > 0.97);
  });
  fs.writeFileSync(path.join(root, 'morphs.gltf'), MORPHS);
  await withModel({ model: 'morphs.gltf' }, (page) => comparePose(page, { morph: ['smile:0.7', 'a:b:1'], turn: ['face:0,20,0'] }, { clip: '-' }, [0.97, 0.8]));
  writeHumans(root);
  await withModel({ model: 'uneven.vrm' }, async (page) => {
    await page.evaluate(() => { window.viewer.camera = { yaw: 30, pitch: 5, distance: 0.2, target: [-0.2, 1, 0.65] }; }); // the face is small
    await comparePose(page, { expression: ['happy:1', 'aa:1'], turn: ['leftUpperArm:0,0,-60'] }, { clip: '-' }, [0.95, 0.9]);
    const [theirs, plain] = [await compare(page, { clip: '-' }), await compare(page, { clip: '-', expression: null })]; // it glows
    assert.ok(theirs.difference < 4 && plain.difference > 20, `${theirs.difference} ${plain.difference}`);
  });
  writeAvatars(root);
  await withModel({ model: 'ann0_expression.vrm' }, async (page) => { // its eyes are textures, which follow the head at each time
    await page.evaluate(() => { window.viewer.camera = { yaw: 0, pitch: 0, distance: 0.1, target: [0.3, 1.95, -0.2], fov: 15 }; });
    for (const look of ['50,-20', '4,1,-3']) {
      await page.evaluate((one) => { window.viewer.given = { look: one, expression: ['happy:1', 'stripes:0.5'], turn: ['head:0,25,0'] }; }, look);
      await settled(page);
      const [theirs, ahead, plain] = [await compare(page, { clip: '-' }), await compare(page, { clip: '-', look: null }), await compare(page, { clip: '-', expression: null })];
      assert.ok(theirs.difference < 1.2 && ahead.difference > 2 * theirs.difference && plain.difference > theirs.difference + 1, `${look}: ${theirs.difference} ${ahead.difference} ${plain.difference}`);
    }
  });
});

test('a long clip that arrives as a stream is fetched while a pose is on top of it', () => withModel({ model: 'dragon.glb' }, async (page) => {
  await page.evaluate(async () => { window.viewer.keepsClips = false; await window.viewer.load({ model: 'dragon.glb' }); window.viewer.play(); });
  const goesOn = async () => { const before = await page.evaluate(() => window.viewer.time_s); await until('time goes on', () => page.evaluate((t) => window.viewer.time_s !== t, before)); };
  await until('a stream', () => page.evaluate(() => window.sockets.length === 1));
  await goesOn();
  await page.evaluate(() => { window.viewer.given = { turn: ['5:0,40,0'] }; });
  await goesOn();
  await page.evaluate(() => window.viewer.pause());
  await settled(page);
  assert.ok(await overlap(page) > 0.97);
}));

test('shows files of other programs as the server does', { skip: !fs.existsSync(SHARED) && 'there is no ../shared/models' }, async () => {
  const other = await startServer(SHARED);
  try {
    for (const model of OTHERS.filter((name) => fs.existsSync(path.join(SHARED, name)))) {
      await withModel({ model }, async (page) => {
        const length = await page.evaluate(() => window.viewer.duration_s);
        await page.evaluate((t) => { window.viewer.time_s = t; }, length * 0.4);
        await settled(page);
        const share = await overlap(page);
        // for a bare skeleton the server leaves out the bones of nodes that no clip moves
        assert.ok(share > (/bvh$|ozz_run/.test(model) ? 0.85 : 0.97), `${model}: ${share}`);
      }, { url: other.url });
    }
  } finally {
    await other.end();
  }
});

// A light with another colour from each side, as a Radiance picture of 8 x 4 pixels: red, green, blue, exponent.
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

test('dielectrics and metals of every colour look as in the server\'s pictures', async () => {
  const folder = temporaryFolder();
  const code = 'import sys; sys.path.insert(0, sys.argv[1]); import material_models; print(material_models.channels())';
  const golden = path.resolve(import.meta.dirname, '../golden');
  fs.writeFileSync(path.join(folder, 'channels.gltf'), execFileSync(process.env.PYTHON || '/usr/bin/python3', ['-c', code, golden], { maxBuffer: 1 << 26 }));
  const other = await startServer(folder);
  try {
    await withModel({ model: 'channels.gltf' }, async (page) => {
      const { overlap: share, difference } = await compare(page);
      assert.ok(share > 0.97 && difference < 1.5, `${share} ${difference}`);
      const png = (await picture(page)).toString('base64');
      const black = await page.evaluate(async (base64) => {
        const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + base64)).blob());
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
        context.drawImage(image, 0, 0);
        const pixels = context.getImageData(0, 0, image.width, image.height).data, seen = [0, 0];
        for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3] === 255) seen[Number(Math.max(...pixels.slice(i, i + 3)) < 8)]++;
        return seen[1] / (seen[0] + seen[1]);
      }, png);
      assert.ok(black > 0.005 && black < 0.04, `${black} is black, of one colour in 54`);
    }, { url: other.url });
  } finally {
    await other.end();
    fs.rmSync(folder, { recursive: true });
  }
});

// A triangle that blinks, with one below it whose own visibility is hidden; and another that appears late.
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

// A square whose picture, colour, gloss and coat a clip moves. Its normal texture and its transform keep a part at rest.
const SHIMMERS = (() => {
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]), [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', Buffer.from('00000002000000020802000000', 'hex')),
    chunk('IDAT', deflateSync(Buffer.from([0, 255, 0, 0, 0, 255, 0, 0, 0, 0, 255, 255, 255, 255]))), chunk('IEND', Buffer.alloc(0))]);
  const parts = [], accessors = [];
  const add = (type, width, list, more = {}) => {
    parts.push(Buffer.from(new Float32Array(list).buffer));
    return accessors.push({ bufferView: parts.length - 1, componentType: 5126, count: list.length / width, type, ...more }) - 1;
  };
  const corners = [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]];
  const attributes = { POSITION: add('VEC3', 3, corners.flatMap(([x, y]) => [x, y, 0]), { min: [0, 0, 0], max: [1, 1, 0] }),
    NORMAL: add('VEC3', 3, corners.flatMap(() => [0, 0, 1])), TEXCOORD_0: add('VEC2', 2, corners.flat()) };
  const times = add('SCALAR', 1, [0, 2], { min: [0], max: [2] });
  const place = 'pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform';
  const channels = [['pbrMetallicRoughness/baseColorFactor', 'VEC4', 4, [1, 1, 1, 1, 0.2, 1, 0.5, 1]], [`${place}/offset`, 'VEC2', 2, [0, 0, 0.7, 0.2]], [`${place}/rotation`, 'SCALAR', 1, [0, 1]],
    ['emissiveFactor', 'VEC3', 3, [0, 0, 0, 0.1, 0, 0.3]], ['pbrMetallicRoughness/roughnessFactor', 'SCALAR', 1, [0, 0, 1, -1, 0.1, 0]], ['extensions/KHR_materials_clearcoat/clearcoatFactor', 'SCALAR', 1, [0, 1]]];
  const outputs = channels.map(([, type, width, list]) => add(type, width, list));
  const bytes = Buffer.concat(parts);
  let byteOffset = 0;
  const bufferViews = parts.map(({ length }) => { byteOffset += length; return { buffer: 0, byteOffset: byteOffset - length, byteLength: length }; });
  return JSON.stringify({ asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], extensionsUsed: ['KHR_animation_pointer', 'KHR_materials_clearcoat', 'KHR_texture_transform'],
    buffers: [{ byteLength: bytes.length, uri: 'data:application/octet-stream;base64,' + bytes.toString('base64') }], bufferViews, accessors,
    images: [{ uri: 'data:image/png;base64,' + png.toString('base64') }], samplers: [{ magFilter: 9728, minFilter: 9728 }], textures: [{ source: 0, sampler: 0 }],
    materials: [{ doubleSided: true, pbrMetallicRoughness: { metallicFactor: 0.2, baseColorTexture: { index: 0, extensions: { KHR_texture_transform: { scale: [1.5, 0.8] } } } }, extensions: { KHR_materials_clearcoat: {} } }],
    meshes: [{ primitives: [{ attributes, material: 0 }] }], nodes: [{ mesh: 0 }],
    animations: [{ samplers: outputs.map((output, i) => ({ input: times, output, interpolation: i === 4 ? 'CUBICSPLINE' : 'LINEAR' })),
      channels: channels.map(([pointer], sampler) => ({ sampler, target: { path: 'pointer', extensions: { KHR_animation_pointer: { pointer: `/materials/0/${pointer}` } } } })) }] });
})();

test('moves materials as a clip does', async () => {
  fs.writeFileSync(path.join(root, 'shimmers.gltf'), SHIMMERS);
  await withModel({ model: 'shimmers.gltf' }, async (page) => {
    const seen = new Set();
    for (const t of [0, 0.5, 1.3, 2]) {
      await page.evaluate((one) => { window.viewer.time_s = one; }, t);
      await settled(page);
      const { overlap: share, difference } = await compare(page, { wrap: 'clamp' });
      assert.ok(share > 0.97 && difference < 4, `${t}: ${share}, ${difference}`);
      seen.add((await picture(page)).toString('base64'));
    }
    assert.equal(seen.size, 4);
    await page.evaluate(() => window.viewer.setClip({ clip: '-' }));
    await settled(page);
    const rest = await compare(page, { clip: '-' });
    assert.ok(rest.difference < 4, `at rest: ${rest.difference}`);
  });
});

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
  assert.equal(seen.size, 6); // an unknown view is the default one
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
