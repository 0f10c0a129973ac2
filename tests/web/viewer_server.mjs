// The live model (clients/page/viewer) on a real server: a server with models, a browser that draws by software, and a page for each test.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before } from 'node:test';
import { SAMPLES, launchBrowser, startServer, temporaryFolder } from './posed.mjs';
import { WEBGL, compare, load, openViewer } from './viewer_page.mjs';

// Each test of a file has the server and the browser that useViewer() starts.
export let root, server, browser;

/** A server on the samples and these files, and a browser, for all tests of a file. */
export function useViewer(files = {}) {
  before(async () => {
    root = temporaryFolder();
    for (const name of fs.readdirSync(SAMPLES)) if (name.endsWith('.glb')) fs.copyFileSync(path.join(SAMPLES, name), path.join(root, name));
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(root, name), text);
    server = await startServer(root);
    browser = await launchBrowser(...WEBGL);
  });

  after(async () => {
    await browser?.close();
    await server?.end();
    if (root) fs.rmSync(root, { recursive: true });
  });
}

// Opens a page with the model loaded, does `work`, and checks that there was no error in it, including OpenGL's.
export async function withModel(what, work, { url = server.url, complains = false } = {}) {
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

export const overlap = async (page, query) => (await compare(page, query)).overlap;
