// The page of a model: clips of other files, blends and lights.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { button, copiedBy, drawn, hasQuery, option, otherThan, picture, root, shown, useBrowser, withPage } from './model_page.mjs';
import { until } from './posed.mjs';

useBrowser();

test('the clip that is shown first is the server\'s choice', async () => {
  const glb = fs.readFileSync(path.join(root, 'robot.glb'));
  fs.writeFileSync(path.join(root, 'idle.glb'), Buffer.from(glb.toString('latin1').replace('"name":"wave"', '"name":"idle"'), 'latin1'));
  await withPage({ name: 'idle.glb' }, async (page) => {
    assert.equal(await option(page, 'idle').getAttribute('aria-selected'), 'true');
    await option(page, 'walk').click();
    await hasQuery(page, { clip: 'walk' });
    await option(page, 'idle').click();
    await hasQuery(page, { clip: null });
  });
  await withPage({ name: 'robot.glb', query: '?clip_file=idle.glb' }, async (page) => {
    const list = page.getByRole('listbox', { name: 'Clips' });
    await until('the other file\'s clips are there', async () => await list.getByRole('option').count() === 7);
    assert.equal(await list.getByRole('option', { selected: true }).textContent(), 'idleidle.glb · 2.00 s');
  });
});

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

/** The robot whose left arm jumps at one key of its walk. */
function robotThatPops() {
  const glb = Buffer.from(fs.readFileSync(path.join(root, 'robot.glb')));
  const jsonBytes = glb.readUInt32LE(12), { animations, nodes, accessors, bufferViews } = JSON.parse(glb.subarray(20, 20 + jsonBytes));
  const walk = animations.find(({ name }) => name === 'walk');
  const { sampler } = walk.channels.find(({ target }) => nodes[target.node].name === 'arm_left' && target.path === 'rotation');
  const accessor = accessors[walk.samplers[sampler].output], at = 28 + jsonBytes + bufferViews[accessor.bufferView].byteOffset + (accessor.byteOffset || 0) + 10 * 16;
  for (let i = 0; i < 4; i++) glb.writeFloatLE(0.5, at + 4 * i);
  return glb;
}

test('what is wrong with a motion leads to its time', async () => {
  fs.writeFileSync(path.join(root, 'pops.glb'), robotThatPops());
  await withPage({ name: 'pops.glb', query: '?clip=dance&t=0.3' }, async (page, requests) => {
    await drawn(page);
    assert.ok(!requests.some((one) => one.includes('/v1/check')), 'only who opens the panel asks');
    await page.locator('#panel-motion summary').click();
    const finding = page.locator('#panel-motion .findings button').filter({ hasText: /^pop/ }).first();
    await until('it is found', () => finding.isVisible());
    assert.match(await finding.textContent(), /arm_left/);
    const [, time] = / · ([\d.]+) s/.exec(await finding.textContent());
    assert.ok(Number(await page.locator('#panel-motion .count').textContent()) > 0);
    await finding.click();
    await hasQuery(page, { clip: null, joint: 'arm_left' }); // the clip that is shown first
    assert.equal(await option(page, 'walk').getAttribute('aria-selected'), 'true');
    await until('its time', () => Math.abs(Number(new URL(page.url()).searchParams.get('t')) - time) < 0.02);
  });
  await withPage({ name: 'robot.glb', query: '?t=0.3' }, async (page) => {
    await page.locator('#panel-motion summary').click();
    await until('nothing is found', async () => await page.locator('#panel-motion .body').textContent() === 'Nothing is wrong with the motion of 3 clips.');
    assert.equal(await page.locator('#panel-motion .count').textContent(), '0');
  });
});

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
  await until('which bones are known', async () => await page.locator('#bones').textContent() === 'octopus.glb: its bones are not known by name. machine.glb: 93 % of the bones by words, without spine.');
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
  await page.keyboard.press('n'); // the first follows the last
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
  await page.getByLabel('Blend with').selectOption({ label: 'dance' }); // the model's own, which is the same clip
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

test('a blend goes along with a command', () => withPage({ query: '?blend=dance&weight=0.25&t=0.5', permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
  const command = await copiedBy(page, () => button(page, 'Copy a curl command for this picture').click());
  const body = JSON.parse(/-d '([^']*)'/.exec(command)[1]);
  const answer = await fetch(/'(http[^']*)'/.exec(command)[1], { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  assert.equal(answer.status, 200, await answer.clone().text());
  assert.deepEqual(body.layers.map((layer) => [layer.clip, layer.weight]), [['walk', 0.75], ['dance', 0.25]]);
}));
