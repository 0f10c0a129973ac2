// Crowds: ask for the poses of many entities in one round trip (protocol/crowd.md). Builds the request and reads the answer.
import { CODES, PosedError, badAnswer } from './errors.js';
import { hex } from './frames.js';

export const CROWD_TYPE = 'application/vnd.posed.crowd';
export const ENTITIES_TYPE = 'application/vnd.posed.entities';

const LAYOUTS = { mat4: 0, mat3x4: 1, dualquat: 2 };
const WRAPS = { loop: 0, clamp: 1, mirror: 2 };
const MODES = { override: 0, additive: 1 };
const POSE_MODES = { replace: 2, additive: 3 };
const PARTS = { translation: [1, 3], rotation: [2, 4], scale: [4, 3] }; // what a pose gives of a node: its bit, and how many numbers
const [HEADER, ENTITY, LAYER, WORLD, MODEL, MASK, MASK_NODE, WANTED, ITEM, POSE, POSE_NODE] = [64, 24, 40, 96, 48, 8, 8, 16, 4, 16, 8];
const [ANSWER, POSED, ANSWER_MODEL, WRONG] = [64, 16, 48, 16];
const FLOAT_BYTES = 4;

const utf8 = new TextEncoder();

// Returns the number of a word. Throws an error that lists all words.
export function numberOf(words, word, what) {
  const found = words[word];
  if (found === undefined) throw new TypeError(`${what} is one of ${Object.keys(words).join(', ')}, not '${word}'`);
  return found;
}

// The nodes of a mask with their scopes.
const nodesOf = ({ nodes = [], subtree = [], except = [] }) => [nodes, subtree, except].flatMap((list, scope) => Array.from(list, (node) => [node, scope]));

const itemsOf = ({ joints = [], nodes }) => nodes ?? joints;

function hashBytes(hash) {
  if (!/^[0-9a-f]{64}$/i.test(hash)) throw new TypeError(`a content hash has 64 hex digits, unlike '${hash}'`);
  return Uint8Array.from(hash.match(/../g), (digits) => parseInt(digits, 16));
}

// Writes records one after the other.
class Writer {
  constructor(bytes) {
    this.bytes = new Uint8Array(bytes);
    this.view = new DataView(this.bytes.buffer);
    this.at = 0;
  }

  u32s(...values) {
    for (const value of values) this.view.setUint32((this.at += 4) - 4, value, true);
  }

  put(bytes) {
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }
}

function putEntities(out, entities) {
  let layers = 0;
  let worlds = 0;
  for (const { model = 0, wanted = 0, layout = 'mat4', layers: own = [], world } of entities) {
    const { view, at } = out;
    view.setUint16(at, model, true);
    view.setUint16(at + 2, wanted, true);
    view.setUint32(at + 4, own.length ? layers : 0, true);
    view.setUint16(at + 8, own.length, true);
    view.setUint8(at + 10, numberOf(LAYOUTS, layout, 'layout'));
    view.setInt32(at + 12, world ? worlds++ : -1, true);
    layers += own.length;
    out.at += ENTITY;
  }
}

// All models: the crowd's, then other files that layers name.
function filesOf(models, entities) {
  const files = new Set();
  for (const { layers = [] } of entities) for (const { clip_file: file } of layers) if (file !== undefined && !models.includes(file)) files.add(file);
  return [...models, ...files];
}

function putLayers(out, entities, files) {
  const places = new Map(files.map((path, i) => [path, i + 1]).reverse()); // a path that occurs twice gets its first place
  for (const { layers = [] } of entities) {
    for (const { clip = 0, t = 0, weight = 1, mask = -1, wrap = 'loop', mode, clip_file: file, reference, pose } of layers) {
      const { view, at } = out;
      const isGiven = pose !== undefined;
      const isAdditive = mode === 'additive';
      view.setInt32(at, pose ?? clip, true);
      view.setInt32(at + 4, mask, true);
      view.setFloat64(at + 16, weight, true);
      view.setUint8(at + 25, isGiven ? numberOf(POSE_MODES, mode ?? 'replace', 'mode') : numberOf(MODES, mode ?? 'override', 'mode'));
      out.at += LAYER;
      if (isGiven) continue;
      view.setFloat64(at + 8, t, true);
      view.setUint8(at + 24, numberOf(WRAPS, wrap, 'wrap'));
      view.setUint16(at + 26, places.get(file) ?? 0, true);
      if (isAdditive) {
        view.setInt32(at + 28, reference?.clip ?? 0, true);
        view.setFloat64(at + 32, reference?.t ?? 0, true);
      }
    }
  }
}

// Puts the upper three rows of matrices with 16 numbers, column by column.
function putWorlds(out, entities) {
  for (const { world } of entities) {
    if (!world) continue;
    if (world.length !== 16) throw new TypeError(`world has 16 numbers, not ${world.length}`);
    for (let row = 0; row < 3; row++) {
      for (let column = 0; column < 4; column++) out.view.setFloat64(out.at + 8 * (4 * row + column), world[4 * column + row], true);
    }
    out.at += WORLD;
  }
}

function putModels(out, paths, hashes) {
  paths.forEach((path, i) => {
    out.view.setUint32(out.at + 4, path.length, true);
    if (hashes[i]) out.bytes.set(hashBytes(hashes[i]), out.at + 16);
    out.at += MODEL;
  });
}

function putMasks(out, masks) {
  const listed = masks.map(nodesOf);
  let first = 0;
  for (const { length } of listed) {
    out.u32s(first, length);
    first += length;
  }
  for (const [node, scope] of listed.flat()) {
    out.view.setUint32(out.at, node, true);
    out.view.setUint16(out.at + 4, scope, true);
    out.at += MASK_NODE;
  }
}

// The nodes of a pose, by rising index.
const givenNodes = ({ nodes }) => Object.entries(nodes).map(([node, given]) => [Number(node), given]).sort(([a], [b]) => a - b);
const partsOf = (given) => Object.keys(given).map((part) => [part, numberOf(PARTS, part, 'a part of a pose')]);
const numbersOf = (pose) => sum(givenNodes(pose), ([, given]) => sum(partsOf(given), ([, [, count]]) => count));

function putPoses(out, poses) {
  let [nodes, numbers] = [0, 0];
  for (const pose of poses) {
    const { length } = givenNodes(pose);
    out.u32s(nodes, length, numbers, 0);
    nodes += length;
    numbers += numbersOf(pose);
  }
  for (const [node, given] of poses.flatMap(givenNodes)) {
    out.view.setUint32(out.at, node, true);
    out.view.setUint16(out.at + 4, sum(partsOf(given), ([, [bit]]) => bit), true);
    out.at += POSE_NODE;
  }
  for (const [, given] of poses.flatMap(givenNodes)) {
    for (const [part, [, count]] of Object.entries(PARTS)) {
      if (!given[part]) continue;
      if (given[part].length !== count) throw new TypeError(`the ${part} of a pose has ${count} numbers, not ${given[part].length}`);
      for (const number of Array.from(given[part])) out.view.setFloat32((out.at += 4) - 4, number, true);
    }
  }
}

function putWanted(out, wanted) {
  let first = 0;
  for (const one of wanted) {
    const { length } = itemsOf(one);
    out.view.setUint16(out.at, one.nodes ? 1 : 0, true);
    out.view.setInt32(out.at + 4, one.nodes ? 0 : one.skin ?? 0, true);
    out.view.setUint32(out.at + 8, length ? first : 0, true);
    out.view.setUint32(out.at + 12, length, true);
    first += length;
    out.at += WANTED;
  }
  for (const one of wanted) out.u32s(...itemsOf(one));
}

const sum = (list, count) => list.reduce((total, one) => total + count(one), 0);

// Returns the bytes of a request.
export function buildCrowd({ models, entities, masks = [], wanted = [{}], hashes = [], poses = [] }) {
  const files = filesOf(models, entities);
  const paths = files.map((path) => utf8.encode(path));
  const counts = [entities.length, sum(entities, ({ layers = [] }) => layers.length), sum(entities, ({ world }) => (world ? 1 : 0)), paths.length,
    masks.length, sum(masks, (mask) => nodesOf(mask).length), wanted.length, sum(wanted, (one) => itemsOf(one).length), sum(paths, ({ length }) => length),
    poses.length, sum(poses, (pose) => givenNodes(pose).length), sum(poses, numbersOf)];
  const sizes = [ENTITY, LAYER, WORLD, MODEL, MASK, MASK_NODE, WANTED, ITEM, 1, POSE, POSE_NODE, FLOAT_BYTES];
  const bytes = HEADER + sum(counts.map((count, i) => count * sizes[i]), (size) => size);
  const out = new Writer(bytes);
  out.put(utf8.encode('PSDC'));
  out.u32s(1, bytes, ...counts); // version, and a reserved half word
  out.at = HEADER;
  putEntities(out, entities);
  putLayers(out, entities, files);
  putWorlds(out, entities);
  putModels(out, paths, hashes);
  putMasks(out, masks);
  putWanted(out, wanted);
  putPoses(out, poses);
  paths.forEach((path) => out.put(path));
  return out.bytes;
}

const size = (view, at) => Number(view.getBigUint64(at, true));

// The answer to a crowd. Every length in it is checked before anything is read. Arrays are views on its bytes.
export class Entities {
  #bytes;
  #rows = [];

  // Takes a view on an ArrayBuffer and keeps using its bytes. Unaligned bytes are copied first.
  constructor(data) {
    this.#bytes = data.byteOffset % FLOAT_BYTES ? data.slice() : data;
    const { buffer, byteOffset, byteLength } = this.#bytes;
    const view = new DataView(buffer, byteOffset, byteLength);
    if (byteLength < ANSWER) throw badAnswer(`an answer to a crowd of ${byteLength} bytes`);
    if (view.getUint32(0, false) !== 0x50534445 || view.getUint16(4, true) !== 1) throw badAnswer('this is no answer to a crowd of version 1');
    const [count, modelCount, wrongCount] = [8, 12, 16].map((at) => view.getUint32(at, true));
    const [floatsAt, floatBytes, wrongAt, whole] = [24, 32, 40, 48].map((at) => size(view, at));
    if (whole !== byteLength) throw badAnswer(`an answer to a crowd of ${byteLength} bytes that should be ${whole}`);
    const tablesEnd = ANSWER + POSED * count + ANSWER_MODEL * modelCount;
    if (floatsAt < tablesEnd || floatsAt % 16 || wrongAt !== floatsAt + floatBytes || wrongAt + WRONG * wrongCount > whole) {
      throw badAnswer('the tables of an answer to a crowd reach beyond it');
    }
    this.floats = new Float32Array(buffer, byteOffset + floatsAt, floatBytes / FLOAT_BYTES);
    this.#readRows(view, count, floatsAt, wrongAt);
    this.hashes = Array.from({ length: modelCount }, (_, i) => hex(this.#bytes.subarray(ANSWER + POSED * count + ANSWER_MODEL * i).subarray(0, 32)).replace(/^0+$/, ''));
    this.errors = this.#readErrors(view, wrongAt, wrongCount);
  }

  #readRows(view, count, floatsAt, floatsEnd) {
    let end = floatsAt;
    for (let i = 0; i < count; i++) {
      const at = ANSWER + POSED * i;
      const [offset, matrices, itemBytes] = [size(view, at), view.getUint32(at + 8, true), view.getUint16(at + 12, true)];
      if (offset !== end || ![64, 48, 32].includes(itemBytes)) throw badAnswer('the entities of an answer to a crowd do not follow each other');
      end += matrices * itemBytes;
      this.#rows.push({ offset: (offset - floatsAt) / FLOAT_BYTES, count: matrices, itemLength: itemBytes / FLOAT_BYTES });
    }
    if (end !== floatsEnd) throw badAnswer('the floats of an answer to a crowd are not those of its entities');
  }

  #readErrors(view, start, count) {
    const errors = new Map();
    let textAt = start + WRONG * count;
    for (let i = 0; i < count; i++) {
      const [entity, number, messageBytes] = [0, 4, 8].map((at) => view.getUint32(start + WRONG * i + at, true));
      if (messageBytes > view.byteLength - textAt) throw badAnswer('the messages of an answer to a crowd reach beyond it');
      const [code, status] = CODES.get(number) ?? ['internal', 500];
      errors.set(entity, new PosedError(code, new TextDecoder().decode(this.#bytes.subarray(textAt, textAt + messageBytes)), { status }));
      textAt += messageBytes;
    }
    return errors;
  }

  get length() {
    return this.#rows.length;
  }

  // Returns where the matrices of an entity are in `floats`, their number, and the floats of each.
  place(entity) {
    const row = this.#rows[entity];
    if (!row) throw new RangeError(`there is no entity ${entity}; the answer has ${this.length}`);
    return { ...row };
  }

  // Returns the matrices of an entity. Throws the error of the entity.
  matrices(entity) {
    const { offset, count, itemLength } = this.place(entity);
    if (this.errors.has(entity)) throw this.errors.get(entity);
    return this.floats.subarray(offset, offset + count * itemLength);
  }
}

// Reads the answer of a request, over either transport.
export function entitiesOf({ type, bytes }) {
  if (type !== ENTITIES_TYPE) throw badAnswer(`the matrices of a crowd were expected, and ${type} came`);
  return new Entities(bytes);
}
