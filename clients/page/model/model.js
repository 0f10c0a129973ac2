/** The page of one model, /m/PATH: puts the stage, the player and the panels together around the state in the address. */
import { byId, icon, make } from '../common/dom.js';
import { baseName, folderOf } from '../common/format.js';
import { getPatiently, link } from '../common/http.js';
import { watchSignIn } from '../common/sign_in.js';
import { Actions } from './actions.js';
import { modelOfAddress } from './address.js';
import { ClipsPanel } from './clips_panel.js';
import { factsBody, factsLine, warningsBody } from './facts_panel.js';
import { listenToKeys } from './keyboard.js';
import { Looks } from './looks.js';
import { Player } from './player.js';
import { Stage } from './stage.js';
import { materialsBody, texturesBody, Thumbnails } from './surfaces_panel.js';
import { CAMERA, RATES, readState, referenceOf, shortList, usualClip, VIEWS, writeState } from './state.js';
import { Tree } from './tree.js';

const SETTLED_MS = 300; // after a drag until it is in the address
const ARROW = ['M15 5l-7 7 7 7'];
const isStill = matchMedia('(prefers-reduced-motion: reduce)');
const isPhone = matchMedia('(max-width: 46rem)');

class Page {
  constructor() {
    this.model = modelOfAddress();
    this.state = readState(location.search);
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
    this.tree = new Tree({ onChoose: (node) => this.chooseNode(node) });
    this.actions = new Actions(byId('actions'), {
      model: this.model, state: () => this.state, time_s: () => this.time_s, duration_s: () => this.duration_s, canFrame: () => this.canFrame,
      say: (text) => this.say(text), fail: (text) => this.notice('action', text, 'bad'),
    });
    this.canFrame = true;
    this.looks = new Looks({ change: (news) => this.change(news), reset: () => this.reset(), focus: () => this.focus(), showKeys: () => this.keys.showKeys(), fail: (text) => this.notice('action', text, 'bad') });
    this.looks.show(this.state, null);
    this.listen();
  }

  get viewer() { return this.stage.viewer; }
  get time_s() { return this.viewer ? this.viewer.time_s : this.state.t || 0; }
  get duration_s() { return (this.viewer && this.viewer.duration_s) || this.stage.durationOf(this.state); }

  /* --- words for the visitor --- */

  say(text) { byId('said').textContent = text; }

  /** A notice on the stage, one of a kind; no text takes it away. */
  notice(kind, text, grade = '', button = null) {
    const old = document.querySelector(`#notices [data-kind="${kind}"]`);
    if (old) old.remove();
    if (!text) return;
    const node = make('div', { class: 'notice ' + grade, role: grade === 'bad' ? 'alert' : 'status', 'data-kind': kind }, make('span', {}, text), button,
      make('button', { type: 'button', class: 'plain', 'aria-label': 'Dismiss', onclick: () => node.remove() }, '×'));
    byId('notices').append(node);
  }

  loading(text) { byId('loading').textContent = text; }

  /* --- state --- */

  /** What is new of the state. isPassing: it will change again at once, and is no step to go back over. */
  change(news, isPassing = false) {
    const before = this.state;
    this.state = { ...before, ...news };
    if (news.clip === null) this.state.clip = this.usualReference();
    if ('clip_file' in news && news.clip_file !== before.clip_file) { this.loadClips().catch((problem) => this.clips.fail(problem.message)); return; }
    this.clips.fail('');
    this.notice('problem', '');
    if (news.t === null && isStill.matches && 'clip' in news) this.state.t = 0;
    this.show();
    if (isPassing) this.writeSoon(); else this.writeAddress(true);
  }

  /** Shows the state everywhere. */
  show() {
    this.stage.apply(this.state);
    this.clips.show(this.state);
    this.tree.choose(this.description ? this.stage.jointOf(this.state) : null);
    this.looks.show(this.state, this.chosenNode());
    this.showTime();
  }

  showTime() {
    const { viewer, state } = this;
    this.player.show({
      isPlaying: Boolean(viewer && viewer.isPlaying), time_s: this.time_s, duration_s: this.description ? this.duration_s : 0,
      frameRate: (viewer && viewer.frameRate) || 30, rate: state.rate, loop: state.loop,
    });
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
    const clips = this.stage.clips || [];
    return clips.length ? referenceOf(clips, usualClip(clips).index) : '-';
  }

  /* --- time --- */

  toggle() {
    const { viewer } = this;
    if (!viewer || !(this.duration_s > 0)) return;
    if (viewer.isPlaying) { viewer.pause(); this.state.t = viewer.time_s; } else { viewer.play(); this.state.t = null; }
    this.stage.state = { ...this.state };
    this.showTime();
    this.writeAddress();
    this.say(viewer.isPlaying ? 'Playing' : 'Paused');
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

  panel(name, title, body, { isOpen = false, count = '', grade = '', onOpen = null } = {}) {
    const details = make('details', { id: 'panel-' + name, open: isOpen }, make('summary', {}, title, count !== '' ? make('span', { class: 'count ' + grade }, String(count)) : ''), body);
    if (onOpen) {
      details.addEventListener('toggle', () => { if (details.open) onOpen(); });
      if (isOpen) onOpen();
    }
    return details;
  }

  fillPanels() {
    const { description } = this;
    const joints = new Set(description.skins.filter((skin) => !skin.rigid).flatMap((skin) => skin.joints.map((joint) => joint.node)));
    this.tree.setNodes(description.nodes, joints);
    this.thumbnails = new Thumbnails(this.model);
    const textures = texturesBody(description, this.thumbnails);
    const isWide = !isPhone.matches;
    const panels = [this.panel('clips', 'Clips', this.clips.node, { isOpen: true, count: description.clips.length })];
    if (description.warnings.length) panels.push(this.panel('warnings', 'Warnings', warningsBody(description), { count: description.warnings.length, grade: 'warn', isOpen: isWide && description.warnings.length < 4 }));
    panels.push(this.panel('nodes', 'Hierarchy', make('div', { class: 'body' }, this.tree.search, this.tree.node), { isOpen: isWide, count: description.nodes.length }));
    if ((description.variants || []).length) panels.push(this.panel('variants', 'Variants', this.variants(description.variants), { count: description.variants.length, isOpen: isWide }));
    if (description.materials.length) panels.push(this.panel('materials', 'Materials', materialsBody(description), { count: description.materials.length }));
    if (description.textures.length) panels.push(this.panel('textures', 'Textures', textures, { count: description.textures.length, onOpen: () => textures.fill() }));
    panels.push(this.panel('facts', 'Facts', factsBody(description), { isOpen: isWide }));
    byId('panels').replaceChildren(...panels);
    byId('facts').textContent = factsLine(description);
  }

  variants(names) {
    const select = make('select', { 'aria-label': 'Materials', onchange: () => { this.state.variant = select.value || null; this.writeAddress(true); location.reload(); } },
      make('option', { value: '' }, 'as in the file'), ...names.map((name, i) => make('option', { value: i }, name || 'variant ' + i)));
    select.value = this.state.variant || '';
    return make('div', { class: 'body' }, select);
  }

  /* --- events --- */

  listen() {
    watchSignIn();
    const { stage } = this;
    stage.addEventListener('time', () => this.showTime());
    stage.addEventListener('camera', () => {
      const { yaw, pitch, distance = 1, target, frame_box } = this.viewer.cameraParameters;
      Object.assign(this.state, { yaw: +(+yaw).toFixed(2), pitch: +(+pitch).toFixed(2), distance: +(+distance).toFixed(4), target: shortList(target), frame_box: shortList(frame_box) });
      stage.state = { ...this.state };
      this.writeSoon();
    });
    stage.addEventListener('hover', ({ detail }) => this.showHover(detail));
    stage.addEventListener('progress', ({ detail }) => { if (stage.mode !== 'live') this.loading(detail && detail.share > 0 ? `Loading ${Math.round(detail.share * 100)} %` : 'Loading'); });
    stage.addEventListener('mode', ({ detail }) => {
      if (detail !== 'poster') this.loading('');
      document.body.dataset.mode = detail;
      for (const id of ['live', 'pictures']) byId(id).setAttribute('aria-label', `${baseName(this.model)}: drag or arrow keys turn it, plus and minus zoom`);
    });
    stage.addEventListener('ready', () => { if (stage.mode === 'live') this.notice('webgl', ''); this.show(); });
    stage.addEventListener('fallback', ({ detail }) => this.notice('webgl', detail));
    stage.addEventListener('connection', () => this.awaitServer());
    stage.addEventListener('problem', ({ detail }) => {
      const text = (detail && detail.message) || 'The model cannot be drawn';
      if (this.state.clip_file) this.clips.fail(text + (detail.code === 'clip_no_match' && !this.state.retarget ? ' Try to match bones by their role.' : ''));
      this.notice('problem', text, 'bad', make('button', { type: 'button', onclick: () => { this.notice('problem', ''); stage.apply(this.state, true); } }, 'Try again'));
    });
    addEventListener('popstate', () => {
      const before = this.state;
      this.state = readState(location.search);
      if (this.state.clip === null) this.state.clip = this.usualReference();
      if (this.state.variant !== before.variant) location.reload();
      else if (this.state.clip_file !== before.clip_file) this.loadClips().catch((problem) => this.clips.fail(problem.message));
      else this.show();
    });
    addEventListener('offline', () => this.notice('offline', 'There is no connection to the network.'));
    addEventListener('online', () => this.notice('offline', ''));
    this.keys = listenToKeys({
      toggle: () => this.toggle(), step: (frames) => this.step(frames), end: (isLast) => this.seek(isLast ? Math.max(0, this.duration_s - 1e-4) : 0),
      turn: (yaw, pitch) => this.move((camera) => ({ ...camera, yaw: (camera.yaw + yaw) % 360, pitch: Math.max(-90, Math.min(90, camera.pitch + pitch)) })),
      zoom: (factor) => this.move((camera) => ({ ...camera, distance: Math.max(0.05, Math.min(50, camera.distance * factor)) })),
      focus: () => this.focus(), reset: () => this.reset(), loop: () => this.change({ loop: !this.state.loop }),
      background: () => this.change({ background: this.looks.nextBackground(this.state.background) }),
      ground: () => this.change({ shadow: !this.state.shadow }), view: (i) => this.change({ view: VIEWS[i] }),
      clip: (step) => this.nextClip(step), faster: (step) => this.faster(step),
      search: () => { byId('panel-clips').open = true; (this.clips.search.hidden ? this.clips.list.node : this.clips.search).focus(); },
      unchoose: () => this.change({ joint: null }),
    });
  }

  move(change) {
    if (!this.viewer) return;
    const { yaw, pitch, distance } = this.viewer.camera;
    const { target, frame_box } = this.viewer.camera;
    this.viewer.camera = { ...change({ yaw, pitch, distance }), target, frame_box };
  }

  nextClip(step) {
    const all = this.clips.clips.map((clip) => clip.value);
    if (all.length) this.change({ clip: all[(all.indexOf(this.state.clip) + step + all.length) % all.length], t: null });
  }

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
    await getPatiently('healthz', undefined, { tries: Infinity, onWait: () => this.notice('connection', 'The server cannot be reached. Trying again …') });
    this.isWaiting = false;
    this.notice('connection', '');
    this.notice('problem', '');
  }

  /* --- loading --- */

  async loadClips() {
    const { clip_file } = this.state;
    const description = clip_file ? await (await getPatiently(link('v1/model', { model: clip_file }))).json() : this.description;
    if (clip_file !== this.state.clip_file) return;
    this.clips.fail(description.clips.length ? '' : 'That file has no clips.');
    this.stage.setClips(description.clips);
    this.clips.setClips(description.clips);
    if (this.state.clip === null || (this.state.clip !== '-' && !this.stage.clipOf(this.state.clip))) {
      if (this.state.clip !== null) this.notice('clip', `There is no clip '${this.state.clip}': another one is shown.`);
      this.state.clip = this.usualReference();
    }
    if (this.state.blend && !this.stage.clipOf(this.state.blend)) this.state.blend = null;
    this.show();
    this.writeAddress(this.isLoaded);
  }

  async load() {
    this.loading('Loading');
    this.notice('load', '');
    this.stage.showPoster(this.model, this.state);
    const onWait = (problem) => { this.notice('load', problem.message + '. Trying again …'); };
    try {
      this.description = await (await getPatiently(link('v1/model', { model: this.model }), undefined, { onWait, tries: 30 })).json();
      this.notice('load', '');
      this.stage.description = this.description;
      this.fillPanels();
      await this.loadClips();
      this.isLoaded = true;
      await this.stage.load(this.description, this.state.variant);
    } catch (problem) {
      this.loading('');
      if (problem.status === 401) return;
      const text = problem.code === 'not_found' || problem.code === 'model_not_found' ? `There is no model '${this.model}' here.` : problem.message;
      this.notice('load', text, 'bad', make('button', { type: 'button', onclick: () => this.load() }, 'Try again'));
    }
  }
}

const page = new Page();
page.load();
