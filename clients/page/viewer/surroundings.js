// The surroundings of the model on the canvas: background and ground. Also finds out whether the processor draws.
import { add, cross, dot, scale, subtract, unit } from './vectors.js';

/** RRGGBB or RRGGBBAA, with or without '#', as four numbers from 0 to 1; null for another text. */
export function colorOf(text) {
  const digits = /^#?([0-9a-f]{6})([0-9a-f]{2})?$/i.exec(text ?? '');
  if (!digits) return null;
  const bytes = [0, 2, 4].map((at) => parseInt(digits[1].slice(at, at + 2), 16));
  return [...bytes, digits[2] === undefined ? 255 : parseInt(digits[2], 16)].map((byte) => byte / 255);
}

/** The colour of a grid that is visible on a background. */
export function inkOn([r, g, b, a]) {
  const isDark = a > 0.5 && 0.3 * r + 0.6 * g + 0.1 * b < 0.5;
  return isDark ? [1, 1, 1, 0.25] : [0.2, 0.25, 0.3, 0.35];
}

/** A square under the model, at the lowest point of its box. */
export function groundOf(stage, camera) {
  const { up } = camera.axes;
  const bounds = stage.model.info.bounds ?? camera.box;
  const corners = Array.from({ length: 8 }, (_, i) => [0, 1, 2].map((c) => (i >> c & 1 ? bounds.max : bounds.min)[c]));
  const low = Math.min(...corners.map((corner) => dot(corner, up)));
  const middle = scale(add(bounds.min, bounds.max), 0.5);
  const place = add(stage.ball.middle, scale(up, low - dot(stage.ball.middle, up)));
  const along = unit(cross(up, Math.abs(up[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0]));
  const across = cross(up, along);
  const half = Math.max(...corners.map((corner) => Math.hypot(dot(subtract(corner, middle), along), dot(subtract(corner, middle), across))));
  const cell = 10 ** Math.round(Math.log10(Math.max(half, 1e-9) / 2));
  // Lines stay in place while the model moves over them.
  const snap = (way) => scale(way, Math.round(dot(place, way) / cell) * cell);
  const snapped = add(add(snap(along), snap(across)), scale(up, low));
  const view = camera.viewFromScene;
  return {
    middle: snapped, along, across, cell, reach: 3 * half + cell, blob: 0.9 * half,
    finish(clipFromView) {
      this.clipFromScene = Array.from({ length: 16 }, (_, i) => [0, 1, 2, 3].reduce((sum, k) => sum + clipFromView[4 * k + i % 4] * view[4 * (i >> 2) + k], 0));
    },
  };
}

/** Whether the eye is outside the model's box. */
export function isOutside(bounds, eye) {
  return !bounds || eye.some((x, i) => x < bounds.min[i] || x > bounds.max[i]);
}

let isSlowKnown = null;
/** The same, before there is a context: smooth edges cost four times as much on such a machine. */
export function isSlowMachine() {
  if (isSlowKnown === null) {
    const gl = document.createElement('canvas').getContext('webgl2');
    isSlowKnown = Boolean(gl) && isSlow(gl);
    gl?.getExtension('WEBGL_lose_context')?.loseContext();
  }
  return isSlowKnown;
}

/** Whether the processor draws a context: then every pixel counts. */
export function isSlow(gl) {
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
