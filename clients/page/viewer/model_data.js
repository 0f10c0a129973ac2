// The server's data about a model, as the numbers that are drawn: entries (one for each primitive of a mesh node), skins, textures.
import { Frames } from '../js/frames.js';

const METHODS = ['dual_quaternion', 'blended'];
const PLAIN = { // for entries without a material
  name: null, base_color: [1, 1, 1, 1], metallic: 0, roughness: 1, emissive: [0, 0, 0], normal_scale: 1, occlusion_strength: 1, textures: {},
  alpha_mode: 'opaque', alpha_cutoff: 0.5, double_sided: false, unlit: false,
};

/**
 * @typedef {object} Entry a primitive of a mesh node
 * @property {number} index its place in the mesh answer
 * @property {number} node, mesh, primitive, skin indices in the model
 * @property {number|null} material index in the model
 * @property {object} look the material's numbers, as /v1/model has them
 * @property {'triangles'|'lines'|'points'} topology
 * @property {Float32Array} rest 3 numbers a vertex, bind space
 * @property {Float32Array} normals likewise
 * @property {Uint32Array} indices
 * @property {Uint32Array} firsts, joints; @property {Float32Array} weights the influences (protocol/answers.md, mesh)
 * @property {'palette'|'dual'|'mesh'} mover what moves it: the palette, dual quaternions of it, or the server itself
 */

/** The skin that moves a mesh node: the file's, or the node's own. */
function skinOf(info, node) {
  const own = info.nodes[node].skin;
  if (own !== null && info.skins[own]) return own;
  return info.skins.findIndex((skin) => skin.rigid && skin.mesh_node === node);
}

/** Reads the entries of a mesh answer with rest, indices, weights and attributes. */
function readEntries(info, frames, materials) {
  const entries = [];
  for (const block of frames.blocks) {
    if (block.kind !== 'rest') continue;
    const { index, node, primitive } = block;
    const array = (kind) => (frames.find(kind, index) ? frames.array(kind, 0, index) : null);
    const mesh = info.nodes[node].mesh;
    const said = info.meshes[mesh].primitives[primitive];
    const skin = skinOf(info, node);
    const material = materials ? materials[index] : said.material;
    const dualWeights = array('dual_weights');
    entries.push({
      index, node, mesh, primitive, skin, material, look: info.materials[material] ?? PLAIN, topology: said.topology, isFlat: said.flat,
      isShown: info.nodes[node].in_scene && skin >= 0,
      mover: said.morph_targets > 0 ? 'mesh' : METHODS.includes(info.skins[skin]?.method) ? 'dual' : 'palette',
      rest: array('rest'), indices: array('indices'), firsts: array('influence_firsts'), joints: array('influence_joints'),
      weights: array('influence_weights'), dualWeights, normals: array('rest_normals'), texcoords: array('texcoords'),
      secondTexcoords: array('second_texcoords'), colors: array('colors'), tangents: array('tangents'),
      restScene: array('positions'), // positions at rest in the scene
    });
  }
  return entries;
}

const SIDE_MOST = 4096; // what GPUs have at least

/** The textures that shown entries use: an ImageBitmap for each index, or null if there are no pixels. */
async function loadTextures(server, query, info, entries, signal, arrived) {
  const wanted = new Set(entries.filter((entry) => entry.isShown).flatMap((entry) => Object.values(entry.look.textures).map((slot) => slot.texture)));
  const textures = new Map();
  const loads = [...wanted].filter((index) => info.textures[index]?.state === 'found').map(async (index) => {
    try {
      const form = info.textures[index].own_file === 'ktx2' ? 'png' : 'keep'; // browsers do not read KTX 2
      const response = await server.get(server.link('v1/texture', { ...query, texture: index, textures: form, max_texture: SIDE_MOST }), signal);
      textures.set(index, await createImageBitmap(await response.blob(), { premultiplyAlpha: 'none', colorSpaceConversion: 'none' }));
    } catch (error) {
      if (signal.aborted) throw error;
      textures.set(index, null); // treated as missing
    }
    arrived();
  });
  await Promise.all(loads);
  return textures;
}

/** Arranges the drawn skins in one palette: where their joints begin, and the joints' nodes. */
function laySkins(info, frames) {
  const skins = new Map();
  let first = 0;
  for (const skin of info.skins) {
    const joints = skin.joints.map((joint) => joint.node);
    const binds = frames?.find('joint_from_bind', skin.index) ? frames.array('joint_from_bind', 0, skin.index) : null;
    skins.set(skin.index, { index: skin.index, first, joints, binds });
    first += joints.length;
  }
  return { skins, jointCount: first };
}

/**
 * Loads everything that is drawn.
 * @param {object} server link, get
 * @param {{model: string, hash?: string, variant?: string|number}} what
 * @param {AbortSignal} signal
 * @param {(share: number) => void} progress
 */
export async function loadModel(server, { model, hash, variant }, signal, progress) {
  const response = await server.get(server.link('v1/model', { model, hash }), signal);
  const info = await response.json();
  progress(0.2);
  const query = { model, hash: info.hash };
  const hasMeshes = info.nodes.some((node) => node.mesh !== null);
  let frames = null, materials = null;
  if (hasMeshes) {
    const mesh = { ...query, clip: '-', rest: 1, indices: 1, weights: 1, attributes: 1 };
    const bytes = server.get(server.link('v1/mesh', { ...mesh, format: 'bin' }), signal).then((one) => one.arrayBuffer());
    if (variant !== undefined && variant !== null && variant !== '') {
      const said = await (await server.get(server.link('v1/mesh', { ...query, clip: '-', variant }), signal)).json();
      materials = said.meshes.map((entry) => entry.material);
    }
    frames = new Frames(await bytes);
  }
  progress(0.6);
  const entries = frames ? readEntries(info, frames, materials) : [];
  let loaded = 0;
  const textures = await loadTextures(server, query, info, entries, signal, () => progress(0.6 + 0.4 * (1 - 1 / (1 + ++loaded))));
  return { info, query, entries, textures, ...laySkins(info, frames) };
}
