// Vectors as lists of 3 numbers and matrices as in protocol/answers.md: mat4 is 16 numbers in columns, mat3x4 12 in rows.

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = (a) => Math.hypot(a[0], a[1], a[2]);

/** Of length 1; a vector without a direction does not change. */
export function unit(a) {
  const size = length(a);
  return size > 0 ? scale(a, 1 / size) : a;
}

/** The inverse of a matrix (mat4) that only rotates and translates. */
export function invertRigid(m) {
  const out = [m[0], m[4], m[8], 0, m[1], m[5], m[9], 0, m[2], m[6], m[10], 0, 0, 0, 0, 1];
  for (let r = 0; r < 3; r++) out[12 + r] = -(out[r] * m[12] + out[4 + r] * m[13] + out[8 + r] * m[14]);
  return out;
}

/** The place p moved by the mat3x4 at `at`. */
export function movePoint(m, at, x, y, z) {
  return [m[at] * x + m[at + 1] * y + m[at + 2] * z + m[at + 3], m[at + 4] * x + m[at + 5] * y + m[at + 6] * z + m[at + 7],
    m[at + 8] * x + m[at + 9] * y + m[at + 10] * z + m[at + 11]];
}

/** The determinant of the mat3x4 at `at`, without its translation. */
export function determinant(m, at) {
  return m[at] * (m[at + 5] * m[at + 10] - m[at + 6] * m[at + 9]) - m[at + 1] * (m[at + 4] * m[at + 10] - m[at + 6] * m[at + 8]) +
    m[at + 2] * (m[at + 4] * m[at + 9] - m[at + 5] * m[at + 8]);
}

/** view * m: a mat4 times the mat3x4 at `at`, as mat3x4 into out at `to`. */
export function multiply(view, m, at, out, to) {
  for (let r = 0; r < 3; r++) {
    const [a, b, c, d] = [view[r], view[4 + r], view[8 + r], view[12 + r]];
    for (let k = 0; k < 4; k++) {
      out[to + 4 * r + k] = a * m[at + k] + b * m[at + 4 + k] + c * m[at + 8 + k] + (k === 3 ? d : 0);
    }
  }
}

/** The inverse of a mat4 whose last row is 0 0 0 1, or null. */
export function invert(m) {
  const a = [m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]]; // rows
  const minor = (i, j, k, l) => a[i] * a[l] - a[j] * a[k];
  const det = a[0] * minor(4, 5, 7, 8) - a[1] * minor(3, 5, 6, 8) + a[2] * minor(3, 4, 6, 7);
  if (!(Math.abs(det) > 0) || !Number.isFinite(1 / det)) return null;
  const rows = [[minor(4, 5, 7, 8), -minor(1, 2, 7, 8), minor(1, 2, 4, 5)], [-minor(3, 5, 6, 8), minor(0, 2, 6, 8), -minor(0, 2, 3, 5)],
    [minor(3, 4, 6, 7), -minor(0, 1, 6, 7), minor(0, 1, 3, 4)]].map((row) => row.map((x) => x / det));
  const at = [m[12], m[13], m[14]];
  const out = [0, 1, 2].flatMap((c) => [rows[0][c], rows[1][c], rows[2][c], 0]);
  return [...out, ...rows.map((row) => -dot(row, at)), 1];
}
