/** Loads pictures of models: few requests at a time, with retries while the server is busy or gone. Keeps pictures for when they come back
 * into view. */
import { getPatiently, link } from '../common/http.js';

const IN_FLIGHT = 3;        // the renderer has other clients
const KEPT_BYTES = 48 << 20;
const CAMERA = { yaw: 28, pitch: 8 }; // degrees: partly from the side, to show depth
const FRAMES = 12;          // in a loop of a clip
const SIDE_STEP = 64, SIDE_MAX = 1024, MOVING_SIDE_MAX = 320;

/** The side of a picture for a square of css_px CSS pixels. There are few sizes, so that tabs share the pictures that the server keeps. */
export const sideFor = (css_px, ratio = devicePixelRatio || 1) =>
  Math.min(SIDE_MAX, Math.max(SIDE_STEP, Math.ceil(css_px * ratio / SIDE_STEP) * SIDE_STEP));

/** The address of a model's still. */
export const stillLink = (model, view, side) => link('v1/render', { model, ...CAMERA, view, width: side, height: side });
/**
 * Addresses of its clip as an animation, the best first: a model that walks away stays as large as in its still when it walks on the spot, for
 * which its joints need a common root.
 */
export const movingLinks = (model, view, side, hasJoints) => {
  const cell = Math.min(side, MOVING_SIDE_MAX);
  const linkOf = (more) => link('v1/sheet', { model, ...CAMERA, view, frames: FRAMES, width: cell, height: cell, format: 'apng', ...more });
  return [...(hasJoints ? [linkOf({ root_motion: 'extract' })] : []), linkOf({})];
};

/** Blobs by their address and the version of the file. The least recently used one is dropped first. */
class Kept {
  constructor() { this.blobs = new Map(); this.bytes = 0; }
  take(key) {
    const blob = this.blobs.get(key);
    if (blob) { this.blobs.delete(key); this.blobs.set(key, blob); }
    return blob;
  }
  put(key, blob) {
    this.blobs.set(key, blob);
    this.bytes += blob.size;
    for (const [old, { size }] of this.blobs) {
      if (this.bytes <= KEPT_BYTES) break;
      this.blobs.delete(old);
      this.bytes -= size;
    }
  }
}

/** Runs the tasks of everything that wants pictures, one after the other. */
export class PictureQueue {
  /** @param {function(): {rank: number, run: function(): Promise}|null} next returns the best task */
  constructor(next) {
    this.next = next;
    this.inFlight = 0;
    this.kept = new Kept();
  }

  work() {
    while (this.inFlight < IN_FLIGHT && !document.hidden) {
      const task = this.next();
      if (!task) return;
      this.inFlight++;
      task().finally(() => { this.inFlight--; this.work(); });
    }
  }

  /**
   * Loads a picture as a Blob. If the server is busy or gone, it tries again as long as the signal lasts.
   * @param {function(Problem)} onWait
   */
  async load(url, version, signal, onWait) {
    const key = url + ' ' + version, kept = this.kept.take(key);
    if (kept) return kept;
    const response = await getPatiently(url, signal, { tries: Infinity, onWait });
    const blob = await response.blob();
    if (!this.kept.blobs.has(key)) this.kept.put(key, blob);
    return blob;
  }
}
