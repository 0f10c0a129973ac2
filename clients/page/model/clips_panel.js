/** The panel of what plays: clips with a search, a second clip to blend with, clips of another model. */
import { make } from '../common/dom.js';
import { secondsText } from '../common/format.js';
import { ListBox } from './list_box.js';
import { ModelPicker } from './model_picker.js';
import { referenceOf } from './state.js';

const SEARCH_FROM = 8; // clips

export class ClipsPanel {
  /** @param {function(Object)} change takes members of the state that are new */
  constructor(change) {
    this.clips = [];
    this.list = new ListBox({ label: 'Clips', onChoose: (clip) => change({ clip, t: null }) });
    this.search = make('input', { type: 'search', placeholder: 'Search clips', 'aria-label': 'Search clips', oninput: () => this.fill() });
    this.blend = make('select', { id: 'blend', onchange: () => change({ blend: this.blend.value || null }) });
    this.weight = make('input', { type: 'range', min: 0, max: 1, step: 0.01, id: 'weight', 'aria-label': 'Share of the second clip',
      oninput: () => change({ weight: +this.weight.value }, true) });
    this.share = make('output', { class: 'numbers soft' });
    this.weightLine = make('label', { class: 'line' }, this.weight, this.share);
    this.picker = new ModelPicker({ label: 'Clips of another model', id: 'clip-file', onChoose: (clip_file) => change({ clip_file, clip: null, blend: null, t: null, retarget: false }) });
    this.retarget = make('input', { type: 'checkbox', id: 'retarget', onchange: () => change({ retarget: this.retarget.checked }) });
    this.retargetLine = make('label', { class: 'line', title: 'For a human with other bones or another rest pose (retarget=rest)' }, this.retarget, 'Match bones by their role');
    this.fault = make('p', { class: 'error', role: 'alert', hidden: true });
    this.none = make('p', { class: 'soft' }, 'This file has no clips.');
    this.node = make('div', { class: 'body' }, this.search, this.list.node, this.none,
      make('div', { class: 'field' }, make('label', { for: 'blend', class: 'word soft' }, 'Blend with'), this.blend, this.weightLine),
      this.picker.node, this.retargetLine, this.fault);
  }

  /** @param {Object[]} clips of the model or of the clip file */
  setClips(clips) {
    this.clips = clips.map((clip) => ({ value: referenceOf(clips, clip.index), text: clip.name || 'clip ' + clip.index, more: secondsText(clip.duration) }));
    this.search.hidden = clips.length < SEARCH_FROM;
    this.search.value = '';
    this.none.hidden = clips.length > 0;
    this.blend.replaceChildren(make('option', { value: '' }, 'nothing'), ...this.clips.map((clip) => make('option', { value: clip.value }, clip.text)));
    this.fill();
  }

  fill() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rest = { value: '-', text: 'Rest pose', more: '' };
    const found = [...this.clips, rest].filter((clip) => words.every((word) => clip.text.toLowerCase().includes(word)));
    this.list.set(found, this.chosen);
  }

  show(state) {
    this.chosen = state.clip;
    this.list.choose(state.clip);
    this.blend.value = state.blend || '';
    this.blend.disabled = this.clips.length === 0 || state.clip === '-';
    this.weightLine.hidden = !state.blend;
    this.weight.value = state.weight;
    this.share.value = Math.round(state.weight * 100) + ' %';
    if (document.activeElement !== this.picker.field) this.picker.show(state.clip_file);
    this.retargetLine.hidden = !state.clip_file;
    this.retarget.checked = state.retarget;
  }

  fail(text) {
    this.fault.textContent = text || '';
    this.fault.hidden = !text;
  }
}
