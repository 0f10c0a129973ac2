// Moves vertices here instead of on the graphics processor: for picking, for bounds, and for skins with dual quaternions
// (protocol/answers.md, skinning methods).
import { determinant, invert, movePoint } from './vectors.js';

/**
 * The positions of an entry's vertices in the scene.
 * @param {object} entry
 * @param {Float32Array} palette mat3x4 of all joints
 * @param {number} first of the entry's skin in it
 * @returns {Float32Array} 3 numbers a vertex
 */
export function skinLinear(entry, palette, first) {
  const { rest, firsts, joints, weights } = entry;
  const out = new Float32Array(rest.length);
  for (let v = 0; 3 * v < rest.length; v++) {
    const [x, y, z] = [rest[3 * v], rest[3 * v + 1], rest[3 * v + 2]];
    for (let i = firsts[v]; i < firsts[v + 1]; i++) {
      const at = 12 * (first + joints[i]), w = weights[i];
      out[3 * v] += w * (palette[at] * x + palette[at + 1] * y + palette[at + 2] * z + palette[at + 3]);
      out[3 * v + 1] += w * (palette[at + 4] * x + palette[at + 5] * y + palette[at + 6] * z + palette[at + 7]);
      out[3 * v + 2] += w * (palette[at + 8] * x + palette[at + 9] * y + palette[at + 10] * z + palette[at + 11]);
    }
  }
  return out;
}

// The rotation of an orthonormal matrix (columns), x y z w (Shepperd 1978).
function quaternionOf(a, b, c) {
  const trace = a[0] + b[1] + c[2];
  if (trace > 0) return [b[2] - c[1], c[0] - a[2], a[1] - b[0], 1 + trace];
  if (a[0] >= b[1] && a[0] >= c[2]) return [1 + a[0] - b[1] - c[2], a[1] + b[0], c[0] + a[2], b[2] - c[1]];
  if (b[1] >= c[2]) return [a[1] + b[0], 1 - a[0] + b[1] - c[2], b[2] + c[1], c[0] - a[2]];
  return [c[0] + a[2], b[2] + c[1], 1 - a[0] - b[1] + c[2], a[1] - b[0]];
}

/** Translation, rotation and scale of the mat3x4 at `at`, the rotation as real and dual part. */
function dualOf(m, at) {
  const columns = [0, 1, 2].map((c) => [m[at + c], m[at + 4 + c], m[at + 8 + c]]);
  const s = columns.map((column) => Math.hypot(...column));
  if (determinant(m, at) < 0) {
    const first = s.findIndex((one) => one > 0);
    if (first >= 0) s[first] = -s[first];
  }
  const [a, b, c] = columns.map((column, i) => column.map((x) => (s[i] !== 0 ? x / s[i] : 0)));
  let q = quaternionOf(a, b, c);
  const size = Math.hypot(...q) || 1;
  q = q.map((x) => x / size);
  const t = [m[at + 3], m[at + 7], m[at + 11]];
  const d = [t[0] * q[3] + t[1] * q[2] - t[2] * q[1], t[1] * q[3] + t[2] * q[0] - t[0] * q[2], t[2] * q[3] + t[0] * q[1] - t[1] * q[0],
    -(t[0] * q[0] + t[1] * q[1] + t[2] * q[2])].map((x) => x / 2);
  return { q, d, s };
}

// v + 2 r x (r x v + w v)
function turn(r, v) {
  const [x, y, z, w] = r;
  const a = [y * v[2] - z * v[1] + w * v[0], z * v[0] - x * v[2] + w * v[1], x * v[1] - y * v[0] + w * v[2]];
  return [v[0] + 2 * (y * a[2] - z * a[1]), v[1] + 2 * (z * a[0] - x * a[2]), v[2] + 2 * (x * a[1] - y * a[0])];
}

/** Positions and normals by dual quaternions. If the entry has dual weights, blends with the linear ones. */
export function skinDual(entry, palette, first) {
  const { rest, normals, firsts, joints, weights, dualWeights } = entry;
  const parts = new Map();
  const partOf = (joint) => {
    if (!parts.has(joint)) parts.set(joint, dualOf(palette, 12 * (first + joint)));
    return parts.get(joint);
  };
  const positions = new Float32Array(rest.length), turned = new Float32Array(rest.length);
  const linear = dualWeights ? skinLinear(entry, palette, first) : null;
  for (let v = 0; 3 * v < rest.length; v++) {
    let strongest = firsts[v];
    for (let i = firsts[v]; i < firsts[v + 1]; i++) if (weights[i] > weights[strongest]) strongest = i;
    const main = partOf(joints[strongest]).q;
    const r = [0, 0, 0, 0], d = [0, 0, 0, 0], s = [0, 0, 0];
    let sum = 0;
    for (let i = firsts[v]; i < firsts[v + 1]; i++) {
      const part = partOf(joints[i]), w = weights[i];
      const sign = part.q[0] * main[0] + part.q[1] * main[1] + part.q[2] * main[2] + part.q[3] * main[3] < 0 ? -w : w;
      for (let k = 0; k < 4; k++) {
        r[k] += sign * part.q[k];
        d[k] += sign * part.d[k];
      }
      for (let k = 0; k < 3; k++) s[k] += w * part.s[k];
      sum += w;
    }
    const size = Math.hypot(...r) || 1;
    const [x, y, z, w] = r.map((one) => one / size);
    const [e, f, g, h] = d.map((one) => one / size);
    const scaled = [0, 1, 2].map((k) => rest[3 * v + k] * s[k] / (sum || 1));
    const place = turn([x, y, z, w], scaled);
    const move = [2 * (w * e - h * x + y * g - z * f), 2 * (w * f - h * y + z * e - x * g), 2 * (w * g - h * z + x * f - y * e)];
    const normal = turn([x, y, z, w], [0, 1, 2].map((k) => normals[3 * v + k] / (s[k] || 1)));
    const share = dualWeights ? dualWeights[v] : 1;
    for (let k = 0; k < 3; k++) {
      const at = 3 * v + k;
      positions[at] = share * (place[k] + move[k]) + (linear ? (1 - share) * linear[at] : 0);
      turned[at] = normal[k];
    }
  }
  return { positions, normals: turned };
}

/** For every joint of a skin: its origin in bind space, and the greatest distance of the vertices that it moves. */
export function jointReaches(skin, entries) {
  const origins = skin.joints.map((_, j) => {
    const inverse = skin.binds ? invert(skin.binds.subarray(16 * j, 16 * j + 16)) : null;
    return inverse ? inverse.slice(12, 15) : [0, 0, 0];
  });
  const reaches = new Float32Array(skin.joints.length).fill(-1);
  for (const entry of entries) {
    if (entry.skin !== skin.index || !entry.isShown) continue;
    const { rest, firsts, joints } = entry;
    for (let v = 0; 3 * v < rest.length; v++) {
      for (let i = firsts[v]; i < firsts[v + 1]; i++) {
        const o = origins[joints[i]];
        const away = Math.hypot(rest[3 * v] - o[0], rest[3 * v + 1] - o[1], rest[3 * v + 2] - o[2]);
        if (away > reaches[joints[i]]) reaches[joints[i]] = away;
      }
    }
  }
  return { origins, reaches };
}

/** A ball around everything that joints can reach in a pose: {middle, radius}, or null if there is nothing. */
export function ballOf(skins, palette) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const { first, origins, reaches } of skins) {
    reaches.forEach((reach, j) => {
      if (reach < 0) return;
      const at = 12 * (first + j);
      const place = movePoint(palette, at, ...origins[j]);
      const scale = Math.max(...[0, 1, 2].map((c) => Math.hypot(palette[at + c], palette[at + 4 + c], palette[at + 8 + c])));
      for (let i = 0; i < 3; i++) {
        low[i] = Math.min(low[i], place[i] - reach * scale);
        high[i] = Math.max(high[i], place[i] + reach * scale);
      }
    });
  }
  return boxBall(low, high);
}

/** The ball around a box; null for an empty or infinite one. */
export function boxBall(low, high) {
  const sides = [0, 1, 2].map((i) => high[i] - low[i]);
  if (!sides.every((side) => side >= 0 && Number.isFinite(side))) return null;
  return { middle: [0, 1, 2].map((i) => (low[i] + high[i]) / 2), radius: Math.hypot(...sides) / 2 };
}
