/** The panel of the light: its source, its exposure and its tone mapping. */
import { make } from '../common/dom.js';
import { get, link } from '../common/http.js';
import { LIGHTS, lightOf, TONES } from './state.js';

const LIGHT_WORDS = { studio: 'Studio', outdoor: 'Outdoor', flat: 'Flat', file: 'A picture (.hdr)' };
const TONE_WORDS = { neutral: 'True to the material', aces: 'As films have it', none: 'None' };
const STOPS = 4; // range of the slider in each direction

const stopsText = (stops) => (stops > 0 ? '+' : stops < 0 ? '−' : '') + Math.abs(+stops.toFixed(2)) + (Math.abs(stops) === 1 ? ' stop' : ' stops');

export class LightPanel {
  /** @param {function(Object, boolean)} change receives new members of the state, and whether they will change again at once */
  constructor(change) {
    this.change = change;
    const select = (id, words, label, work) => {
      const node = make('select', { id, onchange: () => work(node.value) }, ...Object.entries(words).map(([value, word]) => make('option', { value }, word)));
      return [node, make('div', { class: 'field' }, make('label', { for: id, class: 'word soft' }, label), node)];
    };
    const slider = (id, label, range, work) => {
      const node = make('input', { type: 'range', id, ...range, oninput: () => work(+node.value, true), onchange: () => work(+node.value, false) }), text = make('output', { class: 'numbers soft', for: id });
      return [node, text, make('div', { class: 'field' }, make('label', { for: id, class: 'word soft' }, label), make('div', { class: 'line' }, node, text))];
    };
    const [light, lightField] = select('light', LIGHT_WORDS, 'Light', (value) => this.choose(value));
    const [tone, toneField] = select('tone', TONE_WORDS, 'Tone', (value) => change({ tone: value }));
    const [exposure, stops, exposureField] = slider('exposure', 'Exposure', { min: -STOPS, max: STOPS, step: 0.1 }, (value, isPassing) => change({ exposure: value }, isPassing));
    const [yaw, degrees, yawField] = slider('environment-yaw', 'Turned by', { min: -180, max: 180, step: 1 }, (value, isPassing) => change({ environment_yaw: value }, isPassing));
    this.path = make('input', { id: 'environment', type: 'text', spellcheck: 'false', autocomplete: 'off', placeholder: 'light/studio.hdr', onchange: () => this.take() });
    this.fault = make('p', { class: 'error', role: 'alert', hidden: true });
    this.file = make('div', { class: 'body inner' }, make('div', { class: 'field' }, make('label', { for: 'environment', class: 'word soft' }, 'Path of the picture on the server'), this.path), this.fault, yawField);
    this.reset = make('button', { type: 'button', onclick: () => change({ light: 'studio', environment: null, environment_yaw: 0, exposure: 0, tone: 'neutral' }) }, 'As usual');
    this.other = make('p', { class: 'soft' }, 'Only the view Lit has light.');
    Object.assign(this, { light, tone, exposure, stops, yaw, degrees });
    this.node = make('div', { class: 'body' }, this.other, lightField, this.file, exposureField, toneField, this.reset);
  }

  fail(text) {
    this.fault.textContent = text;
    this.fault.hidden = !text;
  }

  choose(light) {
    this.fail('');
    this.change({ light });
    if (light === 'file') this.path.focus();
  }

  /** Takes the path in the field, if the server has such a picture. */
  async take() {
    const environment = this.path.value.trim() || null;
    this.fail('');
    if (environment && !await this.check(environment)) return;
    this.change({ environment, light: 'file' });
  }

  /** Whether the server has it. If not, the panel shows the reason. */
  async check(environment) {
    try {
      await get(link('v1/environment', { environment, format: 'json' }));
      return true;
    } catch (problem) {
      if (this.path.value.trim() === environment) this.fail(problem.message);
      return false;
    }
  }

  /** The choice in a few words: "Studio", "Outdoor +1". */
  get words() {
    const { light, exposure } = lightOf(this.state);
    return (light === 'file' ? this.state.environment.slice(this.state.environment.lastIndexOf('/') + 1) : LIGHT_WORDS[light]) + (exposure ? ' ' + stopsText(exposure).replace(/ stops?$/, '') : '');
  }

  show(state) {
    this.state = state;
    const { light, tone, exposure, environment, environment_yaw } = state;
    this.other.hidden = state.view === 'lit';
    this.light.value = LIGHTS.includes(light) ? light : 'studio';
    this.tone.value = TONES.includes(tone) ? tone : 'neutral';
    this.exposure.value = exposure;
    this.stops.value = stopsText(exposure);
    this.exposure.setAttribute('aria-valuetext', stopsText(exposure));
    this.file.hidden = light !== 'file';
    if (document.activeElement !== this.path) this.path.value = environment || '';
    this.yaw.value = ((environment_yaw + 180) % 360 + 360) % 360 - 180;
    this.degrees.value = Math.round(this.yaw.value) + '°';
    this.reset.hidden = light === 'studio' && tone === 'neutral' && !exposure;
    const count = document.querySelector('#panel-light .count');
    if (count) count.textContent = this.words;
  }
}
