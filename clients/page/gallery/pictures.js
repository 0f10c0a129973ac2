/** Pictures of models: few requests at a time, tried again while the server is busy or gone, kept for when they come back into view. */
import { getPatiently, link } from '../common/http.js';

const IN_FLIGHT = 3;        // the renderer has other clients
const KEPT_BYTES = 48 << 20;
const CAMERA = { yaw: 28, pitch: 8 }; // degrees: half from the side, where depth shows
const FRAMES = 12;          // of a turn of a clip
const SIDE_STEP = 64, SIDE_MAX = 1024, MOVING_SIDE_MAX = 320;

/** The side of a picture for a square of so many CSS pixels: of few sizes, so that tabs share what the server keeps. */
export const sideFor = (css_px, ratio = devicePixelRatio || 1) =>
  Math.min(SIDE_MAX, Math.max(SIDE_STEP, Math.ceil(css_px * ratio / SIDE_STEP) * SIDE_STEP));

/** Addresses of a model's still and of its clip as it plays. */
export const stillLink = (model, view, side) => link('v1/render', { model, ...CAMERA, view, width: side, height: side });
export const movingLink = (model, view, side) => {
  const cell = Math.min(side, MOVING_SIDE_MAX);
  return link('v1/sheet', { model, ...CAMERA, view, frames: FRAMES, width: cell, height: cell, format: 'apng' });
};

/** Blobs by their address and the version of the file, the least recently used go first. */
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

/** Takes one task after the other from those who want pictures. */
export class PictureQueue {
  /** @param {function(): {rank: number, run: function(): Promise}|null} next gives the best task there is */
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
   * A picture as a Blob. A server that is busy or gone is asked again as long as the signal lasts.
   * @param {function(Problem)} onWait
   */
  async load(url, version, signal, onWait) {
    const key = url + ' ' + version, kept = this.kept.take(key);
    if (kept) return kept;
    const answer = await getPatiently(url, signal, { tries: Infinity, onWait });
    const blob = await answer.blob();
    if (!this.kept.blobs.has(key)) this.kept.put(key, blob);
    return blob;
  }
}
