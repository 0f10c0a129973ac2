// Textures in KTX 2 files of Basis Universal: posed's pixels are those of the transcoder that comes with three.js, to the bit.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { after, before, test } from 'node:test';
import { encode, randomBlocks, transcode } from './basis.mjs';
import { FOLDER, TABLE, hash } from './ktx2_samples.mjs';
import { startServer, temporaryFolder } from './posed.mjs';

const SIDES = [[64, 64], [128, 32], [2, 16], [1, 1]]; // powers of two, which the server does not scale
const FORMATS = {
  ETC1S: { isUASTC: false }, 'ETC1S of high quality': { isUASTC: false, qualityLevel: 255, compressionLevel: 4 },
  'ETC1S with mip levels': { isUASTC: false, generateMipmap: true }, 'linear ETC1S': { isUASTC: false, isPerceptual: false, isSetKTX2SRGBTransferFunc: false },
  UASTC: { isUASTC: true, needSupercompression: false }, 'UASTC in zstd': { isUASTC: true, needSupercompression: true },
  'UASTC of high quality with mip levels': { isUASTC: true, uastcLDRQualityLevel: 3, generateMipmap: true, needSupercompression: true },
  'UASTC for zstd': { isUASTC: true, enableRDO: true, rdoQualityLevel: 2, needSupercompression: true },
};

let root, server;

before(async () => {
  root = temporaryFolder();
  server = await startServer(root, '--render-workers', '0');
});

after(async () => {
  const status = await server?.end();
  if (root) fs.rmSync(root, { recursive: true });
  if (server) assert.equal(status, 0, 'the server ends well');
});

// A PNG of posed, as RGBA: 8 bits, RGB or RGBA, filters None and Up.
function pixelsOf(png) {
  const view = new DataView(png.buffer, png.byteOffset, png.length), width = view.getUint32(16), height = view.getUint32(20), channels = png[25] === 6 ? 4 : 3;
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + view.getUint32(at))
    if (String.fromCharCode(...png.subarray(at + 4, at + 8)) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + view.getUint32(at)));
  const lines = zlib.inflateSync(Buffer.concat(parts)), size = channels * width, rgba = new Uint8Array(4 * width * height).fill(255);
  let above = new Uint8Array(size);
  for (let y = 0; y < height; y++) {
    const filter = lines[y * (size + 1)], line = lines.subarray(y * (size + 1) + 1, (y + 1) * (size + 1));
    assert.ok(filter === 0 || filter === 2);
    above = Uint8Array.from(line, (byte, i) => byte + (filter === 2 ? above[i] : 0));
    for (let x = 0; x < width; x++) rgba.set(above.subarray(channels * x, channels * (x + 1)), 4 * (y * width + x));
  }
  return { width, height, rgba };
}

// The texture of a glTF file that has the KTX 2 file as its only picture.
async function texture(name, bytes) {
  fs.writeFileSync(path.join(root, name + '.ktx2'), bytes);
  fs.writeFileSync(path.join(root, name + '.gltf'), JSON.stringify({
    asset: { version: '2.0' }, extensionsUsed: ['KHR_texture_basisu'], extensionsRequired: ['KHR_texture_basisu'],
    images: [{ uri: name + '.ktx2' }], textures: [{ extensions: { KHR_texture_basisu: { source: 0 } } }],
    materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
    nodes: [{ mesh: 0 }], meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, material: 0 }] }],
    buffers: [{ byteLength: 60, uri: 'data:application/octet-stream;base64,' + Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1]).buffer).toString('base64') }],
    bufferViews: [{ buffer: 0, byteLength: 36 }, { buffer: 0, byteOffset: 36, byteLength: 24 }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] },
      { bufferView: 1, componentType: 5126, count: 3, type: 'VEC2' }],
  }));
  const answer = await fetch(`${server.url}/v1/texture?model=${name}.gltf&texture=0&textures=png`);
  assert.equal(answer.status, 200, answer.status === 200 ? name : await answer.text());
  return pixelsOf(new Uint8Array(await answer.arrayBuffer()));
}

async function compare(name, bytes, what) {
  const expected = transcode(bytes), got = await texture(name, bytes);
  assert.deepEqual([got.width, got.height], [expected.width, expected.height], what);
  const other = got.rgba.findIndex((value, i) => value !== expected.rgba[i]);
  assert.equal(other, -1, `${what}: byte ${other} of the pixels`);
}

test('the hashes of the unit tests are those of the transcoder', () => {
  const rows = [...fs.readFileSync(TABLE, 'utf8').matchAll(/KTX2_SAMPLE\("(\w+)", (\d+), (\d+),\s*"(\w+)"\)/g)];
  assert.ok(rows.length >= 10);
  for (const [, name, width, height, expected] of rows) {
    const picture = transcode(fs.readFileSync(path.join(FOLDER, name + '.ktx2')));
    assert.deepEqual([picture.width, picture.height, hash(picture.rgba)], [Number(width), Number(height), expected], name);
  }
});

for (const [format, options] of Object.entries(FORMATS)) {
  test(`pictures of ${format} are those of three.js`, async () => {
    for (const [width, height] of SIDES)
      for (const picture of ['opaque', 'alpha', 'normals']) {
        const bytes = await encode(picture, width, height, options);
        await compare(`${format}_${picture}_${width}`.replaceAll(' ', '_'), bytes, `${picture} of ${width} x ${height}`);
      }
  });
}

test('random blocks of every mode of UASTC are those of three.js', async () => {
  for (let seed = 1; seed <= 4; seed++) await compare('blocks_' + seed, randomBlocks(64, 32, seed), `seed ${seed}`);
});
