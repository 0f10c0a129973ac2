// How a viewer shows its model: view, chosen joint, background, ground, light.
import { EXPOSURE_MOST, LIGHTS, TONES, addressOf, loadLight } from './light.js';
import { Renderer } from './renderer.js';
import { colorOf } from './surroundings.js';
import { weightColors } from './weights.js';

const VIEWS = ['lit', 'skeleton', 'weights', 'wireframe', 'normals'];

export class Appearance {
  #view = 'lit';
  #wishedJoint = null; // as given, perhaps before there was a model
  #background = null;
  #ground = false;
  #light = { light: null, environment: null, environment_yaw: 0, exposure: 0, tone: 'neutral' };
  #data = null; // model, renderer, light
  #server;
  #onChange;
  #onError;

  /** @param {object} server @param {() => void} onChange the picture is another one @param {(error: Error) => void} onError */
  constructor(server, onChange, onError) {
    this.#server = server;
    this.#onChange = onChange;
    this.#onError = onError;
  }

  /** Sets the model that is shown, with its renderer; or null. */
  attach(data) {
    this.#data = data;
    this.paint();
    if (data) this.#changeLight(); // the light may have been chosen while the model was loading
  }

  get view() {
    return this.#view;
  }

  set view(name) {
    this.#view = VIEWS.includes(name) ? name : 'lit';
    this.paint();
  }

  get joint() {
    return this.nodeOf(this.#wishedJoint);
  }

  set joint(joint) {
    this.#wishedJoint = joint;
    this.paint();
  }

  /** The index of a node given by index or name; -1 for none. */
  nodeOf(joint) {
    if (joint === null || joint === undefined || joint === '' || !this.#data) return -1;
    const { nodes } = this.#data.model.info;
    if (/^[0-9]+$/.test(String(joint))) return Number(joint) < nodes.length ? Number(joint) : -1;
    return nodes.findIndex((node) => node.name === joint);
  }

  get background() {
    return this.#background;
  }

  set background(color) {
    this.#background = color && colorOf(color) ? color : null;
    this.#onChange();
  }

  get ground() {
    return this.#ground;
  }

  set ground(isOn) {
    this.#ground = Boolean(isOn);
    this.#onChange();
  }

  /** The chosen light. @returns {import('./light.js').LightChoice} */
  get lightChoice() {
    return { ...this.#light };
  }

  /** @param {object} choice some of the members; invalid words and numbers mean the default */
  chooseLight(choice) {
    const { light, environment, environment_yaw, exposure, tone } = { ...this.#light, ...choice };
    this.#light = { light: LIGHTS.includes(light) ? light : null, environment: environment || null, environment_yaw: Number(environment_yaw) || 0,
      exposure: Math.min(Math.max(Number(exposure) || 0, -EXPOSURE_MOST), EXPOSURE_MOST), tone: tone in TONES ? tone : 'neutral' };
    this.#onChange();
    this.#changeLight();
  }

  /** Loads the chosen light from the server. If the server cannot provide it, reports the error and uses the default light. */
  async loadLight(signal) {
    const address = addressOf(this.#server, this.#light);
    try {
      return await loadLight(this.#server, address, signal);
    } catch (error) {
      if (signal?.aborted) throw error;
      this.#onError(error);
      return { ...await loadLight(this.#server, addressOf(this.#server, {}), signal), address };
    }
  }

  // The previous light stays until another one has arrived. Changes in quick succession make one request.
  async #changeLight() {
    await null;
    const data = this.#data, wanted = addressOf(this.#server, this.#light);
    if (!data?.renderer || (data.lightAsked ?? data.light.address) === wanted) return;
    data.lightAsked = wanted;
    try {
      const loaded = await loadLight(this.#server, wanted);
      if (data !== this.#data || data.lightAsked !== wanted) return;
      data.light = loaded;
      data.renderer.setLight(loaded);
      this.#onChange();
    } catch (error) {
      if (data === this.#data && data.lightAsked === wanted) this.#onError(error);
    }
  }

  /** Gives the vertices the colours of the view. */
  paint() {
    this.#onChange();
    const { model, renderer } = this.#data ?? {};
    if (!renderer) return;
    const joint = this.joint;
    renderer.setColors((entry) => {
      if (this.#view === 'weights') return weightColors(entry, model.skins.get(entry.skin), joint);
      if (this.#view !== 'wireframe') return entry.colors;
      return new Uint8Array(4 * entry.rest.length / 3).map((_, i) => (i % 4 === 3 && entry.colors ? entry.colors[i] : Renderer.pale[i % 4]));
    });
  }
}
