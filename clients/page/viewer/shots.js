// Poses that the server evaluated. A shot is one of them. Clips are requested in chunks of shots, and short ones are kept.

/** A pose: palettes by skin, transforms of all nodes, or vertices, as the server sent them. */
export class Shot {
  #parts;
  #frame;

  /** @param {{palette?: Frames, pose?: Frames, mesh?: Frames, looks?: Map<number, object>[]}} parts @param {number} frame of each */
  constructor(parts, frame) {
    this.#parts = parts;
    this.#frame = frame;
  }

  /** The requested time in seconds. */
  get time_s() {
    return (this.#parts.palette ?? this.#parts.pose ?? this.#parts.mesh).time(this.#frame);
  }

  /** The looks of materials that differ from the file's, by index, where the server tells them; else null. */
  get looks() {
    return this.#parts.looks?.[this.#frame] ?? null;
  }

  /** mat3x4 of a skin's joints, or null. */
  palette(skin) {
    const { palette } = this.#parts;
    return palette?.find('palette', skin) ? palette.array('palette', this.#frame, skin) : null;
  }

  /** mat3x4 of all nodes, scene_from_node, or null. */
  get nodes() {
    return this.#parts.pose?.array('scene', this.#frame) ?? null;
  }

  /** Positions or normals of an entry whose vertices arrive posed, or null. */
  vertices(kind, entry) {
    const { mesh } = this.#parts;
    return mesh?.find(kind, entry) ? mesh.array(kind, this.#frame, entry) : null;
  }
}

/** @typedef {{clip: string|number|null, clip_file: string|null, blend: {clip: string|number, clip_file?: string|null, weight: number}|null, retarget: string|null}} ClipChoice */

/** The parameters of a request for a chosen clip, without its times. */
export function clipParameters({ clip, clip_file, blend, retarget, more }) {
  const own = {
    ...(clip === null || clip === undefined || clip === '' ? {} : { clip }), ...(clip_file ? { clip_file } : {}),
    ...(clip_file && retarget ? { retarget } : {}), ...more,
  };
  if (!blend) return own;
  const { clip: first, ...rest } = own;
  const weight = Math.min(Math.max(blend.weight, 0), 1);
  return { ...rest, layers: [{ ...(first === undefined ? {} : { clip: first }), weight: 1 - weight, wrap: 'clamp' },
    { clip: blend.clip, ...(blend.clip_file ? { clip_file: blend.clip_file } : {}), weight, wrap: 'loop' }].filter((layer) => layer.weight > 0) };
}

const CHUNK_BYTES = 1 << 20, CHUNK_FRAMES = 32;
const WINDOW_CHUNKS = 4; // for clips that are not kept in full

/** The shots of a clip at whole multiples of 1 / rate. */
export class ClipShots {
  #ask;
  #chunks = new Map(); // number: {parts} or {promise}
  #chunkFrames;
  #abort = new AbortController();

  /**
   * @param {(times_s: number[], signal: AbortSignal) => Promise<object>} ask returns the parts of shots
   * @param {{rate: number, count: number, frameBytes: number, isKept: boolean}} plan
   */
  constructor(ask, { rate, count, frameBytes, isKept }) {
    this.#ask = ask;
    this.rate = rate;
    this.count = count;
    this.isKept = isKept;
    this.#chunkFrames = Math.max(1, Math.min(CHUNK_FRAMES, Math.floor(CHUNK_BYTES / frameBytes)));
    this.error = null;
  }

  /** The shot of an index, or null if it has not arrived. */
  get(index) {
    const chunk = this.#chunks.get(Math.floor(index / this.#chunkFrames));
    return chunk?.parts ? new Shot(chunk.parts, index % this.#chunkFrames) : null;
  }

  /** Requests the chunks that are needed from an index on; at most two requests at a time. `way` is 1 or -1. */
  want(index, way = 1) {
    const chunks = Math.ceil(this.count / this.#chunkFrames), here = Math.floor(index / this.#chunkFrames);
    const ahead = this.isKept ? chunks : Math.min(chunks, 2);
    let busy = [...this.#chunks.values()].filter((chunk) => chunk.promise).length;
    for (let i = 0; i < ahead && busy < 2; i++) {
      const number = (((here + way * i) % chunks) + chunks) % chunks;
      if (this.#chunks.has(number)) continue;
      this.#load(number);
      busy++;
    }
    if (!this.isKept) this.#forget(here, way, chunks);
  }

  #forget(here, way, chunks) {
    if (this.#chunks.size <= WINDOW_CHUNKS) return;
    const behind = (number) => (((number - here) * way % chunks) + chunks) % chunks;
    const farthest = [...this.#chunks.keys()].filter((number) => !this.#chunks.get(number).promise).sort((a, b) => behind(b) - behind(a))[0];
    if (farthest !== undefined && farthest !== here) this.#chunks.delete(farthest);
  }

  async #load(number) {
    const first = number * this.#chunkFrames;
    const times = Array.from({ length: Math.min(this.#chunkFrames, this.count - first) }, (_, i) => (first + i) / this.rate);
    const chunk = { promise: true };
    this.#chunks.set(number, chunk);
    try {
      chunk.parts = await this.#ask(times, this.#abort.signal);
      delete chunk.promise;
      this.error = null;
    } catch (error) {
      this.#chunks.delete(number);
      if (!this.#abort.signal.aborted) this.error = error;
    }
  }

  dispose() {
    this.#abort.abort();
    this.#chunks.clear();
  }
}
