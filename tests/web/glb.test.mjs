// The GLB files of /v1/mesh and /v1/export, opened by independent programs: Khronos' validator, and three.js in a browser.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import validator from 'gltf-validator';
import { SAMPLES, isOfDriver, launchBrowser, openPage, startServer, temporaryFolder } from './posed.mjs';

const SAMPLE_NAMES = ['dragon.glb', 'octopus.glb', 'robot.glb'];
const THREE = path.join(path.dirname(fileURLToPath(import.meta.url)), 'node_modules/three');

let root, server, browser;

// A mesh in two nodes, one of which mirrors; coloured triangle and points, one textured without coordinates; a 2x2 picture.
function strange() {
  const pixels = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR4nGP4z8DAAMIM/4EAAB/uBfsL2WiLAAAAAElFTkSuQmCC';
  const bytes = Buffer.alloc(36 + 12);
  [0, 0, 0, 1, 0, 0, 0, 1, 0].forEach((value, i) => bytes.writeFloatLE(value, 4 * i));
  [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 128].forEach((value, i) => bytes.writeUInt8(value, 36 + i));
  return JSON.stringify({
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 1] }],
    nodes: [{ name: 'left', mesh: 0, scale: [-2, 1, 3], translation: [5, -1, 2] },
      { name: 'right', mesh: 0, rotation: [0.5, 0.5, 0.5, 0.5] }, { name: 'apart', mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, COLOR_0: 1 }, material: 0 },
      { attributes: { POSITION: 0 }, mode: 0, material: 1 }, { attributes: { POSITION: 0 }, mode: 2 }] }],
    materials: [{ name: 'skin', doubleSided: true, alphaMode: 'MASK', alphaCutoff: 0.25, extras: { wet: true },
      extensions: { KHR_materials_unlit: {} }, pbrMetallicRoughness: { baseColorFactor: [0.5, 1, 0, 0.75] } },
    { pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
    extensionsUsed: ['KHR_materials_unlit'],
    textures: [{ source: 0 }], images: [{ uri: 'data:image/png;base64,' + pixels }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] },
      { bufferView: 1, componentType: 5121, normalized: true, count: 3, type: 'VEC4' }],
    bufferViews: [{ buffer: 0, byteLength: 36 }, { buffer: 0, byteOffset: 36, byteLength: 12 }],
    buffers: [{ byteLength: 48, uri: 'data:application/octet-stream;base64,' + bytes.toString('base64') }],
  });
}

before(async () => {
  root = temporaryFolder();
  for (const name of SAMPLE_NAMES) fs.copyFileSync(path.join(SAMPLES, name), path.join(root, name));
  fs.writeFileSync(path.join(root, 'strange.gltf'), strange());
  server = await startServer(root);
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  const status = await server?.end();
  if (root) fs.rmSync(root, { recursive: true });
  if (server) assert.equal(status, 0, 'the server ends well');
});

async function glb(query, path = '/v1/mesh') {
  const answer = await fetch(server.url + path + '?format=glb&' + query);
  assert.equal(answer.headers.get('content-type'), 'model/gltf-binary', query);
  return new Uint8Array(await answer.arrayBuffer());
}

test('the validator has no error and no warning', async () => {
  const queries = SAMPLE_NAMES.flatMap((name) => ['clip=-', 'clip=0&t=0.3', 'clip=1&t=0.7', 'clip=2&t=9&textures=none']
    .map((rest) => `model=${name}&${rest}`));
  for (const query of [...queries, 'model=strange.gltf', 'model=strange.gltf&textures=none']) {
    const { issues, info } = await validator.validateBytes(await glb(query), { maxIssues: 20 });
    assert.deepEqual([issues.numErrors, issues.numWarnings], [0, 0], query + ' ' + JSON.stringify(issues.messages));
    assert.equal(info.version, '2.0');
    assert.equal(info.hasTextures, !query.includes('textures=none'), query);
    assert.equal(info.animationCount, 0);
  }
});

test('the validator has no error in whole models', async () => {
  const queries = SAMPLE_NAMES.flatMap((name) => ['', '&clips=-&textures=none', '&fps=24&up=z&unit=cm'].map((rest) => `model=${name}${rest}`));
  for (const query of [...queries, 'model=strange.gltf']) {
    const { issues, info } = await validator.validateBytes(await glb(query, '/v1/export'), { maxIssues: 20 });
    assert.equal(issues.numErrors, 0, query + ' ' + JSON.stringify(issues.messages));
    assert.equal(info.animationCount > 0, !/clips=-|strange/.test(query), query);
  }
});

test('three.js has the vertices, the texture and the material', async () => {
  const page = await openPage(browser);
  const query = 'model=robot.glb&clip=walk&t=0.3';
  const files = { '/robot.glb': Buffer.from(await glb(query)), '/strange.glb': Buffer.from(await glb('model=strange.gltf')) };
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type()) && !isOfDriver(message.text())) complaints.push(message.text()); });
  await page.route('http://three.test/**', (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/') {
      return route.fulfill({ contentType: 'text/html', body: '<!doctype html><script type="importmap">'
        + '{"imports":{"three":"/build/three.module.js","three/addons/":"/examples/jsm/"}}</script>' });
    }
    if (files[pathname]) return route.fulfill({ contentType: 'model/gltf-binary', body: files[pathname] });
    return route.fulfill({ path: path.join(THREE, pathname), contentType: 'text/javascript' });
  });
  await page.goto('http://three.test/');
  const open = (name) => page.evaluate(async (url) => {
    const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
    const { scene, animations } = await new GLTFLoader().loadAsync(url);
    const found = [];
    scene.updateMatrixWorld(true);
    scene.traverse((object) => {
      const { geometry, material } = object;
      if (!geometry) return;
      found.push({
        name: object.name, type: object.type, positions: Array.from(geometry.attributes.position.array),
        normals: Array.from(geometry.attributes.normal?.array || []), indices: Array.from(geometry.index.array),
        colors: Array.from(geometry.attributes.color?.array || []), material: material.type, side: material.side,
        alphaTest: material.alphaTest, metalness: material.metalness, roughness: material.roughness, name_of_material: material.name,
        picture: material.map && [material.map.image.width, material.map.image.height],
        determinant: object.matrixWorld.determinant(), userData: material.userData,
      });
    });
    return { found, animations: animations.length };
  }, name);
  try {
    const json = await (await fetch(`${server.url}/v1/mesh?${query}&normals=1&indices=1`)).json();
    const { textures } = await (await fetch(server.url + '/v1/model?model=robot.glb')).json();
    const { found: [robot, ...others], animations } = await open('/robot.glb');
    assert.deepEqual([others.length, animations, robot.name, robot.type], [0, 0, 'robot', 'Mesh']);
    assert.deepEqual(robot.positions, json.frames[0].positions[0].map(Math.fround));
    assert.deepEqual(robot.normals, json.frames[0].normals[0].map(Math.fround));
    assert.deepEqual(robot.indices, json.indices[0]);
    assert.deepEqual(robot.picture, [textures[0].width, textures[0].height]);
    assert.deepEqual([robot.determinant, robot.metalness, robot.roughness], [1, 1, 1]);

    const { found } = await open('/strange.glb');
    assert.deepEqual(found.map((one) => one.type), ['Mesh', 'Points', 'LineSegments', 'Mesh', 'Points', 'LineSegments']);
    const [left, dots, , right] = found;
    assert.deepEqual(left.positions, [5, -1, 2, 3, -1, 2, 5, 0, 2]);
    assert.deepEqual([left.indices, right.indices], [[0, 2, 1], [0, 1, 2]]); // the vertices contain the mirror
    assert.deepEqual([left.material, left.side, left.alphaTest, left.name_of_material], ['MeshBasicMaterial', 2, 0.25, 'skin']);
    assert.deepEqual(left.userData.wet, true);
    assert.deepEqual(left.colors, [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 128]);
    assert.deepEqual(dots.picture, [2, 2]);
    assert.deepEqual(complaints, []);
  } finally {
    await page.close();
  }
});
