// What the tests of the page stand on: model folders, the real server on a free port, one browser.
//
// POSED_BUILD    folder of posed (default: build)
// POSED_SAMPLES  folder of the sample models (default: build/samples)
// CHROMIUM       the browser (default: the first on PATH)
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const TOP = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const BUILD = process.env.POSED_BUILD || path.join(TOP, 'build');
export const SAMPLES = process.env.POSED_SAMPLES || path.join(TOP, 'build/samples');
export const PATIENCE_MS = 120000; // for events that are immediate unless the machine is busy

export const temporaryFolder = () => fs.mkdtempSync(path.join(os.tmpdir(), 'posed-web-'));

// Timeouts of the server: a test or a worker that had to wait for the processor is not a failure.
const PATIENT = Object.fromEntries(['HEADER', 'IDLE', 'BODY', 'WRITE', 'IMPORT', 'SETTLE', 'RENDER', 'DRAIN']
  .map((name) => [`POSED_${name}_TIMEOUT`, PATIENCE_MS + 'ms']));

// Starts posed and waits for its ready line; `end` stops it and returns its exit status.
export async function startServer(root, ...options) {
  const server = spawn(path.join(BUILD, 'posed'), ['--root', root, '--http', '127.0.0.1:0', '--tcp', 'none', '--log', 'off', ...options],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...PATIENT, POSED_CACHE_DIR: 'none' } });
  // Node runs no hook that ends the server if the name pattern skips every test of a file: then it ends with the process.
  const kill = () => server.kill('SIGTERM');
  process.on('exit', kill);
  const ended = new Promise((resolve, reject) => { server.on('exit', resolve); server.on('error', reject); });
  const ready = new Promise((resolve) => {
    let text = '';
    server.stdout.on('data', (data) => {
      text += data;
      const address = /^posed ready http=(\S+)/m.exec(text);
      if (address) resolve('http://' + address[1]);
    });
  });
  const early = ended.then((status) => { throw new Error('posed ended with status ' + status); });
  const url = await Promise.race([ready, early]);
  server.unref(); // a file whose tests are all skipped ends
  server.stdout.unref();
  return { url, end: () => { process.off('exit', kill); server.ref(); kill(); return ended; } };
}

function findBrowser() {
  // First the one without a window: Chromium's own toolbar, which is a page too, takes half of a test's processor time.
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
  const folders = process.env.PATH.split(':');
  const found = names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) => fs.existsSync(file));
  if (!found) throw new Error('no chromium on PATH; set CHROMIUM to a browser');
  return found;
}

/** Whether a message of the console is Chromium's about GL's speed, such as "GPU stall due to ReadPixels". */
export const isOfDriver = (text) => text.includes('GL Driver Message (OpenGL, Performance,');

// Playwright gives it a fresh profile folder and removes that at the end.
export const launchBrowser = (...options) => chromium.launch({
  timeout: PATIENCE_MS,
  executablePath: process.env.CHROMIUM || findBrowser(),
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', ...options],
});

// Contexts of a browser, by the options that only a context can have.
const contexts = new WeakMap();

/**
 * A new page, as in a fresh profile: what posed's pages keep, they keep for their tab alone. Pages of one browser have one context where their
 * options allow it, because a context costs more of the processor than most tests do.
 * @param {import('playwright-core').Browser} browser
 * @param {object} options of Browser.newContext()
 */
export async function openPage(browser, { viewport = null, reducedMotion = null, colorScheme = null, ...rest } = {}) {
  if (!contexts.has(browser)) contexts.set(browser, new Map());
  const known = contexts.get(browser), key = JSON.stringify(rest);
  if (!known.has(key)) known.set(key, await browser.newContext(rest));
  const page = await known.get(key).newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  if (viewport) await page.setViewportSize(viewport);
  if (reducedMotion || colorScheme) await page.emulateMedia({ reducedMotion, colorScheme });
  return page;
}

// Polls until `question` returns something true, and returns it. Otherwise throws an error that names what it waited for.
export async function until(what, question, patience_ms = PATIENCE_MS) {
  const start = Date.now(), end = start + patience_ms;
  for (;;) {
    const answer = await question();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`waited ${patience_ms} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(30 + (Date.now() - start) / 20, 200))); // long waits are polled less often
  }
}
