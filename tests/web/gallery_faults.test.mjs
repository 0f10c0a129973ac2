// The page at / with errors, changes on disk, and long lists.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { cardOf, drawn, loaded, picture, query, server, shownNames, still, TRIANGLE, useBrowser, withPage, withServer, write } from './gallery_page.mjs';
import { until } from './posed.mjs';
import { startProxy } from './proxy.mjs';

useBrowser();

test("says the server's sentence for a model that cannot be read, asked or listed", async () => {
  const { error } = await (await fetch(server.url + '/v1/model?' + query('cut.glb'))).json();
  await withPage({ ...still, refused: [] }, async (page, requests) => {
    await cardOf(page, 'cut.glb').locator('.error').waitFor();
    assert.equal(await cardOf(page, 'cut.glb').locator('.error').textContent(), error.message);
    await drawn(cardOf(page, 'robot.glb'));
    assert.ok(!requests.some((one) => one.includes('/v1/render?model=cut')), 'the list knows it already');
  });
});

for (const [what, answer] of [
  ['is overloaded', { status: 503, headers: { 'Retry-After': '0' }, json: { error: { code: 'overloaded', message: 'later' } } }],
  ['is behind a proxy that has lost it', { status: 502, body: '<html>Bad Gateway</html>' }],
  ['is asked too often', { status: 429, body: 'slow down' }],
]) {
  test(`tries again when the server ${what}, and breaks nothing`, () => {
    let refusals = 0;
    const busy = (route) => ++refusals > 2 ? route.continue() : route.fulfill(answer);
    return withPage({ ...still, routes: { '/v1/render.*robot': busy }, refused: ['/v1/render'] }, async (page) => {
      const robot = cardOf(page, 'robot.glb');
      await robot.locator('.waiting').waitFor();
      await drawn(robot);
      assert.ok(await robot.locator('.waiting').isHidden() && await robot.locator('.error').isHidden());
      assert.ok(refusals > 2);
    });
  });
}

test('shows a refusal of one model as broken, and draws the others', () => {
  const refuse = (route) => route.fulfill({ status: 504, json: { error: { code: 'render_timeout', message: 'it took <b>too long</b>' } } });
  return withPage({ ...still, routes: { '/v1/render.*robot': refuse }, refused: ['/v1/render'] }, async (page) => {
    await cardOf(page, 'robot.glb').locator('.error').waitFor();
    assert.equal(await cardOf(page, 'robot.glb').locator('.error').textContent(), 'it took <b>too long</b>');
    await drawn(cardOf(page, 'dragon.glb'));
  });
});

test('waits for a server that is slow, gone, and back', async () => {
  const proxy = await startProxy(server.url);
  try {
    proxy.delay_ms = 300;
    await withPage({ ...still, url: proxy.url, refused: ['/'] }, async (page) => {
      await until('a mark while it loads', () => page.locator('.card:not(.drawn) .mark:visible').count());
      await drawn(cardOf(page, 'robot.glb'));
      proxy.delay_ms = 0;
      await proxy.cut();
      await page.locator('#gone').waitFor();
      assert.match(await page.locator('#gone').textContent(), /^The server cannot be reached/);
      await page.getByLabel('What pictures show').selectOption('normals'); // needs pictures that are missing
      await cardOf(page, 'robot.glb').locator('.waiting').waitFor();
      assert.equal(await page.locator('.card .error:visible').count(), 1, 'only what cannot be read is broken');
      await proxy.restore();
      await drawn(cardOf(page, 'robot.glb'));
      await page.locator('#gone').waitFor({ state: 'hidden' });
    });
  } finally {
    await proxy.end();
  }
});

test('works behind a path prefix', async () => {
  const target = new URL(server.url);
  const proxy = http.createServer((request, response) => {
    if (!request.url.startsWith('/tools/posed/')) { response.writeHead(404).end(); return; }
    const { host } = target;
    const own = http.request({ host: target.hostname, port: target.port, method: request.method, path: request.url.slice('/tools/posed'.length), headers: { ...request.headers, host } },
      (answer) => { response.writeHead(answer.statusCode, answer.headers); answer.pipe(response); });
    request.pipe(own);
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${proxy.address().port}/tools/posed`;
  try {
    await withPage({ ...still, url, at: '/?folder=set/' }, async (page, requests) => {
      await drawn(cardOf(page, 'set/warned.obj'));
      await page.getByRole('link', { name: 'All models' }).click();
      await drawn(cardOf(page, 'robot.glb'));
      assert.equal(await cardOf(page, 'robot.glb').locator('a').evaluate((link) => link.href), url + '/m/robot.glb');
      assert.deepEqual(requests.filter((one) => !one.startsWith(url) && !/^(blob|data):/.test(one)), []);
    });
  } finally {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  }
});

test('says so when the models cannot be listed', () => withPage({
  routes: { '/v1/models': (route) => route.fulfill({ status: 500, json: { error: { code: 'internal', message: 'no list today' } } }) },
  refused: ['/v1/models'],
}, async (page) => {
  await page.locator('#note').waitFor();
  assert.equal(await page.locator('#note').textContent(), 'The models could not be listed: no list today');
}));

test('points to the list where scripts are off', () => withPage({ javaScriptEnabled: false }, async (page) => {
  assert.equal(await page.locator('noscript a').getAttribute('href'), 'v1/models');
}));

test('shows changes on disk without a reload', () => withServer(() => {}, [], (url, folder) => withPage({ ...still, url, refused: ['/v1/render?model=a.obj', '/v1/models?prefix='] }, async (page) => {
  await page.locator('#note').waitFor();
  assert.match(await page.locator('#note').textContent(), /^No models here yet/);
  write(folder, 'a.obj', TRIANGLE);
  await loaded(page, '1 model');
  const before = await drawn(cardOf(page, 'a.obj'));
  write(folder, 'a.obj', 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 4 3\n');
  await until('another picture', async () => { const now = await picture(cardOf(page, 'a.obj')); return now.painted && now.hash !== before.hash; });
  write(folder, 'new/b.obj', TRIANGLE);
  await page.getByRole('link', { name: 'new 1 model' }).waitFor();
  fs.rmSync(path.join(folder, 'a.obj'));
  await until('it has gone', async () => await page.locator('.card').count() === 0);
  fs.rmSync(path.join(folder, 'new'), { recursive: true });
  await until('nothing is left', async () => (await page.locator('#note').textContent()).startsWith('No models here yet'));
})));

test('keeps ten thousand files in a page that holds few of them', () => withServer((folder) => {
  for (let i = 0; i < 10000; i++) write(folder, `part${i % 20}/m${i}.obj`, TRIANGLE);
}, [], (url, folder) => withPage({ ...still, url, at: '/?deep=1' }, async (page, requests) => {
  await loaded(page, '10,000 models');
  await page.locator('.card.drawn').first().waitFor();
  const size = () => page.evaluate(() => document.querySelectorAll('*').length);
  assert.ok(await size() < 1200, `${await size()} elements`);
  assert.equal((await shownNames(page))[0], 'part0/m0.obj');
  await page.locator('.card > a').first().focus();
  await page.keyboard.press('End');
  await until('the last', async () => await page.evaluate(() => document.activeElement.title) === 'part19/m9999.obj');
  const last = cardOf(page, 'part19/m9999.obj');
  assert.deepEqual([await last.getAttribute('aria-posinset'), await last.getAttribute('aria-setsize')], ['10000', '10000']);
  await drawn(last);
  const box = await last.boundingBox();
  assert.ok(box.y >= 0 && box.y + box.height <= 1000, `at ${box.y}`);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight / 2));
  await until('the middle', async () => (await shownNames(page)).some((name) => name.startsWith('part9/') || name.startsWith('part10/')));
  assert.ok(await size() < 1200);
  await page.getByRole('searchbox').fill('m777');
  await loaded(page, '11 of 10,000 models');
  await page.getByRole('searchbox').fill('');
  write(folder, 'part3/brand new.obj', TRIANGLE);
  await loaded(page, '10,001 models');
  const asked = requests.filter((one) => one.includes('/v1/render')).length;
  assert.ok(asked < 200, `${asked} pictures asked for`);
})));
