// The page at /: a server with models, a browser, and functions that look at the page.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before } from 'node:test';
import { SAMPLES, isOfDriver, launchBrowser, openPage, startServer, temporaryFolder, until } from './posed.mjs';

// A path of two parts, because a closing tag needs a slash. Each character is special in HTML, a URL or a query.
export const NASTY_FOLDER = '<script>window.wasRun=1<';
export const NASTY = NASTY_FOLDER + '/script> "a" \'b\' ünï 龍 #1 50% %41 a+b & c=d; <img src=x onerror="window.wasRun=2">.glb';
export const SAMPLE_NAMES = ['dragon.glb', 'octopus.glb', 'robot.glb'];
export const TRIANGLE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';

// Each test of a file has the server and the browser that useBrowser() starts.
export let server;
let root, browser;

/** A server on the samples and more, and a browser, for all tests of a file. */
export function useBrowser() {
  before(async () => {
    root = temporaryFolder();
    for (const name of SAMPLE_NAMES) fs.copyFileSync(path.join(SAMPLES, name), path.join(root, name));
    write(root, 'cut.glb', fs.readFileSync(path.join(SAMPLES, 'robot.glb')).subarray(0, 3000));
    write(root, 'set/warned.obj', 'mtllib none.mtl\n' + TRIANGLE);
    write(root, 'set/deep/still.obj', TRIANGLE);
    write(root, NASTY, fs.readFileSync(path.join(SAMPLES, 'octopus.glb')));
    server = await startServer(root);
    browser = await launchBrowser();
  });

  after(async () => {
    await browser?.close();
    const status = await server?.end();
    if (root) fs.rmSync(root, { recursive: true });
    if (server) assert.equal(status, 0, 'the server ends well');
  });
}

export function write(folder, name, bytes) {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, bytes);
}

// A server of the test's own on a folder of the test's own.
export async function withServer(fill, options, work) {
  const folder = temporaryFolder();
  await fill(folder);
  const own = await startServer(folder, ...options.map((one) => one.replace('ROOT', folder)));
  try {
    await work(own.url, folder);
  } finally {
    await own.end();
    fs.rmSync(folder, { recursive: true });
  }
}

export const query = (name, rest = {}) => new URLSearchParams({ model: name, ...rest });
export const still = { reducedMotion: 'reduce' };

// Opens the page, does `work` with it, then checks the rules for every use: no message in the console except the browser's own about failed
// answers (`refused`) and about waits of its software GL, and no request to anybody but the server.
export async function withPage({ url = server.url, at = '/', refused = ['/v1/render?model=cut.glb'], routes = {}, ...context }, work) {
  const complaints = [], requests = [];
  const page = await openPage(browser, { viewport: { width: 1100, height: 1000 }, ...context });
  await page.addInitScript(putPicture);
  page.on('console', (message) => {
    const { url: from } = message.location();
    if (isOfDriver(message.text())) return;
    if (!refused.some((target) => from.startsWith(url + target))) complaints.push(`${message.type()}: ${message.text()} ${from}`);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => requests.push(request.url()));
  for (const [pattern, handler] of Object.entries(routes)) await page.route(new RegExp(pattern), handler);
  try {
    await page.goto(url + at);
    await work(page, requests);
    assert.deepEqual(complaints, []);
    assert.deepEqual(requests.filter((one) => !one.startsWith(new URL(url).origin + '/') && !/^(data|blob):/.test(one)), []);
  } finally {
    await page.close();
  }
}

export const cardOf = (page, name) => page.locator(`.card:has(a[title=${JSON.stringify(name)}])`);
export const shownNames = (page) => page.locator('.card > a').evaluateAll((links) => links.map((link) => link.title));
export const countOf = (page) => page.locator('#count').textContent();

/** Waits for the page of a model. Its URL has the parts of `target`, and soon the state of the page as well. */
export function comesTo(page, target) {
  const wanted = new URL(target);
  return page.waitForURL((now) => now.origin + now.pathname === wanted.origin + wanted.pathname &&
    [...new Set(wanted.searchParams.keys())].every((name) => String(now.searchParams.getAll(name)) === String(wanted.searchParams.getAll(name))));
}

export const loaded = (page, count) => until(count, async () => await countOf(page) === count);
export const shot = async (page, name) => { if (process.env.POSED_PICTURES) await page.screenshot({ path: path.join(process.env.POSED_PICTURES, name + '.png') }); };

// The contents of a card's picture: number of colours, share of painted pixels, its size, and a number that identifies the picture. A
// function that stays in the page is compiled once; one sent with each call is interpreted each time, for all pixels.
const putPicture = () => {
  window.pictureOf = (image) => {
    if (!image.complete || !image.naturalWidth) return { painted: 0 };
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [image.naturalWidth, image.naturalHeight];
    const context = copy.getContext('2d', { willReadFrequently: true });
    context.drawImage(image, 0, 0);
    const data = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
    let hash = 2166136261, painted = 0;
    for (const pixel of data) {
      hash = Math.imul(hash ^ pixel, 16777619) >>> 0;
      if (pixel >>> 24) painted++;
    }
    return { colours: new Set(data).size, painted: painted / data.length, hash, side: copy.width };
  };
};
export const picture = (card) => card.locator('img').evaluate((image) => window.pictureOf(image));
export const drawn = (card) => until('a picture', async () => { const now = await picture(card); return now.painted && now; });

export const TOKEN = '0123456789abcdef-one';

export const uploading = (work, more = []) => withServer((folder) => fs.mkdirSync(path.join(folder, 'in')), ['--uploads', 'ROOT/in', ...more], work);
export const choose = (page, files) => page.locator('#files').setInputFiles(files.map(([name, text]) => ({ name, mimeType: '', buffer: Buffer.from(text) })));
export const drop = (page, files) => page.evaluate((all) => {
  const data = new DataTransfer();
  for (const [name, bytes] of all) data.items.add(new File([new Uint8Array(bytes)], name));
  for (const type of ['dragenter', 'dragover', 'drop']) document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
}, files.map(([name, bytes]) => [name, [...Buffer.from(bytes)]]));
