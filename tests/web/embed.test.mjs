// A model in a frame of another page, /embed/PATH, in a real browser.
import assert from 'node:assert/strict';
import http from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { SAMPLES, launchBrowser, openPage, startServer, until } from './posed.mjs';

let server, closed, browser, host;

before(async () => {
  host = http.createServer((request, answer) => { // a page of another site
    const framed = new URL(request.url, 'http://host').searchParams.get('framed');
    answer.setHeader('Content-Type', 'text/html');
    answer.end(`<!DOCTYPE html><title>host</title><iframe src="${framed}" title="a model" width="640" height="420"></iframe>`);
  });
  await new Promise((resolve) => host.listen(0, '127.0.0.1', resolve));
  server = await startServer(SAMPLES, '--frame-ancestors', `http://127.0.0.1:${host.address().port}`);
  closed = await startServer(SAMPLES);
  browser = await launchBrowser('--disable-3d-apis');
});

after(async () => {
  await browser?.close();
  await Promise.all([server?.end(), closed?.end()]);
  host.closeAllConnections();
  host.close();
});

async function withFrame(url, options, work) {
  const page = await openPage(browser, { reducedMotion: 'reduce', ...options });
  try {
    await page.goto(`http://127.0.0.1:${host.address().port}/?framed=${encodeURIComponent(url)}`);
    await work(page.frameLocator('iframe'), page);
  } finally {
    await page.close();
  }
}

const isPainted = (frame) => until('a picture', () => frame.locator('#pictures').evaluate((canvas) => {
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  for (let i = 3; i < data.length; i += 4) if (data[i]) return true;
  return false;
}).catch(() => false));

test('shows the model with play, time and its name', () => withFrame(server.url + '/embed/robot.glb?clip=wave&yaw=0', {}, async (frame, page) => {
  await isPainted(frame);
  const name = frame.getByRole('link', { name: 'robot.glb' });
  assert.equal(await name.evaluate((link) => link.href), server.url + '/m/robot.glb?clip=wave&t=0&yaw=0');
  assert.equal(await name.getAttribute('target'), '_blank');
  const sides = (selector) => frame.locator(selector).evaluate((node) => [node.clientWidth, node.clientHeight]);
  assert.deepEqual(await sides('#pictures'), await sides('#stage'));
  const time = () => frame.getByRole('slider', { name: 'Time' }).inputValue();
  await frame.getByRole('button', { name: 'Play' }).click();
  const before = await time();
  await until('time goes on', async () => await time() !== before);
  await frame.getByRole('button', { name: 'Pause' }).click();
  await frame.getByRole('slider', { name: 'Time' }).fill('1.5');
  await until('it is there', async () => await time() === '1.5');
  if (process.env.POSED_PICTURES) await page.screenshot({ path: path.join(process.env.POSED_PICTURES, 'embed.png') });
}));

test('plays by itself, unless reduced motion is wanted', () => withFrame(server.url + '/embed/robot.glb', { reducedMotion: 'no-preference' }, async (frame) => {
  await until('it plays', async () => await frame.getByRole('button', { name: 'Pause' }).count() === 1);
}));

test('other pages, and servers that name nobody, are not framed', async () => {
  for (const url of [server.url + '/m/robot.glb', server.url + '/', closed.url + '/embed/robot.glb']) {
    await withFrame(url, {}, async (frame, page) => {
      await until('the browser refuses', async () => page.frames().some((one) => one.url().startsWith('chrome-error:')));
    });
  }
});

test('the page of a model says whom the server lets show it', async () => {
  for (const [one, expected] of [[closed, 'none'], [server, 'some']]) {
    const policy = (await fetch(one.url + '/embed/robot.glb', { method: 'HEAD' })).headers.get('content-security-policy');
    assert.equal(/frame-ancestors 'none'/.test(policy), expected === 'none');
    const page = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'], reducedMotion: 'reduce' });
    await page.goto(one.url + '/m/robot.glb');
    await page.getByRole('button', { name: 'Copy code that shows this in another page' }).click();
    await until('it is copied', async () => /is copied/.test(await page.locator('#said').textContent()));
    assert.equal(await page.getByRole('dialog').getByText('--frame-ancestors').count(), expected === 'none' ? 1 : 0);
    await page.close();
  }
});

test('a model that is not there is said in words', () => withFrame(server.url + '/embed/none.glb', {}, async (frame) => {
  await until('a notice', async () => (await frame.locator('#notices [role=alert]').count()) === 1);
  assert.equal(await frame.getByRole('button', { name: 'Try again' }).count(), 1);
}));
