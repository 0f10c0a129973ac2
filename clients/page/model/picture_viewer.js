/** The replacement for the live viewer if WebGL is missing or lost: the same interface as viewer/viewer.js, drawn by the server's pictures.
 */
import { POSE } from './given.js';
import { CAMERA, layersOf, LIGHT, pictureQuery, shortList } from './state.js';

const FRAMES_MAX = 24, FRAMES_PER_S = 12; // of a clip that plays
const SIDE_PLAY = 384, SIDE_STILL = 1024; // pixels of the longer side
const WHEEL = 1.0015; // factor of the distance for each unit of a wheel
const TURN_DEG = 0.4; // for each pixel of a drag
const DISTANCE = [0.05, 50];
const QUIET_MS = 160; // from a change to the request for a full picture

const clamp = (value, [least, most]) => Math.min(most, Math.max(least, value));

/** 0, n/2, n/4, 3n/4, ..: frames that halve the gaps, so that a clip looks right long before all have arrived. */
function spreadOrder(count) {
  const order = [...Array(count).keys()];
  const reversed = (i) => { let r = 0; for (let bit = 1, half = 0.5; bit <= i; bit *= 2, half /= 2) if (i & bit) r += half; return r; };
  return order.sort((a, b) => reversed(a) - reversed(b));
}

export class PictureViewer extends EventTarget {
  static isSupported() { return true; }

  /** @param {HTMLCanvasElement} canvas  @param {{link, get}} server as viewer/viewer.js has it */
  constructor(canvas, server) {
    super();
    Object.assign(this, { canvas, server, speed: 1, loop: true, frameRate: 30, duration_s: 0 });
    this.context = canvas.getContext('2d');
    this.state = { clip: null, blend: null, blend_file: null, weight: 0.5, clip_file: null, retarget: false, view: 'lit', joint: null, background: null, shadow: false, variant: null, light: 'studio', environment: null, environment_yaw: 0, exposure: 0, tone: 'neutral', ...CAMERA };
    this.model = null;
    this.isPlayingNow = false;
    this.now_s = 0;
    this.frames = new Map(); // of the query that plays
    this.abort = new AbortController();
    this.listen();
    this.observer = new ResizeObserver(() => this.renew());
    this.observer.observe(canvas);
    this.last_ms = performance.now();
    this.request = requestAnimationFrame((now_ms) => this.tick(now_ms));
  }

  say(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }

  async load({ model, variant = null }) {
    this.model = model;
    this.state.variant = variant;
    this.forgetFrames();
    this.isFirst = true;
    await this.draw(true);
    this.say('ready');
  }

  setClip({ clip, clip_file = null, blend = null, retarget = null, duration_s = 0 }) {
    this.duration_s = duration_s;
    Object.assign(this.state, { clip, clip_file, retarget: Boolean(retarget), blend: blend ? blend.clip : null, blend_file: blend ? blend.clip_file : null, weight: blend ? blend.weight : 0.5 });
    this.renew();
  }

  play() { this.isPlayingNow = true; if (!this.loop && this.now_s >= this.duration_s) this.now_s = 0; this.say('time'); }
  pause() { this.isPlayingNow = false; this.say('time'); this.renew(); }
  get isPlaying() { return this.isPlayingNow; }
  step(frames) {
    this.isPlayingNow = false;
    this.time_s = this.now_s + frames / this.frameRate;
  }

  get time_s() { return this.now_s; }
  set time_s(value) {
    const d = this.duration_s;
    this.now_s = d > 0 ? (this.loop ? ((value % d) + d) % d : clamp(value, [0, d])) : 0;
    this.say('time');
    if (!this.isPlayingNow) this.renew(false);
  }

  get camera() { const { yaw, pitch, distance, target, frame_box } = this.state; return { yaw, pitch, distance, target, frame_box }; }
  set camera({ yaw, pitch, distance, target, frame_box }) {
    Object.assign(this.state, { yaw, pitch, distance }, target !== undefined && { target: shortList(target) }, frame_box !== undefined && { frame_box: shortList(frame_box) });
    this.moved();
  }
  get cameraParameters() { return this.camera; }
  focus({ joint } = {}) { if (joint !== undefined) { this.targetNode = joint; this.state.distance = 0.4; } this.moved(); }
  reset() { this.targetNode = null; this.camera = { ...CAMERA }; }

  pick() { return null; }
  dispose() {
    cancelAnimationFrame(this.request);
    this.observer.disconnect();
    this.listening.abort();
    this.abort.abort();
    this.forgetFrames();
  }

  /* --- hands --- */

  moved() { this.say('camera'); this.renew(); }

  listen() {
    this.listening = new AbortController();
    const on = (type, listener, options = {}) => this.canvas.addEventListener(type, listener, { signal: this.listening.signal, ...options });
    const fingers = new Map();
    let gap = 0;
    on('pointerdown', (event) => { this.canvas.setPointerCapture(event.pointerId); fingers.set(event.pointerId, event); });
    for (const type of ['pointerup', 'pointercancel']) on(type, (event) => { fingers.delete(event.pointerId); gap = 0; });
    on('pointermove', (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      fingers.set(event.pointerId, event);
      const { state } = this;
      if (fingers.size === 2) {
        const [a, b] = [...fingers.values()];
        const now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
        if (gap > 0) state.distance = clamp(state.distance * gap / now, DISTANCE);
        gap = now;
      } else {
        state.yaw = (state.yaw - (event.clientX - before.clientX) * TURN_DEG) % 360;
        state.pitch = clamp(state.pitch + (event.clientY - before.clientY) * TURN_DEG, [-90, 90]);
      }
      this.moved();
    });
    on('wheel', (event) => {
      event.preventDefault();
      this.state.distance = clamp(this.state.distance * WHEEL ** event.deltaY, DISTANCE);
      this.moved();
    }, { passive: false });
    on('dblclick', () => this.reset());
  }

  /* --- pictures --- */

  query(t_s, side) {
    const box = this.canvas.getBoundingClientRect(), scale = Math.min(devicePixelRatio || 1, side / Math.max(1, box.width, box.height));
    const query = { ...pictureQuery(this.model, this.state, t_s), width: Math.max(1, Math.round(box.width * scale)), height: Math.max(1, Math.round(box.height * scale)) };
    return this.targetNode ? { ...query, target: this.targetNode } : query;
  }

  async fetchPicture(query, signal) {
    const layers = layersOf(this.state);
    const options = layers ? { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ layers }) } : {};
    return createImageBitmap(await (await this.server.get(this.server.link('v1/render', query), signal, options)).blob());
  }

  /** Something other than the time has changed: the loaded frames are useless. */
  renew(areFramesStale = true) {
    if (areFramesStale) this.forgetFrames();
    clearTimeout(this.waiting);
    if (this.model === null) return;
    this.waiting = setTimeout(() => this.draw(true).catch(() => {}), this.isBusy ? QUIET_MS : 0);
  }

  forgetFrames() {
    this.abort.abort();
    this.abort = new AbortController();
    for (const frame of this.frames.values()) frame.close();
    this.frames.clear();
    this.order = null;
  }

  /** Loads the full picture for the current state. */
  async draw() {
    if (this.isPlayingNow && this.duration_s > 0 && !this.isFirst) return;
    const { signal } = this.abort;
    this.isBusy = true;
    try {
      const picture = await this.fetchPicture(this.query(this.now_s, SIDE_STILL), signal);
      if (!signal.aborted && (!this.isPlayingNow || this.isFirst)) this.paint(picture);
      picture.close();
      this.isFirst = false;
    } catch (problem) {
      if (!signal.aborted) this.say('error', problem);
      if (!signal.aborted) throw problem;
    } finally {
      this.isBusy = false;
    }
  }

  paint(picture) {
    if (this.canvas.width !== picture.width || this.canvas.height !== picture.height) [this.canvas.width, this.canvas.height] = [picture.width, picture.height];
    this.context.clearRect(0, 0, picture.width, picture.height);
    this.context.drawImage(picture, 0, 0);
  }

  frameCount() { return Math.max(2, Math.min(FRAMES_MAX, Math.round(this.duration_s * FRAMES_PER_S))); }

  /** Loads one more frame of the clip that plays. It loads one at a time, because the renderer has other clients. */
  async loadFrame() {
    if (this.isLoading || document.hidden) return;
    this.order ||= spreadOrder(this.frameCount());
    const i = this.order.find((one) => !this.frames.has(one));
    if (i === undefined) return;
    const { signal } = this.abort;
    this.isLoading = true;
    try {
      const picture = await this.fetchPicture(this.query(i * this.duration_s / this.order.length, SIDE_PLAY), signal);
      if (signal.aborted) picture.close(); else this.frames.set(i, picture);
    } catch (problem) {
      if (!signal.aborted) { this.say('error', problem); this.pause(); }
    } finally {
      this.isLoading = false;
    }
  }

  tick(now_ms) {
    const passed_s = Math.min(0.25, (now_ms - this.last_ms) / 1000);
    this.last_ms = now_ms;
    if (this.isPlayingNow && this.duration_s > 0 && this.model !== null && !this.isFirst) {
      const next_s = this.now_s + passed_s * this.speed;
      if (!this.loop && next_s >= this.duration_s) this.isPlayingNow = false;
      this.time_s = next_s;
      this.loadFrame();
      const count = this.frameCount();
      let i = Math.floor(this.now_s / this.duration_s * count) % count;
      while (i > 0 && !this.frames.has(i)) i--;
      if (this.frames.has(i)) this.paint(this.frames.get(i));
    }
    this.request = requestAnimationFrame((later_ms) => this.tick(later_ms));
  }
}
for (const name of ['view', 'joint', 'background', ...LIGHT, ...POSE]) {
  Object.defineProperty(PictureViewer.prototype, name, {
    get() { return this.state[name]; },
    set(value) { if (value !== this.state[name]) { this.state[name] = value; this.renew(); } },
  });
}
Object.defineProperty(PictureViewer.prototype, 'given', { set(lists) { for (const name of POSE) this[name] = lists[name]; } });
Object.defineProperty(PictureViewer.prototype, 'ground', {
  get() { return this.state.shadow; },
  set(value) { if (value !== this.state.shadow) { this.state.shadow = value; this.renew(); } },
});
