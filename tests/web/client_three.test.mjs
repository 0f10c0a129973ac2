// The example of clients/js that moves three.js with posed's palettes, compared with three.js's own AnimationMixer, as numbers and in a
// browser.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { AnimationMixer, Bone, Box3, Texture, Vector3 } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { Client } from '../../clients/js/posed.js';
import { PosedSkeletons } from '../../clients/js/examples/posed_skeleton.js';
import { BUILD, SAMPLES, launchBrowser, openPage, startServer, until } from './posed.mjs';

const TESTS = path.dirname(fileURLToPath(import.meta.url));
const CLIENT = path.resolve(TESTS, '../../clients/js');
const TOLERANCE = 1e-5; // of the model's size, and of 1 for axes
const SIZE = { width: 480, height: 480 };

let server, pages, origin;

// The repository's pages, with three.js at the path that the example uses.
function servePages() {
  const folders = { '/clients/js/node_modules/three/': path.join(TESTS, 'node_modules/three'), '/clients/js/': CLIENT, '/samples/': SAMPLES };
  const types = { '.html': 'text/html', '.js': 'text/javascript', '.glb': 'model/gltf-binary' };
  return http.createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const at = Object.keys(folders).find((prefix) => pathname.startsWith(prefix));
    const file = at && path.join(folders[at], path.normalize('/' + pathname.slice(at.length)));
    if (!file || !fs.existsSync(file)) return response.writeHead(404).end();
    return fs.createReadStream(file).pipe(response.writeHead(200, { 'Content-Type': types[path.extname(file)] ?? 'text/plain' }));
  });
}

before(async () => {
  pages = servePages();
  await new Promise((resolve) => { pages.listen(0, '127.0.0.1', resolve); });
  origin = `http://127.0.0.1:${pages.address().port}`;
  server = await startServer(SAMPLES, '--cors', origin);
});

after(async () => {
  pages?.closeAllConnections();
  pages?.close();
  const status = await server?.end();
  if (server) assert.equal(status, 0, 'the server ends well');
});

// A sample from GLTFLoader, without its pictures.
async function load(name) {
  globalThis.self ??= globalThis;
  const bytes = new Uint8Array(fs.readFileSync(path.join(SAMPLES, name)));
  const loader = new GLTFLoader();
  loader.register(() => ({ name: 'without pictures', loadTexture: () => Promise.resolve(new Texture()) }));
  return new Promise((resolve, reject) => { loader.parse(bytes.buffer, '', resolve, reject); });
}

function meshesOf(gltf) {
  const found = [];
  gltf.scene.traverse((object) => { if (object.isSkinnedMesh) found.push(object); });
  return found;
}

// Vertices of a skinned mesh in world space: every 7th.
function vertices(mesh) {
  const out = [];
  for (let i = 0; i < mesh.geometry.attributes.position.count; i += 7) {
    out.push(...mesh.getVertexPosition(i, new Vector3()).applyMatrix4(mesh.matrixWorld).toArray());
  }
  return out;
}

function assertNear(have, want, size, what) {
  assert.equal(have.length, want.length, what);
  const worst = have.reduce((most, value, i) => Math.max(most, Math.abs(value - want[i])), 0);
  assert.ok(worst <= TOLERANCE * size, `${what}: off by ${worst}, of a size of ${size}`);
}

for (const name of ['robot.glb', 'dragon.glb', 'octopus.glb']) {
  test(`${name}: bones and vertices are those of AnimationMixer`, async () => {
    const [theirs, ours, model] = [await load(name), await load(name), new Client(server.url).model(name)];
    // the model is elsewhere, rotated and scaled, and an object is attached to its last bone
    for (const { scene } of [theirs, ours]) {
      scene.position.set(3, -2, 5);
      scene.rotation.set(0.3, 1.1, -0.7);
      scene.scale.setScalar(1.5);
      scene.updateMatrixWorld(true);
    }
    const driver = new PosedSkeletons(ours);
    const hats = [theirs, ours].map((gltf) => {
      const hat = new Bone();
      hat.position.set(0.1, 0.2, 0.3);
      meshesOf(gltf)[0].skeleton.bones.at(-1).add(hat);
      return hat;
    });
    const mixer = new AnimationMixer(theirs.scene);
    const size = new Box3().setFromObject(theirs.scene, true).getSize(new Vector3()).length();
    const rest = vertices(meshesOf(theirs)[0]);
    let moved = 0;
    for (const [index, clip] of theirs.animations.entries()) {
      const times = [0, 0.1, 0.377, 0.73].map((part) => part * clip.duration);
      const frames = await model.palette({ clip: index, t: times });
      mixer.stopAllAction();
      mixer.clipAction(clip).reset().play();
      times.forEach((time, frame) => {
        mixer.setTime(time);
        theirs.scene.updateMatrixWorld(true);
        driver.apply(frames, frame);
        ours.scene.updateMatrixWorld();
        meshesOf(theirs).forEach((mesh, i) => {
          const what = `${name} ${clip.name} at ${time}`;
          const own = meshesOf(ours)[i];
          mesh.skeleton.update();
          own.skeleton.update();
          mesh.skeleton.bones.forEach((bone, j) => {
            assertNear(own.skeleton.bones[j].matrixWorld.elements, bone.matrixWorld.elements, Math.max(1, size), `${what}, ${bone.name}`);
          });
          const count = 16 * mesh.skeleton.bones.length;
          assertNear(own.skeleton.boneMatrices.slice(0, count), mesh.skeleton.boneMatrices.slice(0, count), Math.max(1, size), `${what}, boneMatrices`);
          const [have, want] = [vertices(own), vertices(mesh)];
          assertNear(have, want, size, `${what}, vertices`);
          moved = want.reduce((most, value, k) => Math.max(most, Math.abs(value - rest[k])), moved);
        });
        assertNear(hats[1].matrixWorld.elements, hats[0].matrixWorld.elements, Math.max(1, size), `${name}: what hangs on a bone`);
      });
    }
    assert.ok(moved > 0.05 * size && theirs.animations.length === 3, `the clips move it: ${moved} of ${size}`);
  });
}

test('the page of the example draws what AnimationMixer draws', async () => {
  const browser = await launchBrowser('--enable-unsafe-swiftshader');
  try {
    const page = await openPage(browser, { viewport: SIZE });
    const complaints = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => { if (message.type() === 'error') complaints.push(message.text()); });
    const open = (query) => page.goto(`${origin}/clients/js/examples/three.html?server=${server.url}&model=robot.glb&file=/samples/robot.glb&${query}`);

    await open('clip=wave&t=0.6');
    await page.waitForFunction(() => document.body.dataset.ticks > 0 && globalThis.example);
    fs.mkdirSync(path.join(BUILD, 'test'), { recursive: true });
    await page.screenshot({ path: path.join(BUILD, 'test/three_example.png') });
    const counts = await page.evaluate(async () => {
      const { THREE, GLTFLoader, renderer, scene, camera, gltf } = globalThis.example;
      renderer.setAnimationLoop(null);
      const pixels = () => {
        renderer.render(scene, camera);
        const gl = renderer.getContext();
        const out = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
        gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, out);
        return out;
      };
      const different = (a, b) => a.reduce((sum, value, i) => sum + (i % 4 === 0 && Math.abs(value - b[i]) > 8 ? 1 : 0), 0);
      const byPosed = pixels();
      scene.remove(gltf.scene);
      const empty = pixels();
      const again = await new GLTFLoader().loadAsync('/samples/robot.glb');
      scene.add(again.scene);
      const atRest = pixels();
      const mixer = new THREE.AnimationMixer(again.scene);
      mixer.clipAction(again.animations.find(({ name }) => name === 'wave')).play();
      mixer.setTime(0.6);
      return { drawn: different(byPosed, empty), waved: different(byPosed, atRest), wrong: different(byPosed, pixels()) };
    });
    assert.ok(counts.drawn > 8000 && counts.waved > 500, JSON.stringify(counts));
    assert.ok(counts.wrong <= 20, `of ${counts.drawn} pixels ${counts.wrong} differ`);

    await page.setViewportSize({ width: 240, height: 240 }); // no later test looks at pixels
    await open('clip=walk');
    await page.waitForFunction(() => document.body.dataset.ticks > 5);
    await page.selectOption('#clip', { label: 'dance' });
    await page.getByText('Pause').click();
    await page.getByText('Play').click();
    const ticks = await page.evaluate(() => Number(document.body.dataset.ticks));
    await until('the stream goes on', async () => (await page.evaluate(() => Number(document.body.dataset.ticks))) !== ticks);
    assert.equal(await page.textContent('#error'), '');
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
  }
});
