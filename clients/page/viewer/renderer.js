// Draws a posed model, lit or as one of the views, as server/render/draw does.
import { Behind, isClear, layerUnit, layersOf, putLayers } from './layers.js';
import { Light } from './light.js';
import { LAYER_SLOTS } from './programs.js';
import { determinant } from './vectors.js';
import { Overlay } from './overlay.js';

const SLOTS = ['base_color', 'metallic_roughness', 'normal', 'occlusion', 'emissive'];
const IDENTITY_UV = [1, 0, 0, 0, 1, 0];
const MAGS = { linear: 0, nearest: 1 };
const MINS = { linear_mipmap_linear: 0, nearest: 1, linear: 2, nearest_mipmap_nearest: 3, linear_mipmap_nearest: 4, nearest_mipmap_linear: 5 };
const TOPOLOGIES = { triangles: 0, lines: 1, points: 2 };
const PAINTS = { heat: 0, colors: 1, bones: 2, normal: 3, ghost: 6, line: 7 };
const SOLID_ALPHA = 0.995; // from this alpha on, a blended surface hides what is behind it
const ANY_ALPHA = -1, END_ALPHA = 1e9;
const ROUGH = 0.5; // smoother surfaces show the environment
const FAINTEST = 0.35, LINE_HALF_WIDTH = 0.6; // for edges, as in shaders/wire.frag
const PALE = [219, 227, 235, 255]; // the surface under edges

/** The rows of a mat3x2 for OpenGL, from u' = m0 u + m1 v + m2, v' = m3 u + m4 v + m5. */
const columns = (m) => [m[0], m[3], m[1], m[4], m[2], m[5]];

export class Renderer {
  #gl;
  #programs;
  #gpu;
  #scene = null; // of the frame: camera, unit, view, ...
  #program = null;
  #light;

  /**
   * @param {WebGL2RenderingContext} gl
   * @param {import('./programs.js').Programs} programs
   * @param {import('./gpu_model.js').GpuModel} gpu
   * @param {object} light of loadLight()
   */
  constructor(gl, programs, gpu, light) {
    this.#gl = gl;
    this.#programs = programs;
    this.#gpu = gpu;
    this.#light = new Light(gl, light);
    this.overlay = new Overlay(gl);
    this.behind = new Behind(gl);
    this.samplersMost = gl.getParameter(gl.MAX_TEXTURE_IMAGE_UNITS);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.cullFace(gl.BACK);
  }

  /**
   * Draws one picture.
   * @param {object} scene camera, projection {clipFromView, near, far}, background, view, hidden (nodes), bones, ground, isQuick, isOutside
   */
  draw(scene) {
    const gl = this.#gl;
    this.#scene = scene;
    this.#program = null;
    const larger = scene.projection.far;
    scene.unit = 2 ** -Math.min(126, Math.max(-126, Math.ceil(Math.log2(larger))));
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    const [r, g, b, a] = scene.background;
    gl.clearColor(r * a, g * a, b * a, a);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    this.#gpu.setConstants();
    if (scene.ground) this.overlay.drawGround(scene);
    const draws = this.#gpu.draws.filter((draw) => !scene.hidden.has(draw.entry.node));
    if (scene.view === 'lit') this.#drawLit(draws);
    else if (scene.view === 'skeleton') this.#drawSkeleton(draws);
    else if (scene.view === 'wireframe') this.#drawWireframe(draws);
    else this.#drawPaint(draws, scene.view === 'normals' ? PAINTS.normal : scene.hasJoint ? PAINTS.heat : PAINTS.colors);
    if (this.#gpu.draws.length === 0 && scene.view !== 'skeleton' && scene.bones) this.#drawBones();
    gl.bindVertexArray(null);
  }

  #drawLit(draws) {
    const gl = this.#gl;
    const clear = draws.filter((draw) => isClear(draw.entry.look));
    for (const draw of draws) if (!clear.includes(draw)) this.#drawEntry('lit', draw, false);
    if (clear.length) this.behind.keep();
    for (const draw of clear) this.#drawEntry('lit', draw, false);
    const soft = draws.filter((draw) => draw.entry.look.alpha_mode === 'blend');
    if (!soft.length) return;
    const depth = (draw) => this.#scene.camera.distanceTo(draw.placed ?? draw.middle);
    soft.sort((a, b) => depth(b) - depth(a));
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    for (const draw of soft) this.#drawEntry('lit', draw, true);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  #drawPaint(draws, paint) {
    for (const draw of draws) this.#drawEntry('view', draw, false, paint);
  }

  // Draws glass over bones: only the surfaces nearest to the eye, each pixel once.
  #drawSkeleton(draws) {
    const gl = this.#gl;
    if (this.#scene.bones) this.#drawBones();
    gl.colorMask(false, false, false, false);
    this.#drawPaint(draws, PAINTS.ghost);
    gl.colorMask(true, true, true, true);
    gl.enable(gl.BLEND);
    this.#drawOnce(true);
    gl.depthMask(false);
    this.#drawPaint(draws, PAINTS.ghost);
    gl.depthMask(true);
    this.#drawOnce(false);
    gl.disable(gl.BLEND);
  }

  #drawBones() {
    const program = this.#use('view', {});
    this.#gl.uniform1i(program.at('paint'), PAINTS.bones);
    this.#gl.uniform1i(program.at('topology'), 0);
    this.#putPlain(program);
    this.overlay.drawBones(this.#scene);
  }

  #drawWireframe(draws) {
    const gl = this.#gl;
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    this.#drawPaint(draws, PAINTS.colors);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.CONSTANT_ALPHA, gl.ONE_MINUS_CONSTANT_ALPHA);
    this.#drawOnce(true);
    for (const draw of draws.filter((one) => one.entry.topology === 'triangles')) {
      const edges = this.#gpu.edges(draw);
      const program = this.#prepare('view', draw, PAINTS.line);
      gl.uniform1i(program.at('topology'), TOPOLOGIES.lines);
      const strength = this.#strengthOf(edges.length, draw);
      gl.blendColor(0, 0, 0, strength);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, edges.buffer);
      gl.drawElements(gl.LINES, edges.count, gl.UNSIGNED_INT, 0);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, draw.indices);
    }
    this.#drawOnce(false);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.disable(gl.BLEND);
  }

  // Draws each pixel once.
  #drawOnce(isOn) {
    const gl = this.#gl;
    (isOn ? gl.enable : gl.disable).call(gl, gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 0xff);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
  }

  // Fades lines if triangles are hardly wider than their lines, because a dense mesh would be a black spot. shaders/wire.frag does it for
  // each triangle, this for the mean triangle of a draw.
  #strengthOf(edge, draw) {
    const { camera } = this.#scene;
    const unit = this.#gl.drawingBufferHeight / (2 * camera.half[1] * Math.max(camera.distanceTo(draw.placed ?? draw.middle), 1e-9)); // in pixels
    const inRadius = edge * unit / (2 * Math.sqrt(3)); // of an equilateral triangle
    return FAINTEST + (1 - FAINTEST) * Math.min(inRadius / (3 * LINE_HALF_WIDTH), 1);
  }

  #use(chain, kind) {
    const gl = this.#gl, scene = this.#scene;
    const program = this.#programs.get(chain, kind);
    if (program === this.#program) return program;
    this.#program = program;
    gl.useProgram(program.name);
    gl.uniformMatrix4fv(program.at('clip_from_view'), false, scene.projection.clipFromView);
    gl.uniform1f(program.at('unit'), scene.unit);
    gl.uniform1f(program.at('point_size'), scene.pointSize);
    if (chain === 'lit') this.#light.set(program, scene.lightChoice, scene.isQuick);
    return program;
  }

  // A surface without a material, in the view's own space.
  #putPlain(program) {
    const gl = this.#gl;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.#gpu.white);
    gl.uniform4f(program.at('base_color'), 0, 0, 0, 1);
    gl.uniform4f(program.at('finish'), 0, 1, ANY_ALPHA, END_ALPHA);
    gl.uniform4f(program.at('glow'), 0, 0, 0, 0);
    gl.uniform3f(program.at('kind'), 1, 0, 0);
    gl.uniform2i(program.at('base_color_filter'), 0, 0);
    gl.uniformMatrix3x2fv(program.at('uv_from_texcoord'), false, columns(IDENTITY_UV));
    gl.uniform1i(program.at('joint_first'), this.#scene.sceneJoint);
    gl.disable(gl.CULL_FACE);
  }

  #filtersOf(look, slot) {
    if (!this.#gpu.texture(look, slot)) return [0, 0];
    const said = this.#gpu.model.info.textures[look.textures[slot].texture];
    return [MAGS[said.mag_filter], MINS[said.min_filter]];
  }

  // The program that a material needs (draw_needs_full(), has_filters()).
  #kindOf(entry, isLit) {
    const { look } = entry;
    const layers = isLit ? this.#layersOf(look) : null;
    const isFull = layers?.includes('LAYER_TEXTURES') || layers?.includes('ANISOTROPY') || SLOTS.some((slot) => look.textures[slot] && (slot === 'base_color' ? look.textures[slot].texcoord_set !== 0
      : isLit && this.#gpu.texture(look, slot) !== null));
    const isFiltered = ['base_color', 'emissive'].some((slot) => this.#filtersOf(look, slot).some(Boolean));
    const isMirror = isLit && (layers !== null || look.metallic > 0 || look.roughness < ROUGH || this.#gpu.texture(look, 'metallic_roughness') !== null);
    const without = ['normal', 'occlusion', 'emissive'].filter((slot) => !this.#gpu.texture(look, slot));
    return { isFull, isFiltered, isPoints: entry.topology === 'points', isMirror, isCut: look.alpha_mode !== 'opaque', without, layers: layers ?? [] };
  }

  // If there are more textures than texture units, layers use only their numbers.
  #layersOf(look) {
    const hasTextures = LAYER_SLOTS.some((slot) => this.#gpu.texture(look, slot) !== null);
    const own = 2 + ['normal', 'occlusion', 'emissive'].filter((slot) => this.#gpu.texture(look, slot)).length; // with the light
    const layers = layersOf(look, hasTextures);
    if (layers === null || layers.samplers + own + 1 <= this.samplersMost) return layers?.defines ?? null;
    return layersOf(look, false).defines;
  }

  #bind(unit, texture) {
    const gl = this.#gl;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture ?? this.#gpu.white);
    const [mag, min] = [gl.LINEAR, this.#program.isView ? gl.LINEAR_MIPMAP_LINEAR : gl.LINEAR_MIPMAP_NEAREST];
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, mag);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, texture ? min : gl.LINEAR);
  }

  #putMaterial(program, entry, isLit) {
    const gl = this.#gl, { look } = entry, { textures } = look;
    const base = this.#gpu.texture(look, 'base_color');
    const isMissing = textures.base_color && !base && entry.texcoords;
    this.#bind(0, isMissing ? this.#gpu.missing : base);
    if (program.isFull) {
      SLOTS.forEach((slot, unit) => { if (unit > 0) this.#bind(unit, this.#gpu.texture(look, slot)); });
      gl.uniformMatrix3x2fv(program.at('uvs_from_texcoord[0]'), false, SLOTS.flatMap((slot) => columns(textures[slot]?.uv_from_texcoord ?? IDENTITY_UV)));
      gl.uniform1iv(program.at('texcoord_sets[0]'), SLOTS.map((slot) => textures[slot]?.texcoord_set ?? 0));
      gl.uniform2i(program.at('emissive_filter'), ...this.#filtersOf(look, 'emissive'));
      gl.uniform2f(program.at('bump_shade'), this.#gpu.texture(look, 'normal') ? look.normal_scale : 0,
        this.#gpu.texture(look, 'occlusion') ? look.occlusion_strength : 0);
    } else {
      gl.uniformMatrix3x2fv(program.at('uv_from_texcoord'), false, columns(textures.base_color?.uv_from_texcoord ?? IDENTITY_UV));
    }
    gl.uniform2i(program.at('base_color_filter'), ...this.#filtersOf(look, 'base_color'));
    if (program.has('LAYER_TEXTURES')) for (const slot of LAYER_SLOTS) this.#bind(layerUnit(slot), this.#gpu.texture(look, slot));
    if (program.has('LAYERS')) putLayers(gl, program, look, (slot) => this.#gpu.texture(look, slot), this.#scene.background);
    gl.uniform4fv(program.at('base_color'), look.base_color);
    gl.uniform3f(program.at('kind'), isLit ? 0 : 1, entry.isFlat ? 1 : 0, 0);
    gl.uniform1i(program.at('topology'), TOPOLOGIES[entry.topology]);
  }

  #putAlpha(program, look, isView, isSoft) {
    const gl = this.#gl;
    let low = look.alpha_mode === 'mask' ? look.alpha_cutoff : ANY_ALPHA, high = END_ALPHA;
    if (look.alpha_mode === 'blend') {
      if (isView) {
        low = 0.5;
        gl.uniform4f(program.at('base_color'), 0, 0, 0, look.base_color[3] > 0 ? 1 : 0);
      } else if (isSoft) {
        high = SOLID_ALPHA;
      } else {
        low = SOLID_ALPHA;
      }
    }
    const isDark = look.textures.emissive && !this.#gpu.texture(look, 'emissive');
    gl.uniform4f(program.at('finish'), look.metallic, look.roughness, low, high);
    gl.uniform4f(program.at('glow'), ...(isDark ? [0, 0, 0] : look.emissive), isSoft ? 1 : 0);
  }

  // glTF defines which side of a triangle is its back. The windings of other formats are not reliable.
  #putCulling(draw) {
    const gl = this.#gl, { look, skin } = draw.entry;
    const mirror = mirrorOf(this.#gpu.model.skins.get(skin), this.#scene.palette);
    if (look.double_sided || mirror === 'mixed' || !/^(glT|GLB)/.test(this.#gpu.model.info.format ?? '')) {
      gl.disable(gl.CULL_FACE);
      return;
    }
    gl.enable(gl.CULL_FACE);
    gl.frontFace(mirror === 'all' ? gl.CW : gl.CCW);
  }

  // Quick pictures leave out the backs of closed surfaces, which are inside: this saves half of the work.
  #drawClosed(draw, isSoft) {
    const gl = this.#gl, { look, skin } = draw.entry;
    if (!this.#scene.isQuick || !this.#scene.isOutside || isSoft || look.alpha_mode !== 'opaque') return 0;
    const mirror = mirrorOf(this.#gpu.model.skins.get(skin), this.#scene.palette);
    const count = mirror === 'mixed' ? 0 : this.#gpu.sortClosed(draw);
    if (!count) return 0;
    gl.enable(gl.CULL_FACE);
    gl.frontFace(mirror === 'all' ? gl.CW : gl.CCW);
    gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
    this.#putCulling(draw);
    return count;
  }

  #prepare(chain, draw, paint, isSoft = false) {
    const gl = this.#gl, { entry } = draw;
    const isSurface = entry.topology === 'triangles';
    const isLit = chain === 'lit' && isSurface && !entry.look.unlit;
    const program = this.#use(chain, this.#kindOf(entry, isLit || paint === PAINTS.normal));
    gl.bindVertexArray(draw.array);
    this.#putCulling(draw);
    this.#putMaterial(program, entry, isLit);
    if (chain === 'view') gl.uniform1i(program.at('paint'), paint);
    this.#putAlpha(program, entry.look, chain === 'view', isSoft);
    const { first } = this.#gpu.model.skins.get(entry.skin);
    gl.uniform1i(program.at('joint_first'), draw.isPosed ? this.#scene.sceneJoint : first);
    return program;
  }

  #drawEntry(chain, draw, isSoft, paint = 0) {
    const gl = this.#gl;
    this.#prepare(chain, draw, paint, isSoft);
    const mode = { triangles: gl.TRIANGLES, lines: gl.LINES, points: gl.POINTS }[draw.entry.topology];
    const done = this.#drawClosed(draw, isSoft);
    if (done < draw.count) gl.drawElements(mode, draw.count - done, gl.UNSIGNED_INT, 4 * done);
  }

  /** Sets the colours for the current view: bytes RGBA a vertex for each draw. */
  setColors(colorsOf) {
    for (const draw of this.#gpu.draws) this.#gpu.setColors(draw, colorsOf(draw.entry));
  }

  /** Sets another light of loadLight(). */
  setLight(light) {
    this.#light.dispose();
    this.#light = new Light(this.#gl, light);
  }

  /** Frees the programs, the light and the model's objects on the graphics processor. */
  dispose() {
    this.#light.dispose();
    this.#programs.dispose();
    this.#gpu.dispose();
  }

  static get pale() {
    return PALE;
  }
}

/** Whether none, all or some of a skin's joints mirror. */
function mirrorOf(skin, palette) {
  let mirrored = 0;
  for (let j = 0; j < skin.joints.length; j++) if (determinant(palette, 12 * (skin.first + j)) < 0) mirrored++;
  return mirrored === 0 ? 'none' : mirrored === skin.joints.length ? 'all' : 'mixed';
}
