// The live model: draws on a canvas what posed answers. See clients/page/README.md.
import { Camera, axesOf, guessedAxes } from './camera.js';
import { Connection } from './connection.js';
import { Controls } from './controls.js';
import { GpuModel } from './gpu_model.js';
import { loadModel } from './model_data.js';
import { hitOf, jointOf, nodeNear } from './picking.js';
import { Playback } from './playback.js';
import { Programs, loadShaders } from './programs.js';
import { Questions } from './questions.js';
import { Renderer } from './renderer.js';
import { Stage } from './stage.js';
import { add, scale } from './vectors.js';
import { weightColors } from './weights.js';
import { colorOf, groundOf, inkOn, isSlow } from './surroundings.js';

const VIEWS = ['lit', 'skeleton', 'weights', 'wireframe', 'normals'];
const DPR_MAX = 2, SLOW_DPR_MAX = 1; // pixels of the canvas per pixel of the page; where no graphics processor draws
const HOVER_VERTICES_MAX = 200000; // of larger models only a click tells what is under the pointer

/**
 * Events: progress {share}, ready {model}, error {error}, time {time_s, index}, camera {}, hover {joint, node, mesh, material}
 * or null, lost {what: 'connection'|'context', error?}; what is in braces is the event's `detail`.
 */
export class Viewer extends EventTarget {
  #canvas;
  #server;
  #gl;
  #camera = new Camera();
  #isFramed = true; // the camera is the server's own for its yaw and pitch
  #controls;
  #abort = null; // of the load under way
  #data = null; // model, shaders, questions, playback, stage, gpu, renderer of what is loaded
  #choice = { clip: null, clip_file: null, blend: null, retarget: null };
  #clipInfo = null;
  #view = 'lit';
  #joint = -1;
  #background = null;
  #ground = false;
  #isStale = true; // the canvas does not show what it should
  #request = 0;
  #watchers = new AbortController();
  #resizes;
  #drawn = null; // who waits for the next picture
  framesDrawn = 0;

  /** Whether this browser can show live models. */
  static isSupported() {
    try {
      const gl = document.createElement('canvas').getContext('webgl2');
      gl?.getExtension('WEBGL_lose_context')?.loseContext();
      return Boolean(gl);
    } catch {
      return false;
    }
  }

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {object} server link(path, query): address; get(address, signal): a good Response; openStream(): a Link
   */
  constructor(canvas, server) {
    super();
    this.#canvas = canvas;
    this.#server = server;
    this.#gl = canvas.getContext('webgl2', { alpha: true, antialias: true, stencil: true, premultipliedAlpha: true, powerPreference: 'high-performance' });
    if (!this.#gl) throw new Error('this browser has no WebGL2');
    this.isSlow = isSlow(this.#gl);
    this.#controls = new Controls(canvas, {
      orbit: (yaw, pitch) => this.#moveCamera(() => this.#camera.orbit(yaw, pitch)),
      pan: (right, up) => this.#moveCamera(() => this.#camera.pan(right, up)),
      zoom: (factor) => this.#moveCamera(() => this.#camera.zoom(factor)),
      focus: (place) => this.focus(place),
      hover: (place) => this.#hover(place),
    });
    const { signal } = this.#watchers;
    canvas.addEventListener('webglcontextlost', (event) => this.#loseContext(event), { signal });
    canvas.addEventListener('webglcontextrestored', () => this.#restoreContext(), { signal });
    document.addEventListener('visibilitychange', () => { if (document.hidden) this.#data?.playback.rest(); }, { signal });
    this.#resizes = new ResizeObserver(() => this.#resize());
    this.#resizes.observe(canvas);
    this.#resize();
    this.#request = requestAnimationFrame((now) => this.#tick(now));
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  // --- loading ---

  /**
   * Loads a model in place of the one that is shown. Resolves when its first picture is drawn.
   * @param {{model: string, hash?: string, variant?: string|number}} what
   */
  async load(what) {
    this.#abort?.abort();
    const abort = this.#abort = new AbortController();
    this.#unload();
    try {
      const [shaders, model] = await Promise.all([loadShaders(abort.signal),
        loadModel(this.#server, what, abort.signal, (share) => this.#tell('progress', { share }))]);
      if (abort.signal.aborted) throw abort.signal.reason;
      const connection = new Connection(() => this.#server.openStream(), (error) => this.#tell('lost', { what: 'connection', error }));
      const questions = new Questions(this.#server, connection, model);
      const stage = new Stage(model);
      const playback = new Playback({ ask: (...of) => questions.ask(...of), connection, onError: (error) => this.#tell('error', { error }),
        frameBytes: questions.frameBytes, streamed: questions.streamed, model: what.model });
      playback.onShot = (shot) => this.#take(shot);
      playback.loop = this.#wish.loop;
      playback.speed = this.#wish.speed;
      playback.keepsClips = this.keepsClips;
      this.#data = { what, shaders, model, connection, questions, stage, playback, gpu: null, renderer: null };
      if (!this.#gl.isContextLost()) this.#makeGpu();
      this.#camera.box = model.info.bounds ?? this.#camera.box;
      await this.#startClip();
      await this.#frame(abort.signal);
      if (abort.signal.aborted) throw abort.signal.reason;
      this.#isStale = true;
      await new Promise((resolve, reject) => { this.#drawn = { resolve, reject }; });
    } catch (error) {
      if (!abort.signal.aborted) this.#tell('error', { error });
      throw error;
    }
    if (this.#wish.isPlaying) this.#data.playback.play();
    this.#tell('ready', { model: this.#data.model.info });
  }

  #wish = { isPlaying: false, loop: true, speed: 1 };
  /** Whether short clips are fetched once; else all of them come as streams. */
  keepsClips = true;

  /** What /v1/model says of the model that is shown, or null. */
  get model() {
    return this.#data?.model.info ?? null;
  }

  #unload() {
    this.#data?.playback.dispose();
    this.#data?.connection.close();
    this.#data = null;
    this.#isFramed = true;
  }

  #makeGpu() {
    const data = this.#data, gl = this.#gl;
    data.gpu = new GpuModel(gl, data.model);
    data.renderer = new Renderer(gl, new Programs(gl, data.shaders), data.gpu);
    data.stage.fill(data.gpu);
    this.#paint();
  }

  // --- clips ---

  /**
   * Another clip: an index or a name, '-' for the rest pose; of another file with clip_file; mixed with a second one by
   * blend. The clock goes back to its start.
   */
  async setClip({ clip = null, clip_file = null, blend = null, retarget = null, more = null } = {}) {
    this.#choice = { clip, clip_file, blend, retarget, more };
    if (!this.#data) return;
    await this.#startClip();
    if (this.#isFramed) await this.#frame(this.#abort.signal);
  }

  async #startClip() {
    const data = this.#data, { playback, questions } = data;
    const clip = await questions.clipInfo(this.#choice);
    if (data !== this.#data) return;
    this.#clipInfo = clip;
    playback.setClip(this.#choice, clip?.duration ?? 0, clip?.frameRate ?? 30);
    const shot = await questions.first(playback.parameters);
    if (data !== this.#data) return;
    playback.startIsShown();
    this.#take(shot);
  }

  #take(shot) {
    const data = this.#data;
    if (!data) return;
    data.stage.take(shot, this.#gl.isContextLost() ? null : data.gpu);
    this.#isStale = true;
    this.#tell('time', { time_s: this.time_s });
  }

  play() {
    this.#wish.isPlaying = true;
    this.#data?.playback.play();
  }

  pause() {
    this.#wish.isPlaying = false;
    this.#data?.playback.pause();
  }

  get isPlaying() {
    return this.#data?.playback.isPlaying ?? this.#wish.isPlaying;
  }

  /** By frames of the clip, forwards or backwards. */
  step(frames) {
    this.#wish.isPlaying = false;
    this.#data?.playback.step(Math.trunc(Number(frames)) || 0);
  }

  get time_s() {
    return this.#data?.playback.time_s ?? 0;
  }

  set time_s(seconds) {
    if (this.#data) this.#data.playback.time_s = seconds;
  }

  get speed() {
    return this.#wish.speed;
  }

  set speed(factor) {
    this.#wish.speed = Number.isFinite(+factor) ? +factor : 1;
    if (this.#data) this.#data.playback.speed = this.#wish.speed;
  }

  get loop() {
    return this.#wish.loop;
  }

  set loop(isOn) {
    this.#wish.loop = Boolean(isOn);
    if (this.#data) this.#data.playback.loop = this.#wish.loop;
  }

  get duration_s() {
    return this.#data?.playback.duration_s ?? 0;
  }

  /** Frames a second in which the file counts, by which step() goes. */
  get frameRate() {
    return this.#data?.playback.frameRate ?? 30;
  }

  // --- camera ---

  /**
   * In the server's words: degrees, scene space; frame_box is what distance 1 frames. Setting some of them leaves the
   * others as they are; yaw and pitch alone, of a camera that nobody moved, frame the model anew.
   */
  get camera() {
    const { yaw, pitch, distance, target, fov, box } = this.#camera;
    return { yaw, pitch, distance, target: [...target], fov, frame_box: [...box.min, ...box.max] };
  }

  set camera({ yaw, pitch, distance, target, fov, frame_box }) {
    const camera = this.#camera;
    const number = (value, before) => (Number.isFinite(value) ? value : before);
    const factor = number(distance, this.#isFramed ? null : camera.distance);
    camera.yaw = number(yaw, camera.yaw);
    camera.pitch = Math.min(Math.max(number(pitch, camera.pitch), -90), 90);
    camera.fov = number(fov, camera.fov);
    const isList = (list, count) => Array.isArray(list) && list.length === count && list.every(Number.isFinite);
    if (isList(frame_box, 6)) camera.box = { min: frame_box.slice(0, 3), max: frame_box.slice(3) };
    if (isList(target, 3)) camera.target = [...target];
    const isPlaced = isList(frame_box, 6) || isList(target, 3) || distance !== undefined;
    if (this.#isFramed && !isPlaced && this.#data) {
      this.#frame(this.#abort.signal).catch(() => {});
      return;
    }
    if (isPlaced) this.#isFramed = false;
    if (factor !== null) camera.distance = factor;
    this.#moved();
  }

  /** The parameters of /v1/render that show the same: those of the camera. */
  get cameraParameters() {
    const { yaw, pitch, distance, target, fov, frame_box } = this.camera;
    const own = { yaw: yaw.toFixed(4), pitch: pitch.toFixed(4), ...(fov === 30 ? {} : { fov }) };
    return this.#isFramed ? own : { ...own, distance, target: target.join(','), frame_box: frame_box.join(',') };
  }

  #moveCamera(move) {
    move();
    this.#isFramed = false;
    this.#moved();
  }

  #moved() {
    this.#isStale = true;
    this.#tell('camera', this.camera);
  }

  // Stands where the server's camera stands for these angles and this clip.
  async #frame(signal) {
    const data = this.#data, camera = this.#camera, { info } = data.model;
    const { yaw, pitch } = camera;
    const said = await data.questions.camera(this.#choice, { yaw, pitch, fov: camera.fov }, this.#size(), signal);
    if (data !== this.#data || camera.yaw !== yaw || camera.pitch !== pitch) return;
    camera.axes = said ? axesOf(said, yaw, pitch) : guessedAxes(info);
    if (!info.bounds) {
      const { middle, radius } = data.stage.ball;
      camera.box = { min: middle.map((x) => x - radius), max: middle.map((x) => x + radius) };
    }
    if (!this.#isFramed) {
      this.#moved();
      return;
    }
    if (said) {
      camera.standAs(said);
    } else {
      camera.target = scale(add(camera.box.min, camera.box.max), 0.5);
      camera.distance = 1;
    }
    this.#moved();
  }

  /** Brings what is at a place of the canvas (shares of its sides), or a joint, into the middle, and comes nearer. */
  focus({ x, y, joint }) {
    const data = this.#data;
    if (!data) return;
    const node = joint === undefined ? -1 : this.#nodeOf(joint);
    let place = data.stage.places().get(node);
    if (joint === undefined) {
      const ray = this.#camera.ray(x, y);
      const hit = hitOf(ray, this.#surfaces());
      place = hit ? add(ray.from, scale(ray.along, hit.depth)) : nodeNear(ray, data.stage.places(), 0.03)?.place;
    }
    if (!place) return;
    this.#moveCamera(() => {
      this.#camera.target = place;
      this.#camera.zoom(0.6);
    });
  }

  /** Back to the server's own camera. */
  reset() {
    this.#isFramed = true;
    Object.assign(this.#camera, { yaw: 35, pitch: 15, fov: 30 });
    if (this.#data) this.#frame(this.#abort.signal).catch((error) => this.#tell('error', { error }));
  }

  // --- what is shown ---

  get view() {
    return this.#view;
  }

  set view(name) {
    this.#view = VIEWS.includes(name) ? name : 'lit';
    this.#paint();
  }

  /** A node by index or name, for the views of weights and of the skeleton; null for none. */
  get joint() {
    return this.#joint < 0 ? null : this.#joint;
  }

  set joint(joint) {
    this.#wishedJoint = joint;
    this.#joint = this.#nodeOf(joint);
    this.#paint();
  }

  #wishedJoint = null;

  #nodeOf(joint) {
    if (joint === null || joint === undefined || joint === '' || !this.model) return -1;
    const { nodes } = this.model;
    if (/^[0-9]+$/.test(String(joint))) return Number(joint) < nodes.length ? Number(joint) : -1;
    return nodes.findIndex((node) => node.name === joint);
  }

  /** A colour as the server takes it (RRGGBB, RRGGBBAA), or null for none. */
  get background() {
    return this.#background;
  }

  set background(color) {
    this.#background = color && colorOf(color) ? color : null;
    this.#isStale = true;
  }

  get ground() {
    return this.#ground;
  }

  set ground(isOn) {
    this.#ground = Boolean(isOn);
    this.#isStale = true;
  }

  // Colours of vertices for the view at hand.
  #paint() {
    this.#isStale = true;
    const { model, renderer } = this.#data ?? {};
    if (!renderer || this.#gl.isContextLost()) return;
    if (this.#joint < 0 && this.#wishedJoint !== null) this.#joint = this.#nodeOf(this.#wishedJoint);
    renderer.setColors((entry) => {
      if (this.#view === 'weights') return weightColors(entry, model.skins.get(entry.skin), this.#joint);
      if (this.#view !== 'wireframe') return entry.colors;
      return new Uint8Array(4 * entry.rest.length / 3).map((_, i) => (i % 4 === 3 && entry.colors ? entry.colors[i] : Renderer.pale[i % 4]));
    });
  }

  #surfaces() {
    const { stage } = this.#data;
    return stage.entries.filter((entry) => !stage.hidden.has(entry.node)).map((entry) => ({ entry, positions: stage.positions(entry) }));
  }

  /** What is at a place of the canvas (shares of its sides): the joint that moves it most, its node, mesh and material. */
  pick(x, y) {
    if (!this.#data) return null;
    const { info, skins } = this.#data.model;
    const named = (list, index) => (index === null || !list[index] ? null : { index, name: list[index].name });
    const ray = this.#camera.ray(x, y);
    const hit = hitOf(ray, this.#surfaces());
    if (!hit) {
      const near = this.#data.stage.entries.length && this.#view !== 'skeleton' ? null : nodeNear(ray, this.#data.stage.places(), 0.02);
      return near && { joint: named(info.nodes, near.node), node: named(info.nodes, near.node), mesh: null, material: null };
    }
    const { entry } = hit;
    return { joint: named(info.nodes, skins.get(entry.skin).joints[jointOf(hit)]), node: named(info.nodes, entry.node),
      mesh: named(info.meshes, entry.mesh), material: named(info.materials, entry.material) };
  }

  #hover(place) {
    const isFew = (this.model?.counts.vertices ?? 0) <= HOVER_VERTICES_MAX;
    this.#hovered = { place: isFew ? place : null };
  }

  #hovered = null;

  // --- drawing ---

  #size() {
    const width = Math.max(1, this.#canvas.clientWidth || this.#canvas.width), height = Math.max(1, this.#canvas.clientHeight || this.#canvas.height);
    return { width, height };
  }

  #resize() {
    const { width, height } = this.#size();
    const ratio = Math.min(window.devicePixelRatio || 1, this.isSlow ? SLOW_DPR_MAX : DPR_MAX);
    const most = this.#gl.getParameter(this.#gl.MAX_RENDERBUFFER_SIZE) ?? 4096;
    const [w, h] = [width, height].map((side) => Math.min(Math.round(side * ratio), most));
    if (this.#canvas.width !== w || this.#canvas.height !== h) Object.assign(this.#canvas, { width: w, height: h });
    const factor = this.#camera.distance;
    this.#camera.aspect = width / height;
    if (this.#data && this.#isFramed) this.#camera.distance = factor;
    this.#isStale = true;
  }

  #tick(now) {
    this.#request = requestAnimationFrame((next) => this.#tick(next));
    if (this.#data) {
      const shot = this.#data.playback.tick(now);
      if (shot) this.#take(shot);
    }
    if (this.#hovered) {
      const { place } = this.#hovered;
      this.#hovered = null;
      this.#tell('hover', place ? this.pick(place.x, place.y) : null);
    }
    if (this.#isStale) this.#attempt();
  }

  // A fault of drawing is told once, and ends a load that waits for its picture.
  #attempt() {
    try {
      this.#draw();
    } catch (error) {
      this.#isStale = false;
      if (this.#drawn) this.#drawn.reject(error);
      else this.#tell('error', { error });
      this.#drawn = null;
    }
  }

  #draw() {
    const data = this.#data, gl = this.#gl, camera = this.#camera;
    if (!data?.renderer || !data.stage.shot || gl.isContextLost()) return;
    this.#isStale = false;
    const { stage } = data;
    const { middle, radius } = stage.ball;
    const ground = this.#ground ? groundOf(stage, camera) : null;
    const reach = ground ? Math.max(radius, 2 * ground.reach) : radius;
    const projection = camera.project(middle, 1.02 * reach + 1e-6 * camera.size);
    const background = colorOf(this.#background) ?? [0, 0, 0, 0];
    const isSkeleton = this.#view === 'skeleton' || stage.entries.length === 0;
    data.gpu.setPalette(stage.look(camera.viewFromScene));
    if (ground) ground.finish(projection.clipFromView);
    data.renderer.draw({
      camera, projection, background, view: this.#view, hasJoint: this.#joint >= 0, hidden: stage.hidden, palette: stage.palette,
      sceneJoint: stage.sceneJoint, bones: isSkeleton ? stage.bones(this.#joint) : null, ground, groundInk: inkOn(background),
      pointSize: Math.max(3, gl.drawingBufferHeight / 128),
    });
    this.framesDrawn++;
    this.#drawn?.resolve();
    this.#drawn = null;
  }

  // --- the context ---

  #loseContext(event) {
    event.preventDefault(); // so that it is restored
    this.#tell('lost', { what: 'context' });
  }

  #restoreContext() {
    if (this.#data) this.#makeGpu();
    this.#isStale = true;
  }

  /** Ends all of it; the canvas stays. */
  dispose() {
    this.#abort?.abort();
    this.#unload();
    cancelAnimationFrame(this.#request);
    this.#controls.dispose();
    this.#resizes.disconnect();
    this.#watchers.abort();
  }
}
