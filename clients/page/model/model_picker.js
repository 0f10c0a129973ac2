/** A field that finds another model by its path (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/). */
import { make } from '../common/dom.js';
import { getPatiently, link } from '../common/http.js';
import { ListBox } from './list_box.js';

const MODELS_MAX = 20000;

/** The paths of all models, requested once. */
let listed = null;
export function modelNames() {
  listed ||= (async () => {
    const names = [];
    let after = '';
    do {
      const page = await (await getPatiently(link('v1/models', { after, limit: 1000 }))).json();
      names.push(...page.models.map((entry) => entry.model));
      after = page.next;
    } while (after && names.length < MODELS_MAX);
    return names;
  })().catch((problem) => { listed = null; throw problem; });
  return listed;
}

export class ModelPicker {
  /** @param {{label: string, id: string, onChoose: function(string)}} options the field is emptied after a choice */
  constructor({ label, id, onChoose }) {
    this.onChoose = onChoose;
    this.list = new ListBox({ label: 'Models', onChoose: (name) => this.take(name) });
    this.list.node.tabIndex = -1;
    this.list.node.hidden = true;
    this.field = make('input', { id, type: 'search', role: 'combobox', autocomplete: 'off', spellcheck: 'false', placeholder: 'Search models',
      'aria-expanded': 'false', 'aria-autocomplete': 'list', 'aria-controls': this.list.node.id,
      oninput: () => this.search(), onfocus: () => this.search(), onblur: () => this.close(), onkeydown: (event) => this.onKey(event) });
    this.node = make('div', { class: 'field combo' }, make('label', { for: id, class: 'word soft' }, label), this.field, this.list.node);
  }

  async search() {
    const text = this.field.value;
    let names = [];
    try {
      names = await modelNames();
      this.field.setCustomValidity('');
    } catch (problem) {
      this.field.setCustomValidity(problem.message);
      this.field.reportValidity();
    }
    if (document.activeElement !== this.field || text !== this.field.value) return;
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = names.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
    this.list.set(found.map((name) => ({ value: name, text: name })), null);
    this.list.node.hidden = found.length === 0;
    this.field.setAttribute('aria-expanded', String(found.length > 0));
    this.mark();
  }

  mark() {
    const { active, id } = this.list;
    if (active >= 0) this.field.setAttribute('aria-activedescendant', `${id}-${active}`);
    else this.field.removeAttribute('aria-activedescendant');
  }

  onKey(event) {
    const { list } = this;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (list.node.hidden) this.search();
      else list.move(list.active + (event.key === 'ArrowDown' ? 1 : -1));
      this.mark();
    } else if (event.key === 'Enter' && !list.node.hidden) {
      event.preventDefault();
      if (list.active < 0) list.move(0);
      list.take();
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      this.close();
    }
  }

  take(name) {
    this.field.value = '';
    this.close();
    this.onChoose(name);
  }

  close() {
    this.list.node.hidden = true;
    this.field.setAttribute('aria-expanded', 'false');
    this.field.removeAttribute('aria-activedescendant');
  }
}
