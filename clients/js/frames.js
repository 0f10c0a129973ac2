// Binary frames (protocol/frames.md): views on the numbers of a palette, a pose or a mesh in the answer's bytes.
import { badAnswer } from './errors.js';

const HEADER_BYTES = 96;
const BLOCK_BYTES = 32;
const KINDS = [undefined, 'palette', 'pose', 'mesh', 'keys', 'environment'];
const LAYOUTS = ['mat4', 'mat3x4', 'dualquat'];
const SPACES = ['scene', 'root', 'mesh'];
const WRAPS = ['loop', 'clamp', 'mirror'];
const MATRIX_FLOATS = { mat4: 16, mat3x4: 12, dualquat: 8 };

// number: name, numbers in an item (0: a matrix of the answer's layout), their type
const BLOCKS = new Map([
  [1, ['palette', 0, Float32Array]],
  [2, ['scene', 0, Float32Array]],
  [3, ['local', 10, Float32Array]],
  [4, ['local_matrix', 0, Float32Array]],
  [5, ['positions', 3, Float32Array]],
  [6, ['normals', 3, Float32Array]],
  [7, ['root_motion', 4, Float32Array]],
  [16, ['nodes', 1, Uint32Array]],
  [17, ['sheared', 1, Uint32Array]],
  [18, ['rest', 3, Float32Array]],
  [19, ['indices', 1, Uint32Array]],
  [20, ['span', 4, Float64Array]],
  [21, ['influence_firsts', 1, Uint32Array]],
  [22, ['influence_joints', 1, Uint32Array]],
  [23, ['influence_weights', 1, Float32Array]],
  [24, ['dual_weights', 1, Float32Array]],
  [25, ['joint_nodes', 1, Uint32Array]],
  [26, ['joint_from_bind', 0, Float32Array]],
  [27, ['channels', 6, Uint32Array]],
  [28, ['key_times', 1, Float64Array]],
  [29, ['key_values', 1, Float32Array]],
  [30, ['rest_normals', 3, Float32Array]],
  [31, ['texcoords', 2, Float32Array]],
  [32, ['second_texcoords', 2, Float32Array]],
  [33, ['colors', 4, Uint8Array]],
  [34, ['tangents', 4, Float32Array]],
  [35, ['harmonics', 3, Float32Array]],
  [36, ['light_map', 4, Uint16Array]],
]);

const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

export class Frames {
  #buffer;
  #start;
  #framesOffset;
  #frameBytes;

  // Takes an ArrayBuffer or a view on one, and keeps using its bytes. Unaligned bytes are copied first.
  constructor(data, warnings = 0) {
    if (!isLittleEndian) throw new Error('floats cannot be used in place on a big-endian machine');
    let bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (bytes.byteOffset % 8) bytes = bytes.slice();
    this.#buffer = bytes.buffer;
    this.#start = bytes.byteOffset;
    this.byteLength = bytes.byteLength;
    this.warnings = warnings;
    this.blocks = [];
    this.#readHeader(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }

  #readHeader(view) {
    if (view.byteLength < HEADER_BYTES) throw badAnswer(`binary frames of ${view.byteLength} bytes`);
    if (view.getUint32(0, false) !== 0x50534446 || view.getUint16(4, true) !== 1) throw badAnswer('these are no binary frames of version 1');
    this.layout = LAYOUTS[view.getUint16(6, true)];
    const headerBytes = view.getUint32(8, true);
    this.kind = KINDS[view.getUint16(12, true)];
    this.space = SPACES[view.getUint16(14, true)];
    this.frameCount = view.getUint32(16, true);
    const blockCount = view.getUint32(20, true);
    this.clip = view.getInt32(24, true);
    this.wrap = WRAPS[view.getUint32(28, true)];
    this.#framesOffset = size(view, 32);
    this.#frameBytes = size(view, 40);
    this.duration = view.getFloat64(56, true);
    this.hash = hex(new Uint8Array(view.buffer, view.byteOffset + 64, 32));
    if (size(view, 48) !== view.byteLength) throw badAnswer(`binary frames of ${view.byteLength} bytes that should be ${size(view, 48)}`);
    if (!this.layout || !this.kind || !this.space || !this.wrap) throw badAnswer('binary frames of an unknown kind');
    const timesAt = HEADER_BYTES + BLOCK_BYTES * blockCount;
    if (timesAt + 16 * this.frameCount > headerBytes || headerBytes > view.byteLength) {
      throw badAnswer('the header of binary frames is shorter than its counts say');
    }
    if (this.#framesOffset % 16 || this.#frameBytes % 16 || this.#framesOffset + this.frameCount * this.#frameBytes > view.byteLength) {
      throw badAnswer('binary frames reach beyond the answer');
    }
    this.pairs = new Float64Array(view.buffer, view.byteOffset + timesAt, 2 * this.frameCount);
    for (let i = 0; i < blockCount; i++) this.#readBlock(view, HEADER_BYTES + BLOCK_BYTES * i);
  }

  #readBlock(view, at) {
    const known = BLOCKS.get(view.getUint16(at, true));
    if (!known) return; // a newer server sent it
    const [kind, numbers, Type] = known;
    const block = {
      kind,
      once: view.getUint16(at + 2, true) === 1,
      index: view.getUint32(at + 4, true),
      node: view.getInt32(at + 8, true),
      primitive: view.getInt32(at + 12, true),
      count: view.getUint32(at + 16, true),
      itemLength: numbers || MATRIX_FLOATS[this.layout],
      offset: size(view, at + 24),
    };
    const itemBytes = block.itemLength * Type.BYTES_PER_ELEMENT;
    if (view.getUint32(at + 20, true) !== itemBytes || block.offset % 16) throw badAnswer(`a ${kind} block with items of another size`);
    if (block.offset + block.count * itemBytes > (block.once ? view.byteLength : this.#frameBytes)) {
      throw badAnswer(`a ${kind} block reaches beyond the answer`);
    }
    this.blocks.push(Object.freeze(block));
  }

  time(frame = 0) {
    this.#checkFrame(frame);
    return this.pairs[2 * frame];
  }

  clipTime(frame = 0) {
    this.#checkFrame(frame);
    return this.pairs[2 * frame + 1];
  }

  #checkFrame(frame) {
    if (!Number.isInteger(frame) || frame < 0 || frame >= this.frameCount) {
      throw new RangeError(`there is no frame ${frame}; the answer has ${this.frameCount}`);
    }
  }

  // Returns the first block of a kind, or the one with an index; undefined if it is missing.
  find(kind, index) {
    return this.blocks.find((block) => block.kind === kind && (index === undefined || block.index === index));
  }

  // Returns a view on the numbers of a block in a frame.
  view(block, frame = 0) {
    if (!block.once) this.#checkFrame(frame);
    const [, , Type] = [...BLOCKS.values()].find(([kind]) => kind === block.kind);
    const at = block.offset + (block.once ? 0 : this.#framesOffset + frame * this.#frameBytes);
    return new Type(this.#buffer, this.#start + at, block.count * block.itemLength);
  }

  // The same for the first block of a kind, or the one with an index.
  array(kind, frame = 0, index = undefined) {
    const block = this.find(kind, index);
    if (!block) throw new RangeError(`the answer has no ${kind}${index === undefined ? '' : ' ' + index}`);
    return this.view(block, frame);
  }

  palette(frame = 0, skin = undefined) {
    return this.array('palette', frame, skin);
  }
}

const size = (view, at) => Number(view.getBigUint64(at, true));

export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
