// A page with only a live model, on a real server, for the tests and the bench of clients/page/viewer.
import { PATIENCE_MS, openPage, until } from './posed.mjs';

/** The options for WebGL2 in software. */
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
  link: (path, query) => '/' + path + '?' + new URLSearchParams(Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one])).filter(([, value]) => value !== null && value !== undefined && value !== '')),
  async get(url, signal) {
    const answer = await fetch(url, { signal });
    if (!answer.ok) throw Object.assign(new Error((await answer.json()).error.message), { status: answer.status });
    return answer;
  },
  openStream: () => Link.open(location.origin.replace(/^http/, 'ws') + '/v1/stream', { WebSocket: Socket, reconnectTries: 0 }),
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
  const page = await openPage(browser, { viewport: { width: 500, height: 400 }, ...context });
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => { if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico')) complaints.push(message.text()); });
  await page.goto(url + '/healthz'); // a document of this server, without a Content-Security-Policy
  await page.setContent(HTML);
  await until('the module', () => page.evaluate(() => window.isThere === true));
  return { page, complaints, close: () => page.close() };
}

/** Loads a model and waits for its first picture. */
export const load = (page, what) => page.evaluate((one) => window.viewer.load(one).then(() => null, (error) => String(error)), what);

/**
 * The canvas beside the server's picture of the same state: `overlap` is how much of both silhouettes is common, as a share of both together;
 * `difference` the mean difference of a channel (of 255) where both have a whole pixel.
 * @param {object} more parameters of /v1/render that the viewer does not tell itself
 */
export async function compare(page, more = {}) {
  const answer = await page.evaluate(async ([query, patience_ms]) => {
    const { viewer } = window, canvas = document.querySelector('canvas');
    const drawn = viewer.framesDrawn, end = performance.now() + patience_ms;
    viewer.background = null; // draws again
    const { clientWidth: width, clientHeight: height } = canvas;
    const pixels = (source) => {
      const context = new OffscreenCanvas(width, height).getContext('2d');
      context.drawImage(source, 0, 0, width, height);
      return context.getImageData(0, 0, width, height).data;
    };
    const mine = await new Promise((resolve, reject) => {
      const look = () => {
        if (viewer.framesDrawn > drawn && viewer.isSharp) resolve(pixels(canvas));
        else if (performance.now() > end) reject(new Error('the viewer draws nothing'));
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    const said = { model: viewer.model.model, width, height, t: viewer.time_s, ...viewer.given, ...viewer.cameraParameters, ...(viewer.view === 'lit' && viewer.lightParameters), ...query };
    const picture = await fetch(serverOf.link('v1/render', said));
    if (!picture.ok) throw new Error(await picture.text());
    const theirs = pixels(await createImageBitmap(await picture.blob()));
    let both = 0, any = 0, sum = 0, whole = 0;
    const least = viewer.view === 'skeleton' ? 24 : 127; // for glass-like surfaces
    for (let i = 0; i < mine.length; i += 4) {
      const [a, b] = [mine[i + 3], theirs[i + 3]];
      both += a > least && b > least;
      any += a > least || b > least;
      if (a < 255 || b < 255) continue;
      whole += 3;
      for (let c = 0; c < 3; c++) sum += Math.abs(mine[i + c] - theirs[i + c]);
    }
    return { overlap: both / any, difference: sum / Math.max(whole, 1) };
  }, [more, PATIENCE_MS]);
  return answer;
}

/** Waits until drawing stops. */
export async function settled(page) {
  let last = -1, still = 0;
  await until('the viewer rests', async () => {
    const now = await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => resolve(window.viewer.framesDrawn)); }));
    still = now === last ? still + 1 : 0;
    last = now;
    return still >= 8;
  });
}

/** The canvas as PNG: exactly its pixels. */
export async function picture(page) {
  const text = await page.evaluate(() => new Promise((resolve) => {
    const { viewer } = window;
    const before = viewer.framesDrawn;
    viewer.background = viewer.background; // draws again
    const look = () => {
      if (viewer.framesDrawn === before || !viewer.isSharp) { requestAnimationFrame(look); return; }
      resolve(document.querySelector('canvas').toDataURL('image/png'));
    };
    requestAnimationFrame(look);
  }));
  return Buffer.from(text.split(',')[1], 'base64');
}
