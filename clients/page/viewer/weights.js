// Colours of vertices for the view of weights, as on the server (server/render/pose/influence.c).

const GOLDEN = 0.6180339887498949;
const SATURATIONS = [0.65, 0.80, 0.45], VALUES = [0.95, 0.75, 0.90];

/** The colour of a node, RGB from 0 to 255. */
export function nodeColor(node) {
  const hue = 6 * ((node * GOLDEN) % 1), value = VALUES[node % 3], saturation = SATURATIONS[node % 3];
  return [5, 3, 1].map((n) => {
    const k = (n + hue) % 6;
    return Math.round(255 * (value - value * saturation * Math.max(0, Math.min(k, 4 - k, 1))));
  });
}

/**
 * Bytes RGBA of every vertex: the weight of a joint in red, or the colour of the joint that moves it most.
 * @param {object} entry
 * @param {{joints: number[]}} skin
 * @param {number} joint a node, or -1
 */
export function weightColors(entry, skin, joint) {
  const count = entry.rest.length / 3, out = new Uint8Array(4 * count).fill(255);
  for (let v = 0; v < count; v++) {
    let weight = 0, most = -1, strongest = 0;
    for (let i = entry.firsts[v]; i < entry.firsts[v + 1]; i++) {
      if (skin.joints[entry.joints[i]] === joint) weight += entry.weights[i];
      if (entry.weights[i] > most) [most, strongest] = [entry.weights[i], entry.joints[i]];
    }
    out.set(joint >= 0 ? [Math.round(255 * Math.min(weight, 1)), 0, 0] : nodeColor(skin.joints[strongest] ?? 0), 4 * v);
    if (entry.colors) out[4 * v + 3] = entry.colors[4 * v + 3];
  }
  return out;
}
