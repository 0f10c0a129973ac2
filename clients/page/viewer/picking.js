// Finds what is under a point of the picture, with a line of sight through the posed vertices.
import { cross, dot, subtract } from './vectors.js';

/**
 * Finds the nearest triangle on a line of sight.
 * @param {{from: number[], along: number[]}} ray scene space
 * @param {Iterable<{entry: object, positions: Float32Array}>} surfaces
 * @returns {{entry: object, corners: number[], shares: number[], depth: number}|null}
 */
export function hitOf(ray, surfaces) {
  let best = null;
  for (const { entry, positions } of surfaces) {
    if (entry.topology !== 'triangles') continue;
    const { indices } = entry;
    const { from, along } = ray;
    for (let i = 0; i + 2 < indices.length; i += 3) {
      const [p, q, r] = [3 * indices[i], 3 * indices[i + 1], 3 * indices[i + 2]];
      // Moeller and Trumbore, Fast, Minimum Storage Ray-Triangle Intersection, 1997
      const e1x = positions[q] - positions[p], e1y = positions[q + 1] - positions[p + 1], e1z = positions[q + 2] - positions[p + 2];
      const e2x = positions[r] - positions[p], e2y = positions[r + 1] - positions[p + 1], e2z = positions[r + 2] - positions[p + 2];
      const hx = along[1] * e2z - along[2] * e2y, hy = along[2] * e2x - along[0] * e2z, hz = along[0] * e2y - along[1] * e2x;
      const det = e1x * hx + e1y * hy + e1z * hz;
      if (det === 0) continue;
      const sx = from[0] - positions[p], sy = from[1] - positions[p + 1], sz = from[2] - positions[p + 2];
      const u = (sx * hx + sy * hy + sz * hz) / det;
      if (!(u >= 0 && u <= 1)) continue;
      const gx = sy * e1z - sz * e1y, gy = sz * e1x - sx * e1z, gz = sx * e1y - sy * e1x;
      const v = (along[0] * gx + along[1] * gy + along[2] * gz) / det;
      if (!(v >= 0 && u + v <= 1)) continue;
      const depth = (e2x * gx + e2y * gy + e2z * gz) / det;
      if (!(depth > 0) || (best && depth >= best.depth)) continue;
      best = { entry, corners: [indices[i], indices[i + 1], indices[i + 2]], shares: [1 - u - v, u, v], depth };
    }
  }
  return best;
}

/** The joint of the entry's skin that moves the point of a hit most. */
export function jointOf({ entry, corners, shares }) {
  const sums = new Map();
  corners.forEach((vertex, k) => {
    for (let i = entry.firsts[vertex]; i < entry.firsts[vertex + 1]; i++) {
      sums.set(entry.joints[i], (sums.get(entry.joints[i]) ?? 0) + shares[k] * entry.weights[i]);
    }
  });
  return [...sums].reduce((best, one) => (one[1] > best[1] ? one : best), [0, -1])[0];
}

/** The node that is nearest to the line of sight, within an angle: {node, place} or null. */
export function nodeNear(ray, places, tangent) {
  let best = null;
  for (const [node, place] of places) {
    const to = subtract(place, ray.from);
    const depth = dot(to, ray.along);
    if (!(depth > 0)) continue;
    const aside = Math.hypot(...cross(to, ray.along)) / depth;
    if (aside < tangent && (!best || aside < best.aside)) best = { node, place, aside };
  }
  return best;
}
