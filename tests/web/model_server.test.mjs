// The page of a model when the server or the file changes, is away, needs a token or is behind a prefix; and what the page saves and
// copies.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { BEFORE_FACE, MORPHS, button, copiedBy, drawn, hasQuery, openModelPage, option, otherThan, picture, root, server, shown, useBrowser, withPage, writeAvatars, writeHumans } from './model_page.mjs';
import { SAMPLES, startServer, temporaryFolder, until } from './posed.mjs';
import { startProxy } from './proxy.mjs';

const TOKEN = '0123456789abcdef-one';

useBrowser();

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

test('copies a link, a command and code, or shows them', async () => {
  await withPage({ query: '?clip=wave&t=0.5', permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    const copied = (name) => copiedBy(page, () => button(page, name).click());
    assert.equal(await copied('Copy a link to this view'), server.url + '/m/robot.glb?clip=wave&t=0.5');
    assert.equal(await copied('Copy a curl command for this picture'), `curl '${server.url}/v1/render?model=robot.glb&clip=wave&t=0.5&width=1024&height=1024' -o picture.png`);
    assert.match(await copied('Copy code that shows this in another page'), new RegExp(`^<iframe src="${server.url}/embed/robot.glb\\?clip=wave&amp;t=0.5" title="robot.glb" `));
    assert.match(await page.getByRole('dialog').textContent(), /No page can show it yet.*--frame-ancestors/);
  });
  await withPage({ query: '?t=0' }, async (page) => { // the clipboard is not available
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await button(page, 'Copy a link to this view').click();
    assert.equal(await page.getByRole('dialog').getByRole('textbox').inputValue(), server.url + '/m/robot.glb?clip=walk&t=0');
    await page.keyboard.press('Escape');
  });
});

const posted = async (op, query, layers) => {
  const answer = await fetch(`${server.url}/v1/${op}?${new URLSearchParams(query)}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ layers }) });
  assert.equal(answer.status, 200, await (answer.clone()).text().then((text) => text.slice(0, 200)));
  return answer;
};
const seen = (page) => until('a picture', async () => (await picture(page)).painted > 0.001); // of thin triangles
const slider = (page, name) => page.getByRole('slider', { name, exact: true });

test('sliders give weights of morph targets, in the picture, the address and all that is copied', () => withPage({ name: 'morphs.gltf', permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
  const first = await drawn(page);
  await page.locator('#panel-pose > summary').click();
  assert.equal(await page.getByRole('group', { name: 'Expressions' }).count(), 0);
  assert.ok(await button(page, 'Copy as JSON').isDisabled());
  await slider(page, 'smile').fill('0.8');
  await hasQuery(page, { morph: 'smile:0.8' });
  const smiling = await otherThan(page, first);
  await slider(page, 'a:b').fill('0.25');
  const both = await otherThan(page, smiling);
  await page.getByRole('treeitem', { name: 'face' }).locator('> .row').click();
  await page.getByLabel('x', { exact: true }).fill('30');
  await page.getByLabel('x', { exact: true }).press('Enter');
  const given = 'turn=face%3A30%2C0%2C0&morph=smile%3A0.8&morph=a%3Ab%3A0.25';
  await until('all in the address', () => page.url().endsWith('&' + given));
  const posed = await otherThan(page, both);
  const copied = (name) => copiedBy(page, () => button(page, name).click());
  const layer = JSON.parse(await copied('Copy as JSON'));
  assert.deepEqual(layer, { pose: { nodes: { face: { degrees: [30, 0, 0] } }, morphs: { smile: 0.8, 'a:b': 0.25 }, relative_to: 'rest' } });
  const mesh = async (answer) => (await (await answer).json()).meshes[0];
  assert.deepEqual(await mesh(posted('mesh', { model: 'morphs.gltf' }, [layer])), await mesh(fetch(`${server.url}/v1/mesh?model=morphs.gltf&clip=-&${given}`)));
  assert.equal((await posted('render', { model: 'morphs.gltf' }, [{ clip: '-' }, layer])).headers.get('Content-Type'), 'image/png');
  for (const name of ['Copy a link to this view', 'Copy a curl command for this picture', 'Copy code that shows this in another page']) assert.ok((await copied(name)).replaceAll('&amp;', '&').includes('&' + given), name);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

  await page.reload();
  await shown(page);
  await until('the same picture', async () => (await picture(page)).hash === posed.hash);
  assert.deepEqual([await slider(page, 'smile').inputValue(), await slider(page, 'a:b').inputValue()], ['0.8', '0.25']);
  assert.ok(await page.locator('meta[property="og:image"]').getAttribute('content').then((text) => text.includes(given)));
  await button(page, 'Reset smile').click();
  await hasQuery(page, { morph: 'a:b:0.25' });
  await page.goBack();
  await until('the step is undone', async () => await slider(page, 'smile').inputValue() === '0.8');
  await button(page, 'Reset all').click();
  await hasQuery(page, { morph: null, turn: null });
  await until('the first picture', async () => (await picture(page)).hash === first.hash);
}));

test('a GLB file has the pose that is shown', () => withPage({ query: '?clip=wave&t=0.2&turn=head:0,40,0' }, async (page) => {
  await drawn(page);
  const save = async () => { const [one] = await Promise.all([page.waitForEvent('download'), button(page, 'Save the model as a GLB file').click()]); return fs.readFileSync(await one.path()); };
  const of = async (query) => Buffer.from(await (await fetch(`${server.url}/v1/export?model=robot.glb${query}`)).arrayBuffer());
  const saved = await save(), expected = await of('&clips=wave&turn=head:0,40,0');
  assert.deepEqual([saved.length, saved.equals(expected), saved.equals(await of(''))], [expected.length, true, false]);
}));

test('a human has sliders for its expressions, and its joints are known by their role', async () => {
  const folder = temporaryFolder();
  writeHumans(folder);
  const own = await startServer(folder);
  try {
    await withPage({ url: own.url, name: 'old.vrm', query: '?turn=head:0,20,0&turn=no:1,2,3&turn=head:x&expression=happy:2&expression=none:1&morph=toString:1', permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      await seen(page);
      assert.match(await page.locator('#notices').textContent(), /There is no joint 'no'.*no morph target 'toString'.*no expression 'none'/);
      await page.getByRole('listitem').getByRole('button', { name: /^head/ }).click();
      await hasQuery(page, { joint: 'J_head' });
      assert.equal(await page.getByLabel('y', { exact: true }).inputValue(), '20');
      await page.getByRole('group', { name: 'Expressions' }).getByRole('slider', { name: 'happy' }).fill('0.5');
      await hasQuery(page, { turn: 'head:0,20,0', expression: 'happy:0.5', morph: null });
      const layer = JSON.parse(await copiedBy(page, () => button(page, 'Copy as JSON').click()));
      assert.deepEqual(layer, { pose: { nodes: { head: { degrees: [0, 20, 0] } }, expressions: { happy: 0.5 }, relative_to: 'rest' } });
    });
    await withPage({ url: own.url, name: 'turned.vrm', query: '?turn=3:0,20,0', permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      await seen(page);
      const layer = JSON.parse(await copiedBy(page, () => button(page, 'Copy as JSON').click()));
      assert.deepEqual(layer, { pose: { nodes: [3], degrees: [[0, 20, 0]], relative_to: 'rest' } });
      const answer = await fetch(own.url + '/v1/pose?model=turned.vrm', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ layers: [layer] }) });
      assert.equal(answer.status, 200);
    });
  } finally {
    await own.end();
    fs.rmSync(folder, { recursive: true });
  }
});

test('targets without a name have sliders by their index', async () => {
  const unnamed = JSON.parse(MORPHS);
  unnamed.meshes[0].extras.targetNames = ['', 'smile'];
  fs.writeFileSync(path.join(root, 'unnamed.gltf'), JSON.stringify(unnamed));
  await withPage({ name: 'unnamed.gltf', query: '?morph=1:0.5', permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    const first = await drawn(page);
    assert.match(await page.locator('#notices').textContent(), /There is no morph target '1'/);
    await page.locator('#panel-pose > summary').click();
    assert.deepEqual(await page.getByRole('group', { name: 'Morph targets' }).getByRole('slider').evaluateAll((all) => all.map((one) => one.labels[0].textContent)), ['target 0', 'smile']);
    await slider(page, 'target 0').fill('0.75');
    await hasQuery(page, { morph: '0:0.75' });
    await otherThan(page, first);
    assert.deepEqual(JSON.parse(await copiedBy(page, () => button(page, 'Copy as JSON').click())), { pose: { morphs: { 0: 0.75 }, relative_to: 'rest' } });
    await button(page, 'Reset target 0').click();
    await hasQuery(page, { morph: null });
  });
});

test('the eyes look by angles and at a place, in the address, the layer and the picture', async () => {
  const folder = temporaryFolder();
  writeAvatars(folder);
  const own = await startServer(folder);
  const open = (name, query, work) => withPage({ url: own.url, name, query, permissions: ['clipboard-read', 'clipboard-write'] }, work);
  const look = (page) => page.getByRole('group', { name: 'Look' });
  const field = (page, name) => look(page).getByRole('spinbutton', { name, exact: true });
  const lookOf = async (page) => JSON.parse(await copiedBy(page, () => button(page, 'Copy as JSON').click())).pose;
  try {
    await open('ann1_bone.vrm', `?look=1&${BEFORE_FACE}`, async (page) => {
      const first = await drawn(page);
      await hasQuery(page, { look: null });
      await page.locator('#panel-pose > summary').click();
      await look(page).getByRole('combobox').selectOption('By angles');
      await hasQuery(page, { look: '0,0' });
      await look(page).getByRole('slider', { name: 'Look: yaw' }).fill('40');
      await field(page, 'pitch').fill('-120');
      await field(page, 'pitch').press('Enter');
      await hasQuery(page, { look: '40,-120' });
      assert.equal(await page.locator('#panel-pose .count').textContent(), '1');
      const looking = await otherThan(page, first);
      assert.deepEqual(await lookOf(page), { look: { yaw: 40, pitch: -120 }, relative_to: 'rest' });
      await look(page).getByRole('combobox').selectOption('At a place');
      const place = async () => new URL(page.url()).searchParams.get('look').split(',').map(Number);
      await until('a place', async () => (await place()).length === 3);
      const [, y, z] = await place();
      await field(page, 'Look at x').fill('-3.5');
      await field(page, 'Look at x').press('Enter');
      await hasQuery(page, { look: `-3.5,${y},${z}` });
      await otherThan(page, looking);
      assert.deepEqual(await lookOf(page), { look: { at: [-3.5, y, z] }, relative_to: 'rest' });
      await page.reload();
      await seen(page);
      assert.equal(await field(page, 'Look at x').inputValue(), '-3.5');
      await button(page, 'Reset all').click();
      await hasQuery(page, { look: null });
      assert.equal(await look(page).getByRole('combobox').inputValue(), '');
    });
  } finally {
    await own.end();
    fs.rmSync(folder, { recursive: true });
  }
  await withPage({ query: '?look=20,0&t=0' }, async (page) => {
    await seen(page);
    assert.match(await page.locator('#notices').textContent(), /only VRM files say how/);
    await page.locator('#panel-pose > summary').click();
    assert.equal(await look(page).count(), 0);
  });
});

test('a model that is not there, and one that is broken, are said in words', async () => {
  await withPage({ name: 'no/such.glb', ready: false }, async (page) => {
    await until('a notice', async () => (await page.locator('#notices [role=alert]').allTextContents()).join().includes("There is no model 'no/such.glb' here."));
    assert.equal(await page.getByRole('link', { name: 'All models' }).getAttribute('href'), './');
  });
  await withPage({ name: 'robo.glb', ready: false }, async (page) => {
    await until('the nearest name', async () => (await page.locator('#notices [role=alert]').allTextContents()).join()
      .includes("There is no model 'robo.glb' here. Did you mean 'robot.glb'?"));
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
    }).catch(() => {}); // the 502 may have been the answer to the page itself
    proxy.answer(0);
    const page = await openModelPage();
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
    await page.close();
  } finally {
    await proxy.end();
  }
});

test('a server that is away while the page loads is waited for', async () => {
  const proxy = await startProxy(server.url);
  const page = await openModelPage();
  try {
    let isCut = false;
    await page.route(/\/v1\/model\?/, async (route) => {
      if (!isCut) { isCut = true; await proxy.cut(); }
      await route.continue();
    });
    await page.goto(proxy.url + '/m/robot.glb?t=0');
    await until('it is said', async () => /Trying again/.test(await page.locator('#notices').textContent()));
    await proxy.restore();
    await shown(page);
    await drawn(page);
    assert.equal(await page.locator('#notices').getByText('Trying again').count(), 0);
  } finally {
    await page.close();
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
