// How a viewer shows its model: view, chosen joint, background, ground, light.
import { loadLight } from './light.js';
import { Renderer } from './renderer.js';
import { colorOf } from './surroundings.js';
import { weightColors } from './weights.js';

const VIEWS = ['lit', 'skeleton', 'weights', 'wireframe', 'normals'];

export class Appearance {
  #view = 'lit';
  #wishedJoint = null; // as it was named, perhaps before there was a model
  #background = null;
  #ground = false;
  #light = {};
  #data = null; // model, renderer
  #server;
  #onChange;

  /** @param {object} server @param {() => void} onChange the picture is another one */
  constructor(server, onChange) {
    this.#server = server;
    this.#onChange = onChange;
  }

  /** The model that is shown, with its renderer; or null. */
  attach(data) {
    this.#data = data;
    this.paint();
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

  /** The index of a node named by index or name; -1 for none. */
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

  get light() {
    return { ...this.#light };
  }

  set light(choice) {
    this.#light = { ...choice };
    this.#onChange();
    if (this.#data) this.#changeLight(this.#data);
  }

  /** The light that is chosen, from the server. */
  loadLight(signal) {
    return loadLight(this.#server, this.#light, signal);
  }

  async #changeLight(data) {
    const { light, environment, environment_yaw } = this.#light;
    const told = data.lightTold = JSON.stringify([light, environment, environment_yaw]);
    const loaded = await this.loadLight();
    if (data !== this.#data || data.lightTold !== told) return;
    data.light = loaded;
    data.renderer?.setLight(loaded);
    this.#onChange();
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
