// The page at / in a real browser, on a real server.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { SAMPLES, launchBrowser, startServer, temporaryFolder, until } from './posed.mjs';
import { startProxy } from './proxy.mjs';
import { planUploads, playOf } from '../../clients/page/gallery/upload_plan.js';

// A path of two parts, because a closing tag needs a slash. Each character means something in HTML, a URL or a query.
const NASTY_FOLDER = '<script>window.wasRun=1<';
const NASTY = NASTY_FOLDER + '/script> "a" \'b\' ünï 龍 #1 50% %41 a+b & c=d; <img src=x onerror="window.wasRun=2">.glb';
const SAMPLE_NAMES = ['dragon.glb', 'octopus.glb', 'robot.glb'];
const TRIANGLE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';

let root, server, browser;

before(async () => {
  root = temporaryFolder();
  for (const name of SAMPLE_NAMES) fs.copyFileSync(path.join(SAMPLES, name), path.join(root, name));
  write(root, 'cut.glb', fs.readFileSync(path.join(SAMPLES, 'robot.glb')).subarray(0, 3000));
  write(root, 'set/warned.obj', 'mtllib none.mtl\n' + TRIANGLE);
  write(root, 'set/deep/still.obj', TRIANGLE);
  write(root, NASTY, fs.readFileSync(path.join(SAMPLES, 'octopus.glb')));
  server = await startServer(root);
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  const status = await server?.end();
  if (root) fs.rmSync(root, { recursive: true });
  if (server) assert.equal(status, 0, 'the server ends well');
});

function write(folder, name, bytes) {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, bytes);
}

// A server of the test's own on a folder of the test's own.
async function withServer(fill, options, work) {
  const folder = temporaryFolder();
  await fill(folder);
  const own = await startServer(folder, ...options.map((one) => one.replace('ROOT', folder)));
  try {
    await work(own.url, folder);
  } finally {
    await own.end();
    fs.rmSync(folder, { recursive: true });
  }
}

const query = (name, rest = {}) => new URLSearchParams({ model: name, ...rest });
const still = { reducedMotion: 'reduce' };

// Opens the page in a profile of its own, does `work` with it, then checks what holds for every use of it: no message in
// the console but the browser's own about answers that were no success (`refused`), and no word to anyone but the server.
async function withPage({ url = server.url, at = '/', refused = ['/v1/render?model=cut.glb'], routes = {}, ...context }, work) {
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
    await page.goto(url + at);
    await work(page, requests);
    assert.deepEqual(complaints, []);
    assert.deepEqual(requests.filter((one) => !one.startsWith(new URL(url).origin + '/') && !/^(data|blob):/.test(one)), []);
  } finally {
    await profile.close();
  }
}

const cardOf = (page, name) => page.locator(`.card:has(a[title=${JSON.stringify(name)}])`);
const shownNames = (page) => page.locator('.card > a').evaluateAll((links) => links.map((link) => link.title));
const countOf = (page) => page.locator('#count').textContent();
const loaded = (page, count) => until(count, async () => await countOf(page) === count);
const shot = async (page, name) => { if (process.env.POSED_PICTURES) await page.screenshot({ path: path.join(process.env.POSED_PICTURES, name + '.png') }); };

// What a card's picture shows: number of colours, share of pixels painted, its size, and a number that tells pictures apart.
const picture = (card) => card.locator('img').evaluate((image) => {
  if (!image.complete || !image.naturalWidth) return { painted: 0 };
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [image.naturalWidth, image.naturalHeight];
  const context = copy.getContext('2d', { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  const data = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
  let hash = 2166136261, painted = 0;
  for (const pixel of data) {
    hash = Math.imul(hash ^ pixel, 16777619) >>> 0;
    if (pixel >>> 24) painted++;
  }
  return { colours: new Set(data).size, painted: painted / data.length, hash, side: copy.width };
});
const drawn = (card) => until('a picture', async () => { const now = await picture(card); return now.painted && now; });

// --- the list ---

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
    let refused = 2; // of what the server knows of it
    await page.route(/\/v1\/render\?/, (route) => route.fulfill({ status: 200, contentType: 'image/png', body })); // from a cache: the server reads nothing
    await page.route(/\/v1\/models\?prefix=robot/, (route) => refused-- > 0 ? route.fulfill({ status: 502, body: '' }) : route.continue());
    await page.getByRole('searchbox', { name: 'Search models' }).fill('');
    await until('counts', async () => (await cardOf(page, 'robot.glb').locator('.facts').textContent()).startsWith('3 clips \u00b7 19 joints'));
  });
}));

test('an empty page shows what brings the first model', () => uploading((url) => withPage({ ...still, url }, async (page) => {
  await page.locator('#note').waitFor();
  assert.match(await page.locator('#note').textContent(), /Upload one/);
  assert.ok(await page.locator('#tools').isHidden());
  const upload = page.getByRole('button', { name: 'Upload' });
  assert.ok(await upload.isVisible());
  await until('it stands out', () => upload.evaluate((button) => button.classList.contains('primary')));
  await choose(page, [['one.obj', TRIANGLE]]);
  await page.waitForURL(/\/m\//);
  await page.goto(url + '/');
  await loaded(page, '1 model in folders');
  assert.ok(await page.locator('#tools').isVisible());
})));

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
  assert.equal(target, server.url + '/m/' + NASTY.split('/').map(encodeURIComponent).join('/').replaceAll("'", '%27')); // the one way of protocol/http.md
  assert.equal((await fetch(target)).status, 200);
  await card.locator('a').click();
  await page.waitForURL(target);
}));

// --- motion ---

const isMoving = (card) => card.evaluate((node) => node.classList.contains('moving'));
const frames = async (card) => { // what is on the screen, some times
  const seen = new Set();
  for (let i = 0; i < 12; i++) seen.add((await card.locator('.picture').screenshot()).toString('base64'));
  return seen.size;
};

test('plays clips until that is switched off', () => withPage({}, async (page) => {
  await page.getByRole('searchbox').fill('robot');
  const robot = cardOf(page, 'robot.glb'), motion = page.getByRole('button', { name: 'Motion' });
  await until('motion', () => isMoving(robot));
  await until('other frames', async () => await frames(robot) > 3);
  assert.equal(await motion.getAttribute('aria-pressed'), 'true');
  await motion.click();
  await page.locator('h1').hover();
  await until('the still', async () => !await isMoving(robot));
  await page.reload();
  await drawn(robot);
  assert.ok(!await isMoving(robot));
  await robot.hover();
  await until('motion while it is pointed at', () => isMoving(robot));
  await page.locator('h1').hover();
  await until('the still again', async () => !await isMoving(robot));
  await robot.locator('a').focus();
  await until('motion while it has the focus', () => isMoving(robot));
}));

test('plays nothing where reduced motion is wanted, unless asked to', () => withPage(still, async (page, requests) => {
  await page.getByRole('searchbox').fill('robot');
  const robot = cardOf(page, 'robot.glb');
  await drawn(robot);
  await robot.hover();
  await robot.locator('a').focus();
  await page.waitForTimeout(300);
  assert.ok(!await isMoving(robot) && !requests.some((one) => one.includes('/v1/sheet')));
  await page.getByRole('button', { name: 'Motion' }).click();
  await until('motion', () => isMoving(robot));
}));

// --- keyboard, screen readers, sizes ---

test('can be used with the keyboard alone', () => withPage(still, async (page) => {
  await drawn(cardOf(page, 'robot.glb'));
  const press = async (key) => {
    await page.keyboard.press(key);
    return page.evaluate(() => {
      const node = document.activeElement, box = node.getBoundingClientRect(), style = getComputedStyle(node);
      const isMarked = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
      return (box.top >= 0 && box.bottom <= innerHeight && isMarked ? '' : 'unseen: ') + (node.getAttribute('aria-label') || node.title || node.textContent);
    });
  };
  await page.evaluate(() => document.activeElement.blur());
  const order = ['posed', 'Search models', 'Format', 'Clips', 'Findings', 'What pictures show', 'Subfolders', 'Motion', 'Upload', NASTY_FOLDER + ' 1 model',
    'set 2 models', 'cut.glb'];
  for (const name of order) assert.equal(await press('Tab'), name);
  assert.equal(await press('ArrowRight'), 'dragon.glb');
  assert.equal(await press('End'), 'robot.glb');
  assert.equal(await press('ArrowLeft'), 'octopus.glb');
  assert.equal(await press('Home'), 'cut.glb');
  assert.equal(await press('ArrowDown'), 'robot.glb'); // of one row: the last
  assert.equal(await press('Shift+Tab'), 'set 2 models');
  assert.equal(await press('/'), 'Search models');
  await page.keyboard.type('oct');
  await loaded(page, '1 of 7 models');
  assert.equal(await press('ArrowDown'), 'octopus.glb');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/m\/octopus.glb$/);
}));

test('says to screen readers what it shows', () => withPage({ ...still, at: '/?folder=set/' }, async (page) => {
  await drawn(cardOf(page, 'set/warned.obj'));
  await until('facts', async () => (await cardOf(page, 'set/warned.obj').locator('.facts').textContent()).includes('1 warning'));
  for (const [role, name] of [['banner'], ['main'], ['search', 'Models'], ['searchbox', 'Search models'], ['combobox', 'Format'], ['combobox', 'Clips'],
    ['combobox', 'Findings'], ['button', 'Motion'], ['button', 'Upload'], ['navigation', 'Folders on the way'], ['navigation', 'Folders'],
    ['list', 'Models'], ['link', /^warned\.obj 1 warning . no clips . no joints/]]) {
    assert.equal(await page.getByRole(role, name ? { name, exact: true } : {}).count(), 1, `${role} ${name}`);
  }
  const item = page.getByRole('list', { name: 'Models' }).getByRole('listitem');
  assert.deepEqual([await item.getAttribute('aria-posinset'), await item.getAttribute('aria-setsize')], ['1', '1']);
  assert.equal(await page.locator('#count').getAttribute('role'), 'status');
  const nameless = await page.evaluate(() => [...document.querySelectorAll('a, button, input, select')]
    .filter((node) => node.offsetParent && !(node.textContent.trim() || node.getAttribute('aria-label'))).map((node) => node.outerHTML));
  assert.deepEqual(nameless, []);
}));

for (const width of [360, 1440]) {
  test(`fits a window ${width} pixels wide`, () => withPage({ ...still, viewport: { width, height: 740 }, at: '/?deep=1' }, async (page) => {
    await drawn(cardOf(page, 'dragon.glb'));
    await cardOf(page, 'cut.glb').locator('.error').waitFor();
    assert.equal(await page.evaluate(() => document.scrollingElement.scrollWidth), width);
    const edges = await page.evaluate(() => [...document.querySelectorAll('body *')]
      .map((node) => node.getBoundingClientRect()).filter((box) => box.width).map((box) => box.right));
    assert.ok(Math.max(...edges) <= width, `something ends at ${Math.max(...edges)}`);
    const columns = new Set(await page.locator('.card').evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect().left)));
    assert.equal(columns.size, width === 360 ? 2 : 6);
    await shot(page, 'gallery-' + width);
  }));
}

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
  return ['h1 a', '#count', '#search', '#search::placeholder', '#motion', '.name', '.facts', '.warn', '.card .error:not([hidden])', 'select', '#upload'].map((part) => {
    const [selector, pseudo] = part.split('::');
    const node = document.querySelector(selector);
    const colour = getComputedStyle(node, pseudo && '::' + pseudo).color;
    const [low, high] = [luminance(colour), luminance(backOf(node))].sort((a, b) => a - b);
    return [part, (high + 0.05) / (low + 0.05), luminance(backOf(node))];
  });
});

for (const colorScheme of ['light', 'dark']) {
  test(`can be read in the ${colorScheme} scheme`, () => withPage({ ...still, colorScheme, at: '/?deep=1' }, async (page) => {
    for (const name of SAMPLE_NAMES) await drawn(cardOf(page, name));
    await page.locator('.card .error:visible').first().waitFor();
    await page.locator('.warn').first().waitFor();
    for (const [part, contrast, back] of await contrasts(page)) {
      assert.ok(contrast >= 4.5, `${part} has a contrast of ${contrast}`);
      assert.equal(back > 0.5, colorScheme === 'light', `${part} is in the other scheme`);
    }
    await shot(page, 'gallery-' + colorScheme);
  }));
}

// --- what goes wrong ---

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
      await page.getByLabel('What pictures show').selectOption('normals'); // needs pictures that are not there
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

// --- changes on disk, long lists ---

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

// --- tokens and uploads ---

const TOKEN = '0123456789abcdef-one';

test('asks for the token where the server wants one', () => withServer((folder) => {
  fs.copyFileSync(path.join(SAMPLES, 'robot.glb'), path.join(folder, 'robot.glb'));
  write(folder, '.tokens', TOKEN + '\n');
}, ['--token-file', 'ROOT/.tokens'], (url) => withPage({ ...still, url, refused: ['/v1/'] }, async (page, requests) => {
  await page.getByLabel('This server wants a token.').fill(TOKEN);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await drawn(cardOf(page, 'robot.glb'));
  assert.ok(!requests.some((one) => one.includes(TOKEN)), 'the token is no part of an address');
})));

const uploading = (work, more = []) => withServer((folder) => fs.mkdirSync(path.join(folder, 'in')), ['--uploads', 'ROOT/in', ...more], work);
const choose = (page, files) => page.locator('#files').setInputFiles(files.map(([name, text]) => ({ name, mimeType: '', buffer: Buffer.from(text) })));
const drop = (page, files) => page.evaluate((all) => {
  const data = new DataTransfer();
  for (const [name, bytes] of all) data.items.add(new File([new Uint8Array(bytes)], name));
  for (const type of ['dragenter', 'dragover', 'drop']) document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
}, files.map(([name, bytes]) => [name, [...Buffer.from(bytes)]]));

test('opens the page of a file that is dropped', () => uploading((url) => withPage({ ...still, url, refused: ['/'] }, async (page) => {
  await page.locator('#note').waitFor();
  await drop(page, [['robot.glb', fs.readFileSync(path.join(SAMPLES, 'robot.glb'))]]);
  await page.waitForURL(url + '/m/in/robot.glb');
  await page.goto(url + '/?folder=in/');
  page.on('dialog', (dialog) => dialog.accept());
  await drawn(cardOf(page, 'in/robot.glb'));
  await page.getByRole('button', { name: 'Delete in/robot.glb' }).click();
  await until('it has gone', async () => await page.locator('.card').count() === 0);
})));

test('keeps files that come together apart, unless one names another', () => uploading((url, folder) => withPage({ ...still, url, at: '/?folder=in/' }, async (page) => {
  await page.locator('#note').waitFor();
  await choose(page, [['one.obj', TRIANGLE], ['two.obj', 'mtllib two.mtl\n' + TRIANGLE], ['two.mtl', 'newmtl skin\nmap_Kd two-skin.png\n'],
    ['two-skin.png', fs.readFileSync(new URL('../../deploy/samples/samples.png', import.meta.url))], ['three.obj', TRIANGLE], ['notes.pdf', 'text']]);
  await loaded(page, '2 models');
  assert.deepEqual(fs.readdirSync(path.join(folder, 'in')).filter((name) => name[0] !== '.').sort(), ['one.obj', 'three.obj', 'two']);
  assert.deepEqual(fs.readdirSync(path.join(folder, 'in/two')).filter((name) => name[0] !== '.').sort(), ['two-skin.png', 'two.mtl', 'two.obj']);
  assert.match(await page.locator('#coming').textContent(), /notes.pdf: no model of these names it/);
  await page.getByRole('link', { name: 'in/two/two.obj' }).waitFor();
})));

test('says why a file is refused', () => uploading((url) => withPage({ ...still, url, refused: ['/v1/models/broken.glb'] }, async (page) => {
  await page.locator('#note').waitFor();
  await choose(page, [['broken.glb', 'glTF']]);
  await page.locator('#coming .error').waitFor();
  assert.match(await page.locator('#coming .error').textContent(), /broken.glb/);
})));

test('asks for the token when only uploads want one, and sends the file then', () => uploading((url) => withPage({ ...still, url, refused: ['/'] }, async (page) => {
  await page.locator('#note').waitFor();
  await choose(page, [['a.obj', TRIANGLE]]);
  await page.getByLabel('This server wants a token.').fill(TOKEN);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(url + '/m/in/a.obj');
}), ['--token-for', 'uploads', '--token-file', (() => { const file = path.join(temporaryFolder(), 'tokens'); fs.writeFileSync(file, TOKEN + '\n'); return file; })()]));

test('says what is missing where a file is dropped on a server that takes none', () => withPage(still, async (page) => {
  await loaded(page, '4 models');
  await drop(page, [['a.obj', TRIANGLE]]);
  await page.locator('#lack').waitFor();
  assert.match(await page.locator('#lack').textContent(), /takes no uploads.*--uploads DIR.*POSED_UPLOADS/);
  await page.locator('#lack').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.locator('#lack').waitFor();
  await shot(page, 'gallery-lack');
}));

test('says that a token is missing where others reach the server', () => uploading((url) => withPage({ ...still, url: url.replace('0.0.0.0', '127.0.0.1') }, async (page) => {
  await page.locator('#note').waitFor();
  await drop(page, [['a.obj', TRIANGLE]]);
  await page.locator('#lack').waitFor();
  assert.match(await page.locator('#lack').textContent(), /need a token.*--token-file FILE/);
}), ['--http', '0.0.0.0:0']));

// --- what belongs together, without a browser ---

const FORMATS = ['gltf', 'glb', 'fbx', 'obj', 'dae', 'md5mesh'].map((ending) => ({ ending, companion_of: null })).concat({ ending: 'md5anim', companion_of: 'md5mesh' });
const plan = async (...files) => {
  const { uploads, left } = await planUploads(files.map(([name, text = '']) => ({ path: name, file: new Blob([text]) })), FORMATS);
  return [uploads.map((one) => [one.name, ...one.files.map((file) => file.path).sort()]), left.map((one) => one.path)];
};

test('finds out which files belong together', async () => {
  assert.deepEqual(await plan(['a.fbx'], ['b.fbx']), [[['a.fbx', 'a.fbx'], ['b.fbx', 'b.fbx']], []]);
  assert.deepEqual(await plan(['a.gltf', '{"uri":"a%20b.bin"}'], ['a b.bin'], ['c.gltf', '{"uri":"tex/c.png"}'], ['c.png']),
    [[['a.zip', 'a b.bin', 'a.gltf'], ['c.zip', 'c.gltf', 'c.png']], []]);
  assert.deepEqual(await plan(['a.fbx', '\0\u0005skin.png\0'], ['b.fbx', 'myskin.png'], ['skin.png']), [[['a.zip', 'a.fbx', 'skin.png'], ['b.fbx', 'b.fbx']], []]);
  assert.deepEqual(await plan(['a.fbx', 'c:\\art\\skin.png'], ['b.fbx', '"skin.png"'], ['skin.png']), [[['a.zip', 'a.fbx', 'skin.png'], ['b.zip', 'b.fbx', 'skin.png']], []]);
  assert.deepEqual(await plan(['hero.obj', 'mtllib hero.mtl'], ['hero.mtl', 'map_Kd t.png'], ['t.png'], ['u.png']), [[['hero.zip', 'hero.mtl', 'hero.obj', 't.png', 'u.png']], []]);
  assert.deepEqual(await plan(['h/hero.gltf', '"tex/a.png"'], ['h/tex/a.png'], ['h/readme.pdf']), [[['hero.zip', 'hero.gltf', 'readme.pdf', 'tex/a.png']], []]);
  assert.deepEqual(await plan(['x/a.obj'], ['y/a.obj']), [[['a.obj', 'a.obj'], ['y-a.obj', 'a.obj']], []]);
  assert.deepEqual(await plan(['bob.md5mesh'], ['bob.md5anim']), [[['bob.zip', 'bob.md5anim', 'bob.md5mesh']], []]);
  assert.deepEqual(await plan(['a.obj'], ['b.obj'], ['lost.png']), [[['a.obj', 'a.obj'], ['b.obj', 'b.obj']], ['lost.png']]);
  assert.deepEqual(await plan(['pack.zip'], ['a.obj']), [[['a.obj', 'a.obj'], ['pack.zip', 'pack.zip']], []]);
});

test('plays a model that comes with its clip files', async () => {
  const model = (name, meshes, clips, ...nodes) => ({ model: name, counts: { meshes, clips }, nodes: nodes.map((node) => ({ name: node })) });
  const hero = model('hero.fbx', 1, 0, 'hips', 'spine', 'body'), walk = model('walk.fbx', 0, 1, 'hips', 'spine'), car = model('car.fbx', 0, 1, 'wheel', 'door');
  assert.deepEqual(playOf([hero, walk, car]), { model: hero, clipFiles: [walk] });
  for (const others of [[hero], [walk], [hero, car], [hero, model('b.fbx', 1, 1, 'hips'), walk]]) assert.equal(playOf(others), null);
});

test('opens a model with the clips that were dropped with it', () => uploading((url) => withPage({ ...still, url, refused: ['/'] }, async (page) => {
  const rig = (meshes) => JSON.stringify({
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ name: 'hips', children: [1], ...(meshes && { mesh: 0 }) }, { name: 'spine' }],
    buffers: [{ byteLength: 76, uri: 'data:application/octet-stream;base64,' + Buffer.from(new Float32Array([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]).buffer).toString('base64') }],
    bufferViews: [{ buffer: 0, byteOffset: 0, byteLength: 76 }],
    accessors: [{ bufferView: 0, byteOffset: 0, componentType: 5126, count: 2, type: 'SCALAR', min: [0], max: [1] },
      { bufferView: 0, byteOffset: 8, componentType: 5126, count: 2, type: 'VEC3' }, { bufferView: 0, byteOffset: 36, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }],
    ...(meshes ? { meshes: [{ primitives: [{ attributes: { POSITION: 2 } }] }] }
      : { animations: [{ channels: [{ sampler: 0, target: { node: 1, path: 'translation' } }], samplers: [{ input: 0, output: 1 }] }] }),
  });
  await page.locator('#note').waitFor();
  await drop(page, [['walk.gltf', rig(false)], ['hero.gltf', rig(true)], ['run.gltf', rig(false)]]);
  await page.waitForURL(url + '/m/in/hero.gltf?clip_file=in/walk.gltf&clip_file=in/run.gltf');
  await until('all can be played', async () => (await page.getByRole('listbox', { name: 'Clips' }).getByRole('option').allTextContents()).join() === 'run.gltf1.00 s,walk.gltf1.00 s,Rest pose');
})));
