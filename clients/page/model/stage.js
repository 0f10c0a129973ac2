/**
 * What draws the model: the live viewer, the server's picture until it is ready, the server's pictures where WebGL is missing or lost.
 * Tells of its events 'time', 'camera', 'hover', 'ready', 'problem' and 'mode' ('poster', 'live', 'pictures').
 */
import { getPatiently, link } from '../common/http.js';
import { server } from '../common/server.js';
import { PictureViewer } from './picture_viewer.js';
import { CAMERA, findReferred, pictureQuery } from './state.js';

const POSTER_SIDE = 960;
const BACK_AFTER_MS = 3000; // until WebGL is tried again when its context was lost

export class Stage extends EventTarget {
  /** @param {{stage, poster, pictures, live}} nodes */
  constructor(nodes) {
    super();
    Object.assign(this, { nodes, viewer: null, mode: 'none', abort: new AbortController() });
  }

  say(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }

  setMode(mode) {
    this.mode = mode;
    const { poster, pictures, live } = this.nodes;
    poster.hidden = mode !== 'poster' || !poster.src;
    pictures.hidden = mode !== 'pictures';
    live.hidden = mode !== 'live' && mode !== 'poster';
    this.say('mode', mode);
  }

  /** The picture that is there until something better is. */
  async showPoster(model, state) {
    this.setMode('poster');
    const box = this.nodes.stage.getBoundingClientRect(), scale = Math.min(devicePixelRatio || 1, POSTER_SIDE / Math.max(1, box.width, box.height));
    const query = { ...pictureQuery(model, state, state.t === null ? undefined : state.t), width: Math.max(1, Math.round(box.width * scale)), height: Math.max(1, Math.round(box.height * scale)) };
    try {
      const answer = await getPatiently(link('v1/render', query), this.abort.signal);
      const { poster } = this.nodes;
      poster.src = URL.createObjectURL(await answer.blob());
      poster.alt = 'Picture of ' + model;
      if (this.mode === 'poster') poster.hidden = false;
    } catch { /* what is wrong with the model is told by what asks for all of it */ }
  }

  /** @param {Object} description of the model, /v1/model */
  async load(description, variant) {
    this.description = description;
    this.variant = variant;
    let Viewer = null;
    try {
      ({ Viewer } = await import('../viewer/viewer.js'));
    } catch (fault) {
      console.info('no live viewer: ' + fault.message);
    }
    if (Viewer && Viewer.isSupported()) return this.start(Viewer, this.nodes.live, 'live');
    return this.fallBack('This browser has no WebGL: pictures of the server are shown instead.');
  }

  async fallBack(why) {
    this.why = why;
    await this.start(PictureViewer, this.nodes.pictures, 'pictures');
    this.say('fallback', why);
  }

  async start(Viewer, canvas, mode) {
    const before = this.viewer;
    const viewer = new Viewer(canvas, server);
    this.viewer = viewer;
    if (mode === 'pictures') this.setMode(mode); // before the first picture: its size counts
    for (const type of ['time', 'camera', 'hover', 'progress']) viewer.addEventListener(type, (event) => { if (this.viewer === viewer) this.say(type, event.detail); });
    viewer.addEventListener('error', (event) => { if (this.viewer === viewer) this.say('problem', event.detail?.error || event.detail || event.error); });
    viewer.addEventListener('lost', () => { if (this.viewer === viewer) this.lose(viewer, Viewer); });
    viewer.addEventListener('ready', () => { if (this.viewer === viewer) this.setMode(mode); });
    if (this.state) this.apply(this.state, true);
    try {
      await viewer.load({ model: this.description.model, hash: this.description.hash, variant: this.variant });
    } catch (problem) {
      if (this.viewer !== viewer) return;
      if (mode === 'pictures') throw problem;
      viewer.dispose();
      this.viewer = null;
      await this.fallBack('The live view could not start (' + problem.message + '): pictures of the server are shown instead.');
      return;
    }
    if (this.viewer !== viewer) return;
    if (before) before.dispose();
    this.setMode(mode);
    if (this.state) this.apply(this.state, true);
    this.say('ready');
  }

  /** Pictures go on where the graphics context went, and WebGL is tried again a little later, once. */
  async lose(viewer, Viewer) {
    const { time_s, isPlaying } = viewer;
    viewer.dispose();
    this.viewer = null;
    this.state = { ...this.state, t: isPlaying ? null : time_s };
    await this.fallBack('The graphics context was lost: pictures of the server are shown instead.');
    if (this.hasLost) return;
    this.hasLost = true;
    setTimeout(() => {
      if (!Viewer.isSupported()) return;
      const canvas = this.nodes.live.cloneNode(); // a canvas whose context is lost gives no other
      this.nodes.live.replaceWith(canvas);
      this.nodes.live = canvas;
      canvas.hidden = false;
      this.start(Viewer, canvas, 'live').catch(() => {});
    }, BACK_AFTER_MS);
  }

  /* --- what is shown --- */

  /** The clips that are meant: of the model or of the clip file. */
  setClips(clips) { this.clips = clips; }

  clipOf(reference) { return findReferred(this.clips || [], reference); }

  /** How long what plays is, seconds. */
  durationOf(state) {
    const clip = this.clipOf(state.clip), other = state.blend ? this.clipOf(state.blend) : null;
    return Math.max(clip ? clip.duration : 0, other ? other.duration : 0);
  }

  /** Makes the viewer show the state. Only what is new is told to it. */
  apply(state, isAll = false) {
    const before = isAll ? {} : this.state || {};
    this.state = { ...state };
    const { viewer } = this;
    if (!viewer) return;
    const isNew = (...names) => names.some((name) => state[name] !== before[name]);
    viewer.speed = state.rate;
    viewer.loop = state.loop;
    const isClipNew = isNew('clip', 'clip_file', 'blend', 'weight', 'retarget');
    if (isClipNew && state.clip !== null) {
      const time_s = viewer.time_s;
      viewer.duration_s = this.durationOf(state);
      viewer.setClip({ clip: state.clip, clip_file: state.clip_file, blend: state.blend ? { clip: state.blend, weight: state.weight } : null, retarget: state.retarget });
      if (!isNew('clip', 'clip_file') && time_s > 0) viewer.time_s = time_s;
    }
    if (isNew('view')) viewer.view = state.view;
    if (isNew('joint')) viewer.joint = this.jointOf(state);
    if (isNew('background')) viewer.background = state.background;
    if (isNew('shadow')) viewer.ground = state.shadow;
    if (isNew('yaw', 'pitch', 'distance', 'target')) {
      const isUsual = Object.entries(CAMERA).every(([name, value]) => state[name] === value);
      if (isUsual && !isAll) viewer.reset();
      else if (!isUsual) viewer.camera = { yaw: state.yaw, pitch: state.pitch, distance: state.distance, target: state.target };
    }
    if (state.t !== null && (isNew('t') || isClipNew)) { viewer.pause(); viewer.time_s = state.t; }
    if (state.t === null && (isNew('t') || isClipNew) && !viewer.isPlaying) viewer.play();
  }

  jointOf(state) {
    const node = findReferred(this.description.nodes, state.joint, (one) => one.node);
    return node ? node.node : null;
  }
}
