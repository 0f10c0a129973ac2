// The live model: draws posed's answers on a canvas. See clients/page/README.md.
import { Connection } from './connection.js';
import { Controls } from './controls.js';
import { GpuModel } from './gpu_model.js';
import { loadModel } from './model_data.js';
import { Pace } from './pace.js';
import { hitOf, jointOf, nodeNear } from './picking.js';
import { Playback } from './playback.js';
import { Programs, loadShaders } from './programs.js';
import { Questions } from './questions.js';
import { Renderer } from './renderer.js';
import { Stage } from './stage.js';
import { add, scale } from './vectors.js';
import { ViewerControls } from './viewer_controls.js';
import { colorOf, groundOf, inkOn, isOutside, isSlow, isSlowMachine } from './surroundings.js';

const DPR_MAX = 2, SLOW_DPR_MAX = 1; // pixels of the canvas per pixel of the page; without a graphics processor
const HOVER_VERTICES_MAX = 200000; // with more vertices, only a click shows what is under the pointer

/**
 * Events: progress {share}, ready {model}, error {error}, time {time_s, index}, camera {}, hover and pick {joint, node, mesh, material}
 * or null, lost {what: 'connection'|'context', error?}; what is in braces is the event's `detail`.
 */
export class Viewer extends ViewerControls {
  #canvas;
  #server;
  #gl;
  #controls;
  #abort = null; // of the load under way
  #data = null; // model, shaders, questions, playback, stage, gpu, renderer of the loaded model
  #choice = { clip: null, clip_file: null, blend: null, retarget: null };
  #isStale = true; // the canvas is not up to date
  #pace;
  #request = 0;
  #watchers = new AbortController();
  #resizes;
  #drawn = null; // waits for the next picture
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
   * @param {object} server link(path, query): address; get(address, signal): a good Response; openStream(): a Link with
   *   reconnectTries 0, because the viewer opens another one itself and says so
   */
  constructor(canvas, server) {
    super(server);
    this.#canvas = canvas;
    this.#server = server;
    this.#gl = canvas.getContext('webgl2', { alpha: true, antialias: !isSlowMachine(), stencil: true, premultipliedAlpha: true, powerPreference: 'high-performance' });
    if (!this.#gl) throw new Error('this browser has no WebGL2');
    this.isSlow = isSlow(this.#gl);
    this.#pace = new Pace(this.isSlow);
    this.#controls = new Controls(canvas, {
      orbit: (yaw, pitch) => this.framing.move((camera) => camera.orbit(yaw, pitch)),
      pan: (right, up) => this.framing.move((camera) => camera.pan(right, up)),
      zoom: (factor) => this.framing.move((camera) => camera.zoom(factor)),
      focus: (place) => this.focus(place),
      pick: (place) => this.#tell('pick', this.pick(place.x, place.y)),
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
   * Loads a model in place of the current one. Resolves when its first picture is drawn.
   * @param {{model: string, hash?: string, variant?: string|number}} what
   */
  async load(what) {
    this.#abort?.abort();
    const abort = this.#abort = new AbortController();
    this.#unload();
    try {
      const [shaders, light, model] = await Promise.all([loadShaders(abort.signal), this.appearance.loadLight(abort.signal),
        loadModel(this.#server, what, abort.signal, (share) => this.#tell('progress', { share }))]);
      if (abort.signal.aborted) throw abort.signal.reason;
      const connection = new Connection(() => this.#server.openStream(), (error) => this.#tell('lost', { what: 'connection', error }));
      const questions = new Questions(this.#server, connection, model);
      const stage = new Stage(model);
      const playback = new Playback({ ask: (...of) => questions.ask(...of), connection, onError: (error) => this.#tell('error', { error }),
        frameBytes: questions.frameBytes, streamed: questions.streamed, model: what.model });
      playback.onShot = (shot) => this.#take(shot);
      playback.onStill = () => { if (this.framing.isOwn && !(playback.duration_s > 0)) this.reframe(); }; // the server frames a pose without a clip
      playback.loop = this.wish.loop;
      playback.speed = this.wish.speed;
      playback.keepsClips = this.keepsClips;
      this.#data = { what, shaders, light, model, connection, questions, stage, playback, gpu: null, renderer: null };
      this.give();
      if (!this.#gl.isContextLost()) this.#makeGpu();
      this.framing.start(model.info.bounds);
      await this.#startClip();
      await this.#frame(abort.signal);
      if (abort.signal.aborted) throw abort.signal.reason;
      this.#isStale = true;
      await new Promise((resolve, reject) => { this.#drawn = { resolve, reject }; });
    } catch (error) {
      if (!abort.signal.aborted) this.#tell('error', { error });
      throw error;
    }
    if (this.wish.isPlaying) this.#data.playback.play();
    this.#tell('ready', { model: this.#data.model.info });
  }

  /** The response of /v1/model about the current model, or null. */
  get model() {
    return this.#data?.model.info ?? null;
  }

  #unload() {
    this.#data?.playback.dispose();
    this.#data?.connection.close();
    this.#data?.renderer?.dispose();
    this.#data = null;
    this.appearance.attach(null);
  }

  #makeGpu() {
    const data = this.#data, gl = this.#gl;
    data.gpu = new GpuModel(gl, data.model);
    data.renderer = new Renderer(gl, new Programs(gl, data.shaders), data.gpu, data.light);
    data.stage.fill(data.gpu);
    this.appearance.attach(data);
  }

  // --- clips ---

  /**
   * Sets another clip: an index or a name, '-' for the rest pose; clip_file: the file that has it; blend: a second clip to mix with. The
   * clock goes back to its start.
   */
  async setClip({ clip = null, clip_file = null, blend = null, retarget = null, more = null } = {}) {
    this.#choice = { clip, clip_file, blend, retarget, more };
    if (!this.#data) return;
    await this.#startClip();
    if (this.wish.isPlaying) this.playback?.play();
    if (this.framing.isOwn) await this.#frame(this.#abort.signal);
  }

  async #startClip() {
    const data = this.#data, { playback, questions } = data;
    const choice = this.#choice, clip = await questions.clipInfo(choice);
    if (data !== this.#data || choice !== this.#choice) return;
    playback.setClip(choice, clip?.duration ?? 0, clip?.frameRate ?? 30);
    const { given } = playback;
    const [shot, changes] = await Promise.all([questions.first(playback.parameters), questions.changes(choice)]);
    if (data !== this.#data || choice !== this.#choice) return;
    data.stage.change(changes);
    playback.startIsShown(given);
    this.#take(shot);
  }

  #take(shot) {
    const data = this.#data;
    if (!data) return;
    data.stage.take(shot, this.time_s, this.#gl.isContextLost() ? null : data.gpu);
    this.#isStale = true;
    this.#pace.move();
    this.#tell('time', { time_s: this.time_s });
  }

  // --- camera ---

  changed() {
    this.#isStale = true;
  }

  failed(error) {
    this.#tell('error', { error });
  }

  moved() {
    this.#isStale = true;
    this.#pace.move();
    this.#tell('camera', this.camera);
  }

  reframe() {
    this.#frame(this.#abort?.signal).catch((error) => this.#tell('error', { error }));
  }

  /** Gives the model the pose that the caller wishes. */
  give() {
    this.playback?.setGiven(this.wish.given);
    this.changed();
  }

  get playback() {
    return this.#data?.playback ?? null;
  }

  // Moves to the server's camera for these angles and this clip.
  async #frame(signal) {
    const data = this.#data, { camera } = this.framing;
    if (!data) return;
    const { yaw, pitch, fov } = camera;
    const said = await data.questions.camera(this.#choice, this.wish.given, { yaw, pitch, fov }, this.#size(), signal);
    if (data === this.#data && camera.yaw === yaw && camera.pitch === pitch) this.framing.stand(said, data.model.info, data.stage.ball);
  }

  /** Moves a point of the canvas (shares of its sides), or a joint, to the centre, and moves nearer. */
  focus({ x, y, joint }) {
    const data = this.#data;
    if (!data) return;
    const node = joint === undefined ? -1 : this.appearance.nodeOf(joint);
    let place = data.stage.places().get(node);
    if (joint === undefined) {
      const ray = this.framing.camera.ray(x, y);
      const hit = hitOf(ray, this.#surfaces());
      place = hit ? add(ray.from, scale(ray.along, hit.depth)) : nodeNear(ray, data.stage.places(), 0.03)?.place;
    }
    if (!place) return;
    this.framing.move((camera) => {
      camera.target = place;
      camera.zoom(0.6);
    });
  }

  /**
   * Where a node is at rest in the current pose: scene_from_node (mat3x4) if its rotation were that of its rest.
   * @param {number} node @param {string[]} turns the turns of the other nodes
   */
  async restOf(node, turns) {
    const { hash, time_s, ...parameters } = this.moment;
    return this.#data.questions.placeOf({ ...parameters, turn: [...turns, `${node}:0,0,0`] }, time_s, node);
  }

  /** What the places of nodes depend on, beside the turns of joints. */
  get moment() {
    const { turn, ...parameters } = this.playback?.parameters ?? {};
    return { ...parameters, hash: this.model?.hash, time_s: this.time_s };
  }

  /** A place of the scene in the picture, as shares of its sides; null behind the eye. */
  see(place) {
    return this.framing.camera.see(place);
  }

  /** The length at a place of the scene that is as long as the picture is high. */
  heightAt(place) {
    const { camera } = this.framing;
    return 2 * camera.half[1] * camera.distanceTo(place);
  }

  // --- what is shown ---

  #surfaces() {
    const { stage } = this.#data;
    return stage.entries.filter((entry) => !stage.hidden.has(entry.node)).map((entry) => ({ entry, positions: stage.positions(entry) }));
  }

  /** Returns what is at a point of the canvas (shares of its sides): the joint that moves it most, its node, mesh and material. */
  pick(x, y) {
    if (!this.#data) return null;
    const { info, skins } = this.#data.model;
    const named = (list, index) => (index === null || !list[index] ? null : { index, name: list[index].name });
    const ray = this.framing.camera.ray(x, y);
    const hit = hitOf(ray, this.#surfaces());
    if (!hit) {
      const near = this.#data.stage.entries.length && this.view !== 'skeleton' ? null : nodeNear(ray, this.#data.stage.places(), 0.02);
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
    const ratio = Math.min(window.devicePixelRatio || 1, this.isSlow ? SLOW_DPR_MAX : DPR_MAX) * this.#pace.scale;
    const most = this.#gl.getParameter(this.#gl.MAX_RENDERBUFFER_SIZE) ?? 4096;
    const [w, h] = [width, height].map((side) => Math.min(Math.max(Math.round(side * ratio), 1), most));
    if (this.#canvas.width !== w || this.#canvas.height !== h) Object.assign(this.#canvas, { width: w, height: h });
    this.framing.resize(width, height);
    this.#isStale = true;
  }

  #tick(now) {
    this.#request = requestAnimationFrame((next) => this.#tick(next));
    try {
      this.#advance(now);
    } catch (error) { // reported once; it ends a load that waits for its picture
      this.#isStale = false;
      this.#data?.playback.pause();
      if (this.#drawn) this.#drawn.reject(error);
      else this.#tell('error', { error });
      this.#drawn = null;
    }
  }

  #advance(now) {
    const shot = this.#data?.playback.tick(now);
    if (shot) this.#take(shot);
    if (this.#hovered) {
      const { place } = this.#hovered;
      this.#hovered = null;
      this.#tell('hover', place ? this.pick(place.x, place.y) : null);
    }
    const { playback } = this;
    if (this.#pace.tick(now, Boolean(playback?.isPlaying && playback.duration_s > 0))) this.#resize();
    if (this.#isStale) this.#draw();
  }

  /** Whether the picture is drawn in full. If the processor draws, moving pictures are not. */
  get isSharp() {
    return !this.#isStale && !this.#pace.isQuick;
  }

  #draw() {
    const data = this.#data, gl = this.#gl, { camera } = this.framing, look = this.appearance;
    if (!data?.renderer || !data.stage.shot || gl.isContextLost()) return;
    this.#isStale = false;
    const { stage } = data;
    const { middle, radius } = stage.ball;
    const ground = look.ground ? groundOf(stage, camera) : null;
    const reach = ground ? Math.max(radius, 2 * ground.reach) : radius;
    const projection = camera.project(middle, 1.02 * reach + 1e-6 * camera.size);
    const background = colorOf(look.background) ?? [0, 0, 0, 0];
    const isSkeleton = look.view === 'skeleton' || stage.entries.length === 0;
    data.gpu.setPalette(stage.look(camera.viewFromScene));
    if (ground) ground.finish(projection.clipFromView);
    data.renderer.draw({
      camera, projection, background, view: look.view, lightChoice: look.lightChoice, hasJoint: look.joint >= 0, hidden: stage.hidden, palette: stage.palette,
      sceneJoint: stage.sceneJoint, bones: isSkeleton ? stage.bones(look.joint) : null, ground, groundInk: inkOn(background),
      pointSize: Math.max(3, gl.drawingBufferHeight / 128),
      isQuick: this.#pace.isQuick, isOutside: isOutside(data.model.info.bounds, camera.eye),
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

  /** Ends everything; the canvas stays. */
  dispose() {
    this.#abort?.abort();
    this.#unload();
    cancelAnimationFrame(this.#request);
    this.#controls.dispose();
    this.#resizes.disconnect();
    this.#watchers.abort();
  }
}
