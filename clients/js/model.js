// A model and its answers, the same over HTTP and over a WebSocket.
import { badAnswer, errorOfCode } from './errors.js';
import { Frames } from './frames.js';

const FRAMES_TYPE = 'application/vnd.posed.frames';

// An answer: its bytes, aligned, and the metadata about them.
export class Answer {
  #header;

  constructor(type, bytes, header, warnings = 0) {
    this.type = type;
    this.bytes = bytes;
    this.warnings = warnings;
    this.#header = header;
  }

  header(name) {
    return this.#header(name) ?? null;
  }

  json() {
    if (this.type !== 'application/json') throw badAnswer(`JSON was expected, and ${this.type} came`);
    return JSON.parse(new TextDecoder().decode(this.bytes));
  }

  frames() {
    if (this.type !== FRAMES_TYPE) throw badAnswer(`binary frames were expected, and ${this.type} came`);
    return new Frames(this.bytes, this.warnings);
  }

  blob() {
    return new Blob([this.bytes], { type: this.type });
  }
}

// A picture: `bytes` are a file, PNG unless another `format` was requested. `time` is the clip's time and `camera` its camera; each is null if the server sends none.
export class Picture extends Answer {
  constructor(answer) {
    super(answer.type, answer.bytes, (name) => answer.header(name), answer.warnings);
    const time = this.header('X-Posed-Time');
    const camera = this.header('X-Posed-Camera');
    this.time = time === null ? null : Number(time);
    this.camera = camera === null ? null : JSON.parse(camera);
  }
}

// One model of a server. `ask(op, parameters, signal)` sends its requests.
export class Model {
  #ask;

  constructor(path, ask) {
    this.path = path;
    this.#ask = ask;
  }

  ask(op, parameters = {}, { signal } = {}) {
    return this.#ask(op, parameters, signal);
  }

  async info({ signal, ...parameters } = {}) {
    return (await this.#ask('model', parameters, signal)).json();
  }

  // Resolves with JSON for `format: 'json'`, else with Frames.
  async #pose(op, { signal, format = 'bin', ...parameters }) {
    const answer = await this.#ask(op, { ...parameters, format }, signal);
    return format === 'bin' ? answer.frames() : answer.json();
  }

  palette(options = {}) {
    return this.#pose('palette', options);
  }

  pose(options = {}) {
    return this.#pose('pose', options);
  }

  mesh(options = {}) {
    return this.#pose('mesh', options);
  }

  async glb({ signal, ...parameters } = {}) {
    return this.#ask('mesh', { ...parameters, format: 'glb' }, signal);
  }

  async export({ signal, ...parameters } = {}) {
    return this.#ask('export', parameters, signal);
  }

  async bounds({ signal, ...parameters } = {}) {
    return (await this.#ask('bounds', parameters, signal)).json();
  }

  async hitboxes({ signal, ...parameters } = {}) {
    return (await this.#ask('hitboxes', parameters, signal)).json();
  }

  async keypoints({ signal, ...parameters } = {}) {
    return (await this.#ask('keypoints', parameters, signal)).json();
  }

  keys(options = {}) {
    return this.#pose('keys', { format: 'json', ...options });
  }

  async flex({ signal, ...parameters } = {}) {
    return (await this.#ask('flex', parameters, signal)).json();
  }

  async compare(old, { signal, ...parameters } = {}) {
    return (await this.#ask('compare', { ...parameters, with: old }, signal)).json();
  }

  async check({ signal, ...parameters } = {}) {
    return (await this.#ask('check', parameters, signal)).json();
  }

  texture(index, options = {}) {
    return this.#picture('texture', { ...options, texture: index });
  }

  async #picture(op, { signal, ...parameters } = {}) {
    const answer = await this.#ask(op, parameters, signal);
    return answer.type === 'application/json' ? answer.json() : new Picture(answer);
  }

  render(options) {
    return this.#picture('render', options);
  }

  sheet(options) {
    return this.#picture('sheet', options);
  }

  turntable(options) {
    return this.#picture('turntable', options);
  }
}

// The answer or the PosedError of each query of a batch.
export const batchResults = (answer) => answer.json().results.map((result) => (result.error ? errorOfCode(result.error) : result));
