// A model's vertices, influences and textures in one WebGL2 context. After the context was lost, all of them are made again from the same
// data.
import { closedFirst } from './closed.js';
import { UNITS } from './programs.js';

const PLACES = { position: 0, normal: 1, texcoord: 2, color: 3, joints: 4, weights: 5, more: 6, second: 7, tangent: 8 };
const INFLUENCES_WIDTH = 1024, PALETTE_JOINTS = 256;
const SRGB = ['colors'];
const WRAPS = { repeat: 'REPEAT', clamp: 'CLAMP_TO_EDGE', mirror: 'MIRRORED_REPEAT' };
// Lilac squares for a texture that the file names but nobody has, as in the server's pictures.
const MISSING = [[205, 180, 222, 255], [142, 98, 170, 255]];

/** Splits each vertex' influences into attributes and the rest: [joint, bits of the weight] one after the other. */
export function splitInfluences(entry, alreadyMore) {
  const count = entry.firsts.length - 1;
  const joints = new Uint16Array(4 * count), weights = new Float32Array(4 * count), more = new Uint32Array(2 * count);
  const rest = [];
  const bits = new Uint32Array(entry.weights.buffer, entry.weights.byteOffset, entry.weights.length);
  for (let v = 0; v < count; v++) {
    const [first, end] = [entry.firsts[v], entry.firsts[v + 1]];
    more[2 * v] = alreadyMore + rest.length / 2;
    for (let i = first; i < end; i++) {
      if (i - first < 4) {
        joints[4 * v + i - first] = entry.joints[i];
        weights[4 * v + i - first] = entry.weights[i];
      } else {
        rest.push(entry.joints[i], bits[i]);
      }
    }
    more[2 * v + 1] = alreadyMore + rest.length / 2;
  }
  return { joints, weights, more, rest };
}

/** Each edge of triangles once, as lines. */
export function edgesOf(indices) {
  const seen = new Set(), out = [];
  for (let i = 0; i + 2 < indices.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      const [a, b] = [indices[i + k], indices[i + (k + 1) % 3]];
      const key = Math.min(a, b) * 4294967296 + Math.max(a, b);
      if (seen.has(key)) continue;
      seen.add(key);
      out.push(a, b);
    }
  }
  return new Uint32Array(out);
}

const MEASURED = 1000; // number of edges

/** The mean length of lines, or of a sample of them. */
function meanLength(positions, lines) {
  const step = 2 * Math.max(1, Math.floor(lines.length / 2 / MEASURED));
  let sum = 0, count = 0;
  for (let i = 0; i + 1 < lines.length; i += step) {
    const [a, b] = [3 * lines[i], 3 * lines[i + 1]];
    sum += Math.hypot(positions[a] - positions[b], positions[a + 1] - positions[b + 1], positions[a + 2] - positions[b + 2]);
    count++;
  }
  return sum / Math.max(count, 1);
}

export class GpuModel {
  #gl;
  #textures = new Map();
  #made = []; // [kind, object], to be deleted
  #paletteRows = 0;

  constructor(gl, model) {
    this.#gl = gl;
    this.model = model;
    this.white = this.#solid([255, 255, 255, 255]);
    this.missing = this.#squares();
    this.#makeTextures();
    const more = [];
    this.draws = model.entries.filter((entry) => entry.isShown).map((entry) => this.#makeDraw(entry, more));
    this.#makeInfluences(more);
    this.palette = this.#make('Texture');
    gl.activeTexture(gl.TEXTURE0 + UNITS.palette);
    gl.bindTexture(gl.TEXTURE_2D, this.palette);
    this.#setNearest();
  }

  #make(kind) {
    const object = this.#gl[`create${kind}`]();
    this.#made.push([kind, object]);
    return object;
  }

  /** Frees the context's objects for the model. */
  dispose() {
    for (const [kind, object] of this.#made) this.#gl[`delete${kind}`](object);
    this.#made = [];
  }

  #setNearest() {
    const gl = this.#gl;
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  // Makes a buffer an attribute of the bound vertex array. Without data, the attribute is constant.
  #attribute(place, data, size, { isWhole = false, isNormalized = false, otherwise = [0, 0, 0, 1], usage } = {}) {
    const gl = this.#gl;
    if (!data) {
      gl.disableVertexAttribArray(place);
      return { place, otherwise };
    }
    const buffer = this.#make('Buffer');
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, usage ?? gl.STATIC_DRAW);
    gl.enableVertexAttribArray(place);
    const type = { Float32Array: gl.FLOAT, Uint8Array: gl.UNSIGNED_BYTE, Uint16Array: gl.UNSIGNED_SHORT, Uint32Array: gl.UNSIGNED_INT }[data.constructor.name];
    if (isWhole) gl.vertexAttribIPointer(place, size, type, 0, 0);
    else gl.vertexAttribPointer(place, size, type, isNormalized, 0, 0);
    return { place, buffer };
  }

  #makeDraw(entry, more) {
    const gl = this.#gl;
    const isPosed = entry.mover !== 'palette'; // its vertices arrive posed, in every frame
    const array = this.#make('VertexArray');
    gl.bindVertexArray(array);
    const usage = isPosed ? gl.DYNAMIC_DRAW : gl.STATIC_DRAW;
    const positions = this.#attribute(PLACES.position, isPosed ? entry.restScene : entry.rest, 3, { usage });
    const normals = this.#attribute(PLACES.normal, entry.normals, 3, { usage });
    this.#attribute(PLACES.texcoord, entry.texcoords, 2);
    const colors = this.#attribute(PLACES.color, entry.colors ?? new Uint8Array(4 * entry.rest.length / 3).fill(255), 4, { isNormalized: true });
    if (isPosed) {
      const count = entry.rest.length / 3;
      this.#attribute(PLACES.joints, new Uint16Array(4 * count), 4, { isWhole: true });
      this.#attribute(PLACES.weights, new Float32Array(4 * count).map((_, i) => (i % 4 === 0 ? 1 : 0)), 4);
      this.#attribute(PLACES.more, new Uint32Array(2 * count), 2, { isWhole: true });
    } else {
      const influences = splitInfluences(entry, more.length / 2);
      for (const number of influences.rest) more.push(number);
      this.#attribute(PLACES.joints, influences.joints, 4, { isWhole: true });
      this.#attribute(PLACES.weights, influences.weights, 4);
      this.#attribute(PLACES.more, influences.more, 2, { isWhole: true });
    }
    this.#attribute(PLACES.second, entry.secondTexcoords, 2);
    this.#attribute(PLACES.tangent, isPosed ? null : entry.tangents, 4);
    const indices = this.#make('Buffer');
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, entry.indices, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { entry, array, indices, isPosed, count: entry.indices.length, positions: positions.buffer, normals: normals.buffer,
      colors: colors.buffer, middle: middleOf(entry.restScene), edges: null, closed: null };
  }

  #makeInfluences(more) {
    const gl = this.#gl;
    const count = more.length / 2, rows = Math.max(1, Math.ceil(count / INFLUENCES_WIDTH));
    const texels = new Uint32Array(2 * INFLUENCES_WIDTH * rows);
    texels.set(more);
    this.influences = this.#make('Texture');
    gl.activeTexture(gl.TEXTURE0 + UNITS.influences);
    gl.bindTexture(gl.TEXTURE_2D, this.influences);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RG32UI, INFLUENCES_WIDTH, rows, 0, gl.RG_INTEGER, gl.UNSIGNED_INT, texels);
    this.#setNearest();
  }

  /** The palette of a frame: rows of view_from_bind, 12 numbers a joint. */
  setPalette(rows) {
    const gl = this.#gl;
    const height = Math.max(1, Math.ceil(rows.length / 12 / PALETTE_JOINTS));
    gl.activeTexture(gl.TEXTURE0 + UNITS.palette);
    gl.bindTexture(gl.TEXTURE_2D, this.palette);
    const size = 12 * PALETTE_JOINTS * height;
    if (this.paletteTexels?.length !== size) this.paletteTexels = new Float32Array(size);
    this.paletteTexels.set(rows);
    const width = 3 * PALETTE_JOINTS;
    if (this.#paletteRows === height) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, gl.RGBA, gl.FLOAT, this.paletteTexels);
    else gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, width, height, 0, gl.RGBA, gl.FLOAT, this.paletteTexels);
    this.#paletteRows = height;
  }

  /** Vertices that arrive posed, scene space. */
  setVertices(draw, positions, normals) {
    const gl = this.#gl;
    this.#fill(draw.positions, positions);
    if (normals) this.#fill(draw.normals, normals);
    draw.middle = middleOf(positions);
    gl.bindBuffer(gl.ARRAY_BUFFER, null);
  }

  /** Bytes RGBA of every vertex. */
  setColors(draw, colors) {
    this.#fill(draw.colors, colors ?? new Uint8Array(4 * draw.entry.rest.length / 3).fill(255));
  }

  #fill(buffer, data) {
    const gl = this.#gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
  }

  /** The index buffer of a draw's edges and their mean length in the scene. It is made when it is first needed. */
  edges(draw) {
    const gl = this.#gl;
    if (draw.edges === null) {
      const indices = edgesOf(draw.entry.indices);
      draw.edges = { buffer: this.#make('Buffer'), count: indices.length, length: meanLength(draw.entry.restScene, indices) };
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, draw.edges.buffer);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    }
    return draw.edges;
  }

  /** Puts the indices of closed surfaces first, and returns their number. */
  sortClosed(draw) {
    const gl = this.#gl;
    if (draw.closed === null) {
      const { indices, count } = closedFirst(draw.entry);
      draw.closed = count;
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, draw.indices); // belongs to the draw's vertex array, which is bound
      if (count) gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    }
    return draw.closed;
  }

  #solid(color) {
    const gl = this.#gl;
    const texture = this.#make('Texture');
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 1, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(color));
    return texture;
  }

  #squares() {
    const gl = this.#gl, side = 64;
    const texels = new Uint8Array(4 * side * side);
    for (let i = 0; i < side * side; i++) texels.set(MISSING[((i % side >> 3) + (i / side >> 3)) % 2], 4 * i);
    const texture = this.#make('Texture');
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, side, side, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
    gl.generateMipmap(gl.TEXTURE_2D);
    return texture;
  }

  #makeTextures() {
    const gl = this.#gl;
    const largest = gl.getParameter(gl.MAX_TEXTURE_SIZE);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
    for (const [index, picture] of this.model.textures) {
      if (!picture || picture.width > largest || picture.height > largest) continue;
      const said = this.model.info.textures[index];
      const texture = this.#make('Texture');
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texImage2D(gl.TEXTURE_2D, 0, SRGB.includes(said.content) ? gl.SRGB8_ALPHA8 : gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, picture);
      gl.generateMipmap(gl.TEXTURE_2D);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl[WRAPS[said.wrap_s]]);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl[WRAPS[said.wrap_t]]);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
      this.#textures.set(index, texture);
    }
  }

  /** The texture of a material's slot, or null. */
  texture(look, slot) {
    return this.#textures.get(look.textures[slot]?.texture) ?? null;
  }

  /** Sets the values of attributes that an entry lacks. */
  setConstants() {
    const gl = this.#gl;
    gl.vertexAttrib4f(PLACES.texcoord, 0, 0, 0, 0);
    gl.vertexAttrib4f(PLACES.second, 0, 0, 0, 0);
    gl.vertexAttrib4f(PLACES.tangent, 0, 0, 0, 1);
    gl.vertexAttrib4f(PLACES.normal, 0, 0, 0, 0);
  }
}

function middleOf(positions) {
  const sum = [0, 0, 0], count = positions.length / 3;
  for (let i = 0; i < positions.length; i++) sum[i % 3] += positions[i];
  return sum.map((total) => (count ? total / count : 0));
}
