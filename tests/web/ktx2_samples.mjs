// Writes the KTX 2 files that the unit tests decode, into the fuzz target's corpus, and the hashes of the pixels that three.js's transcoder
// makes of them, which the tests expect: node tests/web/ktx2_samples.mjs
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { encode, randomBlocks, transcode } from './basis.mjs';

const TOP = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const FOLDER = path.join(TOP, 'tests/fuzz/corpus/texture');
export const TABLE = path.join(TOP, 'tests/unit/import/ktx2_samples.def');
export const hash = (rgba) => crypto.createHash('sha256').update(rgba).digest('hex');

const ETC1S = { isUASTC: false }, UASTC = { isUASTC: true, needSupercompression: false }, ZSTD = { isUASTC: true, needSupercompression: true };
const LINEAR = { isPerceptual: false, isSetKTX2SRGBTransferFunc: false };
const SAMPLES = {
  etc1s_opaque_mips: ['opaque', 32, 24, { ...ETC1S, generateMipmap: true }],
  etc1s_alpha: ['alpha', 32, 32, ETC1S],
  etc1s_odd: ['alpha', 13, 7, ETC1S],
  etc1s_grey: ['grey', 16, 16, ETC1S],
  etc1s_flat: ['flat', 160, 128, ETC1S],
  etc1s_busy: ['alpha', 64, 64, { ...ETC1S, qualityLevel: 255 }],
  etc1s_normals: ['normals', 16, 16, { ...ETC1S, ...LINEAR, isNormalMap: true }],
  etc1s_one: ['alpha', 1, 1, ETC1S],
  uastc_opaque: ['opaque', 16, 16, UASTC],
  uastc_alpha_zstd: ['alpha', 32, 16, ZSTD],
  uastc_odd_mips_zstd: ['alpha', 13, 7, { ...ZSTD, generateMipmap: true }],
  uastc_normals: ['normals', 16, 8, { ...UASTC, ...LINEAR, isNormalMap: true }],
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = { uastc_modes: randomBlocks(19, 30, 1) };
  for (const [name, parameters] of Object.entries(SAMPLES)) files[name] = await encode(...parameters);
  let table = '/* Made by tests/web/ktx2_samples.mjs: a file of tests/fuzz/corpus/texture, its sides, and the SHA-256 of its RGBA. */\n';
  for (const [name, bytes] of Object.entries(files)) {
    const { width, height, rgba } = transcode(bytes);
    fs.writeFileSync(path.join(FOLDER, name + '.ktx2'), bytes);
    table += `KTX2_SAMPLE("${name}", ${width}, ${height},\n            "${hash(rgba)}")\n`;
  }
  fs.writeFileSync(TABLE, table);
}
