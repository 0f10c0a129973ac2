// three_thumbs - a folder of models as pictures of 256 x 256, as a page with three.js draws them in one Chromium.
//
//   node three_thumbs.mjs
//
// Answers a line of JSON for each line on stdin, {"folder": ..., "out": ...}: {"ms": ..., "count": ...}. The browser runs already and its page
// has drawn once. A model is fetched, read by three's own loader, framed, drawn with multisampling over transparent ground, made a PNG
// by the browser and written by this program; the next is fetched and read meanwhile. three is that of tests/web.
import fs from 'node:fs';
import { answerLines } from './three_page.mjs';

const SCRIPT = `import * as three from 'three';
import { GLTFLoader } from '/three/examples/jsm/loaders/GLTFLoader.js';
import { OBJLoader } from '/three/examples/jsm/loaders/OBJLoader.js';
import { PLYLoader } from '/three/examples/jsm/loaders/PLYLoader.js';
import { STLLoader } from '/three/examples/jsm/loaders/STLLoader.js';

const canvas = new OffscreenCanvas(256, 256);
const renderer = new three.WebGLRenderer({ canvas, antialias: true, alpha: true });
const plain = (geometry) => {
  if (!geometry.attributes.normal) geometry.computeVertexNormals();
  return new three.Mesh(geometry, new three.MeshStandardMaterial());
};
const loaders = {
  glb: async (bytes) => (await new GLTFLoader().parseAsync(bytes, '')).scene,
  obj: (bytes) => new OBJLoader().parse(new TextDecoder().decode(bytes)),
  ply: (bytes) => plain(new PLYLoader().parse(bytes)),
  stl: (bytes) => plain(new STLLoader().parse(bytes)),
};

async function load(name) {
  return loaders[name.split('.').pop()](await (await fetch('/models/' + name)).arrayBuffer());
}

function draw(model) {
  const scene = new three.Scene();
  scene.add(model, new three.HemisphereLight(0xffffff, 0x888888, 2));
  const sun = new three.DirectionalLight(0xffffff, 2);
  sun.position.set(1, 2, 3);
  scene.add(sun);
  const ball = new three.Box3().setFromObject(model).getBoundingSphere(new three.Sphere());
  const camera = new three.PerspectiveCamera(30, 1, ball.radius / 10, ball.radius * 20);
  camera.position.copy(ball.center).add(new three.Vector3(0.5, 0.4, 1).setLength(ball.radius * 4));
  camera.lookAt(ball.center);
  renderer.render(scene, camera);
  return canvas.convertToBlob();
}

function free(model) {
  model.traverse((object) => {
    object.geometry?.dispose();
    object.material?.map?.dispose();
    object.material?.dispose();
    object.skeleton?.dispose();
  });
}

window.drawAll = async (names) => {
  let next = names.length > 0 ? load(names[0]) : null;
  for (let i = 0; i < names.length; i++) {
    const model = await next;
    next = i + 1 < names.length ? load(names[i + 1]) : null;
    await fetch('/pictures/' + names[i] + '.png', { method: 'PUT', body: await draw(model) });
    free(model);
  }
};
await draw(plain(new three.BoxGeometry()));
window.isReady = true;
`;

await answerLines(SCRIPT, async (page, { folder }) => {
  const names = fs.readdirSync(folder).sort();
  const begin = performance.now();
  await page.evaluate((all) => window.drawAll(all), names);
  return { ms: performance.now() - begin, count: names.length };
});
