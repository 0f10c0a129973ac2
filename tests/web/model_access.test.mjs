// The page of a model for keyboards, screen readers and windows of many sizes.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { drawn, hasQuery, time, useBrowser, withPage } from './model_page.mjs';
import { until } from './posed.mjs';

useBrowser();

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
