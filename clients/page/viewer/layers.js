// The extensions KHR_materials_* of a material, in the form of shaders/layers.glsl.
import { LAYER_SLOTS, LAYER_UNIT, UNITS } from './programs.js';

// The parts of layers.glsl that an extension needs.
const DEFINES = { KHR_materials_clearcoat: 'CLEARCOAT', KHR_materials_sheen: 'SHEEN', KHR_materials_iridescence: 'IRIDESCENCE',
  KHR_materials_anisotropy: 'ANISOTROPY', KHR_materials_transmission: 'TRANSMISSION' };
const EXTENSIONS = [...Object.keys(DEFINES), 'KHR_materials_specular', 'KHR_materials_ior'];
// Samplers that are white if their texture is missing. Those for the coat's bumps and for directions are not used then.
const SAMPLERS = { CLEARCOAT: 3, SHEEN: 2, IRIDESCENCE: 2, ANISOTROPY: 1, TRANSMISSION: 1 };
const SPECULAR_SAMPLERS = 2;
const IDENTITY_UV = [1, 0, 0, 0, 1, 0];

/**
 * The definitions of a program for a material, and the number of samplers that its layers and their surroundings need.
 * @param {object} look the material, as in /v1/model
 * @param {boolean} hasTextures whether a layer has a texture
 * @returns {{defines: string[], samplers: number}|null} null: it has no layers
 */
export function layersOf(look, hasTextures) {
  const present = EXTENSIONS.filter((name) => look.extensions?.[name]);
  if (!present.length) return null;
  const kinds = present.map((name) => DEFINES[name]).filter(Boolean);
  const samplers = hasTextures ? kinds.reduce((sum, kind) => sum + SAMPLERS[kind], SPECULAR_SAMPLERS) : 0;
  return { defines: ['LAYERS', ...(hasTextures ? ['LAYER_TEXTURES'] : []), ...kinds], samplers: samplers + (kinds.includes('TRANSMISSION') ? 1 : 0) };
}

/** Whether the material lets light through. */
export const isClear = (look) => Boolean(look.extensions?.KHR_materials_transmission) && !look.unlit;

const linear = (encoded) => (encoded <= 0.04045 ? encoded / 12.92 : ((encoded + 0.055) / 1.055) ** 2.4);

/**
 * Sets the uniforms of a material's layers.
 * @param {WebGL2RenderingContext} gl @param {object} program @param {object} look
 * @param {(slot: string) => WebGLTexture|null} textureOf @param {number[]} background of the canvas, RGBA from 0 to 1
 */
export function putLayers(gl, program, look, textureOf, background) {
  const of = (name) => look.extensions[`KHR_materials_${name}`] ?? {};
  const { clearcoatFactor = 0, clearcoatRoughnessFactor = 0, clearcoatNormalScale = 1 } = of('clearcoat');
  const { specularFactor = 1, specularColorFactor = [1, 1, 1] } = of('specular');
  const { ior = 1.5 } = of('ior'), { transmissionFactor = 0 } = of('transmission');
  const { sheenColorFactor = [0, 0, 0], sheenRoughnessFactor = 0 } = of('sheen');
  const { iridescenceFactor = 0, iridescenceIor = 1.3, iridescenceThicknessMinimum = 100, iridescenceThicknessMaximum = 400 } = of('iridescence');
  const { anisotropyStrength = 0, anisotropyRotation = 0 } = of('anisotropy');
  const f0 = ((ior - 1) / (ior + 1)) ** 2;
  gl.uniform4f(program.at('dielectric'), ...specularColorFactor.map((c) => f0 * c), specularFactor);
  gl.uniform4f(program.at('coat'), clearcoatFactor, clearcoatRoughnessFactor, textureOf('clearcoat_normal') ? clearcoatNormalScale : 0, 0);
  gl.uniform4f(program.at('sheen'), ...sheenColorFactor, sheenRoughnessFactor);
  gl.uniform4f(program.at('film'), iridescenceFactor, iridescenceIor, iridescenceThicknessMinimum, iridescenceThicknessMaximum);
  gl.uniform4f(program.at('stretch'), anisotropyStrength, Math.cos(anisotropyRotation), Math.sin(anisotropyRotation), textureOf('anisotropy') ? 1 : 0);
  const levels = Math.log2(Math.max(gl.drawingBufferWidth, gl.drawingBufferHeight)); // a roughness of 1 spreads light over the whole picture
  gl.uniform2f(program.at('clear'), transmissionFactor, Math.min(Math.max(2 * ior - 2, 0), 1) * levels);
  const [r, g, b, a] = background;
  gl.uniform4f(program.at('beneath'), ...[r, g, b].map((c) => linear(1 - a + a * c)), 0);
  if (!program.has('LAYER_TEXTURES')) return;
  const rows = (slot) => look.textures[slot]?.uv_from_texcoord ?? IDENTITY_UV;
  gl.uniformMatrix3x2fv(program.at('layer_uvs[0]'), true, LAYER_SLOTS.flatMap(rows));
  gl.uniform1iv(program.at('layer_sets[0]'), LAYER_SLOTS.map((slot) => look.textures[slot]?.texcoord_set ?? 0));
}

/** The unit of a layer's texture. */
export const layerUnit = (slot) => LAYER_UNIT + LAYER_SLOTS.indexOf(slot);

/** The picture behind transparent surfaces. */
export class Behind {
  #gl;
  #texture = null;

  constructor(gl) {
    this.#gl = gl;
  }

  /** Keeps the current content of the canvas. */
  keep() {
    const gl = this.#gl;
    this.#texture ??= gl.createTexture();
    gl.activeTexture(gl.TEXTURE0 + UNITS.behind);
    gl.bindTexture(gl.TEXTURE_2D, this.#texture);
    gl.copyTexImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, 0);
    for (const [name, value] of [['MIN_FILTER', gl.LINEAR_MIPMAP_LINEAR], ['MAG_FILTER', gl.LINEAR], ['WRAP_S', gl.CLAMP_TO_EDGE], ['WRAP_T', gl.CLAMP_TO_EDGE]]) {
      gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_${name}`], value);
    }
    gl.generateMipmap(gl.TEXTURE_2D);
  }
}
