// The part of a viewer that only passes values on: to the clock, the camera and the appearance.
import { Appearance } from './appearance.js';
import { Framing } from './framing.js';
import { parametersOf } from './light.js';

/** The common interface of a viewer's clock, camera and appearance. Viewer connects the parts. */
export class ViewerControls extends EventTarget {
  framing = new Framing(() => this.moved(), () => this.reframe());
  appearance;
  /** The caller's settings, perhaps before there is a model. */
  wish = { isPlaying: false, loop: true, speed: 1, given: {} };
  /** Whether short clips are fetched once; otherwise all clips are streamed. */
  keepsClips = true;

  constructor(server) {
    super();
    this.appearance = new Appearance(server, () => this.changed(), (error) => this.failed(error));
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

  /** Moves by frames of the clip, forwards or backwards. */
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

  /** A pose on top of the clip: lists `turn`, `morph`, `expression` and a text `look` in the form of /v1/render. */
  get given() {
    return this.wish.given;
  }

  set given(lists) {
    this.wish.given = Object.fromEntries(['turn', 'morph', 'expression', 'look'].filter((name) => lists?.[name]?.length).map((name) => [name, name === 'look' ? lists[name] : [...lists[name]]]));
    this.give();
  }

  get duration_s() {
    return this.playback?.duration_s ?? 0;
  }

  /** The frames a second in which the file counts; step() uses it. */
  get frameRate() {
    return this.playback?.frameRate ?? 30;
  }

  /**
   * The server's parameters: degrees, scene space; frame_box is the box that distance 1 frames. Setting some of them leaves the others
   * unchanged. Setting only yaw and pitch, before anybody has moved the camera, frames the model again.
   */
  get camera() {
    return this.framing.words;
  }

  set camera(words) {
    this.framing.words = words;
  }

  /** The camera parameters of /v1/render for the same picture. */
  get cameraParameters() {
    return this.framing.parameters;
  }

  /** Where the camera is, in the scene. */
  get eye() {
    return this.framing.camera.eye;
  }

  /** Resets to the server's own camera. */
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

  /** A colour in the server's form (RRGGBB, RRGGBBAA), or null for none. */
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

  /**
   * The source of the light, as in /v1/render: studio, outdoor, flat, or file (the `environment`). null is the server's choice: file if
   * there is an environment, else studio. An environment has an effect only with null and file. file without an environment means the
   * model's own lights; the viewer shows the default light then. Another light comes from the server. The previous one stays until it
   * arrives; if there is none, the event `error` says why. Only with view=lit.
   */
  get light() {
    return this.appearance.lightChoice.light;
  }

  set light(word) {
    this.appearance.chooseLight({ light: word });
  }

  /** A Radiance picture (.hdr) under the server's root whose light falls on the model, or null. */
  get environment() {
    return this.appearance.lightChoice.environment;
  }

  set environment(path) {
    this.appearance.chooseLight({ environment: path });
  }

  /** Degrees by which the environment is turned, anticlockwise seen from above. */
  get environment_yaw() {
    return this.appearance.lightChoice.environment_yaw;
  }

  set environment_yaw(degrees) {
    this.appearance.chooseLight({ environment_yaw: degrees });
  }

  /** Stops by which the light is brighter, below 0 darker; from -16 to 16. */
  get exposure() {
    return this.appearance.lightChoice.exposure;
  }

  set exposure(stops) {
    this.appearance.chooseLight({ exposure: stops });
  }

  /** The tone mapping: neutral, aces or none. */
  get tone() {
    return this.appearance.lightChoice.tone;
  }

  set tone(word) {
    this.appearance.chooseLight({ tone: word });
  }

  /** The parameters of /v1/render for the same light: those of the above that have an effect. */
  get lightParameters() {
    return parametersOf(this.appearance.lightChoice);
  }
}
