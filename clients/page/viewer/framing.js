// The camera parameters of a viewer: first those that the server frames, then those that the visitor sets.
import { Camera, axesOf, guessedAxes } from './camera.js';
import { add, scale } from './vectors.js';

const FIRST = { yaw: 35, pitch: 15, fov: 30 }; // degrees, as on the server
const isList = (list, count) => Array.isArray(list) && list.length === count && list.every(Number.isFinite);
const number = (value, before) => (Number.isFinite(value) ? value : before);

export class Framing {
  camera = new Camera();
  #isOwn = true; // the camera is the server's for its yaw and pitch; the visitor has not moved it
  #onMove;
  #again;

  /**
   * @param {() => void} onMove
   * @param {() => void} again asks the server where its camera stands, with stand()
   */
  constructor(onMove, again) {
    this.#onMove = onMove;
    this.#again = again;
  }

  get isOwn() {
    return this.#isOwn;
  }

  /** Begins with another model: the server frames it. */
  start(bounds) {
    this.#isOwn = true;
    this.camera.box = bounds ?? this.camera.box;
  }

  get words() {
    const { yaw, pitch, distance, target, fov, box } = this.camera;
    return { yaw, pitch, distance, target: [...target], fov, frame_box: [...box.min, ...box.max] };
  }

  set words({ yaw, pitch, distance, target, fov, frame_box }) {
    const { camera } = this;
    const isPlaced = isList(frame_box, 6) || isList(target, 3) || Number.isFinite(distance);
    const factor = number(distance, this.#isOwn ? 1 : camera.distance);
    camera.yaw = number(yaw, camera.yaw);
    camera.pitch = Math.min(Math.max(number(pitch, camera.pitch), -90), 90);
    camera.fov = Math.min(Math.max(number(fov, camera.fov), 1), 150);
    if (isList(frame_box, 6)) camera.box = { min: frame_box.slice(0, 3), max: frame_box.slice(3) };
    if (isList(target, 3)) camera.target = [...target];
    if (this.#isOwn && !isPlaced) {
      this.#again();
      return;
    }
    this.#isOwn = false;
    camera.distance = factor;
    this.#onMove();
  }

  /** The parameters of /v1/render for the same picture. */
  get parameters() {
    const { yaw, pitch, distance, target, fov, frame_box } = this.words;
    const own = { yaw: yaw.toFixed(4), pitch: pitch.toFixed(4), ...(fov === FIRST.fov ? {} : { fov }) };
    return this.#isOwn ? own : { ...own, distance, target: target.join(','), frame_box: frame_box.join(',') };
  }

  /** The visitor moves the camera. */
  move(change) {
    change(this.camera);
    this.#isOwn = false;
    this.#onMove();
  }

  reset() {
    this.#isOwn = true;
    Object.assign(this.camera, FIRST);
    this.#again();
  }

  /**
   * Moves to the server's camera. If the visitor has moved the camera, only takes the axes.
   * @param {number[]|null} viewFromScene of the server; null: it draws none
   * @param {object} info of the model @param {{middle: number[], radius: number}} ball around it
   */
  stand(viewFromScene, info, { middle, radius }) {
    const { camera } = this;
    camera.axes = viewFromScene ? axesOf(viewFromScene, camera.yaw, camera.pitch) : guessedAxes(info);
    if (!info.bounds) camera.box = { min: middle.map((x) => x - radius), max: middle.map((x) => x + radius) };
    if (this.#isOwn && viewFromScene) {
      camera.standAs(viewFromScene);
    } else if (this.#isOwn) {
      camera.target = scale(add(camera.box.min, camera.box.max), 0.5);
      camera.distance = 1;
    }
    this.#onMove();
  }

  /** The size of the canvas has changed. */
  resize(width, height) {
    const factor = this.camera.distance;
    this.camera.aspect = width / height;
    if (this.#isOwn) this.camera.distance = factor;
  }
}
