// The page at / with tokens and uploads.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { TOKEN, TRIANGLE, cardOf, choose, comesTo, drawn, drop, loaded, shot, still, uploading, useBrowser, withPage, withServer, write } from './gallery_page.mjs';
import { SAMPLES, temporaryFolder, until } from './posed.mjs';
import { planUploads, playOf } from '../../clients/page/gallery/upload_plan.js';

useBrowser();

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

test('asks for the token where the server wants one', () => withServer((folder) => {
  fs.copyFileSync(path.join(SAMPLES, 'robot.glb'), path.join(folder, 'robot.glb'));
  write(folder, '.tokens', TOKEN + '\n');
}, ['--token-file', 'ROOT/.tokens'], (url) => withPage({ ...still, url, refused: ['/v1/'] }, async (page, requests) => {
  await page.getByLabel('This server wants a token.').fill(TOKEN);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await drawn(cardOf(page, 'robot.glb'));
  assert.ok(!requests.some((one) => one.includes(TOKEN)), 'the token is no part of an address');
})));

test('opens the page of a file that is dropped', () => uploading((url) => withPage({ ...still, url, refused: ['/'] }, async (page) => {
  await page.locator('#note').waitFor();
  await drop(page, [['robot.glb', fs.readFileSync(path.join(SAMPLES, 'robot.glb'))]]);
  await comesTo(page, url + '/m/in/robot.glb');
  await page.goto(url + '/?folder=in/');
  page.on('dialog', (dialog) => dialog.accept());
  await drawn(cardOf(page, 'in/robot.glb'));
  await page.getByRole('button', { name: 'Delete in/robot.glb' }).click();
  await until('it has gone', async () => await page.locator('.card').count() === 0);
})));

test('offers to delete models also where the server says later that it takes uploads', () => uploading((url, folder) => {
  write(folder, 'in/a.obj', TRIANGLE);
  let say;
  const later = new Promise((resolve) => { say = resolve; });
  return withPage({ ...still, url, at: '/?folder=in/', routes: { '/v1/version': async (route) => { await later; await route.continue(); } } }, async (page) => {
    await drawn(cardOf(page, 'in/a.obj'));
    const button = page.getByRole('button', { name: 'Delete in/a.obj' });
    assert.equal(await button.count(), 0);
    say();
    await button.waitFor();
    await drawn(cardOf(page, 'in/a.obj'));
  });
}));

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
  await comesTo(page, url + '/m/in/a.obj');
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
  await comesTo(page, url + '/m/in/hero.gltf?clip_file=in/walk.gltf&clip_file=in/run.gltf');
  await until('all can be played', async () => (await page.getByRole('listbox', { name: 'Clips' }).getByRole('option').allTextContents()).join() === 'run.gltf1.00 s,walk.gltf1.00 s,Rest pose');
})));
