// The materials that a clip moves, at a time (server/anim/pose/appearance.h).

// The value of a channel of /v1/keys at a time (glTF 2.0, appendix C), within its limits.
function valueAt({ times, values, components, interpolation, least, most }, time_s) {
  const isCubic = interpolation === 'CUBICSPLINE', width = components * (isCubic ? 3 : 1);
  let key = times.length - 1;
  while (key > 0 && times[key] > time_s) key--;
  const at = (k, part, i) => values[k * width + (isCubic ? part * components : 0) + i];
  const isHeld = time_s <= times[key] || key + 1 === times.length || interpolation === 'STEP';
  const d = isHeld ? 1 : times[key + 1] - times[key], u = isHeld ? 0 : (time_s - times[key]) / d;
  const value = (i) => {
    const a = at(key, 1, i);
    if (isHeld) return a;
    const b = at(key + 1, 1, i);
    if (!isCubic) return a * (1 - u) + b * u;
    return (2 * u ** 3 - 3 * u ** 2 + 1) * a + d * (u ** 3 - 2 * u ** 2 + u) * at(key, 2, i)
      + (-2 * u ** 3 + 3 * u ** 2) * b + d * (u ** 3 - u ** 2) * at(key + 1, 0, i);
  };
  const limited = Array.from({ length: components }, (_, i) => Math.min(Math.max(value(i), least), most));
  return components === 1 ? limited[0] : limited;
}

/** "baseColorFactor" of a glTF file is "base_color" in /v1/model. */
const nameOf = (member) => member.replace(/(Factor|Texture)$/, '').replace(/[A-Z]/g, (letter) => '_' + letter.toLowerCase());

function transform({ offset = [0, 0], scale = [1, 1], rotation = 0 }) {
  const c = Math.cos(rotation), s = Math.sin(rotation);
  return [c * scale[0], s * scale[1], offset[0], -s * scale[0], c * scale[1], offset[1]];
}

/** Sets a number of a look. path: the pointer from the material on. parts: collects numbers that belong together. */
function put(look, path, value, parts) {
  const names = path.split('/'), last = names.at(-1), extension = names[0] === 'extensions' ? names[1] : null;
  if (names.at(-2) === 'KHR_texture_transform') {
    const slot = nameOf(names.at(-4));
    (parts.transforms[slot] ??= {})[last] = value;
    if (look.textures[slot]) look.textures[slot].uv_from_texcoord = transform(parts.transforms[slot]);
  } else if (last === 'emissiveFactor' || last === 'emissiveStrength') {
    parts[last] = value;
    look.emissive = (parts.emissiveFactor ?? [0, 0, 0]).map((color) => color * (parts.emissiveStrength ?? 1));
  } else if (extension) {
    const member = names.length === 3 ? last : names[2].replace(/Texture$/, '') + 'Scale'; // a coat's normal texture
    if (look.extensions?.[extension]) look.extensions[extension][member] = value;
  } else {
    look[names.length === 2 && names[0] !== 'pbrMetallicRoughness' ? `${nameOf(names[0])}_${last}` : nameOf(last)] = value;
  }
}

export class MovingLooks {
  #materials;
  #channels = new Map(); // by material: its channels, with the pointer's path

  /** @param {object[]} materials of /v1/model @param {object[]} properties of a clip of /v1/keys */
  constructor(materials, properties) {
    this.#materials = materials;
    for (const channel of properties) {
      const [, index, path] = /^\/materials\/([0-9]+)\/(.+)$/.exec(channel.pointer) ?? [];
      if (!path || !materials[index]) continue;
      if (!this.#channels.has(Number(index))) this.#channels.set(Number(index), []);
      this.#channels.get(Number(index)).push({ ...channel, path });
    }
  }

  /** The look of a material at a time of the clip; of one that does not move the file's own. */
  at(material, time_s) {
    const channels = this.#channels.get(material);
    if (!channels) return this.#materials[material];
    const look = structuredClone(this.#materials[material]), parts = { transforms: {} };
    for (const channel of channels) put(look, channel.path, valueAt(channel, time_s), parts);
    return look;
  }
}
