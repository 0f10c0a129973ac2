/** The panel of clips, with a search, a second clip to blend with, and clips of other models. */
import { make } from '../common/dom.js';
import { baseName, secondsText } from '../common/format.js';
import { ListBox } from './list_box.js';
import { ModelPicker } from './model_picker.js';
import { clipFilesOf, referenceOf } from './state.js';

const SEARCH_FROM = 8; // number of clips
const REST = '-';

/** The key of a clip in the list: its file (null: the model's own) and its reference there. */
const keyOf = (file, reference) => reference === REST ? REST : (file || '') + '\0' + reference;

export class ClipsPanel {
  /** @param {function(Object)} change receives new members of the state */
  constructor(change) {
    this.change = change;
    this.groups = [];
    this.clips = []; // of all files: {value, file, reference, text, more}
    this.state = { clip: null, clip_file: null, clip_files: [] };
    this.list = new ListBox({ label: 'Clips', onChoose: (_, item) => this.choose(item) });
    this.search = make('input', { type: 'search', placeholder: 'Search clips', 'aria-label': 'Search clips', oninput: () => this.fill() });
    this.blend = make('select', { id: 'blend', onchange: () => this.chooseBlend() });
    this.weight = make('input', { type: 'range', min: 0, max: 1, step: 0.01, id: 'weight', 'aria-label': 'Share of the second clip',
      oninput: () => change({ weight: +this.weight.value }, true) });
    this.share = make('output', { class: 'numbers soft' });
    this.weightLine = make('label', { class: 'line' }, this.weight, this.share);
    this.blendField = make('div', { class: 'field' }, make('label', { for: 'blend', class: 'word soft' }, 'Blend with'), this.blend, this.weightLine);
    this.picker = new ModelPicker({ label: 'Clips of another model', id: 'clip-file', onChoose: (path) => this.add(path) });
    this.files = make('ul', { class: 'chips', 'aria-label': 'Files of clips' });
    this.retarget = make('input', { type: 'checkbox', id: 'retarget', onchange: () => change({ retarget: this.retarget.checked }) });
    this.retargetLine = make('label', { class: 'line', title: 'For a human with other bones or another rest pose (retarget=rest)' }, this.retarget, 'Match bones by their role');
    this.bones = make('p', { class: 'soft', id: 'bones' });
    this.fault = make('p', { class: 'error', role: 'alert', hidden: true });
    this.none = make('p', { class: 'soft' }, 'This file has no clips.');
    this.node = make('div', { class: 'body' }, this.search, this.list.node, this.none, this.blendField, this.picker.node, this.files, this.retargetLine, this.bones, this.fault);
  }

  choose({ file, reference }) {
    const { clip_file } = this.state;
    if (reference === REST || file === clip_file) this.change({ clip: reference, t: null });
    else this.change({ clip_file: file, clip: reference, blend: null, blend_file: null, t: null });
  }

  chooseBlend() {
    const found = this.clips.find((clip) => clip.value === this.blend.value);
    if (found) this.change({ blend: found.reference, blend_file: found.file === this.state.clip_file ? null : found.file ?? this.state.model });
    else this.change({ blend: null, blend_file: null });
  }

  add(path) {
    const { clip_files, retarget } = this.state;
    this.change({ clip_file: path, clip_files: clipFilesOf([...clip_files, path]), clip: null, blend: null, blend_file: null, t: null, retarget: retarget && clip_files.length > 0 });
  }

  remove(path) {
    const { clip_file, clip_files, retarget } = this.state, left = clip_files.filter((one) => one !== path);
    const isShown = clip_file === path;
    this.change({ clip_files: left, ...(isShown && { clip_file: left[0] ?? null, clip: null, blend: null, blend_file: null, t: null }), retarget: retarget && left.length > 0 });
    (this.files.querySelector('button') || this.list.node).focus();
  }

  /**
   * @param {{file: string|null, clips: Object[]}[]} groups one for each file, the model itself last
   */
  setClips(groups) {
    const isMixed = groups.filter((group) => group.clips.length).length > 1;
    this.clips = groups.flatMap(({ file, clips }) => clips.map((clip) => {
      const reference = referenceOf(clips, clip.index);
      const isNamedByFile = file && clips.length === 1; // such clips have all the same name, or none
      return { value: keyOf(file, reference), file, reference, text: isNamedByFile ? baseName(file) : clip.name || 'clip ' + clip.index, searched: `${clip.name} ${file || ''}`.toLowerCase(),
        more: [isNamedByFile ? clip.name : isMixed && file && baseName(file), secondsText(clip.duration)].filter(Boolean).join(' · ') };
    }));
    this.search.hidden = this.clips.length < SEARCH_FROM;
    this.search.value = '';
    this.none.hidden = this.clips.length > 0;
    this.blend.replaceChildren(make('option', { value: '' }, 'nothing'), ...this.clips.map((clip) => make('option', { value: clip.value }, [clip.text, clip.file && clip.text !== baseName(clip.file) && baseName(clip.file)].filter(Boolean).join(' · '))));
    this.blendField.hidden = this.clips.length < 2;
    this.fill();
  }

  fill() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rest = { value: REST, file: null, reference: REST, text: 'Rest pose', searched: 'rest pose', more: '' };
    this.list.set([...this.clips, rest].filter((clip) => words.every((word) => clip.searched.includes(word))), this.chosen);
  }

  /** Selects the clip that is `step` places further on in the list. */
  next(step) {
    const at = this.clips.findIndex((clip) => clip.value === this.chosen), { length } = this.clips;
    if (length) this.choose(this.clips[((at < 0 && step < 0 ? 0 : at) + step + length) % length]);
  }

  show(state) {
    this.state = state;
    this.chosen = state.clip === null ? null : keyOf(state.clip_file, state.clip);
    this.list.choose(this.chosen);
    const { blend_file } = state, blendOf = blend_file === state.model ? null : blend_file ?? state.clip_file;
    this.blend.value = state.blend ? keyOf(blendOf, state.blend) : '';
    this.blend.disabled = state.clip === REST;
    this.weightLine.hidden = !state.blend;
    this.weight.value = state.weight;
    this.share.value = Math.round(state.weight * 100) + ' %';
    this.showFiles(state.clip_files);
    this.retargetLine.hidden = !state.clip_file;
    this.bones.hidden = !state.clip_file || !state.retarget;
    this.retarget.checked = state.retarget;
  }

  showFiles(files) {
    this.files.hidden = !files.length;
    if (this.files.dataset.shown === files.join('\0')) return;
    this.files.dataset.shown = files.join('\0');
    this.files.replaceChildren(...files.map((path) => make('li', {}, make('span', { title: path }, path),
      make('button', { type: 'button', class: 'plain', 'aria-label': `Without the clips of ${path}`, title: 'Without its clips', onclick: () => this.remove(path) }, '×'))));
  }

  /** Says which bones of a human the names of joints tell, as `bones` of /v1/model has them. files: [path, bones or undefined] each. */
  tellBones(files) {
    this.bones.textContent = files.map(([path, bones]) => `${baseName(path)}: ` + (!bones ? 'its bones are not known by name'
      : `${Math.round(100 * bones.score)} % of the bones by ${bones.by}${bones.missing.length ? ', without ' + bones.missing.join(', ') : ''}`)).join('. ') + '.';
  }

  fail(text) {
    this.fault.textContent = text || '';
    this.fault.hidden = !text;
  }
}
