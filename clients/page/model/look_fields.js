/** The part of the panel "Pose" about the eyes of a VRM file: they look by angles from the head, or at a place in the scene. */
import { make } from '../common/dom.js';
import { canLook, LOOK_MOST, lookOf, lookText } from './given.js';

const ANGLES = [['yaw', 'Degrees to its left'], ['pitch', 'Degrees down']], AXES = ['x', 'y', 'z'];
const SLIDER_MOST = 90; // degrees

export class LookFields {
  /** @param {{change: function(Object, boolean), eye: function(): number[]|null}} page eye: where the camera is, in the scene */
  constructor(page) {
    this.page = page;
    this.angles = ANGLES.map(([name, title], i) => this.angle(name, title, i));
    this.places = AXES.map((axis, i) => make('input', { type: 'number', step: 'any', 'aria-label': `Look at ${axis}`, onchange: () => this.takePlace(i) }));
    this.mode = make('select', { id: 'look-mode', onchange: () => this.choose(this.mode.value) },
      ...[['', 'As the clip has it'], ['angles', 'By angles'], ['place', 'At a place']].map(([value, word]) => make('option', { value }, word)));
    this.atCamera = make('button', { type: 'button', title: 'The eyes look at where you see it from now', onclick: () => this.lookAt(page.eye()) }, 'At the camera');
    this.byAngles = make('div', { class: 'body inner' }, ...this.angles.map(({ line }) => line));
    this.byPlace = make('div', { class: 'field' }, make('span', { class: 'word soft' }, 'Place in the scene: x, y, z'), make('div', { class: 'line' }, ...this.places));
    this.node = make('fieldset', { class: 'look' }, make('legend', {}, 'Look'), make('div', { class: 'line' }, make('label', { for: 'look-mode', class: 'visually-hidden' }, 'How it looks'), this.mode, this.atCamera),
      this.byAngles, this.byPlace);
  }

  angle(name, title, i) {
    const id = 'look-' + name;
    const take = (node, isPassing) => { if (node.value !== '' && node.checkValidity()) this.put({ ...this.look, [name]: +node.value }, isPassing); };
    const range = make('input', { type: 'range', min: -SLIDER_MOST, max: SLIDER_MOST, step: 1, 'aria-label': `Look: ${name}`, oninput: () => take(range, true), onchange: () => take(range, false) });
    const number = make('input', { type: 'number', id, min: -LOOK_MOST, max: LOOK_MOST, step: 'any', onchange: () => { take(number, false); this.show(this.state); } });
    return { name, range, number, line: make('div', { class: 'line' }, make('label', { for: id, class: 'word soft', title }, name), range, number) };
  }

  put(look, isPassing = false) { this.page.change({ look: look && lookText(look) }, isPassing); }

  takePlace(i) {
    const node = this.places[i];
    if (node.value !== '' && Number.isFinite(+node.value)) this.put({ at: this.look.at.map((old, axis) => axis === i ? +node.value : old) });
    else this.show(this.state);
  }

  lookAt(place) { if (place) this.put({ at: [...place] }); }

  /** Another way to look begins straight ahead, or at the camera. */
  choose(mode) {
    if (mode === 'place') this.put({ at: this.page.eye() ?? this.front });
    else this.put(mode === 'angles' ? { yaw: 0, pitch: 0 } : null);
  }

  setModel(description) {
    const { bounds, forward } = description;
    const middle = bounds ? bounds.min.map((low, i) => (low + bounds.max[i]) / 2) : [0, 0, 0], size = bounds ? Math.max(...bounds.max.map((high, i) => high - bounds.min[i])) : 1;
    this.front = middle.map((value, i) => value + size * (forward?.[i] ?? Number(i === 2)));
    this.node.hidden = !canLook(description);
  }

  /** @param {Object} state @param {boolean} isForced also the field that has the focus */
  show(state, isForced = false) {
    this.state = state;
    this.look = lookOf(state.look);
    const { look } = this, write = (node, value) => { if (isForced || document.activeElement !== node) node.value = +value.toFixed(3); };
    this.mode.value = !look ? '' : look.at ? 'place' : 'angles';
    this.byAngles.hidden = !look || Boolean(look.at);
    this.byPlace.hidden = !look?.at;
    this.atCamera.hidden = !this.page.eye();
    for (const { name, range, number } of look && !look.at ? this.angles : []) {
      range.value = look[name];
      range.setAttribute('aria-valuetext', look[name] + '°');
      write(number, look[name]);
    }
    look?.at?.forEach((value, i) => write(this.places[i], value));
  }
}
