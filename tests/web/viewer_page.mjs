// A page with nothing but a live model, on a real server: what the tests and the bench of clients/page/viewer stand on.
import { until } from './posed.mjs';

/** What makes software draw WebGL2. */
export const WEBGL = ['--enable-unsafe-swiftshader'];

const HTML = `<!DOCTYPE html><title>viewer</title>
<style>body { margin: 0 } canvas { display: block; width: 400px; height: 300px }</style>
<canvas></canvas>
<script type="module">
import { Viewer } from '/page/viewer/viewer.js';
import { Link } from '/page/js/link.js';
const sockets = [];
class Socket extends WebSocket {
  constructor(...of) { super(...of); sockets.push(this); }
}
const server = {
  link: (path, query) => '/' + path + '?' + new URLSearchParams(Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '')),
  async get(url, signal) {
    const answer = await fetch(url, { signal });
    if (!answer.ok) throw Object.assign(new Error((await answer.json()).error.message), { status: answer.status });
    return answer;
  },
  openStream: () => Link.open(location.origin.replace(/^http/, 'ws') + '/v1/stream', { WebSocket: Socket }),
};
const events = [];
const viewer = new Viewer(document.querySelector('canvas'), server);
for (const type of ['progress', 'ready', 'error', 'time', 'camera', 'hover', 'lost']) {
  viewer.addEventListener(type, ({ detail }) => { events.push({ type, detail: type === 'error' ? String(detail.error) : type === 'lost' ? detail.what : detail }); });
}
Object.assign(window, { Viewer, viewer, events, sockets, serverOf: server });
window.isThere = true;
</script>`;

/**
 * Opens the page.
 * @param {import('playwright-core').Browser} browser
 * @param {string} url of the server
 */
export async function openViewer(browser, url, context = {}) {
  const profile = await browser.newContext({ viewport: { width: 500, height: 400 }, ...context });
  const page = await profile.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => { if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico')) complaints.push(message.text()); });
  await page.goto(url + '/healthz'); // a document of this server, without a Content-Security-Policy
  await page.setContent(HTML);
  await until('the module', () => page.evaluate(() => window.isThere === true));
  return { page, complaints, close: () => profile.close() };
}

/** Loads a model and waits for its first picture. */
export const load = (page, what) => page.evaluate((one) => window.viewer.load(one).then(() => null, (error) => String(error)), what);

/** The canvas as PNG: exactly its pixels. */
export async function picture(page) {
  const text = await page.evaluate(() => new Promise((resolve) => {
    const { viewer } = window;
    const before = viewer.framesDrawn;
    viewer.view = viewer.view; // draws anew
    const look = () => {
      if (viewer.framesDrawn === before) { requestAnimationFrame(look); return; }
      resolve(document.querySelector('canvas').toDataURL('image/png'));
    };
    requestAnimationFrame(look);
  }));
  return Buffer.from(text.split(',')[1], 'base64');
}
