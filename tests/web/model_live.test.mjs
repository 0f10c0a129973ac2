// The page of a model with the live viewer, with WebGL in software.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { drawn, hasQuery, mode, option, query, shown, time, useBrowser, withPage } from './model_page.mjs';
import { SAMPLES, startServer, temporaryFolder, until } from './posed.mjs';

// The smallest windows with the wide layout, because software draws every pixel.
useBrowser({ options: ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'], size: { width: 780, height: 480 } });

test('the model is live where there is WebGL', () => withPage({ reducedMotion: 'no-preference' }, async (page) => {
  assert.equal(await mode(page), 'live');
  assert.ok(await page.locator('#poster').isHidden());
  const before = await time(page);
  await until('time goes on', async () => await time(page) !== before);
  await page.keyboard.press('Space');
  await hasQuery(page, { t: (value) => +value >= 0 });
  await option(page, 'dance').click();
  await hasQuery(page, { clip: 'dance', t: null });
  await page.getByRole('radio', { name: 'Skeleton', exact: true }).click();
  await hasQuery(page, { view: 'skeleton' });
  const box = await page.locator('#live').boundingBox();
  await page.mouse.move(box.x + 300, box.y + 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 250, box.y + 300, { steps: 3 });
  await page.mouse.up();
  await hasQuery(page, { yaw: (value) => value && +value !== 35 });
  let moves = 0; // the dance goes on: what is below a pointer that rests may be the gap at the neck
  await until('the joint below the pointer is named', async () => {
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 + moves++ % 20);
    return (await page.locator('#hover').textContent()).length > 0;
  });
  assert.equal(await page.locator('#notices .bad').count(), 0);
}));

// A point on the ring of an axis, in the window, at a share of its length.
const onRing = (page, axis, share) => page.locator(`#gizmo .axis-${axis} .ring`).evaluate((ring, part) => {
  const { x, y } = ring.getPointAtLength(part * ring.getTotalLength()), box = ring.ownerSVGElement.getBoundingClientRect();
  return [box.left + x, box.top + y];
}, share);
// A share of the ring at which the pointer hits it, and no other ring that lies over it.
const freeShare = async (page, axis) => {
  for (let share = 0; share < 0.9; share += 0.03) {
    if (await page.evaluate(([[x, y], name]) => Boolean(document.elementFromPoint(x, y)?.closest('#gizmo .axis-' + name)), [await onRing(page, axis, share), axis])) return share;
  }
  throw new Error(`no part of the ring about ${axis} is free`);
};
const shotOf = async (page) => { await page.waitForTimeout(300); return (await page.locator('#live').screenshot()).toString('base64'); }; // moving pictures are coarse
const degreesIn = (page) => query(page).turn?.split(':')[1].split(',').map(Number);

test('the camera of a link stays, also when the file changes', async () => {
  const folder = temporaryFolder(), put = (name) => { fs.copyFileSync(path.join(SAMPLES, name), path.join(folder, 'new')); fs.renameSync(path.join(folder, 'new'), path.join(folder, 'it.glb')); };
  const camera = { yaw: '10', pitch: '-5', distance: '0.4', target: '0.1,1.2,-0.2', frame_box: '-1,0,-0.5,1,2,0.5' };
  put('robot.glb');
  const own = await startServer(folder);
  try {
    await withPage({ url: own.url, name: 'it.glb', query: `?t=0.3&${new URLSearchParams(camera)}` }, async (page) => {
      assert.equal(await mode(page), 'live');
      await page.keyboard.press('g'); // writes the address
      await hasQuery(page, { shadow: '1', ...camera });
      put('octopus.glb');
      await until('it is said', async () => /'it\.glb' has changed/.test(await page.locator('#notices').textContent()));
      await page.keyboard.press('g');
      await hasQuery(page, { shadow: null, ...camera });
    });
  } finally {
    await own.end();
    fs.rmSync(folder, { recursive: true });
  }
});

test('a joint is turned by numbers, by rings and by keys', () => withPage({ query: '?t=0.3' }, async (page) => {
  const box = await page.locator('#live').boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await hasQuery(page, { joint: (name) => Boolean(name) });
  await page.getByRole('treeitem', { name: 'arm_left', exact: true }).locator('> .row').click();
  await hasQuery(page, { joint: 'arm_left' });
  const gizmo = page.locator('#gizmo');
  assert.ok(await gizmo.isHidden());
  const before = await shotOf(page);
  await page.keyboard.press('t');
  await until('the panel', async () => await page.evaluate(() => document.activeElement.getAttribute('aria-label')) === 'Turn about x');
  await gizmo.waitFor({ state: 'visible' });
  await page.getByLabel('z', { exact: true }).fill('40');
  await page.getByLabel('z', { exact: true }).press('Enter');
  await hasQuery(page, { turn: 'arm_left:0,0,40' });
  await until('the arm', async () => await shotOf(page) !== before);
  await page.getByLabel('z', { exact: true }).fill('90');
  await page.keyboard.press('Escape');
  assert.equal(await page.getByLabel('z', { exact: true }).inputValue(), '40');
  assert.deepEqual(degreesIn(page), [0, 0, 40]);

  const ring = page.getByRole('slider', { name: 'Turn arm_left about z' });
  await page.mouse.move(...await onRing(page, 'z', 0.9)); // from 324 to 360 degrees and on to 36 of the ring
  await page.mouse.down();
  for (const part of [0.95, 0, 0.05, 0.1]) await page.mouse.move(...await onRing(page, 'z', part));
  await page.mouse.up();
  await until('it is turned', async () => Math.abs(await ring.getAttribute('aria-valuenow') - 112) < 8);
  await hasQuery(page, { turn: (text) => /^arm_left:0,0,1\d\d$/.test(text) });
  const [, , dragged] = degreesIn(page);
  const share = await freeShare(page, 'y');
  await page.mouse.move(...await onRing(page, 'y', share));
  await page.mouse.down();
  await page.mouse.move(...await onRing(page, 'y', share + 0.08));
  await until('it is turning', async () => await page.getByRole('slider', { name: 'Turn arm_left about y' }).getAttribute('aria-valuenow') !== '0');
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await hasQuery(page, { turn: `arm_left:0,0,${dragged}` });
  await ring.focus();
  await page.keyboard.press('ArrowRight');
  await hasQuery(page, { turn: `arm_left:0,0,${dragged + 1}`, t: '0.3' });
  await page.reload();
  await shown(page);
  await until('it is live', async () => await mode(page) === 'live');
  await gizmo.waitFor({ state: 'visible' });
  assert.equal(await ring.getAttribute('aria-valuenow'), String(dragged + 1));
  await page.getByRole('button', { name: 'Reset joint' }).click();
  await hasQuery(page, { turn: null });
  await until('the clip alone', async () => await shotOf(page) !== before);
  await page.keyboard.press('Escape');
  await hasQuery(page, { joint: null });
  assert.ok(await gizmo.isHidden());
}));

test('pictures go on where the graphics context is lost, and it comes back', () => withPage({ query: '?t=0.3' }, async (page) => {
  await page.locator('#live').evaluate((canvas) => { window.lost = canvas.getContext('webgl2').getExtension('WEBGL_lose_context'); window.lost.loseContext(); });
  await until('pictures', async () => await mode(page) === 'pictures');
  await drawn(page);
  await page.evaluate(() => window.lost.restoreContext());
  await until('live again', async () => await mode(page) === 'live');
  assert.equal(await page.locator('#notices').getByText('context was lost').count(), 0);
}));

test('on a phone one finger turns the model, two zoom, and no bar lies over it', () => withPage({ query: '?t=0', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, async (page) => {
  const box = await page.locator('#live').boundingBox(), views = await page.locator('#views').boundingBox();
  assert.ok(views.y + views.height <= box.y + 1, 'the views are above the canvas');
  const devtools = await page.context().newCDPSession(page), [x, y] = [box.x + 120, box.y + 150];
  const touch = (type, ...points) => devtools.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([px, py], id) => ({ x: px, y: py, id })) });
  await touch('touchStart', [x, y]);
  for (let i = 1; i <= 4; i++) await touch('touchMove', [x + 15 * i, y]);
  await touch('touchEnd');
  await hasQuery(page, { yaw: (value) => value && +value !== 35 });
  const { distance = 1 } = query(page);
  await touch('touchStart', [x, y], [x + 40, y]);
  for (let i = 1; i <= 4; i++) await touch('touchMove', [x - 10 * i, y], [x + 40 + 10 * i, y]);
  await touch('touchEnd');
  await hasQuery(page, { distance: (value) => value && +value < 0.9 * distance });
  const small = await page.evaluate(() => [...document.querySelectorAll('button, select, summary, [role=option], input[type=range]')].filter((node) => node.checkVisibility())
    .map((node) => [node.getAttribute('aria-label') || node.textContent, node.getBoundingClientRect()]).filter(([, { width, height }]) => width < 30 || height < 35).map(([name, { width, height }]) => `${name} ${width}x${height}`));
  assert.deepEqual(small, [], 'what a finger cannot hit');
}));

test('a live model plays on when its file changes, with clips of two files blended', async () => {
  const folder = temporaryFolder(), robot = fs.readFileSync(path.join(SAMPLES, 'robot.glb'));
  const put = (name, bytes) => { fs.writeFileSync(path.join(folder, 'new'), bytes); fs.renameSync(path.join(folder, 'new'), path.join(folder, name)); };
  put('it.glb', robot);
  put('moves.glb', robot);
  const own = await startServer(folder);
  try {
    await withPage({ url: own.url, name: 'it.glb', query: '?yaw=100&clip_file=moves.glb&clip=wave&blend=dance&blend_file=it.glb', reducedMotion: 'no-preference' }, async (page) => {
      const goesOn = async () => { const before = await time(page); await until('time goes on', async () => await time(page) !== before); };
      assert.equal(await mode(page), 'live');
      await goesOn();
      const renamed = Buffer.from(robot), at = robot.indexOf('"hand_left"');
      assert.ok(at > 0);
      renamed.write('"HAND_left"', at);
      put('it.glb', renamed);
      await until('it is said', async () => /'it\.glb' has changed/.test(await page.locator('#notices').textContent()));
      await goesOn();
      assert.equal(await page.getByRole('treeitem', { name: 'HAND_left' }).count(), 1);
      assert.equal(await mode(page), 'live');
      await hasQuery(page, { yaw: '100', clip: 'wave', t: null });
      assert.equal(await page.locator('#notices .bad').count(), 0);
    });
  } finally {
    await own.end();
    fs.rmSync(folder, { recursive: true });
  }
});

test('a live model rests where the clip of a link does not fit it', () => withPage({ name: 'octopus.glb', query: '?clip_file=sub/machine.glb&clip=wave' }, async (page) => {
  await until('it is said', async () => await page.locator('#notices .bad').count() === 1 && /Match bones|match bones/.test(await page.locator('#panel-clips [role=alert]').textContent()));
  assert.equal(await mode(page), 'live');
  await option(page, 'swim').click();
  await until('no fault is left', async () => await page.locator('#notices .bad').count() === 0);
  await hasQuery(page, { clip: 'swim' });
}));
