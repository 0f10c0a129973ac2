// A model in a pose: the palettes of the current shot, the places of joints and vertices, and the size of all.
import { boneSolids } from './overlay.js';
import { ballOf, boxBall, jointReaches, skinDual, skinLinear } from './skinning.js';
import { MovingLooks } from './moving_looks.js';
import { movePoint, multiply } from './vectors.js';
import { Visibility } from './visibility.js';

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

/**
 * Nodes without a parent and without children. In a file that is a moving skeleton these are the cameras, lights and skies of its scene,
 * which may be a hundred times as far away as the skeleton is large (drop_lone() of server/render/pose/skeleton_mesh.c). There are none if
 * all nodes are such, or if no clip shows that the skeleton moves.
 * @returns {Set<number>}
 */
function loneNodes({ nodes, clips }) {
  const parents = new Set(nodes.map(({ parent }) => parent));
  const lone = nodes.filter(({ node, parent }) => !(parent >= 0) && !parents.has(node)).map(({ node }) => node);
  return new Set(clips.length && lone.length < nodes.length ? lone : []);
}

export class Stage {
  #positions = new Map(); // of the shot: entry index: Float32Array
  #reaches;
  #lone;
  shot = null;

  /** @param {object} model of loadModel() */
  constructor(model) {
    this.model = model;
    this.entries = model.entries.filter((entry) => entry.isShown);
    this.#lone = loneNodes(this.entries.length ? { nodes: [], clips: [] } : model.info);
    this.sceneJoint = model.jointCount;
    this.palette = new Float32Array(12 * (model.jointCount + 1)); // scene_from_bind; the last matrix is the identity
    for (let j = 0; j <= model.jointCount; j++) this.palette.set(IDENTITY, 12 * j);
    this.viewPalette = new Float32Array(this.palette.length);
    this.#reaches = [...model.skins.values()].map((skin) => ({ ...skin, ...jointReaches(skin, model.entries) }));
    this.ball = this.#restBall();
    this.change({ visibility: new Visibility(model.info.nodes, []), looks: new MovingLooks(model.info.materials, []) });
  }

  /** Takes what the clip changes beside the pose. */
  change({ visibility, looks }) {
    this.visibility = visibility;
    this.looks = looks;
    this.#changeAt(0);
  }

  #changeAt(time_s) {
    const { materials } = this.model.info, told = this.shot?.looks;
    this.hidden = this.visibility.hiddenAt(time_s);
    const moved = new Map(); // by material: entries share their look
    for (const entry of this.entries) {
      if (entry.material === null || entry.material === undefined || !materials[entry.material]) continue;
      if (!moved.has(entry.material)) moved.set(entry.material, told ? told.get(entry.material) ?? materials[entry.material] : this.looks.at(entry.material, time_s));
      entry.look = moved.get(entry.material);
    }
  }

  #restBall() {
    const { bounds } = this.model.info;
    return (bounds && boxBall(bounds.min, bounds.max)) ?? { middle: [0, 0, 0], radius: 1 };
  }

  /**
   * Takes a shot.
   * @param {number} time_s of the clip
   * @param {import('./gpu_model.js').GpuModel|null} gpu receives vertices that arrive posed
   */
  take(shot, time_s, gpu) {
    this.shot = shot;
    this.#changeAt(time_s);
    this.#positions.clear();
    for (const skin of this.model.skins.values()) {
      const palette = shot.palette(skin.index);
      if (palette) this.palette.set(palette, 12 * skin.first);
    }
    this.fill(gpu);
    this.ball = this.#findBall() ?? this.ball;
  }

  /** Gives the graphics processor the vertices that it does not move itself. */
  fill(gpu) {
    for (const draw of gpu?.draws ?? []) {
      if (!draw.isPosed) {
        draw.placed = movePoint(this.palette, 12 * this.model.skins.get(draw.entry.skin).first, ...this.#bindMiddle(draw.entry));
        continue;
      }
      const { positions, normals } = this.#posed(draw.entry);
      if (positions) gpu.setVertices(draw, positions, normals);
    }
  }

  #bindMiddle(entry) {
    if (!entry.bindMiddle) {
      const sum = [0, 0, 0], count = entry.rest.length / 3 || 1;
      for (let i = 0; i < entry.rest.length; i++) sum[i % 3] += entry.rest[i];
      entry.bindMiddle = sum.map((total) => total / count);
    }
    return entry.bindMiddle;
  }

  #posed(entry) {
    if (entry.mover === 'dual') {
      const posed = skinDual(entry, this.palette, this.model.skins.get(entry.skin).first);
      this.#positions.set(entry.index, posed.positions);
      return posed;
    }
    const positions = this.shot?.vertices('positions', entry.index);
    return { positions, normals: this.shot?.vertices('normals', entry.index) };
  }

  /** The positions of an entry's vertices. */
  positions(entry) {
    if (!this.#positions.has(entry.index)) {
      const posed = entry.mover === 'palette' ? null : this.#posed(entry).positions;
      this.#positions.set(entry.index, posed ?? skinLinear(entry, this.palette, this.model.skins.get(entry.skin).first));
    }
    return this.#positions.get(entry.index);
  }

  #findBall() {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const take = (ball) => {
      if (!ball) return;
      for (let i = 0; i < 3; i++) {
        low[i] = Math.min(low[i], ball.middle[i] - ball.radius);
        high[i] = Math.max(high[i], ball.middle[i] + ball.radius);
      }
    };
    take(ballOf(this.#reaches, this.palette));
    for (const place of this.places().values()) take({ middle: place, radius: 0 });
    for (const entry of this.entries.filter((one) => one.mover === 'mesh')) {
      const positions = this.shot.vertices('positions', entry.index) ?? entry.restScene;
      const [from, to] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
      for (let i = 0; i < positions.length; i++) {
        from[i % 3] = Math.min(from[i % 3], positions[i]);
        to[i % 3] = Math.max(to[i % 3], positions[i]);
      }
      take(boxBall(from, to));
    }
    return boxBall(low, high);
  }

  /** The places of nodes that the shot has: scene space, by node. */
  places() {
    const places = new Map();
    const nodes = this.shot?.nodes;
    if (nodes) {
      for (const { node, in_scene } of this.model.info.nodes) if (in_scene && !this.#lone.has(node)) places.set(node, movePoint(nodes, 12 * node, 0, 0, 0));
      return places;
    }
    for (const { first, joints, origins, binds } of this.#reaches) {
      if (!binds) continue;
      joints.forEach((node, j) => { if (!places.has(node)) places.set(node, movePoint(this.palette, 12 * (first + j), ...origins[j])); });
    }
    return places;
  }

  /** The solids of the bones. */
  bones(chosen) {
    const places = this.places();
    const { nodes } = this.model.info;
    const parentOf = (node) => {
      let parent = nodes[node].parent;
      for (let guard = nodes.length; parent >= 0 && !places.has(parent) && guard > 0; guard--) parent = nodes[parent].parent;
      return parent;
    };
    return boneSolids(places, parentOf, chosen);
  }

  /** The palette in view space. */
  look(viewFromScene) {
    for (let j = 0; j <= this.model.jointCount; j++) multiply(viewFromScene, this.palette, 12 * j, this.viewPalette, 12 * j);
    return this.viewPalette;
  }
}
