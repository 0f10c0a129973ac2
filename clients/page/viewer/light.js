// The light around the model, from /v1/environment, in the form of shaders/environment.glsl: nine numbers a channel for matt surfaces, and
// a map with a level for each roughness for reflections.
import { Frames } from '../js/frames.js';
import { UNITS } from './programs.js';

/** The numbers of shaders/tone.glsl. */
export const TONES = { neutral: 0, aces: 1, none: 2 };
export const LIGHTS = ['studio', 'outdoor', 'flat', 'file'];
export const EXPOSURE_MOST = 16; // stops below and above 0

/**
 * @typedef {{light: string|null, environment: string|null, environment_yaw: number, exposure: number, tone: string}} LightChoice
 *   as /v1/render has them; null: the server's own
 */

/** The source of the light of a choice, as parameters. An environment needs light=file. */
function sourceOf({ light, environment, environment_yaw }) {
  if (light && light !== 'file') return { light };
  return environment ? { environment, ...(environment_yaw ? { environment_yaw } : {}) } : {};
}

/** The parameters of /v1/render for the light of a choice, without defaults. */
export function parametersOf(choice) {
  const { exposure, tone } = choice;
  return { ...sourceOf(choice), ...(exposure ? { exposure } : {}), ...(tone === 'neutral' ? {} : { tone }) };
}

/** The address of the light of a choice. */
export function addressOf(server, choice) {
  return server.link('v1/environment', { ...sourceOf(choice), format: 'bin' });
}

/** Loads the light of an address. */
export async function loadLight(server, address, signal) {
  const frames = new Frames(await (await server.get(address, signal)).arrayBuffer());
  const levels = frames.blocks.filter((block) => block.kind === 'light_map').sort((a, b) => a.index - b.index)
    .map((block) => ({ side: Math.sqrt(block.count), texels: frames.view(block) }));
  return { address, harmonics: frames.array('harmonics'), levels };
}

export class Light {
  #gl;
  #map = null;
  #harmonics;

  /** @param {WebGL2RenderingContext} gl @param {object} loaded of loadLight() */
  constructor(gl, { harmonics, levels }) {
    this.#gl = gl;
    this.#harmonics = harmonics;
    this.#map = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0 + UNITS.environment_map);
    gl.bindTexture(gl.TEXTURE_2D, this.#map);
    gl.texStorage2D(gl.TEXTURE_2D, levels.length, gl.RGBA16F, levels[0].side, levels[0].side);
    levels.forEach(({ side, texels }, level) => gl.texSubImage2D(gl.TEXTURE_2D, level, 0, 0, side, side, gl.RGBA, gl.HALF_FLOAT, texels));
    for (const [name, value] of [['MIN_FILTER', gl.LINEAR_MIPMAP_LINEAR], ['MAG_FILTER', gl.LINEAR], ['WRAP_S', gl.CLAMP_TO_EDGE], ['WRAP_T', gl.CLAMP_TO_EDGE]]) {
      gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_${name}`], value);
    }
  }

  /** Sets the light for a lit program. @param {LightChoice} choice @param {boolean} isQuick one level of the map is read, not two */
  set(program, { exposure, tone }, isQuick) {
    const gl = this.#gl;
    gl.uniform3fv(program.at('irradiance[0]'), this.#harmonics);
    gl.uniform1f(program.at('exposure'), 2 ** exposure);
    gl.uniform1i(program.at('tone'), TONES[tone]);
    gl.activeTexture(gl.TEXTURE0 + UNITS.environment_map);
    gl.bindTexture(gl.TEXTURE_2D, this.#map);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, isQuick ? gl.LINEAR_MIPMAP_NEAREST : gl.LINEAR_MIPMAP_LINEAR);
  }

  dispose() {
    this.#gl.deleteTexture(this.#map);
  }
}
