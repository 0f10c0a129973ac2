// Draws what is beside the model: bones as solids, and the ground as a grid with a soft dark spot.
import { add, cross, dot, length, scale, subtract, unit } from './vectors.js';

const BONE_WIDTH = 0.09, WIDTH_MAX = 0.022, JOINT_RADIUS = 0.011, WAIST = 0.16; // as server/render/pose/skeleton_mesh.c
const BONE = [176, 182, 196, 255], JOINT = [214, 110, 34, 255], CHOSEN = [10, 120, 240, 255];

/**
 * Octahedra of joints and bones.
 * @param {Map<number, number[]>} places of nodes, scene space
 * @param {(node: number) => number} parentOf the nearest node above that has a place, or -1
 * @param {number} chosen a node, or -1
 */
export function boneSolids(places, parentOf, chosen) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const place of places.values()) {
    for (let i = 0; i < 3; i++) {
      low[i] = Math.min(low[i], place[i]);
      high[i] = Math.max(high[i], place[i]);
    }
  }
  const size = Math.max(...subtract(high, low)) || 1;
  const positions = [], normals = [], colors = [];
  const put = (from, to, waist, radius, color) => {
    const along = unit(subtract(to, from));
    if (!(length(along) > 0)) return;
    const side = unit(cross(along, Math.abs(along[1]) < 0.8 ? [0, 1, 0] : [1, 0, 0]));
    const other = cross(along, side);
    const inside = add(from, scale(subtract(to, from), waist));
    const ring = [side, other, scale(side, -1), scale(other, -1)].map((way) => add(inside, scale(way, radius)));
    for (let face = 0; face < 8; face++) {
      const corners = [face < 4 ? from : to, ring[face % 4], ring[(face + 1) % 4]];
      let n = unit(cross(subtract(corners[1], corners[0]), subtract(corners[2], corners[0])));
      if (dot(n, subtract(corners[0], inside)) < 0) n = scale(n, -1);
      for (const corner of corners) {
        positions.push(...corner);
        normals.push(...n);
        colors.push(...color);
      }
    }
  };
  for (const [node, place] of places) {
    const radius = JOINT_RADIUS * size;
    put(subtract(place, [0, radius, 0]), add(place, [0, radius, 0]), 0.5, radius, node === chosen ? CHOSEN : JOINT);
    const parent = parentOf(node);
    if (parent < 0) continue;
    const from = places.get(parent);
    put(from, place, WAIST, Math.min(BONE_WIDTH * length(subtract(place, from)), WIDTH_MAX * size), parent === chosen ? CHOSEN : BONE);
  }
  return { positions: new Float32Array(positions), normals: new Float32Array(normals), colors: new Uint8Array(colors) };
}

const GROUND_VERTEX = `#version 300 es
uniform mat4 clip_from_scene;
uniform vec3 middle, along, across;
uniform float reach;
out vec2 place;
const vec2 CORNERS[4] = vec2[4](vec2(-1, -1), vec2(1, -1), vec2(-1, 1), vec2(1, 1));
void main()
{
    place = CORNERS[gl_VertexID];
    gl_Position = clip_from_scene * vec4(middle + reach * (place.x * along + place.y * across), 1.0);
}
`;
const GROUND_FRAGMENT = `#version 300 es
precision highp float;
uniform vec2 cells; // of the grid in the square; radius of the blob as a share of it
uniform vec4 ink;
in vec2 place;
out vec4 fragment;
void main()
{
    vec2 at = place * cells.x, growth = fwidth(at);
    vec2 edge = abs(fract(at - 0.5) - 0.5) / max(growth, 1e-6);
    float line = (1.0 - clamp(min(edge.x, edge.y), 0.0, 1.0)) * clamp(1.0 - max(growth.x, growth.y), 0.0, 1.0);
    float r = length(place);
    float fade = clamp(1.0 - r, 0.0, 1.0);
    float blob = 0.38 * smoothstep(1.0, 0.0, r / cells.y);
    float a = ink.a * line * fade;
    fragment = vec4(ink.rgb * a, a) * (1.0 - blob) + vec4(0, 0, 0, blob);
}
`;

export class Overlay {
  #gl;
  #bones = null; // vertex array and buffers
  #ground = null;

  constructor(gl) {
    this.#gl = gl;
  }

  #makeBones() {
    const gl = this.#gl;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const buffers = [[0, 3, gl.FLOAT, false], [1, 3, gl.FLOAT, false], [3, 4, gl.UNSIGNED_BYTE, true]].map(([place, size, type, isNormalized]) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, type, isNormalized, 0, 0);
      return buffer;
    });
    return { array, buffers };
  }

  /** The program and its uniforms are set. */
  drawBones({ bones }) {
    const gl = this.#gl;
    this.#bones ??= this.#makeBones();
    gl.bindVertexArray(this.#bones.array);
    [bones.positions, bones.normals, bones.colors].forEach((data, i) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.#bones.buffers[i]);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STREAM_DRAW);
    });
    gl.vertexAttribI4ui(4, 0, 0, 0, 0); // joint 0 of the first program
    gl.vertexAttrib4f(5, 1, 0, 0, 0);
    gl.vertexAttribI4ui(6, 0, 0, 0, 0);
    gl.drawArrays(gl.TRIANGLES, 0, bones.positions.length / 3);
  }

  #makeGround() {
    const gl = this.#gl;
    const program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, GROUND_VERTEX], [gl.FRAGMENT_SHADER, GROUND_FRAGMENT]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(`the ground: ${gl.getProgramInfoLog(program)}`);
    return { program, array: gl.createVertexArray(), at: (name) => gl.getUniformLocation(program, name) };
  }

  /** A square on the ground: middle, along, across (unit vectors), reach, cell (its side), blob (radius), clipFromScene. */
  drawGround({ ground, groundInk }) {
    const gl = this.#gl;
    this.#ground ??= this.#makeGround();
    const { program, array, at } = this.#ground;
    gl.useProgram(program);
    gl.bindVertexArray(array);
    gl.uniformMatrix4fv(at('clip_from_scene'), false, ground.clipFromScene);
    for (const name of ['middle', 'along', 'across']) gl.uniform3fv(at(name), ground[name]);
    gl.uniform1f(at('reach'), ground.reach);
    gl.uniform2f(at('cells'), ground.reach / ground.cell, ground.blob / ground.reach);
    gl.uniform4fv(at('ink'), groundInk);
    gl.disable(gl.CULL_FACE);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }
}
