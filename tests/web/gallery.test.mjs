// The page at / in a real browser, on a real server.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { SAMPLES, launchBrowser, startServer, temporaryFolder, until } from './posed.mjs';

// A path of two parts, because a closing tag needs a slash. Each character means something in HTML, a URL or a query.
const NASTY = '<script>window.wasRun=1</script> "a" \'b\' ünï 龍 #1 50% %41 a+b & c=d; <img src=x onerror="window.wasRun=2">.glb';
const SAMPLE_NAMES = ['dragon.glb', 'octopus.glb', 'robot.glb'];
const READABLE = [NASTY, ...SAMPLE_NAMES];
const BROKEN = ['cut.glb', 'empty.glb'];

let root, server, browser;

before(async () => {
  root = temporaryFolder();
  for (const name of SAMPLE_NAMES) fs.copyFileSync(path.join(SAMPLES, name), path.join(root, name));
  fs.writeFileSync(path.join(root, 'cut.glb'), fs.readFileSync(path.join(SAMPLES, 'robot.glb')).subarray(0, 3000));
  fs.writeFileSync(path.join(root, 'empty.glb'), '');
  fs.mkdirSync(path.dirname(path.join(root, NASTY)));
  fs.copyFileSync(path.join(SAMPLES, 'octopus.glb'), path.join(root, NASTY));
  server = await startServer(root);
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  const status = await server?.end();
  if (root) fs.rmSync(root, { recursive: true });
  if (server) assert.equal(status, 0, 'the server ends well');
});

const query = (name, rest = {}) => new URLSearchParams({ model: name, ...rest });
const json = async (target) => (await fetch(server.url + target)).json();
const describe = (name) => json('/v1/model?' + query(name));

// Opens the page in a profile of its own, does `work` with it, then checks what holds for every use of it: no message in
// the console but the browser's own about the answers in `refused`, and no word to anyone but the server.
async function withPage({ url = server.url, refused = BROKEN.map((name) => '/v1/model?' + query(name)), routes = {}, ...context }, work) {
  const profile = await browser.newContext({ viewport: { width: 1100, height: 1000 }, ...context });
  const complaints = [], requests = [];
  const page = await profile.newPage();
  page.on('console', (message) => {
    const { url: from } = message.location();
    if (!refused.some((target) => from.startsWith(url + target))) complaints.push(`${message.type()}: ${message.text()} ${from}`);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => requests.push(request.url()));
  for (const [pattern, handler] of Object.entries(routes)) await page.route(new RegExp(pattern), handler);
  try {
    await page.goto(url + '/');
    await work(page, requests);
    assert.deepEqual(complaints, []);
    assert.deepEqual(requests.filter((one) => !one.startsWith(url + '/') && !/^(data|blob):/.test(one)), []);
  } finally {
    await profile.close();
  }
}

const still = { reducedMotion: 'reduce' };
const cardOf = (page, name) => page.locator('.card').filter({ has: page.getByRole('heading', { name, exact: true }) });

// What a card's canvas shows: number of colours, share of pixels painted, and a number that tells pictures apart.
const picture = (card) => card.locator('canvas').evaluate((canvas) => {
  const copy = document.createElement('canvas'); // the page's own canvas is not made for reading
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const context = copy.getContext('2d', { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  const data = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
  let hash = 2166136261, painted = 0;
  for (const pixel of data) {
    hash = Math.imul(hash ^ pixel, 16777619) >>> 0;
    if (pixel >>> 24) painted++;
  }
  return { colours: new Set(data).size, painted: painted / data.length, hash };
});
const drawn = (card) => until('a picture', async () => { const now = await picture(card); return now.painted && now; });

// The different pictures that a card shows in some time.
async function shownWithin(card, time_ms) {
  const seen = new Set();
  for (const end = Date.now() + time_ms; Date.now() < end;) seen.add((await picture(card)).hash);
  return seen.size;
}
const moves = (card) => until('the card moves', async () => await shownWithin(card, 700) >= 3);

test('lists every model with its name and clips', () => withPage(still, async (page) => {
  const listed = (await json('/v1/models')).models.map((entry) => entry.model);
  assert.deepEqual([...listed].sort(), [...READABLE, ...BROKEN].sort());
  await until('six cards', async () => await page.locator('.card').count() === 6);
  assert.deepEqual(await page.locator('.card h2').allTextContents(), listed);
  assert.equal(await page.locator('#count').textContent(), '6 models');
  for (const name of READABLE) {
    const { clips, skins } = await describe(name);
    await cardOf(page, name).locator('select').waitFor();
    const options = await cardOf(page, name).locator('option').allTextContents();
    assert.deepEqual(options, clips.map((clip) => `${clip.name} (${clip.duration.toFixed(2)} s)`));
    const facts = await cardOf(page, name).locator('.facts').textContent();
    assert.ok(facts.includes(`${clips.length} clips`) && facts.includes(`${skins[0].joints.length} joints`), facts);
  }
}));

test('shows a picture of every model that can be read', () => withPage(still, async (page) => {
  const hashes = new Map();
  for (const name of READABLE) {
    const { colours, painted, hash } = await drawn(cardOf(page, name));
    assert.ok(colours > 500, `${name}: ${colours} colours`);
    assert.ok(painted > 0.05 && painted < 0.9, `${name}: ${painted} of the pixels`);
    hashes.set(name, hash);
  }
  assert.equal(hashes.get(NASTY), hashes.get('octopus.glb'));
  assert.equal(new Set(hashes.values()).size, 3);
}));

test('plays clips until paused', () => withPage({}, async (page) => {
  await page.getByRole('searchbox').fill('robot');
  const robot = cardOf(page, 'robot.glb');
  await moves(robot);
  await page.getByRole('button', { name: 'Pause' }).click();
  await drawn(robot);
  assert.equal(await shownWithin(robot, 1200), 1);
  await page.getByRole('button', { name: 'Play' }).click();
  await moves(robot);
}));

test('plays nothing where reduced motion is wanted, unless asked to', () => withPage(still, async (page, requests) => {
  await page.getByRole('searchbox').fill('robot');
  const robot = cardOf(page, 'robot.glb');
  await drawn(robot);
  await robot.hover();
  await robot.locator('select').focus();
  assert.equal(await shownWithin(robot, 1500), 1);
  assert.equal(requests.filter((one) => one.includes('/v1/render?model=robot')).length, 1);
  await page.getByRole('button', { name: 'Play' }).click();
  await moves(robot);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.getByRole('button', { name: 'Play' }).waitFor();
  assert.equal(await shownWithin(robot, 1200), 1);
}));

test('plays a paused card while it is pointed at', () => withPage({}, async (page) => {
  await page.getByRole('searchbox').fill('robot');
  await page.getByRole('button', { name: 'Pause' }).click();
  const robot = cardOf(page, 'robot.glb');
  await drawn(robot);
  await robot.hover();
  await moves(robot);
}));

test('shows the clip that is chosen', () => withPage(still, async (page) => {
  const dragon = cardOf(page, 'dragon.glb');
  const { clips } = await describe('dragon.glb');
  const first = await drawn(dragon);
  const seen = new Set([first.hash]);
  for (const clip of clips.slice(1)) {
    await dragon.locator('select').selectOption(String(clip.index));
    await until(`a picture of ${clip.name}`, async () => !seen.has((await picture(dragon)).hash));
    seen.add((await picture(dragon)).hash);
    for (const link of await dragon.getByRole('link', { name: /palette|pose|sheet|turntable|Picture/ }).all()) {
      const target = new URL(await link.evaluate((a) => a.href));
      assert.equal(target.searchParams.get('clip'), String(clip.index));
      assert.equal((await fetch(target)).status, 200, target.href);
    }
  }
  await dragon.locator('select').selectOption('0');
  await until('the first picture again', async () => (await picture(dragon)).hash === first.hash);
}));

test('shows the view that is chosen, of every model', () => withPage(still, async (page) => {
  const cards = SAMPLE_NAMES.map((name) => cardOf(page, name)), seen = new Set();
  for (const card of cards) seen.add((await drawn(card)).hash);
  const views = await page.locator('#what option').evaluateAll((options) => options.map((option) => option.value));
  assert.deepEqual(views.slice(0, 3), ['', 'weights', 'skeleton']);
  for (const view of views.slice(1)) {
    await page.locator('#what').selectOption(view);
    for (const card of cards) {
      await until(`a picture of ${view}`, async () => !seen.has((await picture(card)).hash));
      seen.add((await picture(card)).hash);
      const target = new URL(await card.getByRole('link', { name: /Picture/ }).evaluate((a) => a.href));
      assert.equal(target.searchParams.get('view'), view);
    }
  }
  if (process.env.POSED_PICTURES) await page.screenshot({ path: path.join(process.env.POSED_PICTURES, 'gallery-view.png') });
}));

test('links to a sheet of the clip and to a turntable, in the view that is chosen', () => withPage({ ...still, refused: ['/v1/model?', '/favicon.ico'] }, async (page) => {
  const robot = cardOf(page, 'robot.glb');
  await drawn(robot);
  await robot.locator('select').selectOption('1');
  await page.locator('#what').selectOption('normals');
  const target = async (name) => new URL(await robot.getByRole('link', { name }).evaluate((a) => a.href));
  for (const [name, type] of [['sheet', 'image/png'], ['turntable', 'image/apng']]) {
    const url = await target(name);
    assert.deepEqual([url.pathname, url.searchParams.get('clip'), url.searchParams.get('view')], ['/v1/' + name, '1', 'normals']);
    const answer = await fetch(url);
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, type]);
  }
  const manifest = await (await fetch(await target('sheet') + '&format=json')).json();
  assert.deepEqual([manifest.columns, manifest.rows, manifest.clips.map((clip) => clip.index)], [4, 2, [1]]);
  if (process.env.POSED_PICTURES) await page.screenshot({ path: path.join(process.env.POSED_PICTURES, 'gallery-links.png') });
  await robot.getByRole('link', { name: 'sheet' }).click();
  await page.waitForURL(/v1\/sheet/);
  assert.ok(await page.evaluate(() => document.images[0].naturalWidth) === 4 * 256);
}));

test('offers no sheet of a model without clips', async () => {
  const folder = temporaryFolder();
  fs.writeFileSync(path.join(folder, 'still.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
  const other = await startServer(folder);
  try {
    await withPage({ ...still, url: other.url }, async (page) => {
      await drawn(cardOf(page, 'still.obj'));
      assert.deepEqual(await page.locator('.links a:visible').allTextContents(), ['turntable', 'model', 'palette', 'pose']);
    });
  } finally {
    await other.end();
    fs.rmSync(folder, { recursive: true });
  }
});

test("says the server's sentence for a model that cannot be read", () => withPage(still, async (page) => {
  for (const name of BROKEN) {
    const { error } = await describe(name);
    assert.ok(error.message.includes(name), error.message);
    const card = cardOf(page, name);
    await card.locator('.error').waitFor();
    assert.equal(await card.locator('.error').textContent(), error.message);
    assert.ok(await card.locator('canvas').isHidden() && await card.locator('select').isHidden());
  }
  await drawn(cardOf(page, 'robot.glb'));
}));

test('says it as well when the listing already knows', async () => {
  const [{ error }] = await Promise.all(BROKEN.map(describe));
  await withPage({ ...still, refused: [] }, async (page, requests) => {
    assert.equal(await cardOf(page, 'cut.glb').locator('.error').textContent(), error.message);
    assert.ok(!requests.some((one) => one.includes('/v1/model?model=cut')));
  });
});

test('treats a name as text, and links to it', () => withPage({ ...still, refused: ['/v1/model?', '/favicon.ico'] }, async (page) => {
  const card = cardOf(page, NASTY);
  await drawn(card);
  assert.equal(await card.locator('h2').textContent(), NASTY);
  assert.equal(await card.locator('canvas').getAttribute('aria-label'), 'Picture of ' + NASTY);
  assert.equal(await page.evaluate(() => window.wasRun), undefined);
  assert.deepEqual(await page.evaluate(() => ['script', 'img'].map((tag) => document.getElementsByTagName(tag).length)), [1, 0]);
  for (const [name, type] of [[/^Picture/, 'image/png'], ['model', 'application/json'], ['palette', 'application/json'], ['pose', 'application/json']]) {
    const answer = await fetch(await card.getByRole('link', { name }).evaluate((a) => a.href));
    assert.equal(answer.status, 200);
    assert.ok(answer.headers.get('content-type').startsWith(type));
  }
  await card.getByRole('link', { name: 'model' }).click();
  await page.waitForURL(/v1\/model/);
  assert.equal(JSON.parse(await page.locator('pre').textContent()).model, NASTY);
}));

test('searches names', () => withPage(still, async (page) => {
  await page.locator('.card').first().waitFor();
  const search = page.getByRole('searchbox', { name: 'Search models' });
  const shown = async (words) => {
    await search.fill(words);
    return [await page.locator('.card:visible h2').allTextContents(), await page.locator('#count').textContent()];
  };
  assert.deepEqual(await shown('ROB'), [['robot.glb'], '1 of 6 models']);
  assert.deepEqual(await shown('glb oct'), [['octopus.glb'], '1 of 6 models']);
  assert.deepEqual(await shown('ÜNÏ 50% <script>'), [[NASTY], '1 of 6 models']);
  assert.deepEqual(await shown('.*'), [[], '0 of 6 models']);
  const [names, count] = await shown('');
  assert.equal(names.length, 6);
  assert.equal(count, '6 models');
  await drawn(cardOf(page, 'octopus.glb'));
}));

test('can be used with the keyboard alone', () => withPage(still, async (page) => {
  await page.getByRole('searchbox').fill('dragon');
  await drawn(cardOf(page, 'dragon.glb'));
  await page.evaluate(() => document.activeElement.blur());
  const press = async (key) => {
    await page.keyboard.press(key);
    return page.evaluate(() => {
      const node = document.activeElement, box = node.getBoundingClientRect(), style = getComputedStyle(node);
      const isMarked = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
      const isSeen = box.top >= 0 && box.bottom <= innerHeight && isMarked;
      return (isSeen ? '' : 'unseen: ') + (node.getAttribute('aria-label') || node.querySelector('[aria-label]')?.getAttribute('aria-label') || node.textContent);
    });
  };
  const order = ['Search models', 'What pictures show', 'Play', 'Picture of dragon.glb', 'Clip of dragon.glb', 'sheet', 'turntable',
    'model', 'palette', 'pose'];
  await page.locator('h1').click();
  for (const name of order) assert.equal(await press('Tab'), name);
  for (const name of order.slice(2, -1).reverse()) assert.equal(await press('Shift+Tab'), name);
  assert.equal(await press('Enter'), 'Pause');
  assert.equal(await press('Space'), 'Play');
  await press('Tab');
  await press('Tab');
  const before = await picture(cardOf(page, 'dragon.glb'));
  assert.equal(await press('ArrowDown'), 'Clip of dragon.glb');
  await until('another picture', async () => (await picture(cardOf(page, 'dragon.glb'))).hash !== before.hash);
}));

test('fits a narrow screen', () => withPage({ ...still, viewport: { width: 360, height: 740 } }, async (page) => {
  await drawn(cardOf(page, NASTY));
  await page.locator('.error').first().waitFor({ state: 'attached' });
  assert.equal(await page.evaluate(() => document.scrollingElement.scrollWidth), 360);
  const edges = await page.evaluate(() => [...document.querySelectorAll('body *')]
    .map((node) => node.getBoundingClientRect()).filter((box) => box.width).map((box) => box.right));
  assert.ok(Math.max(...edges) <= 360, `something ends at ${Math.max(...edges)}`);
}));

// Contrast as WCAG 2.2 defines it (relative luminance, success criterion 1.4.3: 4.5 for text).
const contrasts = (page) => page.evaluate(() => {
  const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = numbers(colour).map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backOf = (node) => {
    const back = getComputedStyle(node).backgroundColor;
    return numbers(back)[3] === 0 && node.parentElement ? backOf(node.parentElement) : back;
  };
  const parts = ['h1', '#count', '#search', '#search::placeholder', '#motion', '.card h2', '.facts', '.error:not([hidden])', 'select', '.links a'];
  return parts.map((part) => {
    const [selector, pseudo] = part.split('::');
    const node = document.querySelector(selector);
    const colour = getComputedStyle(node, pseudo && '::' + pseudo).color;
    const [low, high] = [luminance(colour), luminance(backOf(node))].sort((a, b) => a - b);
    return [part, (high + 0.05) / (low + 0.05), luminance(backOf(node))];
  });
});

for (const colorScheme of ['light', 'dark']) {
  test(`can be read in the ${colorScheme} scheme`, () => withPage({ ...still, colorScheme }, async (page) => {
    for (const name of READABLE) await drawn(cardOf(page, name));
    await page.locator('.error:visible').first().waitFor();
    for (const [part, contrast, back] of await contrasts(page)) {
      assert.ok(contrast >= 4.5, `${part} has a contrast of ${contrast}`);
      assert.equal(back > 0.5, colorScheme === 'light', `${part} is in the other scheme`);
    }
    if (process.env.POSED_PICTURES) await page.screenshot({ path: path.join(process.env.POSED_PICTURES, `gallery-${colorScheme}.png`) });
  }));
}

test('goes on with the next clip after one that cannot be drawn', () => {
  const refuse = (route) => route.fulfill({ status: 504, json: { error: { code: 'render_timeout', message: 'it took <b>too long</b>' } } });
  const routes = { '/v1/render.*robot.*clip=1&': refuse };
  return withPage({ ...still, routes, refused: ['/v1/render', '/v1/model?'] }, async (page) => {
    const robot = cardOf(page, 'robot.glb');
    await drawn(robot);
    await robot.locator('select').selectOption('1');
    await robot.locator('.error').waitFor();
    assert.equal(await robot.locator('.error').textContent(), 'it took <b>too long</b>');
    await robot.locator('select').selectOption('2');
    await robot.locator('canvas').waitFor();
    assert.ok(await robot.locator('.error').isHidden());
  });
});

test('tries again when the server is overloaded', () => {
  let refusals = 0;
  const busy = (route) => ++refusals > 2 ? route.continue()
    : route.fulfill({ status: 503, headers: { 'Retry-After': '0' }, json: { error: { code: 'busy', message: 'later' } } });
  return withPage({ ...still, routes: { '/v1/render.*robot': busy }, refused: ['/v1/render', '/v1/model?'] }, async (page) => {
    await drawn(cardOf(page, 'robot.glb'));
    assert.ok(refusals > 2);
  });
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

test('says what to do in an empty folder', async () => {
  const folder = temporaryFolder();
  const other = await startServer(folder);
  try {
    await withPage({ url: other.url }, async (page) => {
      await page.locator('#note').waitFor();
      assert.match(await page.locator('#note').textContent(), /^No models here yet/);
    });
  } finally {
    await other.end();
    fs.rmSync(folder, { recursive: true });
  }
});

test('lists thousands of models, and asks only for those in view', async () => {
  const folder = temporaryFolder();
  for (let i = 0; i < 2500; i++) fs.writeFileSync(path.join(folder, `m${i}.glb`), '');
  const other = await startServer(folder);
  try {
    await withPage({ url: other.url, refused: ['/v1/model?'] }, async (page, requests) => {
      await until('all models', async () => await page.locator('#count').textContent() === '2500 models');
      await page.locator('.error:visible').first().waitFor();
      assert.equal(requests.filter((one) => one.includes('/v1/models')).length, 3);
      await page.getByRole('searchbox').fill('m2499.glb');
      await cardOf(page, 'm2499.glb').locator('.error').waitFor();
      const asked = requests.filter((one) => one.includes('/v1/model?')).length;
      assert.ok(asked < 200, `${asked} models asked for`);
    });
  } finally {
    await other.end();
    fs.rmSync(folder, { recursive: true });
  }
});

test('asks for the token where the server wants one', async () => {
  const folder = temporaryFolder(), token = '0123456789abcdef-one';
  const tokens = path.join(folder, 'tokens');
  fs.writeFileSync(tokens, token + '\n');
  const other = await startServer(SAMPLES, '--token-file', tokens);
  try {
    await withPage({ ...still, url: other.url, refused: ['/v1/version'] }, async (page, requests) => {
      await page.locator('#sign-in').waitFor();
      assert.equal(await page.locator('.card').count(), 0);
      await page.locator('#token').fill(token);
      await page.getByRole('button', { name: 'Show the models' }).click();
      await drawn(cardOf(page, 'robot.glb'));
      assert.equal(await page.locator('#sign-in').isVisible(), false);
      await cardOf(page, 'robot.glb').getByRole('link', { name: 'model' }).click();
      await page.waitForURL('blob:**');
      assert.match(await page.locator('body').textContent(), /"clips"/);
      assert.ok(!requests.some((one) => one.includes(token)));
    });
  } finally {
    await other.end();
    fs.rmSync(folder, { recursive: true });
  }
});

test('takes what is chosen, says what is wrong with it, and deletes it', async () => {
  const folder = temporaryFolder();
  const other = await startServer(folder, '--uploads', path.join(folder, 'in'));
  try {
    await withPage({ ...still, url: other.url, refused: ['/v1/models/broken.glb'] }, async (page) => {
      await page.locator('#drop').waitFor();
      await page.locator('#files').setInputFiles(path.join(SAMPLES, 'robot.glb'));
      await drawn(cardOf(page, 'in/robot.glb'));
      assert.deepEqual(fs.readFileSync(path.join(folder, 'in/robot.glb')), fs.readFileSync(path.join(SAMPLES, 'robot.glb')));
      await page.locator('#files').setInputFiles({ name: 'broken.glb', mimeType: 'model/gltf-binary', buffer: Buffer.from('glTF') });
      await until('the server\'s sentence', async () => /broken\.glb: .*GLB/.test(await page.locator('#coming').textContent()));
      assert.deepEqual(fs.readdirSync(path.join(folder, 'in')), ['robot.glb']);
      page.on('dialog', (dialog) => dialog.accept());
      await page.getByRole('button', { name: 'Delete in/robot.glb' }).click();
      await until('no card', async () => await page.locator('.card').count() === 0);
      assert.deepEqual(fs.readdirSync(path.join(folder, 'in')), []);
    });
  } finally {
    await other.end();
    fs.rmSync(folder, { recursive: true });
  }
});

test('takes what is dropped, with an entry of a file system or without', async () => {
  const folder = temporaryFolder();
  const other = await startServer(folder, '--uploads', path.join(folder, 'in'));
  const base64 = fs.readFileSync(path.join(SAMPLES, 'robot.glb')).toString('base64');
  try {
    await withPage({ ...still, url: other.url }, async (page) => {
      await page.locator('#drop').waitFor();
      const dropped = (name, words) => page.evaluate(({ name, words, base64 }) => {
        const dataTransfer = new DataTransfer();
        if (words) dataTransfer.items.add(words, 'text/plain');
        if (name) dataTransfer.items.add(new File([Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))], name));
        const hasEntry = Boolean(dataTransfer.items[0].webkitGetAsEntry());
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
        return hasEntry;
      }, { name, words, base64 });
      await dropped('', 'a word');
      await dropped('whole.glb', '');
      await drawn(cardOf(page, 'in/whole.glb'));
      await dropped('beside.glb', 'its address');
      await drawn(cardOf(page, 'in/beside.glb'));
      await page.evaluate(() => { DataTransferItem.prototype.webkitGetAsEntry = () => null; });
      assert.equal(await dropped('alone.glb', ''), false);
      await drawn(cardOf(page, 'in/alone.glb'));
      assert.deepEqual(fs.readdirSync(path.join(folder, 'in')).sort(), ['alone.glb', 'beside.glb', 'whole.glb']);
      assert.equal(await page.locator('#coming li').count(), 0);
    });
  } finally {
    await other.end();
    fs.rmSync(folder, { recursive: true });
  }
});

test('takes a model with its companions', async () => {
  const folder = temporaryFolder();
  const other = await startServer(folder, '--uploads', path.join(folder, 'in'));
  const glb = fs.readFileSync(path.join(SAMPLES, 'robot.glb'));
  const json_bytes = glb.readUInt32LE(12);
  const gltf = JSON.parse(glb.subarray(20, 20 + json_bytes));
  gltf.buffers[0].uri = 'data/röbot.bin';
  const bin = glb.subarray(20 + json_bytes + 8);
  try {
    await withPage({ ...still, url: other.url }, async (page) => {
      await page.locator('#drop').waitFor();
      // what a browser makes of a dropped folder
      await page.evaluate(async ({ text, base64 }) => {
        const file = (path, content) => ({ path, file: new File([content], path.split('/').pop()) });
        await upload([file('hero/robot.gltf', text), file('hero/data/röbot.bin', Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0)))]);
      }, { text: JSON.stringify(gltf), base64: bin.toString('base64') });
      await drawn(cardOf(page, 'in/hero/robot.gltf'));
      assert.deepEqual(fs.readFileSync(path.join(folder, 'in/hero/data/röbot.bin')), bin);
    });
  } finally {
    await other.end();
    fs.rmSync(folder, { recursive: true });
  }
});

test('offers no upload where none is taken', () => withPage(still, async (page) => {
  await cardOf(page, 'robot.glb').waitFor();
  assert.equal(await page.locator('#drop').isVisible(), false);
  assert.equal(await page.locator('.gone').count(), 0);
}));
