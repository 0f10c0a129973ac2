// live - frames a second of the live model (clients/page/viewer) in Chromium without a graphics processor.
//
//   node live.mjs
//
// Answers each line on stdin, the name of a sample, by a line of JSON: {"fps": ..}. The clip plays in a canvas of 400 x 300.
import readline from 'node:readline';
import { SAMPLES, launchBrowser, startServer } from '../../web/posed.mjs';
import { WEBGL, load, openViewer } from '../../web/viewer_page.mjs';

const SECONDS = 3;
const server = await startServer(SAMPLES);
const browser = await launchBrowser(...WEBGL);
for await (const model of readline.createInterface({ input: process.stdin })) {
  const { page, close } = await openViewer(browser, server.url);
  const fault = await load(page, { model });
  if (fault) throw new Error(fault);
  const fps = await page.evaluate(async (seconds) => {
    const { viewer } = window;
    const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
    viewer.play();
    await wait(1000);
    const [frames, start] = [viewer.framesDrawn, performance.now()];
    await wait(1000 * seconds);
    return (viewer.framesDrawn - frames) / (performance.now() - start) * 1000;
  }, SECONDS);
  await close();
  console.log(JSON.stringify({ fps }));
}
await browser.close();
await server.end();
