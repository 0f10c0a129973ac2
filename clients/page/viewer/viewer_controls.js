// The part of a viewer that only passes words on: to the clock, the camera and the appearance.
import { Appearance } from './appearance.js';
import { Framing } from './framing.js';

/** What a viewer's clock, camera and appearance have in common. Viewer says what the parts are about. */
export class ViewerControls extends EventTarget {
  framing = new Framing(() => this.moved(), () => this.reframe());
  appearance;
  /** What was asked for, perhaps before there was a model. */
  wish = { isPlaying: false, loop: true, speed: 1 };
  /** Whether short clips are fetched once; else all of them come as streams. */
  keepsClips = true;


  constructor(server) {
    super();
    this.appearance = new Appearance(server, () => this.changed());
  }

  play() {
    this.wish.isPlaying = true;
    this.playback?.play();
  }

  pause() {
    this.wish.isPlaying = false;
    this.playback?.pause();
  }

  get isPlaying() {
    return this.playback?.isPlaying ?? this.wish.isPlaying;
  }

  /** By frames of the clip, forwards or backwards. */
  step(frames) {
    this.wish.isPlaying = false;
    this.playback?.step(Math.trunc(Number(frames)) || 0);
  }

  get time_s() {
    return this.playback?.time_s ?? 0;
  }

  set time_s(seconds) {
    if (this.playback) this.playback.time_s = seconds;
  }

  get speed() {
    return this.wish.speed;
  }

  set speed(factor) {
    this.wish.speed = Number.isFinite(+factor) ? +factor : 1;
    if (this.playback) this.playback.speed = this.wish.speed;
  }

  get loop() {
    return this.wish.loop;
  }

  set loop(isOn) {
    this.wish.loop = Boolean(isOn);
    if (this.playback) this.playback.loop = this.wish.loop;
  }

  get duration_s() {
    return this.playback?.duration_s ?? 0;
  }

  /** Frames a second in which the file counts, by which step() goes. */
  get frameRate() {
    return this.playback?.frameRate ?? 30;
  }

  /**
   * In the server's words: degrees, scene space; frame_box is what distance 1 frames. Setting some of them leaves the
   * others as they are; yaw and pitch alone, of a camera that nobody moved, frame the model anew.
   */
  get camera() {
    return this.framing.words;
  }

  set camera(words) {
    this.framing.words = words;
  }

  /** The parameters of /v1/render that show the same: those of the camera. */
  get cameraParameters() {
    return this.framing.parameters;
  }

  /** Back to the server's own camera. */
  reset() {
    this.framing.reset();
  }

  /** lit, skeleton, weights, wireframe or normals. */
  get view() {
    return this.appearance.view;
  }

  set view(name) {
    this.appearance.view = name;
  }

  /** A node by index or name, for the views of weights and of the skeleton; null for none. */
  get joint() {
    const { joint } = this.appearance;
    return joint < 0 ? null : joint;
  }

  set joint(joint) {
    this.appearance.joint = joint;
  }

  /** A colour as the server takes it (RRGGBB, RRGGBBAA), or null for none. */
  get background() {
    return this.appearance.background;
  }

  set background(color) {
    this.appearance.background = color;
  }

  get ground() {
    return this.appearance.ground;
  }

  set ground(isOn) {
    this.appearance.ground = isOn;
  }

  /** The light, as /v1/render names it: {light, environment, environment_yaw, exposure, tone}. */
  get light() {
    return this.appearance.light;
  }

  set light(choice) {
    this.appearance.light = choice;
  }
}
