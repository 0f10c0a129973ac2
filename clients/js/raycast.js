// Raycasts: find where rays and moving balls hit the entities of a crowd, in one round trip (protocol/hits.md). Builds the request and
// reads the answer.
import { buildCrowd, numberOf } from './crowd.js';
import { badAnswer } from './errors.js';

export const RAYCAST_TYPE = 'application/vnd.posed.raycast';
export const HITS_TYPE = 'application/vnd.posed.hits';

const FITS = { capsule: 0, box: 1, sphere: 2 };
const TESTS = { volumes: 0, mesh: 1 };
const WHICH = { nearest: 0, all: 1 };
const [HEADER, TARGET, RAY, ANSWER, HIT] = [64, 16, 80, 32, 64];
const [RAY_DOUBLES, RAY_WORDS] = [RAY / 8, RAY / 4];
const HIT_WORDS = HIT / 4;
const ALL = 0xffffffff; // a mask of all bits
const NONE = 0xffffffff; // no target

// Returns a 32-bit integer of entry i of a list. Throws an error that names the entry.
function whole(value, least, what, i) {
  if (!Number.isInteger(value) || value < least || value > ALL) throw new TypeError(`${what}[${i}] is a whole number from ${least} to 2^32 - 1, not ${value}`);
  return value;
}

function putTargets(view, targets) {
  targets.forEach(({ begin, end = -1, mask = ALL }, i) => {
    const at = HEADER + TARGET * i;
    view.setUint32(at, whole(begin, 0, 'begin of targets', i), true);
    view.setInt32(at + 4, whole(end, -1, 'end of targets', i), true);
    view.setUint32(at + 8, whole(mask, 0, 'mask of targets', i), true);
  });
}

function three(numbers, what) {
  if (numbers?.length !== 3) throw new TypeError(`${what} has ${numbers?.length ?? 'no'} numbers, not 3`);
  return numbers;
}

// Writes rays one after the other. They begin at a multiple of 16, so that their doubles are aligned.
class RayWriter {
  #doubles;
  #words;
  #i = 0;

  constructor(bytes, start, count) {
    this.#doubles = new Float64Array(bytes.buffer, start, RAY_DOUBLES * count);
    this.#words = new Uint32Array(bytes.buffer, start, RAY_WORDS * count);
  }

  // `from`: where the three numbers of this ray begin in origins and directions.
  put(origins, directions, from, max = Infinity, radius = 0, at = 0, mask = ALL, ignore = -1) {
    const doubles = this.#doubles;
    const words = this.#words;
    const i = this.#i++;
    let place = RAY_DOUBLES * i;
    for (let k = from; k < from + 3; k++) doubles[place++] = origins[k];
    for (let k = from; k < from + 3; k++) doubles[place++] = directions[k];
    doubles[place] = max;
    doubles[place + 1] = radius;
    doubles[place + 2] = at;
    words[RAY_WORDS * i + 18] = whole(mask, 0, 'mask of rays', i);
    words[RAY_WORDS * i + 19] = ignore === -1 ? NONE : whole(ignore, -1, 'ignore of rays', i);
  }
}

const putList = (out, list) => list.forEach(({ origin, direction, max, radius, at, mask, ignore }, i) => {
  out.put(three(origin, `origin of rays[${i}]`), three(direction, `direction of rays[${i}]`), 0, max, radius, at, mask, ignore);
});

// Returns the number of rays in arrays, after checking their lengths.
function countArrays(arrays) {
  const { origins, directions } = arrays;
  const count = origins?.length / 3;
  if (!Number.isInteger(count) || directions?.length !== origins.length) {
    throw new TypeError(`origins and directions have 3 numbers for each ray, not ${origins?.length} and ${directions?.length}`);
  }
  for (const name of ['max', 'radius', 'at', 'mask', 'ignore']) {
    const { length } = arrays[name] ?? {};
    if (length !== undefined && length !== count) throw new TypeError(`${name} is a number, or has ${count} of them, not ${length}`);
  }
  return count;
}

function putArrays(out, { origins, directions, max, radius, at, mask, ignore }, count) {
  const entry = (numbers, i) => (numbers?.length === undefined ? numbers : numbers[i]);
  for (let i = 0; i < count; i++) {
    out.put(origins, directions, 3 * i, entry(max, i), entry(radius, i), entry(at, i), entry(mask, i), entry(ignore, i));
  }
}

// Returns the bytes of a request. Without targets each entity of the crowd is a target that stands still.
export function buildRaycast({ rays, targets, fit = 'capsule', test = 'volumes', hits = 'nearest', ...crowd }) {
  const poses = buildCrowd(crowd);
  const asked = targets ?? crowd.entities.map((_, begin) => ({ begin }));
  const count = Array.isArray(rays) ? rays.length : countArrays(rays ?? {});
  const raysAt = HEADER + TARGET * asked.length;
  const crowdAt = raysAt + RAY * count;
  const bytes = new Uint8Array(crowdAt + poses.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x50534452, false); // PSDR
  [1, bytes.length, asked.length, count, poses.length].forEach((value, i) => view.setUint32(4 + 4 * i, value, true));
  [numberOf(FITS, fit, 'fit'), numberOf(TESTS, test, 'test'), numberOf(WHICH, hits, 'hits')].forEach((value, i) => view.setUint8(24 + i, value));
  putTargets(view, asked);
  const out = new RayWriter(bytes, raysAt, count);
  if (Array.isArray(rays)) putList(out, rays);
  else putArrays(out, rays, count);
  bytes.set(poses, crowdAt);
  return bytes;
}

// The answer to a raycast, ordered by ray, then by distance. Every length and index in it is checked. Arrays are views on its bytes.
export class Hits {
  // Takes a view on an ArrayBuffer and keeps using its bytes. Unaligned bytes are copied first.
  constructor(data) {
    const bytes = data.byteOffset % 4 ? data.slice() : data;
    const { buffer, byteOffset, byteLength } = bytes;
    const view = new DataView(buffer, byteOffset, byteLength);
    if (byteLength < ANSWER) throw badAnswer(`an answer to a raycast of ${byteLength} bytes`);
    if (view.getUint32(0, false) !== 0x50534448 || view.getUint16(4, true) !== 1) throw badAnswer('this is no answer to a raycast of version 1');
    [this.entityCount, this.rayCount, this.length] = [8, 12, 16].map((at) => view.getUint32(at, true));
    this.test = Object.keys(TESTS)[view.getUint8(20)];
    const whole = Number(view.getBigUint64(24, true));
    if (whole !== byteLength || ANSWER + HIT * this.length !== whole || !this.test) throw badAnswer(`an answer to a raycast of ${byteLength} bytes that is not whole`);
    this.words = new Uint32Array(buffer, byteOffset + ANSWER, HIT_WORDS * this.length);
    this.floats = new Float32Array(buffer, byteOffset + ANSWER, HIT_WORDS * this.length);
    for (let at = 0; at < this.words.length; at += HIT_WORDS) {
      if (this.words[at] >= this.rayCount || this.words[at + 1] >= this.entityCount) throw badAnswer('the hits of an answer are of rays or entities that were not asked');
    }
  }

  // Returns hit i as an object, whose vectors are views.
  hit(i) {
    if (!(i >= 0 && i < this.length)) throw new RangeError(`there is no hit ${i}; the answer has ${this.length}`);
    const { words, floats } = this;
    const at = HIT_WORDS * i;
    const vector = (offset) => floats.subarray(at + offset, at + offset + 3);
    return {
      ray: words[at], entity: words[at + 1], node: words[at + 2], part: words[at + 3], triangle: words[at + 4], inside: (words[at + 5] & 1) === 1,
      distance: floats[at + 6], point: vector(7), normal: vector(10), barycentric: vector(13),
    };
  }

  *[Symbol.iterator]() {
    for (let i = 0; i < this.length; i++) yield this.hit(i);
  }
}

// Reads the answer of `request`, the bytes of buildRaycast(), over either transport.
export function hitsOf({ type, bytes }, request) {
  if (type !== HITS_TYPE) throw badAnswer(`the hits of a raycast were expected, and ${type} came`);
  const hits = new Hits(bytes);
  const asked = new DataView(request.buffer, request.byteOffset, HEADER);
  if (hits.entityCount !== asked.getUint32(12, true) || hits.rayCount !== asked.getUint32(16, true)) throw badAnswer('the answer is that of another raycast');
  return hits;
}
