/** What the page of a model loads: the model, the files whose clips are offered, and both again when they change. */
import { make } from '../common/dom.js';
import { getPatiently, link } from '../common/http.js';
import { FileWatch } from './file_watch.js';
import { loading, news, notice } from './notices.js';
import { fillPanels } from './panels.js';
import { findReferred } from './state.js';

export class Files {
  /** @param {Object} page of model.js; the description of its model is page.description */
  constructor(page) {
    this.page = page;
    this.watch = new FileWatch();
    this.described = new Map(); // [clip file]: the response of /v1/model
    this.isLoaded = false;
  }

  /** The response of /v1/model about a clip file, which is followed from then on. */
  describe(path) {
    if (!this.described.has(path)) {
      this.described.set(path, getPatiently(link('v1/model', { model: path })).then((response) => { this.watch.follow(path, response); return response.json(); })
        .catch((problem) => { this.described.delete(path); throw problem; }));
    }
    return this.described.get(path);
  }

  async loadClips() {
    const turn = this.clipsTurn = (this.clipsTurn || 0) + 1, { clip_file, clip_files } = this.page.state, faults = [];
    this.watch.keep([this.page.model, ...clip_files]);
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
    const groups = await Promise.all([...clip_files.map(async (file) => ({ ...await clipsOf(file), file })), { ...this.page.description, file: null }]);
    if (turn !== this.clipsTurn) return;
    const { clips: shown, usual_clip, bones } = groups.find((group) => group.file === clip_file);
    this.page.clips.fail(faults.join(' '));
    this.page.stage.setClips(shown, usual_clip);
    this.page.clips.setClips(groups);
    if (clip_file) this.page.clips.tellBones([[this.page.model, this.page.description.bones], [clip_file, bones]]);
    document.querySelector('#panel-clips .count').textContent = groups.reduce((count, { clips }) => count + clips.length, 0);
    if (this.page.state.clip === null || (this.page.state.clip !== '-' && !this.page.stage.clipOf(this.page.state.clip))) {
      if (this.page.state.clip !== null) notice('clip', `There is no clip '${this.page.state.clip}': another one is shown.`);
      this.page.state.clip = this.page.usualReference();
    }
    const { blend, blend_file } = this.page.state, blendOf = groups.find(({ file }) => file === (blend_file === this.page.model ? null : blend_file ?? clip_file));
    if (blend && !(blendOf && findReferred(blendOf.clips, blend))) Object.assign(this.page.state, { blend: null, blend_file: null });
    this.page.show();
    this.page.writeAddress(this.isLoaded);
  }

  async load() {
    loading('Loading');
    notice('load', '');
    this.page.stage.showPoster(this.page.model, this.page.state);
    const onWait = (problem) => { notice('load', problem.message + '. Trying again …'); };
    try {
      const response = await getPatiently(link('v1/model', { model: this.page.model }), undefined, { onWait, tries: 30 });
      this.watch.follow(this.page.model, response);
      this.page.description = await response.json();
      notice('load', '');
      this.page.stage.description = this.page.description;
      fillPanels(this.page);
      await this.loadClips();
      this.isLoaded = true;
      await this.page.stage.load(this.page.description, this.page.state.variant);
    } catch (problem) {
      loading('');
      if (problem.status === 401) return;
      const isMissing = problem.code === 'not_found' || problem.code === 'model_not_found';
      const [nearest = ''] = /did you mean '[^']*'\?/.exec(problem.message) || [];
      const text = isMissing ? `There is no model '${this.page.model}' here. ${nearest.replace('did', 'Did')}`.trim() : problem.message;
      notice('load', text, 'bad', make('button', { type: 'button', onclick: () => this.load() }, 'Try again'));
      if (!this.page.description) this.watch.follow(this.page.model); // it may appear, or become valid, later
    }
  }

  /** A file has changed: shows its new content with the same camera and time. */
  renew({ path, description }) {
    this.renewing = (this.renewing || Promise.resolve()).then(async () => {
      notice('file', '');
      if (path !== this.page.model) this.described.delete(path);
      if (!this.isLoaded) { if (!this.page.description) await this.load(); return; }
      if (path === this.page.model && description.hash === this.page.description.hash) return; // another server has the same content
      if (path === this.page.model) this.page.description = description;
      this.page.stage.description = this.page.description;
      fillPanels(this.page);
      await this.loadClips();
      notice('problem', '');
      await this.page.stage.renew(this.page.description);
      news(`'${path}' has changed: shown as it is now.`);
    }).catch((problem) => { if (problem.code === 'hash_mismatch') this.watch.look(); else notice('file', problem.message, 'bad'); });
  }
}
