// Finds closed surfaces with their front outside: from outside, their backs are invisible.

const VERTICES_MAX = 200000; // for larger ones the search takes too long

// Gives one number to vertices with the same position and influences.
function weld({ rest, firsts, joints, weights }) {
  const numbers = new Map(), of = new Uint32Array(rest.length / 3);
  for (let v = 0; v < of.length; v++) {
    const key = [rest[3 * v], rest[3 * v + 1], rest[3 * v + 2], ...joints.subarray(firsts[v], firsts[v + 1]), ...weights.subarray(firsts[v], firsts[v + 1])].join();
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    of[v] = numbers.get(key);
  }
  return { of, count: numbers.size };
}

/** The part of each vertex. Vertices that edges connect share a number, which is the number of one of them. */
function partsOf(triangles, count) {
  const above = Uint32Array.from({ length: count }, (_, i) => i);
  const find = (v) => {
    while (above[v] !== v) v = above[v] = above[above[v]];
    return v;
  };
  for (let i = 0; i < triangles.length; i += 3) {
    above[find(triangles[i + 1])] = find(triangles[i]);
    above[find(triangles[i + 2])] = find(triangles[i]);
  }
  return above.map((_, v) => find(v));
}

/** Six times the volume that a triangle and the origin span. */
function volumeOf(rest, a, b, c) {
  const [ax, ay, az] = [rest[3 * a], rest[3 * a + 1], rest[3 * a + 2]], [bx, by, bz] = [rest[3 * b], rest[3 * b + 1], rest[3 * b + 2]];
  const [cx, cy, cz] = [rest[3 * c], rest[3 * c + 1], rest[3 * c + 2]];
  return ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
}

/**
 * The triangles of an entry, with those of closed parts first.
 * @param {import('./model_data.js').Entry} entry
 * @returns {{indices: Uint32Array, count: number}} count: number of indices in closed parts
 */
export function closedFirst(entry) {
  const { rest, indices, topology } = entry;
  if (topology !== 'triangles' || rest.length > 3 * VERTICES_MAX || !entry.firsts) return { indices, count: 0 };
  const welded = weld(entry);
  const triangles = indices.map((v) => welded.of[v]), parts = partsOf(triangles, welded.count);
  const open = new Map(); // [edge]: how much more often it goes one way than the other
  const volumes = new Map();
  for (let i = 0; i + 2 < triangles.length; i += 3) {
    const part = parts[triangles[i]];
    volumes.set(part, (volumes.get(part) ?? 0) + volumeOf(rest, indices[i], indices[i + 1], indices[i + 2]));
    for (let k = 0; k < 3; k++) {
      const [a, b] = [triangles[i + k], triangles[i + (k + 1) % 3]];
      const key = Math.min(a, b) * welded.count + Math.max(a, b);
      open.set(key, (open.get(key) ?? 0) + Math.sign(b - a));
    }
  }
  for (const [key, more] of open) if (more !== 0) volumes.set(parts[Math.floor(key / welded.count)], 0);
  const isClosed = (i) => volumes.get(parts[triangles[i]]) > 0;
  const sorted = new Uint32Array(indices.length);
  let count = 0;
  for (const wanted of [true, false]) {
    let at = wanted ? 0 : count;
    for (let i = 0; i + 2 < indices.length; i += 3) {
      if (isClosed(i) !== wanted) continue;
      sorted.set(indices.subarray(i, i + 3), at);
      at += 3;
    }
    if (wanted) count = at;
  }
  return { indices: sorted, count };
}
