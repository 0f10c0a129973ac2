// What VRM expressions of a given pose do to materials (server/anim/humanoid/expression.c, server/anim/pose/appearance.c).

const KINDS = { mouth: ['aa', 'ih', 'ou', 'ee', 'oh'], blink: ['blink', 'blinkLeft', 'blinkRight'], look_at: ['lookUp', 'lookDown', 'lookLeft', 'lookRight'] };

// The weights that are shown: binary ones are 0 or 1, and expressions override the presets of other kinds.
function shownWeights(expressions, given) {
  const weights = expressions.map(({ name, binary }) => { const weight = given.get(name) ?? 0; return binary ? Number(weight > 0.5) : weight; });
  const kinds = expressions.map(({ name, preset }) => (preset ? Object.keys(KINDS).find((kind) => KINDS[kind].includes(name)) : undefined));
  const taken = (word, weight) => ({ block: 1, blend: weight })[word] ?? 0;
  const leftOf = (kind) => expressions.reduce((left, one, e) => (weights[e] > 0 && kinds[e] !== kind ? left - taken(one['override_' + kind], weights[e]) : left), 1);
  const left = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, leftOf(kind)]));
  return weights.map((weight, e) => (!kinds[e] || left[kinds[e]] >= 1 ? weight : expressions[e].binary ? 0 : weight * Math.max(0, left[kinds[e]])));
}

const mixed = (numbers, [share, ...sums]) => numbers.map((n, i) => n * (1 - share) + sums[i]);

// Scales the columns of the matrix and moves its translation, as scale and offset change.
function mixTransform(m, [share, sx, sy, ox, oy]) {
  const factors = [sx, sy].map((sum, k) => { const scale = Math.hypot(m[k], m[3 + k]); return scale > 0 ? (scale * (1 - share) + sum) / scale : 1; });
  return [m[0] * factors[0], m[1] * factors[1], m[2] * (1 - share) + ox, m[3] * factors[0], m[4] * factors[1], m[5] * (1 - share) + oy];
}

/**
 * Returns a function that gives a material's look what the expressions do to it.
 * @param {object} info of /v1/model @param {string[]} list NAME:WEIGHT each
 */
export function expressionLooks({ expressions = [] }, list) {
  const given = new Map(list.map((text) => [text.slice(0, text.lastIndexOf(':')), Number(text.slice(text.lastIndexOf(':') + 1))]));
  const weights = shownWeights(expressions, given), sums = new Map(); // by material and part: the shares' sum, then those of the values
  expressions.forEach(({ binds = [] }, e) => {
    for (const { kind, material, property, value, scale, offset } of binds) {
      const part = kind === 'texture_transform' ? kind : { color: 'base_color', emission_color: 'emissive' }[property];
      if (!part || !(weights[e] > 0)) continue;
      const key = `${material} ${part}`, before = sums.get(key) ?? [0, 0, 0, 0, 0];
      sums.set(key, [1, ...(value ?? [...scale, ...offset])].map((n, i) => before[i] + weights[e] * n));
    }
  });
  return (material, look) => {
    const [color, emissive, place] = ['base_color', 'emissive', 'texture_transform'].map((part) => sums.get(`${material} ${part}`));
    if (!color && !emissive && !place) return look;
    const out = structuredClone(look);
    if (color) out.base_color = mixed(look.base_color, color).map((n) => Math.min(1, Math.max(0, n)));
    if (emissive) out.emissive = mixed(look.emissive, emissive).map((n) => Math.max(0, n));
    if (place) for (const slot of Object.values(out.textures)) slot.uv_from_texcoord = mixTransform(slot.uv_from_texcoord, place);
    return out;
  };
}
