// The page of a model, /m/PATH, in a real browser: live by WebGL in software, and by pictures where there is none.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { SAMPLES, launchBrowser, startServer, temporaryFolder, until } from './posed.mjs';
import { startProxy } from './proxy.mjs';

const NASTY = '<script>window.wasRun=1</script> "a" \'b\' ünï 龍 #1 50% %41 a+b & c=d; <img src=x onerror="window.wasRun=2">.glb';
const TOKEN = '0123456789abcdef-one';
const GL = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];
const HAS_VIEWER = fs.existsSync(new URL('../../clients/page/viewer/viewer.js', import.meta.url));

let root, server, plain, live;

before(async () => {
  root = temporaryFolder();
  for (const name of ['dragon.glb', 'octopus.glb', 'robot.glb']) fs.copyFileSync(path.join(SAMPLES, name), path.join(root, name));
  fs.mkdirSync(path.join(root, 'sub'));
  fs.copyFileSync(path.join(SAMPLES, 'robot.glb'), path.join(root, 'sub', 'machine.glb'));
  fs.mkdirSync(path.dirname(path.join(root, NASTY)), { recursive: true });
  fs.copyFileSync(path.join(SAMPLES, 'octopus.glb'), path.join(root, NASTY));
  fs.copyFileSync(path.join(SAMPLES, 'robot.glb'), path.join(root, 'sub', 'second.glb'));
  fs.mkdirSync(path.join(root, 'light')); // red from one side, in 8 x 4 pixels of RGBE
  fs.writeFileSync(path.join(root, 'light', 'red.hdr'), Buffer.concat([Buffer.from('#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 4 +X 8\n'), ...Array.from({ length: 32 }, (_, i) => Buffer.from(i % 8 < 4 ? [200, 20, 10, 130] : [20, 20, 20, 126]))]));
  fs.writeFileSync(path.join(root, 'cut.glb'), fs.readFileSync(path.join(SAMPLES, 'robot.glb')).subarray(0, 3000));
  server = await startServer(root);
  plain = await launchBrowser('--disable-3d-apis');
  live = await launchBrowser(...GL);
});

after(async () => {
  await plain?.close();
  await live?.close();
  const status = await server?.end();
  if (root) fs.rmSync(root, { recursive: true });
  if (server) assert.equal(status, 0, 'the server ends well');
});

const pathOf = (name) => '/m/' + name.split('/').map(encodeURIComponent).join('/');

// Opens the page of a model in a profile of its own, does `work` with it, then checks what holds for every use: no fault of a
// script, no word to anyone but the server.
async function withPage({ name = 'robot.glb', query = '', url = server.url, browser = plain, ready = true, ...context }, work) {
  const profile = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...context });
  const complaints = [], requests = [];
  const page = await profile.newPage();
  page.on('pageerror', (error) => complaints.push(error.stack || String(error)));
  page.on('console', (message) => { if (/Content Security Policy|is not defined|Uncaught/.test(message.text())) complaints.push(message.text()); });
  page.on('request', (request) => requests.push(request.url()));
  try {
    await page.goto(url + pathOf(name) + query);
    if (ready) await shown(page);
    await work(page, requests);
    assert.deepEqual(complaints, []);
    assert.deepEqual(requests.filter((one) => !one.startsWith(url + '/') && !/^(data|blob):/.test(one)), []);
  } finally {
    await profile.close();
  }
}

const mode = (page) => page.evaluate(() => document.body.dataset.mode);
const shown = (page) => until('the model is shown', async () => ['live', 'pictures'].includes(await mode(page)) && await page.locator('#panel-clips').count() === 1);
const query = (page) => Object.fromEntries(new URL(page.url()).searchParams);
const hasQuery = (page, expected) => until('the address has ' + JSON.stringify(expected), async () => {
  const now = query(page);
  return Object.entries(expected).every(([name, value]) => value === null ? !(name in now) : typeof value === 'function' ? value(now[name]) : now[name] === value);
});
const option = (page, name) => page.getByRole('listbox', { name: 'Clips' }).getByRole('option', { name });
const button = (page, name) => page.getByRole('button', { name, exact: true });
const time = async (page) => +(await page.getByRole('slider', { name: 'Time' }).inputValue());

// What the stage shows, as a number that tells pictures apart, and how much of it is painted.
const picture = (page) => page.locator('#pictures').evaluate((canvas) => {
  const data = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  let hash = 2166136261, painted = 0;
  for (const pixel of data) {
    hash = Math.imul(hash ^ pixel, 16777619) >>> 0;
    if (pixel >>> 24) painted++;
  }
  return { hash, painted: painted / data.length };
});
const drawn = (page) => until('a picture', async () => { const now = await picture(page); return now.painted > 0.02 && now.painted < 0.9 && now; });
const otherThan = (page, before) => until('another picture', async () => { const now = await picture(page); return now.painted > 0.01 && now.hash !== before.hash && now; });

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

test('a second clip is blended in', () => withPage({ query: '?t=0.3' }, async (page, requests) => {
  const before = await drawn(page);
  await page.getByLabel('Blend with').selectOption('dance');
  await hasQuery(page, { blend: 'dance' });
  const half = await otherThan(page, before);
  await page.getByRole('slider', { name: 'Share of the second clip' }).fill('0.9');
  await hasQuery(page, { weight: '0.9' });
  await otherThan(page, half);
  assert.ok(requests.some((one) => one.includes('/v1/render')));
}));

test('clips of another model', () => withPage({ name: 'octopus.glb' }, async (page) => {
  const field = page.getByRole('combobox', { name: 'Clips of another model' });
  await field.fill('machine');
  await until('one is found', async () => await page.locator('.combo [role=option]').count() === 1);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await hasQuery(page, { clip_file: 'sub/machine.glb' });
  assert.equal(await field.inputValue(), '');
  await until('its clips', async () => (await page.getByRole('listbox', { name: 'Clips' }).getByRole('option').allTextContents())[0] === 'walkmachine.glb · 1.20 s');
  assert.equal(await page.locator('#panel-clips .count').textContent(), String(await page.getByRole('listbox', { name: 'Clips' }).getByRole('option').count() - 1)); // a rest pose
  assert.doesNotMatch(await page.locator('body').textContent(), /There is no clip/);
  await until('it is said that they do not fit', async () => /./.test(await page.locator('#panel-clips [role=alert]').textContent()));
  await page.getByLabel('Match bones by their role').check();
  await hasQuery(page, { retarget: 'rest' });
  await button(page, 'Without the clips of sub/machine.glb').click();
  await hasQuery(page, { clip_file: null, retarget: null });
  await until('its own clips', async () => (await page.getByRole('listbox', { name: 'Clips' }).getByRole('option').allTextContents())[0] === 'drift4.00 s');
  await option(page, 'swim').click();
  await drawn(page);
}));

test('clips of another model of the same rig play', () => withPage({ name: 'robot.glb', query: '?clip_file=sub/machine.glb&clip=dance&t=0.4' }, async (page) => {
  await drawn(page);
  assert.equal(await option(page, 'dance').first().getAttribute('aria-selected'), 'true');
  assert.deepEqual(await page.getByRole('list', { name: 'Files of clips' }).getByRole('listitem').locator('span').allTextContents(), ['sub/machine.glb']);
  assert.equal(await page.locator('#notices .bad').count(), 0);
}));

const clipFiles = (page) => new URL(page.url()).searchParams.getAll('clip_file');

test('clips of several other models are on one list', () => withPage({ query: '?clip_file=sub/second.glb&clip_file=sub/machine.glb&clip=wave&t=0.4', permissions: ['clipboard-read', 'clipboard-write'] }, async (page, requests) => {
  let now = await drawn(page);
  const list = page.getByRole('listbox', { name: 'Clips' });
  assert.deepEqual(await list.getByRole('option').allTextContents(), [...['machine.glb', 'second.glb'].flatMap((file) => [`walk${file} · 1.20 s`, `wave${file} · 2.00 s`, `dance${file} · 1.60 s`]),
    'walk1.20 s', 'wave2.00 s', 'dance1.60 s', 'Rest pose']);
  assert.equal(await list.getByRole('option', { selected: true }).textContent(), 'wavesecond.glb · 2.00 s');
  await until('the server draws it', () => requests.some((one) => one.includes('clip_file=sub/second.glb') && one.includes('/v1/render?')));
  await list.getByRole('option', { name: 'dance machine.glb' }).click();
  await hasQuery(page, { clip: 'dance', t: (value) => value === '0' || value === undefined });
  await until('it is in front', () => clipFiles(page).join() === 'sub/machine.glb,sub/second.glb');
  now = await otherThan(page, now);
  await list.getByRole('option', { name: 'dance 1.60 s', exact: true }).click();
  await until('the model itself is in front', () => clipFiles(page).join() === 'robot.glb,sub/machine.glb,sub/second.glb');
  await page.reload();
  await shown(page);
  assert.equal(await list.getByRole('option', { selected: true }).textContent(), 'dance1.60 s');
  await page.keyboard.press('n'); // beyond the last one is the first
  await hasQuery(page, { clip: 'walk' });
  await until('of the first file', () => clipFiles(page)[0] === 'sub/machine.glb');
  await button(page, 'Without the clips of sub/machine.glb').click();
  await until('the other is left', () => clipFiles(page).join() === 'sub/second.glb');
  await button(page, 'Without the clips of sub/second.glb').click();
  await until('none is left', () => clipFiles(page).length === 0);
  await page.goBack();
  await until('one again', () => clipFiles(page).join() === 'sub/second.glb');
}));

test('clips of two files are blended', () => withPage({ query: '?clip_file=sub/machine.glb&clip_file=sub/second.glb&clip=wave&t=0.4', permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
  const before = await drawn(page);
  await page.getByLabel('Blend with').selectOption('dance · second.glb');
  await hasQuery(page, { blend: 'dance', blend_file: 'sub/second.glb' });
  const mixed = await otherThan(page, before);
  await page.getByLabel('Blend with').selectOption({ label: 'dance' }); // of the model itself, which is the same clip
  await hasQuery(page, { blend: 'dance', blend_file: 'robot.glb' });
  await until('the same picture', async () => (await picture(page)).hash === mixed.hash);
  await button(page, 'Copy a curl command for this picture').click();
  await until('it is copied', async () => await page.locator('#actions .done').count() > 0);
  const command = await page.evaluate(() => navigator.clipboard.readText());
  assert.deepEqual(JSON.parse(/-d '([^']*)'/.exec(command)[1]).layers.map((layer) => [layer.clip, layer.clip_file]), [['wave', undefined], ['dance', 'robot.glb']]);
  await page.reload();
  await shown(page);
  assert.equal(await page.getByLabel('Blend with').evaluate((select) => select.selectedOptions[0].textContent), 'dance');
  await until('the same picture', async () => (await picture(page)).hash === mixed.hash);
  await page.getByLabel('Blend with').selectOption('nothing');
  await hasQuery(page, { blend: null, blend_file: null });
}));

test('the light is chosen, in the address and in what is saved', () => withPage({ query: '?t=0.3', permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
  let now = await drawn(page);
  await page.locator('#panel-light > summary').click();
  const copied = async (name) => { await button(page, name).click(); await until('it is copied', async () => await page.locator('#actions .done').count() > 0 || await page.locator('dialog[open]').count() > 0); return page.evaluate(() => navigator.clipboard.readText()); };
  await page.getByLabel('Light', { exact: true }).selectOption('Outdoor');
  await hasQuery(page, { light: 'outdoor' });
  now = await otherThan(page, now);
  await page.getByRole('slider', { name: 'Exposure' }).fill('-1.5');
  await hasQuery(page, { exposure: '-1.5' });
  now = await otherThan(page, now);
  assert.equal(await page.locator('#panel-light .count').textContent(), 'Outdoor −1.5');
  await page.getByLabel('Tone').selectOption('As films have it');
  await hasQuery(page, { tone: 'aces' });
  now = await otherThan(page, now);
  assert.match(await copied('Copy a curl command for this picture'), /&light=outdoor&exposure=-1\.5&tone=aces&/);
  assert.match(await page.locator('meta[property="og:image"]').getAttribute('content'), /^http/);
  await page.getByRole('radio', { name: 'Normals' }).click();
  now = await otherThan(page, now);
  assert.doesNotMatch(await copied('Copy a curl command for this picture'), /light|tone/);
  await page.getByRole('radio', { name: 'Lit', exact: true }).click();
  await page.getByRole('button', { name: 'As usual' }).click();
  await hasQuery(page, { light: null, exposure: null, tone: null });
}));

test('the light is that of a picture of the server', () => withPage({ query: '?t=0.3' }, async (page) => {
  let now = await drawn(page);
  await page.locator('#panel-light > summary').click();
  await page.getByLabel('Light', { exact: true }).selectOption('A picture (.hdr)');
  const path = page.getByLabel('Path of the picture on the server');
  await path.fill('no/such.hdr');
  await path.press('Enter');
  await until('it is said', async () => /there is no environment 'no\/such\.hdr'/.test(await page.locator('#panel-light [role=alert]').textContent()));
  await hasQuery(page, { environment: null, light: null });
  await path.fill('light/red.hdr');
  await path.press('Enter');
  await hasQuery(page, { environment: 'light/red.hdr' });
  now = await otherThan(page, now);
  assert.ok(await page.locator('#panel-light [role=alert]').isHidden());
  await page.getByRole('slider', { name: 'Turned by' }).fill('90');
  await hasQuery(page, { environment_yaw: '90' });
  await otherThan(page, now);
  await page.reload();
  await shown(page);
  assert.equal(await page.locator('#panel-light .count').textContent(), 'red.hdr');
}));

test('shows a file that has changed, as before', async () => {
  const folder = temporaryFolder(), put = (name, as) => { fs.copyFileSync(path.join(SAMPLES, name), path.join(folder, 'new')); fs.renameSync(path.join(folder, 'new'), path.join(folder, as)); };
  put('robot.glb', 'it.glb');
  const own = await startServer(folder);
  try {
    await withPage({ url: own.url, name: 'it.glb', query: '?yaw=100&t=0.5' }, async (page) => {
      const first = await drawn(page);
      await page.locator('#panel-materials > summary').click();
      put('octopus.glb', 'it.glb');
      await until('its clips', async () => (await page.getByRole('listbox', { name: 'Clips' }).getByRole('option').allTextContents())[0] === 'drift4.00 s');
      const second = await otherThan(page, first);
      await until('it is said', async () => /'it\.glb' has changed/.test(await page.locator('#notices').textContent()));
      assert.ok(await page.locator('#panel-materials').evaluate((panel) => panel.open));
      await hasQuery(page, { yaw: '100', t: '0.5' });
      fs.rmSync(path.join(folder, 'it.glb'));
      await until('it is said', async () => /'it\.glb' is no longer on the server/.test(await page.locator('#notices').textContent()));
      assert.equal((await picture(page)).hash, second.hash);
      fs.writeFileSync(path.join(folder, 'it.glb'), 'glTF half of a file');
      await until('it is said', async () => /cannot be read now/.test(await page.locator('#notices').textContent()));
      put('robot.glb', 'it.glb');
      await until('its clips', async () => (await page.getByRole('listbox', { name: 'Clips' }).getByRole('option').allTextContents())[0] === 'walk1.20 s');
      await until('the first picture', async () => (await picture(page)).hash === first.hash);
      await until('no fault is left', async () => await page.locator('#notices .bad').count() === 0);
    });
    await withPage({ url: own.url, name: 'late.glb', ready: false }, async (page) => {
      await until('a notice', async () => /There is no model 'late\.glb' here/.test(await page.locator('#notices').textContent()));
      put('robot.glb', 'late.glb');
      await shown(page);
      await drawn(page);
      await until('the notice goes', async () => await page.locator('#notices .bad').count() === 0);
    });
  } finally {
    await own.end();
    fs.rmSync(folder, { recursive: true });
  }
});

test('saves a picture, a sheet, a turntable and a GLB file', () => withPage({ query: '?clip=wave&t=0.5' }, async (page) => {
  const saved = async (name) => {
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
    return { name: download.suggestedFilename(), head: fs.readFileSync(await download.path()).subarray(0, 4).toString('latin1') };
  };
  assert.deepEqual(await saved('Save a picture of this view (PNG)'), { name: 'robot-wave.png', head: '\x89PNG' });
  await until('it says so', async () => (await page.locator('#said').textContent()) === 'Saved robot-wave.png');
  const sheet = await saved('Save the clip as a contact sheet (PNG)');
  assert.ok(sheet.name.startsWith('robot') && sheet.head === '\x89PNG', sheet.name);
  const turntable = await saved('Save a turntable (animated PNG)');
  assert.ok(turntable.name.startsWith('robot') && turntable.head === '\x89PNG', turntable.name);
  assert.deepEqual(await saved('Save the model as a GLB file'), { name: 'robot.glb', head: 'glTF' });
}));

/** What the act puts on the clipboard, which is emptied before: a text from before it would pass for its own. */
async function copiedBy(page, act) {
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await act();
  return until('it is copied', () => page.evaluate(() => navigator.clipboard.readText()));
}

test('copies a link, a command and code, or shows them', async () => {
  await withPage({ query: '?clip=wave&t=0.5', permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    const copied = (name) => copiedBy(page, () => button(page, name).click());
    assert.equal(await copied('Copy a link to this view'), server.url + '/m/robot.glb?clip=wave&t=0.5');
    assert.equal(await copied('Copy a curl command for this picture'), `curl '${server.url}/v1/render?model=robot.glb&clip=wave&t=0.5&width=1024&height=1024' -o picture.png`);
    assert.match(await copied('Copy code that shows this in another page'), new RegExp(`^<iframe src="${server.url}/embed/robot.glb\\?clip=wave&amp;t=0.5" title="robot.glb" `));
    assert.match(await page.getByRole('dialog').textContent(), /No page can show it yet.*--frame-ancestors/);
  });
  await withPage({ query: '?t=0' }, async (page) => { // the clipboard is out of reach
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await button(page, 'Copy a link to this view').click();
    assert.equal(await page.getByRole('dialog').getByRole('textbox').inputValue(), server.url + '/m/robot.glb?clip=walk&t=0');
    await page.keyboard.press('Escape');
  });
});

test('a blend goes along with a command', () => withPage({ query: '?blend=dance&weight=0.25&t=0.5', permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
  const command = await copiedBy(page, () => button(page, 'Copy a curl command for this picture').click());
  const body = JSON.parse(/-d '([^']*)'/.exec(command)[1]);
  const answer = await fetch(/'(http[^']*)'/.exec(command)[1], { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  assert.equal(answer.status, 200, await answer.clone().text());
  assert.deepEqual(body.layers.map((layer) => [layer.clip, layer.weight]), [['walk', 0.75], ['dance', 0.25]]);
}));

test('can be used with the keyboard alone', () => withPage({ query: '?t=0.3' }, async (page) => {
  await drawn(page);
  const focused = () => page.evaluate(() => { const node = document.activeElement; return node.getAttribute('aria-label') || node.textContent.trim().slice(0, 40) || node.id; });
  const stops = [];
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('Tab');
    const name = await focused();
    const outline = await page.evaluate(() => {
      const node = document.activeElement;
      if (node === document.body) return 'none';
      const styles = [node, ...node.children].map((one) => getComputedStyle(one).outlineStyle);
      return node === document.body || styles.some((style) => style !== 'none') ? 'seen' : 'none';
    });
    if (name === '' || await page.evaluate(() => document.activeElement === document.body)) break;
    stops.push(name);
    assert.equal(outline, 'seen', name);
  }
  for (const name of ['All models', 'Copy a link to this view', 'Lit', 'Background', 'Ground', 'Play', 'Time', 'Speed', 'Loop', 'Clips', 'Search nodes']) assert.ok(stops.includes(name), `${name} of ${stops}`);
  await page.locator('body').click({ position: { x: 300, y: 20 } });
  await page.keyboard.press('2');
  await hasQuery(page, { view: 'skeleton' });
  await page.keyboard.press('.');
  await until('a frame on', async () => Math.abs(await time(page) - 0.3333) < 0.003);
  await page.keyboard.press('n');
  await hasQuery(page, { clip: 'wave' });
  await page.keyboard.press('g');
  await hasQuery(page, { shadow: '1' });
  await page.keyboard.press('b');
  await hasQuery(page, { background: 'ffffff' });
  await page.keyboard.press(']');
  await hasQuery(page, { rate: '1.5' });
  await page.keyboard.press('End');
  await until('the end', async () => Math.abs(await time(page) - 2) < 0.01);
  await page.keyboard.press('?');
  assert.match(await page.getByRole('dialog', { name: 'Keys' }).textContent(), /play, pause/);
  await page.keyboard.press('Escape');
  await page.getByRole('listbox', { name: 'Clips' }).focus();
  await page.keyboard.press('ArrowDown');
  await hasQuery(page, { clip: 'dance' });
  await page.getByRole('treeitem').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await hasQuery(page, { joint: 'hips' });
  await page.keyboard.press('ArrowLeft');
  await until('it is closed', async () => await page.getByRole('treeitem').count() === 3);
}));

test('the accessibility tree names every control', () => withPage({ query: '?t=0&joint=head' }, async (page) => {
  await drawn(page);
  const nameless = await page.evaluate(() => [...document.querySelectorAll('button, a, input, select, [role], canvas, img')]
    .filter((node) => node.checkVisibility() && !['presentation', 'group', 'status', 'alert', 'treeitem', 'option'].includes(node.getAttribute('role')))
    .filter((node) => !(node.getAttribute('aria-label') || node.getAttribute('aria-labelledby') || node.textContent.trim() || node.labels?.length || node.getAttribute('alt') || node.title))
    .map((node) => node.outerHTML.slice(0, 120)));
  assert.deepEqual(nameless, []);
  const tree = await page.locator('body').ariaSnapshot();
  for (const line of [/heading "robot.glb" \[level=1\]/, /radiogroup "View"/, /radio "Lit" \[checked\]/, /slider "Time"/, /listbox "Clips"/, /option "walk 1.20 s" \[selected\]/, /tree "Nodes"/, /treeitem "head/, /combobox "Clips of another model"/,
    /toolbar "Save and share"/, /button "Play"/]) assert.match(tree, line);
}));

const visible = (page, selector) => page.locator(selector).evaluate((node) => { const box = node.getBoundingClientRect(); return box.width > 0 && box.top >= -1 && box.bottom <= innerHeight + 1 && box.left >= -1 && box.right <= innerWidth + 1; });
for (const [words, viewport] of [['a wide window', { width: 1280, height: 800 }], ['a phone', { width: 390, height: 844 }], ['a small phone', { width: 320, height: 568 }]]) {
  for (const colorScheme of ['light', 'dark']) {
    test(`fits ${words}, ${colorScheme}`, () => withPage({ viewport, colorScheme, query: '?t=0.3' }, async (page) => {
      await drawn(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight), true, 'nothing sticks out');
      for (const selector of ['#stage', '#player', '#back', '#player .play', '#views', '#actions']) assert.ok(await visible(page, selector), selector);
      const contrast = await page.evaluate(() => {
        const rgb = (text) => text.match(/[\d.]+/g).slice(0, 3).map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        const light = (text) => { const [r, g, b] = rgb(text); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const backOf = (node) => { for (; node; node = node.parentElement) { const back = getComputedStyle(node).backgroundColor; if (!/, 0\)|transparent/.test(back)) return back; } return 'rgb(255, 255, 255)'; };
        return ['#name', '#facts', 'summary', '#views button', '#player output', '.list [role=option]', '.body .soft'].map((selector) => {
          const node = document.querySelector(selector), pair = [light(getComputedStyle(node).color), light(backOf(node))].sort((a, b) => b - a);
          return [selector, (pair[0] + 0.05) / (pair[1] + 0.05)];
        });
      });
      for (const [selector, ratio] of contrast) assert.ok(ratio >= 4.5, `${selector}: ${ratio}`);
      if (process.env.POSED_PICTURES) await page.screenshot({ path: path.join(process.env.POSED_PICTURES, `model-${viewport.width}-${colorScheme}.png`) });
    }));
  }
}

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

test('a model that is not there, and one that is broken, are said in words', async () => {
  await withPage({ name: 'no/such.glb', ready: false }, async (page) => {
    await until('a notice', async () => (await page.locator('#notices [role=alert]').allTextContents()).join().includes("There is no model 'no/such.glb' here."));
    assert.equal(await page.getByRole('link', { name: 'All models' }).getAttribute('href'), './');
  });
  const sentence = (await (await fetch(server.url + '/v1/model?model=cut.glb')).json()).error.message;
  await withPage({ name: 'cut.glb', ready: false }, async (page) => {
    await until('a notice', async () => (await page.locator('#notices [role=alert]').allTextContents()).join().includes(sentence));
    fs.copyFileSync(path.join(SAMPLES, 'robot.glb'), path.join(root, 'cut.glb.new'));
    fs.renameSync(path.join(root, 'cut.glb.new'), path.join(root, 'cut.glb'));
    await button(page, 'Try again').click();
    await shown(page);
    await drawn(page);
  });
});

test('a server that is slow, gone and back', async () => {
  const proxy = await startProxy(server.url);
  try {
    proxy.delay_ms = 300;
    await withPage({ url: proxy.url, query: '?t=0' }, (page) => drawn(page));
    proxy.delay_ms = 0;
    await withPage({ url: proxy.url, query: '?t=0.1', ready: false }, async (page) => {
      await page.waitForLoadState('load');
      proxy.answer(3);
      await page.reload();
    }).catch(() => {}); // the page itself may be what was answered with 502
    proxy.answer(0);
    const profile = await plain.newContext({ reducedMotion: 'reduce' });
    const page = await profile.newPage();
    await page.goto(proxy.url + '/m/robot.glb?t=0');
    await shown(page);
    const before = await drawn(page);
    await proxy.cut();
    await option(page, 'dance').click();
    await until('it is said', async () => /cannot be reached/.test(await page.locator('#notices').textContent()));
    await proxy.restore();
    await until('another picture', async () => {
      if (await button(page, 'Try again').count()) await button(page, 'Try again').first().click().catch(() => {});
      return (await picture(page)).hash !== before.hash;
    });
    await until('the notice goes', async () => !/cannot be reached/.test(await page.locator('#notices').textContent()));
    await profile.close();
  } finally {
    await proxy.end();
  }
});

test('a server that is away while the page loads is waited for', async () => {
  const proxy = await startProxy(server.url);
  const profile = await plain.newContext({ reducedMotion: 'reduce' });
  try {
    const page = await profile.newPage();
    let isCut = false;
    await page.route(/\/v1\/model\?/, async (route) => {
      if (!isCut) { isCut = true; await proxy.cut(); setTimeout(() => proxy.restore(), 1500); }
      await route.continue();
    });
    await page.goto(proxy.url + '/m/robot.glb?t=0');
    await until('it is said', async () => /Trying again/.test(await page.locator('#notices').textContent()));
    await shown(page);
    await drawn(page);
    assert.equal(await page.locator('#notices').getByText('Trying again').count(), 0);
  } finally {
    await profile.close();
    await proxy.end();
  }
});

test('asks for the token where the server wants one, and never puts it into an address', async () => {
  const folder = temporaryFolder();
  fs.writeFileSync(path.join(folder, 'tokens'), TOKEN + '\n');
  const guarded = await startServer(root, '--token-file', path.join(folder, 'tokens'));
  try {
    await withPage({ url: guarded.url, ready: false, query: '?t=0' }, async (page, requests) => {
      await page.getByLabel('This server wants a token.').fill(TOKEN);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await shown(page);
      await drawn(page);
      const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Save the model as a GLB file').click()]);
      assert.equal(download.suggestedFilename(), 'robot.glb');
      assert.ok(requests.every((one) => !one.includes(TOKEN)));
    });
  } finally {
    await guarded.end();
    fs.rmSync(folder, { recursive: true });
  }
});

test('works below a path prefix', async () => {
  const http = await import('node:http');
  const front = http.createServer((request, answer) => {
    if (!request.url.startsWith('/tools/posed/')) { answer.statusCode = 404; answer.end(); return; }
    const inner = http.request(server.url + request.url.slice('/tools/posed'.length), { method: request.method, headers: { ...request.headers, 'X-Forwarded-Prefix': '/tools/posed' } }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    request.pipe(inner);
  });
  await new Promise((resolve) => front.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${front.address().port}/tools/posed`;
  try {
    await withPage({ url, name: 'sub/machine.glb', query: '?t=0' }, async (page, requests) => {
      await drawn(page);
      assert.equal(await page.locator('#name').textContent(), 'sub/machine.glb');
      assert.equal(await page.locator('meta[property="og:image"]').getAttribute('content').then((text) => text.startsWith(url + '/v1/render?model=sub/machine.glb')), true);
      assert.ok(requests.every((one) => one.startsWith(url) || /^(blob|data):/.test(one)));
      assert.equal(await page.getByRole('link', { name: 'All models' }).evaluate((link) => link.href), url + '/');
    });
  } finally {
    front.closeAllConnections();
    front.close();
  }
});

/* --- live --- */

const liveOnly = { skip: HAS_VIEWER ? false : 'no viewer here' };

test('the model is live where there is WebGL', liveOnly, () => withPage({ browser: live, reducedMotion: 'no-preference' }, async (page) => {
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
  await page.mouse.move(box.x + box.width / 2 - 20, box.y + box.height / 2 - 40);
  await until('the joint below the pointer is named', async () => (await page.locator('#hover').textContent()).length > 0);
  assert.equal(await page.locator('#notices .bad').count(), 0);
}));

test('pictures go on where the graphics context is lost, and it comes back', liveOnly, () => withPage({ browser: live, query: '?t=0.3' }, async (page) => {
  await page.locator('#live').evaluate((canvas) => { window.lost = canvas.getContext('webgl2').getExtension('WEBGL_lose_context'); window.lost.loseContext(); });
  await until('pictures', async () => await mode(page) === 'pictures');
  await drawn(page);
  await page.evaluate(() => window.lost.restoreContext());
  await until('live again', async () => await mode(page) === 'live');
  assert.equal(await page.locator('#notices').getByText('context was lost').count(), 0);
}));

test('on a phone one finger turns the model, two zoom, and no bar lies over it', liveOnly, () => withPage({ browser: live, query: '?t=0', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, async (page) => {
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

test('a live model plays on when its file changes, with clips of two files blended', liveOnly, async () => {
  const folder = temporaryFolder(), robot = fs.readFileSync(path.join(SAMPLES, 'robot.glb'));
  const put = (name, bytes) => { fs.writeFileSync(path.join(folder, 'new'), bytes); fs.renameSync(path.join(folder, 'new'), path.join(folder, name)); };
  put('it.glb', robot);
  put('moves.glb', robot);
  const own = await startServer(folder);
  try {
    await withPage({ url: own.url, name: 'it.glb', query: '?yaw=100&clip_file=moves.glb&clip=wave&blend=dance&blend_file=it.glb', browser: live, reducedMotion: 'no-preference' }, async (page) => {
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

test('a live model rests where the clip of a link does not fit it', liveOnly, () => withPage({ browser: live, name: 'octopus.glb', query: '?clip_file=sub/machine.glb&clip=wave' }, async (page) => {
  await until('it is said', async () => await page.locator('#notices .bad').count() === 1 && /Match bones|match bones/.test(await page.locator('#panel-clips [role=alert]').textContent()));
  assert.equal(await mode(page), 'live');
  await option(page, 'swim').click();
  await until('no fault is left', async () => await page.locator('#notices .bad').count() === 0);
  await hasQuery(page, { clip: 'swim' });
}));
