/**
 * Decides what draws the model: the live viewer; the server's picture until that is ready; or the server's pictures if WebGL is missing or
 * lost. Emits 'time', 'camera', 'hover', 'pick', 'ready', 'problem' and 'mode' ('poster', 'live', 'pictures').
 */
import { getPatiently, link } from '../common/http.js';
import { server } from '../common/server.js';
import { POSE } from './given.js';
import { PictureViewer } from './picture_viewer.js';
import { CAMERA, cameraOf, findReferred, LIGHT, lightOf, pictureQuery } from './state.js';

const POSTER_SIDE = 960;

const cameraIn = (state) => Object.fromEntries(Object.keys(CAMERA).map((name) => [name, state[name]]));

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
    this.nodes.stage.dataset.mode = mode;
    this.say('mode', mode);
  }

  /** Shows the server's picture until something better is ready, framed as that is. */
  async showPoster(model, state) {
    this.setMode('poster');
    const box = this.nodes.stage.getBoundingClientRect(), scale = Math.min(devicePixelRatio || 1, POSTER_SIDE / Math.max(1, box.width, box.height));
    const query = { ...pictureQuery(model, state, state.t === null ? undefined : state.t), frame: state.frame_box ? null : 'clip', width: Math.max(1, Math.round(box.width * scale)), height: Math.max(1, Math.round(box.height * scale)) };
    try {
      const response = await getPatiently(link('v1/render', query), this.abort.signal);
      const { poster } = this.nodes;
      poster.src = URL.createObjectURL(await response.blob());
      poster.alt = 'Picture of ' + model;
      if (this.mode === 'poster') poster.hidden = false;
    } catch { /* the request for the whole model reports its errors */ }
  }

  /** @param {Object} description of the model, from /v1/model */
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
    this.say('fallback', why);
    await this.start(PictureViewer, this.nodes.pictures, 'pictures');
  }

  async start(Viewer, canvas, mode) {
    if (mode === 'pictures') this.setMode(mode); // before the first picture, because its size counts
    const viewer = new Viewer(canvas, server);
    this.viewer = viewer;
    const camera = cameraIn(this.state); // the viewer tells its own first, which becomes that of the state
    this.listen(viewer, mode);
    this.apply(this.state, true);
    try {
      await this.fill(viewer);
    } catch (problem) {
      if (this.viewer !== viewer) return;
      if (mode === 'pictures') throw problem;
      viewer.dispose();
      await this.fallBack('The live view could not start (' + problem.message + '): pictures of the server are shown instead.');
      return;
    }
    if (this.viewer !== viewer) return;
    this.setMode(mode);
    this.aim({ ...this.state, ...camera }, true); // again: now the meaning of distances is known
    if (this.state.t !== null) viewer.time_s = this.state.t;
    this.say('ready');
  }

  /** Loads the model. If the clip does not fit it, reports a problem and shows the rest pose. */
  async fill(viewer) {
    const { model, hash } = this.description, what = { model, hash, variant: this.variant ?? undefined };
    try {
      await viewer.load(what);
    } catch (problem) {
      if (!/^clip_/.test(problem.code) || this.viewer !== viewer) throw problem;
      await viewer.setClip({ clip: '-' });
      await viewer.load(what);
      this.say('problem', problem);
    }
  }

  /** Shows the new content of the same model. The camera, the time, and whether it plays stay. */
  async renew(description) {
    this.description = description;
    const { viewer } = this;
    if (!viewer) { await this.load(description, this.variant); return; }
    const { time_s } = viewer, camera = cameraIn(this.state);
    await this.fill(viewer);
    this.aim({ ...this.state, ...camera }, true);
    viewer.joint = this.jointOf(this.state);
    if (time_s > 0) viewer.time_s = time_s;
    this.say('ready');
  }

  listen(viewer, mode) {
    const on = (type, work) => viewer.addEventListener(type, (event) => { if (this.viewer === viewer) work(event.detail); });
    for (const type of ['time', 'camera', 'hover', 'pick', 'progress']) on(type, (detail) => this.say(type, detail));
    on('error', (detail) => { if (this.mode === mode) this.say('problem', (detail && detail.error) || detail); });
    on('lost', (detail) => { if (detail && detail.what === 'context') this.lose(viewer); else this.say('connection', detail && detail.error); });
  }

  /** Pictures continue after the graphics context is lost, until the browser restores it. */
  async lose(viewer) {
    const { time_s, isPlaying } = viewer, canvas = this.nodes.live;
    viewer.pause();
    this.state = { ...this.state, t: isPlaying ? null : time_s };
    canvas.addEventListener('webglcontextrestored', () => {
      if (this.viewer !== viewer) this.viewer.dispose();
      this.viewer = viewer;
      this.setMode('live');
      this.apply(this.state, true);
      this.say('ready');
    }, { once: true });
    await this.fallBack('The graphics context was lost: pictures of the server are shown until it is back.').catch((problem) => this.say('problem', problem));
  }

  /* --- what is shown --- */

  /** Sets the clips to choose from, those of the model or of the clip file, and the index of the one that is shown first (null: none). */
  setClips(clips, usualClip) {
    this.clips = clips;
    this.usualClip = usualClip;
  }

  clipOf(reference) { return findReferred(this.clips || [], reference); }

  /** The duration of the current clip in seconds. A second clip repeats until the first one ends. */
  durationOf(state) {
    const clip = this.clipOf(state.clip);
    return clip ? clip.duration : 0;
  }

  /** Makes the viewer show the state. Only new members are passed to it. */
  apply(state, isAll = false) {
    const before = isAll ? {} : this.state || {};
    this.state = { ...state };
    const { viewer } = this;
    if (!viewer) return;
    const isNew = (...names) => names.some((name) => state[name] !== before[name]);
    viewer.speed = state.rate;
    viewer.loop = state.loop;
    if (isNew('view')) viewer.view = state.view;
    if (isNew('joint')) viewer.joint = this.jointOf(state);
    if (isNew('background')) viewer.background = state.background;
    if (isNew('shadow')) viewer.ground = state.shadow;
    if (isNew(...LIGHT)) Object.assign(viewer, lightOf(state));
    if (isNew(...POSE)) viewer.given = state;
    if (isNew(...Object.keys(CAMERA))) this.aim(state, isAll);
    const isClipNew = state.clip !== null && isNew('clip', 'clip_file', 'blend', 'blend_file', 'weight', 'retarget');
    if (isClipNew) this.playClip(viewer, state, isNew('clip', 'clip_file'));
    if (!isNew('t') && !isClipNew) return;
    if (state.t === null) { if (!viewer.isPlaying) viewer.play(); return; }
    viewer.pause();
    if (!isClipNew) viewer.time_s = state.t;
  }

  /** The camera of the state, or the server's own if the state has none. */
  aim(state, isFirst = false) {
    const isUsual = Object.entries(CAMERA).every(([name, value]) => state[name] === value);
    if (!isUsual) this.viewer.camera = cameraOf(state);
    else if (!isFirst && this.mode !== 'poster') this.viewer.reset();
  }

  async playClip(viewer, state, isOther) {
    const time_s = state.t !== null ? state.t : isOther ? 0 : viewer.time_s;
    const turn = this.clipTurn = (this.clipTurn || 0) + 1;
    try {
      await viewer.setClip({ clip: state.clip, clip_file: state.clip_file, blend: state.blend ? { clip: state.blend, clip_file: state.blend_file, weight: state.weight } : null,
        retarget: state.retarget ? 'rest' : null, duration_s: this.durationOf(state) });
    } catch (problem) {
      if (turn === this.clipTurn) this.say('problem', problem);
      return;
    }
    if (turn === this.clipTurn && this.viewer === viewer && time_s > 0) viewer.time_s = time_s;
    this.say('time');
  }

  jointOf(state) {
    const node = findReferred(this.description.nodes, state.joint, (one) => one.node);
    return node ? node.node : null;
  }
}
