// The light around the model, as shaders/environment.glsl takes it and /v1/environment tells it: nine numbers a channel
// for what is matt, and a map whose levels are roughnesses for what reflects.
import { Frames } from '../js/frames.js';
import { UNITS } from './programs.js';

const TONES = { neutral: 0, aces: 1, none: 2 };
const WHITE = { harmonics: new Float32Array(27).fill(1, 0, 3), levels: [] }; // alike from all around

/**
 * @typedef {{light?: string, environment?: string, environment_yaw?: number, exposure?: number, tone?: string}} LightChoice the
 *   parameters of /v1/render
 */

/** The light of a choice. Where the server does not tell it, it is white. */
export async function loadLight(server, { light, environment, environment_yaw } = {}, signal) {
  try {
    const answer = await server.get(server.link('v1/environment', { light, environment, environment_yaw, format: 'bin' }), signal);
    const frames = new Frames(await answer.arrayBuffer());
    const levels = frames.blocks.filter((block) => block.kind === 'light_map').sort((a, b) => a.index - b.index)
      .map((block) => ({ side: Math.sqrt(block.count), texels: frames.view(block) }));
    return { harmonics: frames.array('harmonics'), levels };
  } catch (error) {
    if (signal?.aborted) throw error;
    return WHITE;
  }
}

export class Light {
  #gl;
  #map = null;
  #harmonics;

  /** @param {WebGL2RenderingContext} gl @param {object} loaded of loadLight() */
  constructor(gl, { harmonics, levels }) {
    this.#gl = gl;
    this.#harmonics = harmonics;
    this.hasMap = levels.length > 0;
    if (!this.hasMap) return;
    this.#map = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0 + UNITS.environment_map);
    gl.bindTexture(gl.TEXTURE_2D, this.#map);
    gl.texStorage2D(gl.TEXTURE_2D, levels.length, gl.RGBA16F, levels[0].side, levels[0].side);
    levels.forEach(({ side, texels }, level) => gl.texSubImage2D(gl.TEXTURE_2D, level, 0, 0, side, side, gl.RGBA, gl.HALF_FLOAT, texels));
    for (const [name, value] of [['MIN_FILTER', gl.LINEAR_MIPMAP_LINEAR], ['MAG_FILTER', gl.LINEAR], ['WRAP_S', gl.CLAMP_TO_EDGE], ['WRAP_T', gl.CLAMP_TO_EDGE]]) {
      gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_${name}`], value);
    }
  }

  /** Sets what a lit program needs. @param {LightChoice} choice */
  set(program, { exposure = 0, tone = 'neutral' } = {}) {
    const gl = this.#gl;
    gl.uniform3fv(program.at('irradiance[0]'), this.#harmonics);
    gl.uniform1f(program.at('exposure'), 2 ** Math.min(Math.max(Number(exposure) || 0, -16), 16));
    gl.uniform1i(program.at('tone'), TONES[tone] ?? 0);
    if (!this.#map) return;
    gl.activeTexture(gl.TEXTURE0 + UNITS.environment_map);
    gl.bindTexture(gl.TEXTURE_2D, this.#map);
  }

  dispose() {
    this.#gl.deleteTexture(this.#map);
  }
}
