/** Lists to choose from by keyboard and pointer (https://www.w3.org/WAI/ARIA/apg/patterns/listbox/). */
import { make } from '../common/dom.js';

const SHOWN_MAX = 400; // after so many entries the list says how many more there are

let made = 0;

export class ListBox {
  /**
   * @param {{label: string, onChoose: function(*)}} options
   * items: [{value, text, more}], shown by set()
   */
  constructor({ label, onChoose }) {
    this.id = 'list-' + ++made;
    this.onChoose = onChoose;
    this.items = [];
    this.active = -1;
    this.node = make('ul', { class: 'list', role: 'listbox', tabindex: 0, 'aria-label': label, id: this.id,
      onkeydown: (event) => this.onKey(event), onclick: (event) => this.onClick(event), onmousedown: (event) => event.preventDefault() });
  }

  set(items, chosen) {
    this.items = items.slice(0, SHOWN_MAX);
    this.chosen = chosen;
    this.active = this.items.findIndex((item) => item.value === chosen);
    this.node.replaceChildren(...this.items.map((item, i) => make('li', { role: 'option', id: `${this.id}-${i}`, 'aria-selected': String(item.value === chosen), title: item.text },
      make('span', {}, item.text), item.more ? make('span', { class: 'soft numbers' }, item.more) : null)));
    if (items.length > SHOWN_MAX) this.node.append(make('li', { class: 'soft', role: 'presentation' }, `and ${(items.length - SHOWN_MAX).toLocaleString('en')} more: search`));
    this.mark(false);
  }

  choose(chosen) {
    this.chosen = chosen;
    this.items.forEach((item, i) => this.node.children[i].setAttribute('aria-selected', String(item.value === chosen)));
    this.active = this.items.findIndex((item) => item.value === chosen);
    this.mark(true);
  }

  mark(isShown) {
    this.items.forEach((_, i) => this.node.children[i].classList.toggle('active', i === this.active));
    const node = this.node.children[this.active];
    if (this.active >= 0) this.node.setAttribute('aria-activedescendant', `${this.id}-${this.active}`);
    else this.node.removeAttribute('aria-activedescendant');
    if (isShown && node) node.scrollIntoView({ block: 'nearest' });
  }

  move(to) {
    this.active = Math.max(0, Math.min(this.items.length - 1, to));
    this.mark(true);
  }

  take() {
    const item = this.items[this.active];
    if (item) this.onChoose(item.value, item);
  }

  onKey(event) {
    const steps = { ArrowDown: this.active + 1, ArrowUp: this.active - 1, Home: 0, End: this.items.length - 1, PageDown: this.active + 8, PageUp: this.active - 8 };
    if (event.key in steps && this.items.length) this.move(steps[event.key]);
    if (event.key in steps || event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      event.stopPropagation();
      this.take();
    }
  }

  onClick(event) {
    const option = event.target.closest('[role=option]');
    if (!option) return;
    this.move([...this.node.children].indexOf(option));
    this.take();
  }
}
