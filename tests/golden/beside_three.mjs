// beside_three - pictures of GLB files by three.js in Chromium, in the light of an environment and no other.
//
//   node beside_three.mjs
//
// Answers a line of JSON for each line on stdin: {"glb": PATH, "hdr": PATH, "width", "height", "view_from_scene": [16], "clip_from_view": [16],
// "tone": "neutral" | "aces" | "none", "exposure": FACTOR, "out": PNG}: {} or {"error": TEXT}. The file is drawn as three's own loader reads it. A pixel
// is the mean of four, as with posed's aa=1. three and playwright-core come from tests/web.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../web/posed.mjs';

const THREE = fileURLToPath(new URL('../web/node_modules/three', import.meta.url));
const PAGE = `<!doctype html><script type="importmap">{"imports": {"three": "/three/build/three.module.js"}}</script>
<script type="module">
import * as three from 'three';
import { GLTFLoader } from '/three/examples/jsm/loaders/GLTFLoader.js';
import { HDRLoader } from '/three/examples/jsm/loaders/HDRLoader.js';

const TONES = { neutral: three.NeutralToneMapping, aces: three.ACESFilmicToneMapping, none: three.NoToneMapping };
const environments = new Map();

async function environmentOf(renderer, hdr) {
  if (!environments.has(hdr)) {
    const panorama = await new HDRLoader().setDataType(three.FloatType).loadAsync('/file' + hdr);
    panorama.mapping = three.EquirectangularReflectionMapping;
    environments.set(hdr, new three.PMREMGenerator(renderer).fromEquirectangular(panorama).texture);
  }
  return environments.get(hdr);
}

const renderer = new three.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
renderer.outputColorSpace = three.SRGBColorSpace;

window.draw = async ({ glb, hdr, width, height, view_from_scene, clip_from_view, tone, exposure }) => {
  const { scene: model } = await new GLTFLoader().loadAsync('/file' + glb);
  const scene = new three.Scene();
  scene.add(model);
  scene.environment = await environmentOf(renderer, hdr);
  renderer.toneMapping = TONES[tone];
  renderer.toneMappingExposure = exposure;
  renderer.setSize(2 * width, 2 * height, false);
  renderer.setClearColor(0, 0);
  const camera = new three.PerspectiveCamera();
  camera.matrixAutoUpdate = false;
  camera.matrix.fromArray(view_from_scene).invert();
  camera.matrixWorldNeedsUpdate = true;
  camera.projectionMatrix.fromArray(clip_from_view);
  camera.projectionMatrixInverse.copy(camera.projectionMatrix).invert();
  camera.updateMatrixWorld(true);
  renderer.render(scene, camera);
  const blob = await new Promise((resolve) => renderer.domElement.toBlob(resolve));
  await fetch('/picture', { method: 'PUT', body: blob });
};
window.isReady = true;
</script>`;

const TYPES = { '.js': 'text/javascript' };
let picture = null;

async function answer(request, response) {
  const url = decodeURI(request.url);
  if (request.method === 'PUT') {
    const parts = [];
    for await (const part of request) parts.push(part);
    picture = Buffer.concat(parts);
    response.end();
    return;
  }
  const file = url.startsWith('/file/') ? url.slice(5) : url.startsWith('/three/') ? path.join(THREE, url.slice(7)) : null;
  response.setHeader('Content-Type', file ? TYPES[path.extname(file)] ?? 'application/octet-stream' : 'text/html');
  if (file) fs.createReadStream(file).on('error', () => response.writeHead(404).end()).pipe(response);
  else response.end(PAGE);
}

const server = http.createServer(answer);
await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
const browser = await launchBrowser('--use-angle=swiftshader', '--enable-unsafe-swiftshader');
const page = await browser.newPage();
page.on('pageerror', (error) => console.error(String(error)));
await page.goto(`http://127.0.0.1:${server.address().port}/`);
await page.waitForFunction('window.isReady');
for await (const line of readline.createInterface({ input: process.stdin })) {
  const job = JSON.parse(line);
  let reply = {};
  try {
    await page.evaluate((it) => window.draw(it), job);
    fs.writeFileSync(job.out, picture);
  } catch (error) {
    reply = { error: String(error) };
  }
  console.log(JSON.stringify(reply));
}
await browser.close();
server.close();
