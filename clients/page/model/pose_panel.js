/** The panel of the pose on top of the clip: the turn of the chosen joint, the look, VRM expressions, morph targets. */
import { make } from '../common/dom.js';
import { nodeOf, numbersOf, partsOf, POSE, targetsOf, TURN_MOST, withNumbers } from './given.js';
import { LookFields } from './look_fields.js';
import { referenceOf } from './state.js';

const AXES = ['x', 'y', 'z'];
const SEARCH_FROM = 12; // number of sliders
const NONE = { turn: [], morph: [], expression: [], look: null };

const degreesText = (n) => +n.toFixed(1) + '°';

export class PosePanel {
  /** @param {{change: function(Object, boolean), chooseNode: function(number), eye: function(): number[]|null, copy: function()}} page */
  constructor(page) {
    this.page = page;
    this.lines = []; // sliders of expressions and morph targets: {kind, name, ..}
    this.node = null; // the chosen one
    this.axes = AXES.map((axis, i) => this.axis(axis, i));
    this.legend = make('legend', {});
    this.hint = make('p', { class: 'soft' });
    const button = (text, work) => make('button', { type: 'button', onclick: work }, text);
    this.resetJoint = button('Reset joint', () => { this.turn(null); this.axes[0].range.focus(); });
    this.joint = make('fieldset', {}, this.legend, ...this.axes.map(({ line }) => line), this.resetJoint);
    this.turned = make('ul', { class: 'chips', 'aria-label': 'Turned joints' });
    this.look = new LookFields(page);
    this.search = make('input', { type: 'search', placeholder: 'Search sliders', 'aria-label': 'Search sliders', oninput: () => this.filter() });
    this.groups = make('div', { class: 'body inner' });
    this.resetAll = button('Reset all', () => { page.change(NONE); this.body.closest('details')?.querySelector('summary').focus(); });
    this.copy = button('Copy as JSON', page.copy);
    this.body = make('div', { class: 'body pose', onkeydown: (event) => this.onKey(event) }, this.hint, this.joint, this.turned, this.look.node, this.search, this.groups,
      make('div', { class: 'row' }, this.resetAll, this.copy));
  }

  /* --- the joint --- */

  axis(axis, i) {
    const id = 'turn-' + axis, take = (node, isPassing) => { if (node.value !== '' && node.checkValidity()) this.turnAbout(i, +node.value, isPassing); };
    const range = make('input', { type: 'range', min: -180, max: 180, step: 1, 'aria-label': `Turn about ${axis}`, oninput: () => take(range, true), onchange: () => take(range, false) });
    const number = make('input', { type: 'number', id, min: -TURN_MOST, max: TURN_MOST, step: 'any', onchange: () => { take(number, false); this.show(this.state, this.node); } });
    return { range, number, line: make('div', { class: `line axis-${axis}` }, make('label', { for: id, title: `Degrees about the joint's own ${axis}` }, axis), range, number) };
  }

  get degrees() { return (this.key !== null && numbersOf(this.state.turn, this.key)) || [0, 0, 0]; }

  /** The turn in the address whose joint this is, else the joint's reference. */
  keyOf(index) {
    const { nodes } = this.description;
    return this.state.turn.map((text) => partsOf(text)[0]).find((name) => nodeOf(this.description, name) === index) ?? referenceOf(nodes, index, (one) => one.node);
  }

  /** Turns the chosen joint by degrees; null: as the clip has it. */
  turn(degrees, isPassing = false) {
    if (this.key !== null) this.page.change({ turn: withNumbers(this.state.turn, this.key, degrees) }, isPassing);
  }

  turnAbout(axis, degrees, isPassing) { this.turn(this.degrees.map((now, i) => i === axis ? degrees : now), isPassing); }

  /** Escape in a field takes back what was typed. */
  onKey(event) {
    if (event.key !== 'Escape' || event.target.type !== 'number') return;
    event.preventDefault();
    this.show(this.state, this.node, true);
    event.target.select();
  }

  /* --- sliders --- */

  setModel(description) {
    this.description = description;
    const groups = [['expression', 'Expressions', (description.expressions || []).map((one) => one.name)], ['morph', 'Morph targets', targetsOf(description)]];
    this.lines = groups.flatMap(([kind, , names]) => names.map((name, i) => this.line(kind, name, `${kind}-${i}`)));
    this.groups.replaceChildren(...groups.filter(([, , names]) => names.length).map(([kind, title]) => make('fieldset', {},
      make('legend', {}, title), ...this.lines.filter((line) => line.kind === kind).map((line) => line.node))));
    this.look.setModel(description);
    this.search.hidden = this.lines.length < SEARCH_FROM;
    this.filter();
  }

  line(kind, name, id) {
    const word = kind === 'morph' && /^\d+$/.test(name) ? 'target ' + name : name;
    const change = (numbers, isPassing = false) => this.page.change({ [kind]: withNumbers(this.state[kind], name, numbers) }, isPassing);
    const range = make('input', { type: 'range', id, min: 0, max: 1, step: 0.01, value: 0, oninput: () => change([+range.value], true), onchange: () => change([+range.value]) });
    const text = make('output', { class: 'numbers soft', for: id });
    const drop = make('button', { type: 'button', class: 'plain', 'aria-label': `Reset ${word}`, title: 'As the clip has it', onclick: () => { change(null); range.focus(); } }, '×');
    return { kind, name, range, text, drop, node: make('div', { class: 'field' }, make('label', { for: id, class: 'word soft', title: name }, word), make('div', { class: 'line' }, range, text, drop)) };
  }

  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { name, node } of this.lines) node.hidden = !words.every((word) => name.toLowerCase().includes(word));
  }

  /* --- all --- */

  /** @param {Object} state @param {Object|null} node the chosen one @param {boolean} isForced also the field that has the focus */
  show(state, node, isForced = false) {
    this.state = state;
    this.node = node;
    if (!this.description) return;
    this.key = node ? this.keyOf(node.node) : null;
    this.showJoint(isForced);
    this.showTurned();
    this.look.show(state, isForced);
    for (const { kind, name, range, text, drop } of this.lines) {
      const [weight] = numbersOf(state[kind], name) ?? [null];
      range.min = Math.min(0, weight);
      range.max = Math.max(1, weight);
      range.value = weight ?? 0;
      text.value = weight === null ? '–' : +weight.toFixed(2);
      range.setAttribute('aria-valuetext', weight === null ? 'as the clip has it' : text.value);
      drop.style.visibility = weight === null ? 'hidden' : '';
    }
    const count = POSE.reduce((sum, kind) => sum + (typeof state[kind] === 'string' ? 1 : state[kind]?.length ?? 0), 0), box = document.querySelector('#panel-pose .count');
    this.resetAll.disabled = this.copy.disabled = count === 0;
    if (box) box.textContent = count || '';
  }

  showJoint(isForced) {
    const isTurned = this.key !== null && numbersOf(this.state.turn, this.key) !== null;
    this.joint.hidden = this.key === null;
    this.legend.textContent = this.node ? 'Turn ' + (this.node.name || 'node ' + this.node.node) : '';
    this.hint.textContent = !this.node ? 'Choose a joint in the hierarchy, or with a click on the model, to turn it.'
      : isTurned ? 'Degrees about its own axes, x first, from its rest. The clip does not turn it.' : 'It moves as the clip has it.';
    this.resetJoint.disabled = !isTurned;
    this.axes.forEach(({ range, number }, i) => {
      range.value = this.degrees[i];
      range.setAttribute('aria-valuetext', degreesText(this.degrees[i]));
      if (isForced || document.activeElement !== number) number.value = +this.degrees[i].toFixed(3);
    });
  }

  showTurned() {
    const { turn } = this.state;
    this.turned.hidden = !turn.length;
    if (this.turned.dataset.shown === turn.join('\0')) return;
    this.turned.dataset.shown = turn.join('\0');
    this.turned.replaceChildren(...turn.map((text) => {
      const [name, degrees] = partsOf(text);
      return make('li', {}, make('button', { type: 'button', class: 'plain word', title: 'Choose it', onclick: () => this.page.chooseNode(nodeOf(this.description, name)) }, name, ' ', make('span', { class: 'soft numbers' }, degrees.map(degreesText).join(' '))),
        make('button', { type: 'button', class: 'plain', 'aria-label': `Reset ${name}`, title: 'As the clip has it', onclick: () => {
          this.page.change({ turn: withNumbers(this.state.turn, name, null) });
          (this.turned.querySelector('button') || this.body.closest('details').querySelector('summary')).focus();
        } }, '×'));
    }));
  }
}
