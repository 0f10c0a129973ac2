// The page of a model with pictures, without WebGL: its contents, playing and turning.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { button, drawn, hasQuery, NASTY, option, otherThan, picture, server, shown, time, useBrowser, withPage } from './model_page.mjs';
import { until } from './posed.mjs';

useBrowser();

test('shows the model, what it is made of, and a way back', () => withPage({}, async (page) => {
  assert.equal(await page.title(), 'robot.glb - posed');
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'robot.glb');
  await drawn(page);
  assert.deepEqual(await page.getByRole('listbox', { name: 'Clips' }).getByRole('option').allTextContents(), ['walk1.20 s', 'wave2.00 s', 'dance1.60 s', 'Rest pose']);
  assert.match(await page.locator('#facts').textContent(), /19,680 triangles · 19 joints · 3 clips/);
  assert.equal(await page.getByRole('treeitem').count(), 20);
  for (const words of ['Hierarchy', 'Materials', 'Textures', 'Facts']) assert.equal(await page.locator('summary').filter({ hasText: words }).count(), 1, words);
  await page.getByRole('link', { name: 'All models' }).click();
  await page.waitForURL(server.url + '/');
}));

test('shows a picture before the script has the model, and with the words of the address', async () => {
  const wanted = (requests) => requests.find((one) => one.includes('/v1/render?'));
  await withPage({ query: '?clip=wave&yaw=90&t=0.5', ready: false }, async (page, requests) => {
    const first = await until('the first picture', () => wanted(requests));
    const asked = new URL(first).searchParams;
    assert.deepEqual([asked.get('model'), asked.get('clip'), asked.get('yaw'), asked.get('t')], ['robot.glb', 'wave', '90', '0.5']);
    await until('a poster', () => page.locator('#poster').evaluate((image) => image.naturalWidth > 100));
    await shown(page);
  });
});

test('chooses clips, and goes back over them', () => withPage({}, async (page) => {
  const first = await drawn(page);
  await option(page, 'dance').click();
  await hasQuery(page, { clip: 'dance' });
  const second = await otherThan(page, first);
  await option(page, 'Rest pose').click();
  await hasQuery(page, { clip: '-' });
  assert.ok(await button(page, 'Play').isDisabled());
  await otherThan(page, second);
  await page.goBack();
  await hasQuery(page, { clip: 'dance' });
  assert.equal(await option(page, 'dance').getAttribute('aria-selected'), 'true');
  await page.goBack();
  await hasQuery(page, { clip: null });
  assert.equal(await option(page, 'walk').getAttribute('aria-selected'), 'true');
}));

test('plays, pauses, steps, seeks, and says when', () => withPage({ reducedMotion: 'no-preference' }, async (page) => {
  await until('it plays', async () => await button(page, 'Pause').count() === 1);
  const before = await time(page);
  await until('time goes on', async () => await time(page) !== before);
  await button(page, 'Pause').click();
  await hasQuery(page, { t: (value) => +value >= 0 });
  const paused = await time(page);
  await button(page, 'One frame on').click();
  await until('a frame on', async () => Math.abs((await time(page) - paused + 1.2) % 1.2 - 1 / 30) < 0.003);
  await button(page, 'One frame back').click();
  await until('a frame back', async () => Math.abs(await time(page) - paused) < 0.003);
  await page.getByRole('slider', { name: 'Time' }).fill('0.6');
  await hasQuery(page, { t: (value) => Math.abs(value - 0.6) < 0.001 });
  assert.match(await page.getByRole('slider', { name: 'Time' }).getAttribute('aria-valuetext'), /^0\.60 of 1\.20 seconds, frame 18$/);
  await page.getByRole('combobox', { name: 'Speed' }).selectOption('0.5');
  await hasQuery(page, { rate: '0.5' });
  await button(page, 'Loop').click();
  await hasQuery(page, { loop: '0' });
  await page.getByRole('combobox', { name: 'Speed' }).selectOption('4');
  await button(page, 'Play').click();
  await until('it ends', async () => await button(page, 'Play').count() === 1);
  assert.ok(Math.abs(await time(page) - 1.2) < 0.01);
}));

test('does not move by itself where reduced motion is wanted', () => withPage({}, async (page) => {
  await drawn(page);
  assert.equal(await button(page, 'Play').count(), 1);
  await button(page, 'Play').click();
  const before = await time(page);
  await until('time goes on', async () => await time(page) !== before);
}));

test('views, background, ground', () => withPage({ query: '?t=0.3' }, async (page, requests) => {
  let now = await drawn(page);
  for (const [view, word] of [['skeleton', 'Skeleton'], ['weights', 'Weights'], ['wireframe', 'Wireframe'], ['normals', 'Normals']]) {
    await page.getByRole('radio', { name: word, exact: true }).click();
    await hasQuery(page, { view });
    now = await otherThan(page, now);
    assert.equal(await page.getByRole('radio', { checked: true }).textContent(), word);
  }
  await page.getByRole('radio', { name: 'Lit', exact: true }).click();
  await hasQuery(page, { view: null });
  now = await otherThan(page, now);
  await button(page, 'Ground').click();
  await hasQuery(page, { shadow: '1' });
  now = await otherThan(page, now);
  await page.getByRole('combobox', { name: 'Background' }).selectOption('Dark');
  await hasQuery(page, { background: '15181b' });
  await until('the server draws it too', () => requests.some((one) => one.includes('background=15181b')));
  assert.equal(await page.locator('#stage').evaluate((stage) => stage.style.getPropertyValue('--stage-a')), '#15181b');
}));

test('turns by pointer and keys, zooms, and comes back', () => withPage({ query: '?t=0' }, async (page) => {
  const first = await drawn(page);
  const box = await page.locator('#pictures').boundingBox();
  await page.mouse.move(box.x + 400, box.y + 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 320, { steps: 4 });
  await page.mouse.up();
  await hasQuery(page, { yaw: (value) => value && +value !== 35, pitch: (value) => value && +value !== 15 });
  const turned = await otherThan(page, first);
  await page.mouse.wheel(0, 300);
  await hasQuery(page, { distance: (value) => +value > 1 });
  await otherThan(page, turned);
  await page.keyboard.press('r');
  await hasQuery(page, { yaw: null, pitch: null, distance: null });
  await until('the first picture again', async () => (await picture(page)).hash === first.hash);
  await page.keyboard.press('ArrowRight');
  await hasQuery(page, { yaw: '45' });
  await page.keyboard.press('+');
  await hasQuery(page, { distance: '0.8' });
}));

test('a joint is chosen in the tree', () => withPage({ query: '?t=0.2&view=weights' }, async (page) => {
  const before = await drawn(page);
  await page.getByRole('treeitem', { name: 'head' }).locator('> .row').click();
  await hasQuery(page, { joint: 'head' });
  await otherThan(page, before);
  assert.match(await page.locator('#chosen').textContent(), /^head/);
  await button(page, 'Skeleton').click();
  await hasQuery(page, { view: 'skeleton' });
  await page.keyboard.press('Escape');
  await hasQuery(page, { joint: null });
  await page.getByRole('searchbox', { name: 'Search nodes' }).fill('LEFT');
  assert.deepEqual(await page.getByRole('treeitem').locator('.word').allTextContents(), ['arm_left', 'forearm_left', 'hand_left', 'leg_left', 'shin_left', 'foot_left']);
}));

test('what the address says is checked', () => withPage({ query: '?clip=nowhere&view=x-ray&yaw=NaN&t=-1&distance=0&rate=1e9&background=javascript:1&target=1,2&joint=%00&loop=maybe&frame_box=1,2,3' }, async (page) => {
  await drawn(page);
  assert.match(await page.locator('#notices').textContent(), /There is no clip 'nowhere'/);
  await hasQuery(page, { clip: null, view: null, yaw: null, background: null, target: null });
  assert.equal(await option(page, 'walk').getAttribute('aria-selected'), 'true');
}));

test('a name is text, whatever is in it', () => withPage({ name: NASTY }, async (page) => {
  await drawn(page);
  assert.equal(await page.title(), NASTY.split('/').at(-1) + ' - posed');
  assert.equal(await page.locator('#name').textContent(), NASTY);
  assert.equal(await page.evaluate(() => window.wasRun), undefined);
  await option(page, 'swim').click();
  await hasQuery(page, { clip: 'swim' });
  await page.reload();
  await shown(page);
  assert.equal(await page.locator('#name').textContent(), NASTY);
}));
