// The page at / with motion, without a mouse, for screen readers, and in windows of many sizes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NASTY_FOLDER, SAMPLE_NAMES, cardOf, comesTo, drawn, loaded, server, shot, still, useBrowser, withPage } from './gallery_page.mjs';
import { until } from './posed.mjs';

useBrowser();

const isMoving = (card) => card.evaluate((node) => node.classList.contains('moving'));
const hasFrames = async (card, count) => { // whether that many different frames appear one after another
  const seen = new Set();
  for (let i = 0; i < 12 && seen.size < count; i++) seen.add((await card.locator('.picture').screenshot()).toString('base64'));
  return seen.size >= count;
};

test('plays clips until that is switched off', () => withPage({}, async (page) => {
  await page.getByRole('searchbox').fill('robot');
  const robot = cardOf(page, 'robot.glb'), motion = page.getByRole('button', { name: 'Motion' });
  await until('motion', () => isMoving(robot));
  await until('other frames', () => hasFrames(robot, 4));
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
  await comesTo(page, server.url + '/m/octopus.glb');
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
