// The page of a model, /m/PATH: a server with models, a browser, and functions that look at the page.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before } from 'node:test';
import { SAMPLES, launchBrowser, openPage, startServer, temporaryFolder, until } from './posed.mjs';

export const NASTY = '<script>window.wasRun=1</script> "a" \'b\' ünï 龍 #1 50% %41 a+b & c=d; <img src=x onerror="window.wasRun=2">.glb';

/** A square with two morph targets, turned, unevenly scaled and off the origin. */
export const MORPHS = (() => {
  const parts = [[0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0, 1, 0.5, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, -1.5, 0.2, 0]];
  const bytes = Buffer.concat([Buffer.from(new Float32Array(parts.flat()).buffer), Buffer.from(new Uint16Array([0, 1, 2, 0, 2, 3]).buffer)]);
  return JSON.stringify({ asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ name: 'face', mesh: 0, rotation: [0, 0.6, 0, 0.8], scale: [1, 2, 1.5], translation: [50, -9, 4] }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 3, material: 0, targets: [{ POSITION: 1 }, { POSITION: 2 }] }], extras: { targetNames: ['smile', 'a:b'] } }], materials: [{ doubleSided: true }],
    buffers: [{ byteLength: bytes.length, uri: 'data:application/octet-stream;base64,' + bytes.toString('base64') }],
    bufferViews: [...parts.map((_, i) => ({ buffer: 0, byteOffset: 48 * i, byteLength: 48 })), { buffer: 0, byteOffset: 144, byteLength: 12 }],
    accessors: [...parts.map((_, bufferView) => ({ bufferView, componentType: 5126, count: 4, type: 'VEC3', min: [-2, -1, 0], max: [2, 2, 0] })), { bufferView: 3, componentType: 5123, count: 6, type: 'SCALAR' }] });
})();

/** Humans of VRM 0 and 1 with expressions, as files in a folder. */
const write = (program, folder) => execFileSync(process.env.PYTHON || '/usr/bin/python3', [path.resolve(import.meta.dirname, '../api/formats', program), folder]);
export const writeHumans = (folder) => write('vrm_files.py', folder);
/** Avatars of both whose faces can be seen, ann0_bone.vrm and others; their eyes turn, or have textures that move. */
export const writeAvatars = (folder) => write('vrm_avatar.py', folder);
/** The camera before their faces, in the address. */
export const BEFORE_FACE = 'target=0.3,1.95,-0.2&distance=0.16&yaw=0&pitch=0';

// Each test of a file has the server and the browser that useBrowser() starts.
export let root, server;
let browser, viewport;

/** A server on the samples and more, and a browser with these options, for all tests of a file; `size` is that of its windows. */
export function useBrowser({ options = ['--disable-3d-apis'], size = { width: 1000, height: 640 } } = {}) {
  viewport = size;
  before(async () => {
    root = temporaryFolder();
    for (const name of ['dragon.glb', 'octopus.glb', 'robot.glb']) fs.copyFileSync(path.join(SAMPLES, name), path.join(root, name));
    fs.mkdirSync(path.join(root, 'sub'));
    fs.copyFileSync(path.join(SAMPLES, 'robot.glb'), path.join(root, 'sub', 'machine.glb'));
    fs.mkdirSync(path.dirname(path.join(root, NASTY)), { recursive: true });
    fs.copyFileSync(path.join(SAMPLES, 'octopus.glb'), path.join(root, NASTY));
    fs.copyFileSync(path.join(SAMPLES, 'robot.glb'), path.join(root, 'sub', 'second.glb'));
    fs.mkdirSync(path.join(root, 'light')); // red from one side, in 8 x 4 pixels of RGBE
    fs.writeFileSync(path.join(root, 'light', 'red.hdr'), Buffer.concat([Buffer.from('#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 4 +X 8\n'), ...Array.from({ length: 32 }, (_, i) => Buffer.from(i % 8 < 4 ? [200, 20, 10, 130] : [20, 20, 20, 126]))]));
    fs.writeFileSync(path.join(root, 'morphs.gltf'), MORPHS);
    fs.writeFileSync(path.join(root, 'cut.glb'), fs.readFileSync(path.join(SAMPLES, 'robot.glb')).subarray(0, 3000));
    server = await startServer(root);
    browser = await launchBrowser(...options);
  });

  after(async () => {
    await browser?.close();
    const status = await server?.end();
    if (root) fs.rmSync(root, { recursive: true });
    if (server) assert.equal(status, 0, 'the server ends well');
  });
}

const pathOf = (name) => '/m/' + name.split('/').map(encodeURIComponent).join('/');

/** An empty page in which picture() works. */
export async function openModelPage(context = {}) {
  const page = await openPage(browser, { viewport, reducedMotion: 'reduce', ...context });
  await page.addInitScript(putPicture);
  return page;
}

// Opens the page of a model, does `work` with it, then checks the rules for every use: no script error, no request to anybody but the
// server.
export async function withPage({ name = 'robot.glb', query = '', url = server.url, ready = true, ...context }, work) {
  const complaints = [], requests = [];
  const page = await openModelPage(context);
  page.on('pageerror', (error) => complaints.push(error.stack || String(error)));
  page.on('console', (message) => { if (/Content Security Policy|is not defined|Uncaught/.test(message.text())) complaints.push(message.text()); });
  page.on('request', (request) => requests.push(request.url()));
  try {
    await page.goto(url + pathOf(name) + query);
    if (ready) await shown(page);
    await work(page, requests);
    assert.deepEqual(complaints, []);
    assert.deepEqual(requests.filter((one) => !one.startsWith(url + '/') && !/^(data|blob):/.test(one)), []);
  } finally {
    await page.close();
  }
}

export const mode = (page) => page.evaluate(() => document.body.dataset.mode);
export const shown = (page) => until('the model is shown', async () => ['live', 'pictures'].includes(await mode(page)) && await page.locator('#panel-clips').count() === 1);
export const query = (page) => Object.fromEntries(new URL(page.url()).searchParams);
export const hasQuery = (page, expected) => until('the address has ' + JSON.stringify(expected), async () => {
  const now = query(page);
  return Object.entries(expected).every(([name, value]) => value === null ? !(name in now) : typeof value === 'function' ? value(now[name]) : now[name] === value);
});
export const option = (page, name) => page.getByRole('listbox', { name: 'Clips' }).getByRole('option', { name });
export const button = (page, name) => page.getByRole('button', { name, exact: true });
export const time = async (page) => +(await page.getByRole('slider', { name: 'Time' }).inputValue());

// The picture on the stage, as a number that identifies it, and its painted share. A function that stays in the page is
// compiled once; one sent with each call is interpreted each time, for all pixels.
const putPicture = () => {
  window.pictureOf = (canvas) => {
    const data = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    let hash = 2166136261, painted = 0;
    for (const pixel of data) {
      hash = Math.imul(hash ^ pixel, 16777619) >>> 0;
      if (pixel >>> 24) painted++;
    }
    return { hash, painted: painted / data.length };
  };
};
export const picture = (page) => page.locator('#pictures').evaluate((canvas) => window.pictureOf(canvas));
export const drawn = (page) => until('a picture', async () => { const now = await picture(page); return now.painted > 0.02 && now.painted < 0.9 && now; });
export const otherThan = (page, before) => until('another picture', async () => { const now = await picture(page); return now.painted > 0.01 && now.hash !== before.hash && now; });

/** The text that the act puts on the clipboard. The clipboard is emptied first, because old text could pass for new. */
export async function copiedBy(page, act) {
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await act();
  return until('it is copied', () => page.evaluate(() => navigator.clipboard.readText()));
}
