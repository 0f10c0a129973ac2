// Shader programs: a vertex shader of the page, and the same fragment shaders as the server's.

const CHAINS = { // joined as in server/render/gl/program.c
  lit: ['varyings.glsl', 'surface.glsl', 'environment.glsl', 'tone.glsl', 'layers.glsl', 'mesh.frag'],
  view: ['varyings.glsl', 'surface.glsl', 'tone.glsl', 'view.frag'],
};
const VERSION = '#version 300 es\n';
const SLOTS = ['base_color', 'metal_rough', 'normal', 'occlusion', 'emissive'];
/** Texture units: the slots of a material first. */
export const UNITS = { palette: 5, influences: 6, environment_map: 7, behind: 8 };
/** The textures of layers, in the order of shaders/layers.glsl, and the unit of the first. */
export const LAYER_SLOTS = ['clearcoat', 'clearcoat_roughness', 'clearcoat_normal', 'specular', 'specular_color', 'sheen_color', 'sheen_roughness',
  'iridescence', 'iridescence_thickness', 'anisotropy', 'transmission'];
export const LAYER_UNIT = 9;

/** The sources of the shaders, by name. */
export async function loadShaders(signal) {
  const names = [...new Set(Object.values(CHAINS).flat())];
  const texts = new Map();
  const load = async (name, address) => {
    const response = await fetch(new URL(address, import.meta.url), { signal });
    if (!response.ok) throw new Error(`the shader ${name} does not come: ${response.status}`);
    texts.set(name, await response.text());
  };
  await Promise.all([...names.map((name) => load(name, `../shaders/${name}`)), load('skin.vert', 'skin.vert')]);
  return texts;
}

function compile(gl, type, text, name) {
  const shader = gl.createShader(type);
  gl.shaderSource(shader, text);
  gl.compileShader(shader);
  if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
    throw new Error(`${name} does not compile: ${gl.getShaderInfoLog(shader)}`);
  }
  return shader;
}

/** A linked program with the locations of its uniforms. */
class Program {
  #places = new Map();

  constructor(gl, chain, defines, texts) {
    this.gl = gl;
    this.defines = defines;
    this.isFull = this.has('FULL');
    const head = VERSION + defines.map((name) => `#define ${name}\n`).join('');
    const fragment = CHAINS[chain].map((name) => texts.get(name)).join('\n');
    this.name = gl.createProgram();
    const shaders = [compile(gl, gl.VERTEX_SHADER, head + texts.get('skin.vert'), 'skin.vert'),
      compile(gl, gl.FRAGMENT_SHADER, head + fragment, CHAINS[chain].at(-1))];
    for (const shader of shaders) {
      gl.attachShader(this.name, shader);
      gl.deleteShader(shader); // deleted with the program
    }
    gl.linkProgram(this.name);
    if (!gl.getProgramParameter(this.name, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(`the shaders do not link: ${gl.getProgramInfoLog(this.name)}`);
    }
    gl.useProgram(this.name);
    SLOTS.forEach((slot, unit) => gl.uniform1i(this.at(`${slot}_texture`), unit));
    for (const [name, unit] of Object.entries(UNITS)) gl.uniform1i(this.at(name), unit);
    LAYER_SLOTS.forEach((slot, i) => gl.uniform1i(this.at(`${slot}_texture`), LAYER_UNIT + i));
  }

  has(define) {
    return this.defines.includes(define);
  }

  /** The location of a uniform. It is null if the program does not use it; OpenGL ignores that. */
  at(name) {
    if (!this.#places.has(name)) this.#places.set(name, this.gl.getUniformLocation(this.name, name));
    return this.#places.get(name);
  }
}

/** The programs of one context. Each is made when it is first needed. */
export class Programs {
  #made = new Map();
  #gl;
  #texts;

  constructor(gl, texts) {
    this.#gl = gl;
    this.#texts = texts;
  }

  /**
   * @param {'lit'|'view'} chain
   * @param {{isFull?: boolean, isFiltered?: boolean, isPoints?: boolean, isMirror?: boolean, isCut?: boolean, without?: string[], layers?: string[]}} kind
   *   without: textures that there are not; layers: what layers.js defines
   */
  get(chain, { isFull = false, isFiltered = false, isPoints = false, isMirror = false, isCut = false, without = [], layers = [] }) {
    const defines = ['PER_DRAW uniform', isMirror && 'MIRRORS', isFull && 'FULL', (isFiltered || chain === 'view') && 'FILTERS', isPoints && 'POINTS',
      (isCut || chain === 'view') && 'CUT', chain === 'view' && 'VIEW', ...layers, ...(isFull ? without : []).map((slot) => `NO_${slot.toUpperCase()}_TEXTURE`)].filter(Boolean);
    const key = [chain, ...defines].join(' ');
    if (!this.#made.has(key)) this.#made.set(key, new Program(this.#gl, chain, defines, this.#texts));
    return this.#made.get(key);
  }

  dispose() {
    for (const program of this.#made.values()) this.#gl.deleteProgram(program.name);
    this.#made.clear();
  }
}
