// The camera with the server's parameters (protocol/http.md, /v1/render): yaw, pitch, distance, target, fov. It frames a box as the
// server's `frame_box` does, so that the same parameters give the same picture there.
import { add, cross, dot, invertRigid, length, scale, subtract, unit } from './vectors.js';

const RADIANS = Math.PI / 180;
const FILLED = 0.88; // share of the picture between its margins
const NEAREST_SHARE = 0.02; // least distance of the eye, as a share of the framed box
const NEAR_SHARE = 0.002; // least near plane, as a share of the distance to the centre

/**
 * Finds the axes of a model, from a camera that the server made at a known yaw and pitch.
 * @param {ArrayLike<number>} viewFromScene 16 numbers in columns
 * @param {number} yaw degrees
 * @param {number} pitch degrees
 * @returns {{up: number[], front: number[]}} unit vectors, scene space
 */
export function axesOf(viewFromScene, yaw, pitch) {
  const row = (r) => [viewFromScene[r], viewFromScene[4 + r], viewFromScene[8 + r]];
  const [y, z] = [row(1), row(2)];
  const [cp, sp] = [Math.cos(pitch * RADIANS), Math.sin(pitch * RADIANS)];
  const up = add(scale(y, cp), scale(z, sp));
  const level = subtract(scale(z, cp), scale(y, sp));
  const side = cross(up, level);
  const front = subtract(scale(level, Math.cos(yaw * RADIANS)), scale(side, Math.sin(yaw * RADIANS)));
  return { up: unit(up), front: unit(front) };
}

/** The axes of a model if the server cannot draw. */
export function guessedAxes(model) {
  const up = model.up ?? [0, 1, 0];
  const helper = Math.abs(up[2]) < 0.9 ? [0, 0, 1] : [0, -1, 0];
  const along = model.forward ?? helper;
  return { up, front: unit(subtract(along, scale(up, dot(along, up)))) };
}

/** A camera that turns around a target. Angles are in degrees, places in scene space. */
export class Camera {
  yaw = 35;
  pitch = 15;
  fov = 30; // degrees, along the picture's shorter side
  target = [0, 0, 0];
  eyeDistance = 1; // from the target
  aspect = 1;
  axes = { up: [0, 1, 0], front: [0, 0, 1] };
  box = { min: [-1, -1, -1], max: [1, 1, 1] }; // the box that distance 1 frames

  /** The eye's axes in scene space: x right, y up, z from the target to the eye. */
  get eyeAxes() {
    const { up, front } = this.axes;
    const left = cross(up, front);
    const [yaw, pitch] = [this.yaw * RADIANS, this.pitch * RADIANS];
    const level = add(scale(front, Math.cos(yaw)), scale(left, Math.sin(yaw)));
    const z = add(scale(level, Math.cos(pitch)), scale(up, Math.sin(pitch)));
    const y = subtract(scale(up, Math.cos(pitch)), scale(level, Math.sin(pitch)));
    return { x: cross(y, z), y, z };
  }

  /** Half of the picture's width and height at distance 1 from the eye. */
  get half() {
    const small = Math.tan(Math.min(Math.max(this.fov, 1), 170) * RADIANS / 2);
    return [small * Math.max(this.aspect, 1), small / Math.min(this.aspect, 1)];
  }

  /** The longest side of the box. */
  get size() {
    const size = Math.max(...subtract(this.box.max, this.box.min));
    return size > 0 ? size : 1;
  }

  /** The distance of the eye from the target at which the whole box is just in the picture: the server's distance 1. */
  get framingDistance() {
    const { x, y, z } = this.eyeAxes;
    const slope = this.half.map((half) => half * FILLED);
    const to = (p) => [dot(x, p), dot(y, p), dot(z, p)];
    const middle = to(this.target);
    const corners = Array.from({ length: 8 }, (_, i) => to([0, 1, 2].map((c) => (i >> c & 1 ? this.box.max : this.box.min)[c])));
    let eye = Math.max(middle[2], ...corners.map((p) => p[2])) + NEAREST_SHARE * this.size;
    for (const p of corners) {
      for (const axis of [0, 1]) {
        const aside = Math.abs(p[axis] - middle[axis]);
        eye = Math.max(eye, p[2] + aside / slope[axis]);
      }
    }
    return eye - middle[2];
  }

  get distance() {
    return this.eyeDistance / this.framingDistance;
  }

  set distance(factor) {
    this.eyeDistance = Math.min(Math.max(factor, 0.001), 1000) * this.framingDistance;
  }

  /** The eye's position in the scene. */
  get eye() {
    return add(this.target, scale(this.eyeAxes.z, this.eyeDistance));
  }

  get viewFromScene() {
    const { x, y, z } = this.eyeAxes;
    const eye = this.eye;
    return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1];
  }

  /**
   * The projection with near and far planes around a ball.
   * @param {number[]} middle scene space
   * @param {number} radius
   * @returns {{clipFromView: number[], near: number, far: number}}
   */
  project(middle, radius) {
    const along = dot(subtract(this.eye, middle), this.eyeAxes.z);
    const near = Math.max(along - radius, NEAR_SHARE * this.eyeDistance, 1e-6 * this.size);
    const far = Math.max(along + radius, near * 1.01);
    const depth = far - near;
    const [w, h] = this.half;
    return { clipFromView: [1 / w, 0, 0, 0, 0, 1 / h, 0, 0, 0, 0, -(far + near) / depth, -1, 0, 0, -2 * far * near / depth, 0], near, far };
  }

  /**
   * Moves to a camera of the server: on its line of sight, at the distance of the box's centre from the target.
   * @param {ArrayLike<number>} viewFromScene
   */
  standAs(viewFromScene) {
    const sceneFromView = invertRigid(viewFromScene);
    const eye = [sceneFromView[12], sceneFromView[13], sceneFromView[14]];
    const { z } = this.eyeAxes;
    const middle = scale(add(this.box.min, this.box.max), 0.5);
    this.eyeDistance = Math.max(dot(subtract(eye, middle), z), NEAREST_SHARE * this.size);
    this.target = subtract(eye, scale(z, this.eyeDistance));
  }

  /** Turns by degrees, at a constant distance. */
  orbit(yaw, pitch) {
    this.yaw = ((this.yaw + yaw + 180) % 360 + 360) % 360 - 180;
    this.pitch = Math.min(Math.max(this.pitch + pitch, -90), 90);
  }

  /** Moves the target by shares of the picture's height, right and up. */
  pan(right, up) {
    const { x, y } = this.eyeAxes;
    const height = 2 * this.half[1] * this.eyeDistance;
    this.target = add(this.target, add(scale(x, right * height), scale(y, up * height)));
  }

  /** Moves nearer (below 1) or away. */
  zoom(factor) {
    const [least, most] = [1e-3 * this.size, 1e3 * this.size];
    this.eyeDistance = Math.min(Math.max(this.eyeDistance * factor, least), most);
  }

  /**
   * The line of sight through a point of the picture.
   * @param {number} x share of the width, from the left
   * @param {number} y share of the height, from the top
   * @returns {{from: number[], along: number[]}} scene space; `along` has unit length
   */
  ray(x, y) {
    const axes = this.eyeAxes;
    const [w, h] = this.half;
    const aside = add(scale(axes.x, (2 * x - 1) * w), scale(axes.y, (1 - 2 * y) * h));
    return { from: this.eye, along: unit(subtract(aside, axes.z)) };
  }

  /** The position of a place of the scene in the picture, as shares of its sides; null behind the eye. */
  see(place) {
    const { x, y, z } = this.eyeAxes;
    const to = subtract(place, this.eye);
    const depth = -dot(to, z);
    if (!(depth > 0)) return null;
    const [w, h] = this.half;
    return [0.5 + dot(to, x) / (2 * w * depth), 0.5 - dot(to, y) / (2 * h * depth)];
  }

  /** The distance of a place from the eye. */
  distanceTo(place) {
    return length(subtract(place, this.eye));
  }
}
