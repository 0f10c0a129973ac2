// The page at / in a real browser, with a real server: folders, search, filters and the contents of a card.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { NASTY, NASTY_FOLDER, SAMPLE_NAMES, TRIANGLE, cardOf, comesTo, countOf, drawn, loaded, picture, query, server, shownNames, still, useBrowser, withPage, withServer, write } from './gallery_page.mjs';
import { SAMPLES, until } from './posed.mjs';

useBrowser();

test('lists the models and folders of the root, with what is known of each', () => withPage(still, async (page) => {
  await loaded(page, '4 models');
  assert.deepEqual(await shownNames(page), ['cut.glb', ...SAMPLE_NAMES]);
  assert.deepEqual(await page.locator('#folders a').allTextContents(), [NASTY_FOLDER + ' 1 model', 'set 2 models']);
  for (const name of SAMPLE_NAMES) {
    await drawn(cardOf(page, name));
    const { counts } = await (await fetch(server.url + '/v1/model?' + query(name))).json();
    await until('counts', async () => (await cardOf(page, name).locator('.facts').textContent()).startsWith(`${counts.clips} clips \u00b7 ${counts.joints} joints`));
  }
}));

test('shows pictures at the density of the screen', async () => {
  const sides = [];
  for (const deviceScaleFactor of [1, 2]) {
    await withPage({ ...still, deviceScaleFactor }, async (page) => {
      const { colours, painted, side } = await drawn(cardOf(page, 'robot.glb'));
      assert.ok(colours > 500 && painted > 0.05 && painted < 0.9, `${colours} colours, ${painted} of the pixels`);
      const css = await cardOf(page, 'robot.glb').evaluate((node) => node.clientWidth);
      assert.ok(side >= css * deviceScaleFactor && side < css * deviceScaleFactor + 64, `${side} for ${css}`);
      sides.push(side);
    });
  }
  assert.ok(sides[1] > sides[0]);
});

test('goes into folders and back, as the address says', () => withPage(still, async (page) => {
  await page.getByRole('link', { name: /^set/ }).click();
  await loaded(page, '1 model');
  assert.ok(page.url().endsWith('/?folder=set/'), page.url());
  assert.deepEqual(await shownNames(page), ['set/warned.obj']);
  await page.getByRole('link', { name: /^deep/ }).click();
  await until('the folder', async () => (await shownNames(page)).join() === 'set/deep/still.obj');
  assert.equal(await page.title(), 'set/deep - posed');
  await page.reload();
  await until('the same folder', async () => (await shownNames(page)).join() === 'set/deep/still.obj');
  const way = page.getByRole('navigation', { name: 'Folders on the way' });
  assert.deepEqual(await way.getByRole('link').allTextContents(), ['All models', 'set', 'deep']);
  assert.equal(await way.locator('[aria-current]').textContent(), 'deep');
  await way.getByRole('link', { name: 'set', exact: true }).click();
  await until('the folder above', async () => (await shownNames(page)).join() === 'set/warned.obj');
  await page.goBack();
  await until('deep again', async () => (await shownNames(page)).join() === 'set/deep/still.obj');
  await way.getByRole('link', { name: 'All models' }).click();
  await loaded(page, '4 models');
  assert.ok(page.url().endsWith('/'), page.url());
}));

test('searches all folders, in the address', () => withPage(still, async (page) => {
  const search = page.getByRole('searchbox', { name: 'Search models' });
  await loaded(page, '4 models');
  for (const [words, names, count] of [['ROB', ['robot.glb'], '1 of 7 models'], ['glb oct', ['octopus.glb'], '1 of 7 models'],
    ['set/', ['set/deep/still.obj', 'set/warned.obj'], '2 of 7 models'], ['ÜNÏ 50% <script>', [NASTY], '1 of 7 models'], ['.*', [], '0 of 7 models']]) {
    await search.fill(words);
    await loaded(page, count);
    assert.deepEqual(await shownNames(page), names);
    assert.equal(new URL(page.url()).searchParams.get('q'), words);
  }
  assert.equal(await page.locator('#note').textContent(), 'No model here is like that.');
  await page.reload();
  await loaded(page, '0 of 7 models');
  assert.equal(await search.inputValue(), '.*');
  await search.fill('');
  await loaded(page, '4 models');
}));

test('filters by format, clips and findings, of models that nobody has read yet too', () => withServer((folder) => {
  for (const name of SAMPLE_NAMES) fs.copyFileSync(path.join(SAMPLES, name), path.join(folder, name));
  write(folder, 'cut.glb', 'glTF');
  write(folder, 'set/warned.obj', 'mtllib none.mtl\n' + TRIANGLE);
  write(folder, 'still.obj', TRIANGLE);
}, [], async (url) => {
  const shows = (page, ...names) => until(names.join(), async () => (await shownNames(page)).join() === names.join());
  await withPage({ ...still, url, at: '/?clips=with', refused: ['/v1/render?model=cut', '/v1/model?model=cut'] }, async (page) => {
    await shows(page, ...SAMPLE_NAMES);
    await page.getByLabel('Clips').selectOption('without');
    await shows(page, 'set/warned.obj', 'still.obj');
    assert.equal(await countOf(page), '2 of 6 models');
    await page.getByLabel('Findings').selectOption('warnings');
    await shows(page, 'set/warned.obj');
    assert.ok((await cardOf(page, 'set/warned.obj').locator('.facts').textContent()).startsWith('1 warning'));
    assert.equal(new URL(page.url()).search, '?clips=without&findings=warnings');
    await page.getByLabel('Clips').selectOption('');
    await page.getByLabel('Findings').selectOption('broken');
    await shows(page, 'cut.glb');
    await page.getByLabel('Findings').selectOption('');
    await page.getByLabel('Format').selectOption('obj');
    await shows(page, 'set/warned.obj', 'still.obj');
    await page.goBack();
    await page.goBack();
    await shows(page, 'cut.glb');
  });
}));

test('models of formats without clips are not read for a filter by clips', () => withServer((folder) => {
  for (let i = 0; i < 500; i++) write(folder, `m${i}.obj`, TRIANGLE);
  fs.copyFileSync(path.join(SAMPLES, 'robot.glb'), path.join(folder, 'robot.glb'));
}, [], (url) => withPage({ ...still, url, at: '/?clips=with' }, async (page) => {
  await loaded(page, '1 of 501 models');
  assert.deepEqual(await shownNames(page), ['robot.glb']);
  await page.getByLabel('Clips').selectOption('without');
  await loaded(page, '500 of 501 models');
  const { models } = await (await fetch(url + '/v1/models')).json();
  assert.ok(models.filter((one) => one.counts).length < 400, 'the server has read few');
})));

test('a card in view has its counts, whoever drew its picture', () => withServer((folder) => {
  fs.copyFileSync(path.join(SAMPLES, 'robot.glb'), path.join(folder, 'robot.glb'));
}, [], async (url) => {
  const body = fs.readFileSync(new URL('../../deploy/samples/samples.png', import.meta.url));
  await withPage({ ...still, url, at: '/?q=nothing', refused: ['/v1/models?prefix=robot'] }, async (page) => {
    await loaded(page, '0 of 1 model');
    let refused = 2; // of the server's data about it
    await page.route(/\/v1\/render\?/, (route) => route.fulfill({ status: 200, contentType: 'image/png', body })); // from a cache: the server reads nothing
    await page.route(/\/v1\/models\?prefix=robot/, (route) => refused-- > 0 ? route.fulfill({ status: 502, body: '' }) : route.continue());
    await page.getByRole('searchbox', { name: 'Search models' }).fill('');
    await until('counts', async () => (await cardOf(page, 'robot.glb').locator('.facts').textContent()).startsWith('3 clips \u00b7 19 joints'));
  });
}));

test('shows models of all folders beneath at a press of a button', () => withPage(still, async (page) => {
  await loaded(page, '4 models');
  const deep = page.getByRole('button', { name: 'Subfolders' });
  await deep.click();
  await loaded(page, '7 models');
  assert.equal(await deep.getAttribute('aria-pressed'), 'true');
  assert.ok(await page.locator('#folders').isHidden());
  await deep.click();
  await loaded(page, '4 models');
}));

test('shows the view that is chosen, of every model', () => withPage(still, async (page) => {
  const seen = new Set([(await drawn(cardOf(page, 'robot.glb'))).hash]);
  for (const view of ['weights', 'skeleton', 'wireframe', 'normals', 'depth', 'joints']) {
    await page.getByLabel('What pictures show').selectOption(view);
    await until('a picture of ' + view, async () => { const now = await picture(cardOf(page, 'robot.glb')); return now.painted && !seen.has(now.hash); });
    seen.add((await picture(cardOf(page, 'robot.glb'))).hash);
    assert.equal(new URL(page.url()).searchParams.get('view'), view);
  }
}));

test('treats a name as text, and links to the page of its model', () => withPage({ ...still, at: '/?deep=1' }, async (page) => {
  const card = cardOf(page, NASTY);
  await drawn(card);
  assert.equal(await card.locator('.name').textContent(), NASTY);
  assert.equal(await page.evaluate(() => window.wasRun), undefined);
  const target = await card.locator('a').evaluate((link) => link.href);
  assert.equal(target, server.url + '/m/' + NASTY.split('/').map(encodeURIComponent).join('/').replaceAll("'", '%27')); // the one form of protocol/http.md
  assert.equal((await fetch(target)).status, 200);
  await card.locator('a').click();
  await comesTo(page, target);
}));
