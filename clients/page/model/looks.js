/** How the stage looks: the choice of views, background and ground, and the chosen joint. */
import { byId, icon, make } from '../common/dom.js';
import { showBackground, VIEWS } from './state.js';

const VIEW_WORDS = { lit: 'Lit', skeleton: 'Skeleton', weights: 'Weights', wireframe: 'Wireframe', normals: 'Normals' };
const BACKGROUNDS = [[null, 'Page'], ['ffffff', 'White'], ['808080', 'Grey'], ['15181b', 'Dark'], ['transparent', 'Checks']];
const GROUND = ['M8 3h8v9H8z', 'M3 17.500c0-1.500 4-2.500 9-2.500s9 1 9 2.500-4 2.500-9 2.500-9-1-9-2.500z'], RESET = ['M4 4v6h6', 'M5 10a8 8 0 1 1-1 5'];
const KEYS = ['M3 6h18v12H3z', 'M7 10h.01M11 10h.01M15 10h.01M7 14h10'], FULL = ['M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5'];

export class Looks {
  /** @param {{change, reset, focus, pose, showKeys, fail}} page what the controls do */
  constructor(page) {
    this.page = page;
    this.makeViews();
    this.makeTools();
  }

  makeViews() {
    const { change } = this.page;
    this.views = VIEWS.map((view, i) => make('button', { type: 'button', role: 'radio', title: `${VIEW_WORDS[view]} (${i + 1})`, 'data-view': view, onclick: () => change({ view }) }, VIEW_WORDS[view]));
    byId('views').append(...this.views);
    byId('views').addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const at = this.views.findIndex((button) => button.ariaChecked === 'true');
      const next = this.views[(at + step + this.views.length) % this.views.length];
      next.click();
      next.focus();
    });
  }

  makeTools() {
    const { page } = this;
    this.background = make('select', { 'aria-label': 'Background', title: 'Background (B)', onchange: () => page.change({ background: this.background.value || null }) },
      ...BACKGROUNDS.map(([value, word]) => make('option', { value: value || '' }, word)));
    const tool = (label, key, paths, work) => make('button', { type: 'button', 'aria-label': label, title: `${label} (${key})`, onclick: work }, icon(...paths));
    this.ground = tool('Ground', 'G', GROUND, () => page.change({ shadow: this.ground.ariaPressed !== 'true' }));
    const keys = tool('Keys', '?', KEYS, page.showKeys);
    keys.classList.add('keys');
    byId('looks').append(this.background, this.ground, tool('Reset camera', 'R', RESET, page.reset),
      tool('Full screen', 'Esc ends it', FULL, () => document.fullscreenElement ? document.exitFullscreen() : byId('middle').requestFullscreen().catch((fault) => page.fail(fault.message))),
      keys);
  }

  nextBackground(background) { return BACKGROUNDS[(BACKGROUNDS.findIndex(([value]) => value === background) + 1) % BACKGROUNDS.length][0]; }

  /** @param {Object} state @param {Object|null} node the chosen one */
  show(state, node) {
    for (const button of this.views) {
      const isChosen = button.dataset.view === state.view;
      button.setAttribute('aria-checked', isChosen);
      button.tabIndex = isChosen ? 0 : -1;
    }
    const { background } = state;
    if (background && ![...this.background.options].some((option) => option.value === background)) this.background.append(make('option', { value: background }, '#' + background));
    this.background.value = background || '';
    this.ground.setAttribute('aria-pressed', state.shadow);
    showBackground(byId('stage'), background);
    this.showChosen(state, node);
  }

  showChosen(state, node) {
    const box = byId('chosen'), { change, focus, pose } = this.page;
    box.hidden = !node;
    if (!node) return;
    const focused = box.contains(document.activeElement) ? [...box.children].indexOf(document.activeElement) : -1;
    const view = (word, text) => make('button', { type: 'button', 'aria-pressed': String(state.view === word), onclick: () => change({ view: state.view === word ? 'lit' : word }) }, text);
    box.replaceChildren(make('b', { title: node.name || '' }, node.name || 'node ' + node.node), view('weights', 'Weights'), view('skeleton', 'Skeleton'),
      make('button', { type: 'button', onclick: focus }, 'Focus'), make('button', { type: 'button', title: 'Turn it (T)', onclick: pose }, 'Turn'),
      make('button', { type: 'button', class: 'plain', 'aria-label': 'Choose no joint', onclick: () => change({ joint: null }) }, '×'));
    if (focused >= 0) box.children[focused].focus();
  }
}
