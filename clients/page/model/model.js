/** The page of one model, /m/PATH. It connects the stage, the player and the panels with the state in the address. */
import { byId, icon, make } from '../common/dom.js';
import { baseName, folderOf } from '../common/format.js';
import { getPatiently, link } from '../common/http.js';
import { watchSignIn } from '../common/sign_in.js';
import { Actions } from './actions.js';
import { modelOfAddress } from './address.js';
import { ClipsPanel } from './clips_panel.js';
import { factsBody, factsLine, warningsBody } from './facts_panel.js';
import { FileWatch } from './file_watch.js';
import { listenToKeys } from './keyboard.js';
import { LightPanel } from './light_panel.js';
import { Looks } from './looks.js';
import { MotionPanel } from './motion_panel.js';
import { Player } from './player.js';
import { Posing } from './posing.js';
import { Stage } from './stage.js';
import { materialsBody, texturesBody, Thumbnails } from './surfaces_panel.js';
import { CAMERA, findReferred, RATES, readState, referenceOf, shortList, VIEWS, writeState } from './state.js';
import { Tree } from './tree.js';

const SETTLED_MS = 300; // from the end of a drag to the change of the address
const NEWS_MS = 6000; // how long a notice without a question stays
const ARROW = ['M15 5l-7 7 7 7'];
const isStill = matchMedia('(prefers-reduced-motion: reduce)');
const isPhone = matchMedia('(max-width: 46rem)');

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
      copied: (text, what) => this.actions.copied(text, what), say: (text) => this.say(text), notice: (kind, text) => this.notice(kind, text),
    });
    this.tree = new Tree({ onChoose: (node) => this.chooseNode(node) });
    this.actions = new Actions(byId('actions'), {
      model: this.model, state: () => this.state, time_s: () => this.time_s, duration_s: () => this.duration_s,
      say: (text) => this.say(text), fail: (text) => this.notice('action', text, 'bad'),
    });
    this.described = new Map(); // [clip file]: the response of /v1/model
    this.watch = new FileWatch();
    this.looks = new Looks({ change: (news) => this.change(news), reset: () => this.reset(), focus: () => this.focus(), pose: () => this.posing.open(), showKeys: () => this.keys.showKeys(), fail: (text) => this.notice('action', text, 'bad') });
    this.looks.show(this.state, null);
    this.listen();
  }

  get viewer() { return this.stage.viewer; }
  get time_s() { return this.viewer ? this.viewer.time_s : this.state.t || 0; }
  get duration_s() { return (this.viewer && this.viewer.duration_s) || this.stage.durationOf(this.state); }

  /* --- words for the visitor --- */

  say(text) { byId('said').textContent = text; }

  /** Shows a notice on the stage, at most one of a kind. Without text it is removed. */
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

  /** Applies new members of the state. isPassing: they will change again at once, so they are not a step for the back button. */
  change(news, isPassing = false) {
    const before = this.state;
    this.state = { ...before, ...news };
    this.notice('problem', '');
    this.notice('clip', '');
    const isOfOtherClips = this.areFilesNew(before);
    if (news.clip === null && !isOfOtherClips) this.state.clip = this.usualReference();
    if (isOfOtherClips) { this.loadClips().catch((problem) => this.clips.fail(problem.message)); return; }
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

  panel(name, title, body, { isOpen = false, count = '', grade = '', onToggle = null } = {}) {
    const details = make('details', { id: 'panel-' + name, open: isOpen }, make('summary', {}, title, count !== '' ? make('span', { class: 'count ' + grade }, String(count)) : ''), body);
    if (onToggle) {
      details.addEventListener('toggle', () => onToggle(details.open));
      if (isOpen) onToggle(true);
    }
    return details;
  }

  fillPanels() {
    const { description } = this;
    const joints = new Set(description.skins.filter((skin) => !skin.rigid).flatMap((skin) => skin.joints.map((joint) => joint.node)));
    this.tree.setNodes(description.nodes, joints);
    this.state = this.posing.setModel(this.state, description);
    this.thumbnails = new Thumbnails(this.model);
    const textures = texturesBody(description, this.thumbnails);
    const isWide = !isPhone.matches;
    const open = new Map([...byId('panels').children].map((panel) => [panel.id, panel.open])), { scrollTop } = byId('panels');
    const panels = [this.panel('clips', 'Clips', this.clips.node, { isOpen: true, count: description.clips.length })];
    if (description.warnings.length) panels.push(this.panel('warnings', 'Warnings', warningsBody(description), { count: description.warnings.length, grade: 'warn', isOpen: isWide && description.warnings.length < 4 }));
    panels.push(this.panel('nodes', 'Hierarchy', make('div', { class: 'body' }, this.tree.search, this.tree.node), { isOpen: isWide, count: description.nodes.length }));
    panels.push(this.panel('pose', 'Pose', this.posing.panel.body, { count: ' ', isOpen: isWide && Posing.isGiven(this.state), onToggle: () => this.posing.showRings(this.stage) }));
    if ((description.variants || []).length) panels.push(this.panel('variants', 'Variants', this.variants(description.variants), { count: description.variants.length, isOpen: isWide }));
    if (description.clips.length) panels.push(this.motionPanel(description));
    panels.push(this.panel('light', 'Light', this.light.node, { count: ' ' }));
    if (description.materials.length) panels.push(this.panel('materials', 'Materials', materialsBody(description), { count: description.materials.length }));
    if (description.textures.length) panels.push(this.panel('textures', 'Textures', textures, { count: description.textures.length, onToggle: (isOpen) => { if (isOpen) textures.fill(); } }));
    panels.push(this.panel('facts', 'Facts', factsBody(description), { isOpen: isWide }));
    for (const panel of panels) if (open.has(panel.id)) panel.open = open.get(panel.id);
    byId('panels').replaceChildren(...panels);
    byId('panels').scrollTop = scrollTop;
    byId('facts').textContent = factsLine(description);
  }

  motionPanel({ hash }) {
    const motion = new MotionPanel(this.model, hash, (finding) => this.showFinding(finding));
    const panel = this.panel('motion', 'Motion', motion.body, { count: ' ' });
    panel.addEventListener('toggle', () => { if (panel.open) motion.open(panel.querySelector('.count')); });
    return panel;
  }

  /** Shows the clip, the time and the joint of a finding. */
  showFinding({ clip, time_s, node }) {
    const { clips, nodes } = this.description;
    const news = { joint: node === undefined ? null : referenceOf(nodes, node, (one) => one.node), t: time_s ?? null };
    this.change({ ...news, ...(clip === undefined ? { clip: '-' } : { clip: referenceOf(clips, clip) }), clip_file: null, blend: null, blend_file: null });
    if (time_s !== undefined) this.seek(time_s);
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
      this.posing.gizmo.draw();
      const { yaw, pitch, distance = 1, target, frame_box } = this.viewer.cameraParameters;
      Object.assign(this.state, { yaw: +(+yaw).toFixed(2), pitch: +(+pitch).toFixed(2), distance: +(+distance).toFixed(4), target: shortList(target), frame_box: shortList(frame_box) });
      stage.state = { ...this.state };
      this.writeSoon();
    });
    stage.addEventListener('pick', ({ detail }) => { if (detail?.joint && detail.joint.index !== this.chosenNode()?.node) this.chooseNode(detail.joint.index); });
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
      if (detail && detail.code === 'hash_mismatch') { this.watch.look(); return; } // the file changed while it played
      const text = (detail && detail.message) || 'The model cannot be drawn';
      if (this.state.clip_file) this.clips.fail(text + (detail.code === 'clip_no_match' && !this.state.retarget ? ' Try to match bones by their role.' : ''));
      this.notice('problem', text, 'bad', make('button', { type: 'button', onclick: () => { this.notice('problem', ''); stage.apply(this.state, true); } }, 'Try again'));
    });
    addEventListener('popstate', () => {
      const before = this.state;
      this.state = readState(location.search, this.model);
      if (this.state.clip === null) this.state.clip = this.usualReference();
      if (this.state.variant !== before.variant) location.reload();
      else if (this.areFilesNew(before)) this.loadClips().catch((problem) => this.clips.fail(problem.message));
      else this.show();
    });
    this.watch.addEventListener('changed', ({ detail }) => this.renew(detail));
    this.watch.addEventListener('gone', ({ detail: { path } }) => { if (this.isLoaded) this.notice('file', `'${path}' is no longer on the server. What is shown is as it was.`, 'bad'); });
    this.watch.addEventListener('broken', ({ detail: { path, problem } }) => { if (this.isLoaded) this.notice('file', `'${path}' has changed and cannot be read now: ${problem.message}`, 'bad'); });
    this.watch.addEventListener('same', () => this.notice('file', ''));
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
    await getPatiently('healthz', undefined, { tries: Infinity, onWait: () => this.notice('connection', 'The server cannot be reached. Trying again …') });
    this.isWaiting = false;
    this.notice('connection', '');
    this.notice('problem', '');
  }

  /* --- loading --- */

  /** The response of /v1/model about a clip file, which is followed from then on. */
  describe(path) {
    if (!this.described.has(path)) {
      this.described.set(path, getPatiently(link('v1/model', { model: path })).then((response) => { this.watch.follow(path, response); return response.json(); })
        .catch((problem) => { this.described.delete(path); throw problem; }));
    }
    return this.described.get(path);
  }

  async loadClips() {
    const turn = this.clipsTurn = (this.clipsTurn || 0) + 1, { clip_file, clip_files } = this.state, faults = [];
    this.watch.keep([this.model, ...clip_files]);
    const clipsOf = async (file) => {
      try {
        const described = await this.describe(file);
        if (!described.clips.length) faults.push(`'${file}' has no clips.`);
        return described;
      } catch (problem) {
        faults.push(problem.message);
        return { clips: [] };
      }
    };
    const groups = await Promise.all([...clip_files.map(async (file) => ({ ...await clipsOf(file), file })), { ...this.description, file: null }]);
    if (turn !== this.clipsTurn) return;
    const { clips: shown, usual_clip, bones } = groups.find((group) => group.file === clip_file);
    this.clips.fail(faults.join(' '));
    this.stage.setClips(shown, usual_clip);
    this.clips.setClips(groups);
    if (clip_file) this.clips.tellBones([[this.model, this.description.bones], [clip_file, bones]]);
    document.querySelector('#panel-clips .count').textContent = groups.reduce((count, { clips }) => count + clips.length, 0);
    if (this.state.clip === null || (this.state.clip !== '-' && !this.stage.clipOf(this.state.clip))) {
      if (this.state.clip !== null) this.notice('clip', `There is no clip '${this.state.clip}': another one is shown.`);
      this.state.clip = this.usualReference();
    }
    const { blend, blend_file } = this.state, blendOf = groups.find(({ file }) => file === (blend_file === this.model ? null : blend_file ?? clip_file));
    if (blend && !(blendOf && findReferred(blendOf.clips, blend))) Object.assign(this.state, { blend: null, blend_file: null });
    this.show();
    this.writeAddress(this.isLoaded);
  }

  async load() {
    this.loading('Loading');
    this.notice('load', '');
    this.stage.showPoster(this.model, this.state);
    const onWait = (problem) => { this.notice('load', problem.message + '. Trying again …'); };
    try {
      const response = await getPatiently(link('v1/model', { model: this.model }), undefined, { onWait, tries: 30 });
      this.watch.follow(this.model, response);
      this.description = await response.json();
      this.notice('load', '');
      this.stage.description = this.description;
      this.fillPanels();
      await this.loadClips();
      this.isLoaded = true;
      await this.stage.load(this.description, this.state.variant);
    } catch (problem) {
      this.loading('');
      if (problem.status === 401) return;
      const isMissing = problem.code === 'not_found' || problem.code === 'model_not_found';
      const [nearest = ''] = /did you mean '[^']*'\?/.exec(problem.message) || [];
      const text = isMissing ? `There is no model '${this.model}' here. ${nearest.replace('did', 'Did')}`.trim() : problem.message;
      this.notice('load', text, 'bad', make('button', { type: 'button', onclick: () => this.load() }, 'Try again'));
      if (!this.description) this.watch.follow(this.model); // it may appear, or become valid, later
    }
  }

  /** A file has changed: shows its new content with the same camera and time. */
  renew({ path, description }) {
    this.renewing = (this.renewing || Promise.resolve()).then(async () => {
      this.notice('file', '');
      if (path !== this.model) this.described.delete(path);
      if (!this.isLoaded) { if (!this.description) await this.load(); return; }
      if (path === this.model && description.hash === this.description.hash) return; // another server has the same content
      if (path === this.model) this.description = description;
      this.stage.description = this.description;
      this.fillPanels();
      await this.loadClips();
      this.notice('problem', '');
      await this.stage.renew(this.description);
      this.news(`'${path}' has changed: shown as it is now.`);
    }).catch((problem) => { if (problem.code === 'hash_mismatch') this.watch.look(); else this.notice('file', problem.message, 'bad'); });
  }

  news(text) {
    this.notice('file', text);
    clearTimeout(this.newsTimer);
    const node = document.querySelector('#notices [data-kind="file"]');
    this.newsTimer = setTimeout(() => node.remove(), NEWS_MS);
  }
}

const page = new Page();
page.load();
