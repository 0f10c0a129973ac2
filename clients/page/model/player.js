/** The bar below the stage: play, pause, frame steps, the timeline, speed, loop. */
import { icon, make } from '../common/dom.js';
import { RATES } from './state.js';

export const PLAY = ['M8 5l11 7-11 7z'], PAUSE = ['M8 5v14', 'M16 5v14'];
const BACK = ['M18 6l-8 6 8 6', 'M6 6v12'], ON = ['M6 6l8 6-8 6', 'M18 6v12'];
const LOOP = ['M17 3l4 4-4 4', 'M21 7H8a5 5 0 0 0-5 5', 'M7 21l-4-4 4-4', 'M3 17h13a5 5 0 0 0 5-5'];

export class Player {
  /**
   * @param {HTMLElement} root is filled
   * @param {{toggle, step, seek, seekEnd, setRate, setLoop}} on what the controls do
   */
  constructor(root, on) {
    this.root = root;
    this.step = on.step;
    this.button = make('button', { type: 'button', class: 'play primary', onclick: on.toggle });
    this.slider = make('input', { type: 'range', min: 0, max: 1, step: 'any', value: 0, 'aria-label': 'Time', onkeydown: (event) => this.onKey(event),
      oninput: () => on.seek(+this.slider.value), onchange: () => on.seekEnd() });
    this.text = make('output', { class: 'numbers' });
    this.rate = make('select', { 'aria-label': 'Speed', title: 'Speed', onchange: () => on.setRate(+this.rate.value) },
      ...RATES.map((rate) => make('option', { value: rate }, rate + '×')));
    this.loop = make('button', { type: 'button', class: 'plain', 'aria-label': 'Loop', title: 'Loop (L)', onclick: () => on.setLoop(this.loop.ariaPressed !== 'true') }, icon(...LOOP));
    this.back = make('button', { type: 'button', class: 'plain', 'aria-label': 'One frame back', title: 'One frame back (,)', onclick: () => on.step(-1) }, icon(...BACK));
    this.on = make('button', { type: 'button', class: 'plain', 'aria-label': 'One frame on', title: 'One frame on (.)', onclick: () => on.step(1) }, icon(...ON));
    root.append(
      make('div', { class: 'group' }, this.button, this.back, this.on),
      make('div', { class: 'track' }, this.slider),
      make('div', { class: 'group more' }, this.text, this.rate, this.loop));
    this.show({ isPlaying: false, time_s: 0, duration_s: 0, frameRate: 30, rate: 1, loop: true });
  }

  /** Arrow keys on the timeline move by frames. */
  onKey(event) {
    const frames = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    if (!frames) return;
    event.preventDefault();
    this.step(frames);
  }

  show({ isPlaying, time_s, duration_s, frameRate, rate, loop }) {
    if (this.isPlaying !== isPlaying) {
      this.isPlaying = isPlaying;
      this.button.replaceChildren(icon(...(isPlaying ? PAUSE : PLAY)));
      this.button.setAttribute('aria-label', isPlaying ? 'Pause' : 'Play');
      this.button.title = (isPlaying ? 'Pause' : 'Play') + ' (Space)';
    }
    const isStill = !(duration_s > 0);
    this.root.classList.toggle('still', isStill);
    for (const control of [this.button, this.slider, this.back, this.on, this.rate, this.loop]) control.disabled = isStill;
    if (+this.slider.max !== duration_s && !isStill) this.slider.max = duration_s;
    this.slider.value = time_s;
    const frame = Math.round(time_s * frameRate);
    const text = isStill ? 'no motion' : `${time_s.toFixed(2)} / ${duration_s.toFixed(2)} s · frame ${frame}`;
    if (this.text.value !== text) {
      this.text.value = text;
      this.text.title = isStill ? '' : `frame ${frame} at ${+frameRate.toFixed(3)} frames a second`;
      this.slider.setAttribute('aria-valuetext', isStill ? 'no motion' : `${time_s.toFixed(2)} of ${duration_s.toFixed(2)} seconds, frame ${frame}`);
    }
    if (!RATES.includes(rate) && ![...this.rate.options].some((option) => +option.value === rate)) this.rate.append(make('option', { value: rate }, rate + '×'));
    if (+this.rate.value !== rate) this.rate.value = rate;
    this.loop.setAttribute('aria-pressed', loop);
  }
}
