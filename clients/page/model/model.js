/** The page of one model, /m/PATH. It connects the stage, the player and the panels with the state in the address. */
import { byId, icon, make } from '../common/dom.js';
import { baseName, folderOf } from '../common/format.js';
import { getPatiently, link } from '../common/http.js';
import { watchSignIn } from '../common/sign_in.js';
import { Actions } from './actions.js';
import { modelOfAddress } from './address.js';
import { ClipsPanel } from './clips_panel.js';
import { Files } from './files.js';
import { listenToKeys } from './keyboard.js';
import { LightPanel } from './light_panel.js';
import { Looks } from './looks.js';
import { loading, notice, say } from './notices.js';
import { Player } from './player.js';
import { Posing } from './posing.js';
import { Stage } from './stage.js';
import { CAMERA, RATES, readState, referenceOf, shortList, VIEWS, writeState } from './state.js';
import { Tree } from './tree.js';

const SETTLED_MS = 300; // from the end of a drag to the change of the address
const ARROW = ['M15 5l-7 7 7 7'];
const isStill = matchMedia('(prefers-reduced-motion: reduce)');

class Page {
  constructor() {
    this.model = modelOfAddress();
    this.state = readState(location.search, this.model);
    this.hasPaused = this.state.t !== null;
    if (isStill.matches && this.state.t === null) this.state.t = 0;
    byId('back').append(icon(...ARROW));
    byId('name').append(folderOf(this.model) ? make('span', { class: 'folder' }, folderOf(this.model)) : '', baseName(this.model));
    byId('name').title = this.model;
    this.stage = new Stage({ stage: byId('stage'), poster: byId('poster'), pictures: byId('pictures'), live: byId('live') });
    this.player = new Player(byId('player'), {
      toggle: () => this.toggle(), step: (frames) => this.step(frames), seek: (time_s) => this.seek(time_s), seekEnd: () => this.writeAddress(),
      setRate: (rate) => this.change({ rate }), setLoop: (loop) => this.change({ loop }),
    });
    this.clips = new ClipsPanel((news, isPassing) => this.change(news, isPassing));
    this.light = new LightPanel((news, isPassing) => this.change(news, isPassing));
    this.posing = new Posing({
      change: (news, isPassing) => this.change(news, isPassing), chooseNode: (node) => this.chooseNode(node), eye: () => this.viewer?.eye ?? null, pause: () => { if (this.viewer?.isPlaying) this.toggle(); },
      copied: (text, what) => this.actions.copied(text, what), say, notice,
    });
    this.tree = new Tree({ onChoose: (node) => this.chooseNode(node) });
    this.actions = new Actions(byId('actions'), {
      model: this.model, state: () => this.state, time_s: () => this.time_s, duration_s: () => this.duration_s,
      say, fail: (text) => notice('action', text, 'bad'),
    });
    this.files = new Files(this);
    this.looks = new Looks({ change: (news) => this.change(news), reset: () => this.reset(), focus: () => this.focus(), pose: () => this.posing.open(), showKeys: () => this.keys.showKeys(), fail: (text) => notice('action', text, 'bad') });
    this.looks.show(this.state, null);
    this.listen();
  }

  get viewer() { return this.stage.viewer; }
  get time_s() { return this.viewer ? this.viewer.time_s : this.state.t || 0; }
  get duration_s() { return (this.viewer && this.viewer.duration_s) || this.stage.durationOf(this.state); }

  /* --- state --- */

  /** Applies new members of the state. isPassing: they will change again at once, so they are not a step for the back button. */
  change(news, isPassing = false) {
    const before = this.state;
    this.state = { ...before, ...news };
    notice('problem', '');
    notice('clip', '');
    const isOfOtherClips = this.areFilesNew(before);
    if (news.clip === null && !isOfOtherClips) this.state.clip = this.usualReference();
    if (isOfOtherClips) { this.files.loadClips().catch((problem) => this.clips.fail(problem.message)); return; }
    this.clips.fail('');
    if (news.t === null && isStill.matches && 'clip' in news) this.state.t = 0;
    this.show();
    if (isPassing) this.writeSoon(); else this.writeAddress(true);
  }

  areFilesNew(before) { return before.clip_file !== this.state.clip_file || before.clip_files.join('\0') !== this.state.clip_files.join('\0'); }

  /** Shows the state everywhere. */
  show() {
    this.stage.apply(this.state);
    this.clips.show(this.state);
    this.tree.choose(this.description ? this.stage.jointOf(this.state) : null);
    this.looks.show(this.state, this.chosenNode());
    this.light.show(this.state);
    this.posing.show(this.state, this.chosenNode());
    this.showTime();
  }

  showTime() {
    const { viewer, state } = this;
    this.player.show({
      isPlaying: Boolean(viewer && viewer.isPlaying), time_s: this.time_s, duration_s: this.description ? this.duration_s : 0,
      frameRate: (viewer && viewer.frameRate) || 30, rate: state.rate, loop: state.loop,
    });
    this.posing.showRings(this.stage);
  }

  writeSoon() {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.writeAddress(), SETTLED_MS);
  }

  writeAddress(isStep = false) {
    clearTimeout(this.writing);
    const query = writeState({ ...this.state, clip: this.state.clip === this.usualReference() && !this.state.clip_file ? null : this.state.clip });
    const address = link(location.pathname, query);
    if (address === location.pathname + location.search) return;
    history[isStep ? 'pushState' : 'replaceState'](null, '', address);
  }

  usualReference() {
    const { clips, usualClip } = this.stage;
    return clips?.length ? referenceOf(clips, usualClip) : '-';
  }

  /* --- time --- */

  toggle() {
    const { viewer } = this;
    if (!viewer || !(this.duration_s > 0)) return;
    if (viewer.isPlaying) { viewer.pause(); this.state.t = viewer.time_s; } else { viewer.play(); this.state.t = null; }
    this.stage.state = { ...this.state };
    this.showTime();
    this.writeAddress();
    say(viewer.isPlaying ? 'Playing' : 'Paused');
  }

  seek(time_s) {
    const { viewer } = this;
    if (!viewer) return;
    viewer.pause();
    viewer.time_s = time_s;
    this.keepTime();
  }

  step(frames) {
    const { viewer } = this;
    if (!viewer || !(this.duration_s > 0)) return;
    viewer.step(frames);
    this.keepTime();
  }

  keepTime() {
    this.state.t = this.viewer.time_s;
    this.stage.state = { ...this.state };
    this.showTime();
    this.writeSoon();
  }

  /* --- parts --- */

  chooseNode(node) {
    const joint = referenceOf(this.description.nodes, node, (one) => one.node);
    this.change({ joint: joint === this.state.joint ? null : joint });
  }

  chosenNode() {
    const index = this.description && this.state.joint !== null ? this.stage.jointOf(this.state) : null;
    return index === null ? null : this.description.nodes.find((one) => one.node === index);
  }

  focus() {
    const joint = this.stage.jointOf(this.state);
    if (this.viewer && joint !== null) this.viewer.focus({ joint });
    else if (this.viewer) this.reset();
  }

  reset() {
    Object.assign(this.state, CAMERA);
    this.stage.state = { ...this.state };
    if (this.viewer) this.viewer.reset();
    this.writeSoon();
  }

  /** Shows the clip, the time and the joint of a finding. */
  showFinding({ clip, time_s, node }) {
    const { clips, nodes } = this.description;
    const news = { joint: node === undefined ? null : referenceOf(nodes, node, (one) => one.node), t: time_s ?? null };
    this.change({ ...news, ...(clip === undefined ? { clip: '-' } : { clip: referenceOf(clips, clip) }), clip_file: null, blend: null, blend_file: null });
    if (time_s !== undefined) this.seek(time_s);
  }

  /* --- events --- */

  listen() {
    watchSignIn();
    const { stage } = this;
    stage.addEventListener('time', () => this.showTime());
    stage.addEventListener('camera', () => {
      this.posing.gizmo.draw();
      const { yaw, pitch, distance = 1, target, frame_box } = this.viewer.cameraParameters;
      Object.assign(this.state, { yaw: +(+yaw).toFixed(2), pitch: +(+pitch).toFixed(2), distance: +(+distance).toFixed(4), target: shortList(target), frame_box: shortList(frame_box) });
      stage.state = { ...this.state };
      this.writeSoon();
    });
    stage.addEventListener('pick', ({ detail }) => { if (detail?.joint && detail.joint.index !== this.chosenNode()?.node) this.chooseNode(detail.joint.index); });
    stage.addEventListener('hover', ({ detail }) => this.showHover(detail));
    stage.addEventListener('progress', ({ detail }) => { if (stage.mode !== 'live') loading(detail && detail.share > 0 ? `Loading ${Math.round(detail.share * 100)} %` : 'Loading'); });
    stage.addEventListener('mode', ({ detail }) => {
      if (detail !== 'poster') loading('');
      document.body.dataset.mode = detail;
      for (const id of ['live', 'pictures']) byId(id).setAttribute('aria-label', `${baseName(this.model)}: drag or arrow keys turn it, plus and minus zoom`);
    });
    stage.addEventListener('ready', () => { if (stage.mode === 'live') notice('webgl', ''); this.show(); });
    stage.addEventListener('fallback', ({ detail }) => notice('webgl', detail));
    stage.addEventListener('connection', () => this.awaitServer());
    stage.addEventListener('problem', ({ detail }) => {
      if (detail && detail.code === 'hash_mismatch') { this.files.watch.look(); return; } // the file changed while it played
      const text = (detail && detail.message) || 'The model cannot be drawn';
      if (this.state.clip_file) this.clips.fail(text + (detail.code === 'clip_no_match' && !this.state.retarget ? ' Try to match bones by their role.' : ''));
      notice('problem', text, 'bad', make('button', { type: 'button', onclick: () => { notice('problem', ''); stage.apply(this.state, true); } }, 'Try again'));
    });
    addEventListener('popstate', () => {
      const before = this.state;
      this.state = readState(location.search, this.model);
      if (this.state.clip === null) this.state.clip = this.usualReference();
      if (this.state.variant !== before.variant) location.reload();
      else if (this.areFilesNew(before)) this.files.loadClips().catch((problem) => this.clips.fail(problem.message));
      else this.show();
    });
    this.files.watch.addEventListener('changed', ({ detail }) => this.files.renew(detail));
    this.files.watch.addEventListener('gone', ({ detail: { path } }) => { if (this.files.isLoaded) notice('file', `'${path}' is no longer on the server. What is shown is as it was.`, 'bad'); });
    this.files.watch.addEventListener('broken', ({ detail: { path, problem } }) => { if (this.files.isLoaded) notice('file', `'${path}' has changed and cannot be read now: ${problem.message}`, 'bad'); });
    this.files.watch.addEventListener('same', () => notice('file', ''));
    addEventListener('offline', () => notice('offline', 'There is no connection to the network.'));
    addEventListener('online', () => notice('offline', ''));
    this.keys = listenToKeys({
      toggle: () => this.toggle(), step: (frames) => this.step(frames), end: (isLast) => this.seek(isLast ? Math.max(0, this.duration_s - 1e-4) : 0),
      turn: (yaw, pitch) => this.move((camera) => ({ ...camera, yaw: (camera.yaw + yaw) % 360, pitch: Math.max(-90, Math.min(90, camera.pitch + pitch)) })),
      zoom: (factor) => this.move((camera) => ({ ...camera, distance: Math.max(0.05, Math.min(50, camera.distance * factor)) })),
      focus: () => this.focus(), reset: () => this.reset(), loop: () => this.change({ loop: !this.state.loop }),
      background: () => this.change({ background: this.looks.nextBackground(this.state.background) }),
      ground: () => this.change({ shadow: !this.state.shadow }), view: (i) => this.change({ view: VIEWS[i] }),
      clip: (step) => this.nextClip(step), faster: (step) => this.faster(step),
      search: () => { byId('panel-clips').open = true; (this.clips.search.hidden ? this.clips.list.node : this.clips.search).focus(); },
      pose: () => this.posing.open(), unchoose: () => this.change({ joint: null }),
    });
  }

  move(change) {
    if (!this.viewer) return;
    const { yaw, pitch, distance } = this.viewer.camera;
    const { target, frame_box } = this.viewer.camera;
    this.viewer.camera = { ...change({ yaw, pitch, distance }), target, frame_box };
  }

  nextClip(step) { this.clips.next(step); }

  faster(step) {
    const at = RATES.findIndex((rate) => rate >= this.state.rate);
    this.change({ rate: RATES[Math.max(0, Math.min(RATES.length - 1, at + step))] });
  }

  showHover(detail) {
    const nameOf = (thing, kind) => !thing && thing !== 0 ? '' : typeof thing === 'string' ? thing : thing.name || (thing.index !== undefined ? kind + ' ' + thing.index : '');
    const text = detail ? [nameOf(detail.joint, 'joint'), nameOf(detail.mesh, 'mesh'), nameOf(detail.material, 'material')].filter(Boolean).join(' · ') : '';
    byId('hover').textContent = text;
    byId('hover').hidden = !text;
  }

  /** Says that the server is gone until it is back. */
  async awaitServer() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    await getPatiently('healthz', undefined, { tries: Infinity, onWait: () => notice('connection', 'The server cannot be reached. Trying again …') });
    this.isWaiting = false;
    notice('connection', '');
    notice('problem', '');
  }

}

const page = new Page();
page.files.load();
