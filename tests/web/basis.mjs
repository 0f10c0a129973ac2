// Pictures in KTX 2 files of Basis Universal: made by ktx2-encoder, and decoded by the transcoder that comes with three.js.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { encodeToKTX2 } from 'ktx2-encoder';

const LIBRARY = path.join(path.dirname(fileURLToPath(import.meta.url)), 'node_modules/three/examples/jsm/libs/basis');
const RGBA32 = 13; // three.js's TranscoderFormat
const HEADER = 80, DESCRIPTOR = 44;

async function load() {
  // It is a script and not a module, and asks for what a script of Node has.
  const text = fs.readFileSync(path.join(LIBRARY, 'basis_transcoder.js'), 'utf8');
  const make = new Function('require', '__dirname', `${text}; return BASIS`)(createRequire(import.meta.url), LIBRARY);
  const module = await make({ wasmBinary: fs.readFileSync(path.join(LIBRARY, 'basis_transcoder.wasm')) });
  module.initializeBasis();
  return { module }; // not the module itself, which has a `then`
}
const { module } = await load();

// The largest level as three.js decodes it: { width, height, rgba }, or null for a file that it refuses.
export function transcode(bytes) {
  const file = new module.KTX2File(new Uint8Array(bytes));
  try {
    if (!file.isValid() || !file.startTranscoding()) return null;
    const rgba = new Uint8Array(file.getImageTranscodedSizeInBytes(0, 0, 0, RGBA32));
    if (!file.transcodeImage(rgba, 0, 0, 0, RGBA32, 0, -1, -1)) return null;
    return { width: file.getWidth(), height: file.getHeight(), rgba };
  } finally {
    file.close();
    file.delete();
  }
}

export function chance(seed) {
  let state = seed;
  return () => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return state / 2 ** 32; };
}

// A disc before stripes and a gradient, with some noise; its edge fades where there is alpha.
function scene(width, height, hasAlpha) {
  const next = chance(5), rgba = new Uint8ClampedArray(4 * width * height);
  for (let i = 0; i < width * height; i++) {
    const x = i % width, y = Math.floor(i / width), u = x / width, v = y / height, far = Math.hypot(u - 0.5, v - 0.4);
    const color = far < 0.3 ? [220 - 300 * far, 60 + 200 * v, 40 + 40 * Math.sin(20 * u)]
      : (Math.floor(x / 3) + Math.floor(y / 5)) % 7 === 0 ? [30, 200 * u, 255 * v] : [255 * u, 255 * v, 128 + 100 * Math.sin(9 * u * v)];
    const noise = 20 * (next() - 0.5);
    rgba.set([...color.map((c) => c + noise), hasAlpha ? 255 * (1 - 2.5 * Math.max(0, far - 0.3)) : 255], 4 * i);
  }
  return rgba;
}

function fill(width, height, color) {
  const rgba = new Uint8ClampedArray(4 * width * height);
  for (let i = 0; i < width * height; i++) rgba.set(color(i % width, Math.floor(i / width)), 4 * i);
  return rgba;
}

export const PICTURES = {
  opaque: (width, height) => scene(width, height, false),
  alpha: (width, height) => scene(width, height, true),
  grey: (width, height) => fill(width, height, (x, y) => [...Array(3).fill((x * y) % 256), 255]),
  flat: (width, height) => fill(width, height, (x, y) => (Math.hypot(x - width / 2, y - height / 2) < 9 ? [250, 90, 20 * (x % 5), 255]
    : [40, 80, 160, 255])),
  normals: (width, height) => fill(width, height, (x, y) => {
    const a = 0.5 * Math.sin(0.4 * x), b = 0.5 * Math.cos(0.3 * y);
    return [...[a, b, Math.sqrt(1 - a * a - b * b)].map((c) => 127.5 + 127.5 * c), 255];
  }),
};

// options: those of ktx2-encoder. Without needSupercompression UASTC is not packed.
export async function encode(picture, width, height, options) {
  const data = new Uint8Array(PICTURES[picture](width, height));
  const log = console.log;
  console.log = () => {}; // the encoder says what it does
  try {
    return await encodeToKTX2(new Uint8Array(1), { generateMipmap: false, ...options, imageDecoder: async () => ({ data, width, height }) });
  } finally {
    console.log = log;
  }
}

// A mode's code, and where its pattern is: bit, bits, and how many there are (UASTC Texture Specification).
const MODES = [[1, 4], [0x35, 6], [0x1d, 5, 20, 5, 30], [3, 5, 20, 4, 11], [0x13, 5, 20, 5, 30], [0xb, 5], [0x1b, 5], [7, 5, 20, 5, 19], [0x17, 5],
  [0xf, 5, 28, 5, 30], [2, 3], [0, 2], [6, 3], [0x1f, 5], [0xd, 5], [5, 7], [0x15, 6, 29, 5, 30], [0x25, 6], [9, 4]];

function put(block, at, count, value) {
  for (let i = 0; i < count; i++) {
    const byte = (at + i) >> 3, bit = 1 << ((at + i) & 7);
    block[byte] = (value >> i) & 1 ? block[byte] | bit : block[byte] & ~bit;
  }
}

// Random blocks of UASTC, of every mode and pattern in turn, in a file.
export function randomBlocks(columns, rows, seed) {
  const next = chance(seed), level = new Uint8Array(16 * columns * rows).map(() => Math.floor(256 * next()));
  for (let i = 0; i < columns * rows; i++) {
    const block = level.subarray(16 * i, 16 * i + 16), [code, bits, at, patternBits, patterns] = MODES[i % MODES.length];
    put(block, 0, bits, code);
    if (patterns) put(block, at, patternBits, Math.floor(i / MODES.length) % patterns);
  }
  return uastcFile(4 * columns, 4 * rows, level);
}

function uastcFile(width, height, level) {
  const file = Buffer.alloc(HEADER + 24 + DESCRIPTOR + 8), first = file.length;
  Buffer.from([0xab, ...Buffer.from('KTX 20'), 0xbb, 13, 10, 26, 10]).copy(file);
  [0, 1, width, height, 0, 0, 1, 1, 0, HEADER + 24, DESCRIPTOR].forEach((value, i) => file.writeUInt32LE(value, 12 + 4 * i));
  [first, level.length, level.length].forEach((value, i) => file.writeBigUInt64LE(BigInt(value), HEADER + 8 * i));
  const descriptor = file.subarray(HEADER + 24);
  descriptor.writeUInt32LE(DESCRIPTOR, 0);
  descriptor.writeUInt16LE(2, 8);
  descriptor.writeUInt16LE(DESCRIPTOR - 4, 10);
  descriptor.set([166, 1, 1, 0, 3, 3, 0, 0, 16], 12); // UASTC, BT.709, linear, blocks of 4x4 in 16 bytes
  descriptor.set([0, 0, 127, 3], 28); // 128 bits of RGBA
  descriptor.writeUInt32LE(0xffffffff, 40);
  return Buffer.concat([file, level]);
}
