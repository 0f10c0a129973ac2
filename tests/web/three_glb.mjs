// glTF files in three.js, in Node without a browser: scenes at times of their clips, and files rewritten by its exporter.
import * as THREE from 'three';
import { GLTFExporter } from 'three/examples/jsm/exporters/GLTFExporter.js';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { VRMLoaderPlugin, VRMNodeConstraintLoaderPlugin } from '@pixiv/three-vrm';
import { VRMAnimationLoaderPlugin, VRMLookAtQuaternionProxy, createVRMAnimationClip } from '@pixiv/three-vrm-animation';
import { MeshoptDecoder } from 'three/examples/jsm/libs/meshopt_decoder.module.js';

// The browser's interfaces that the exporter needs. A picture is kept as its original bytes, so that it stays unchanged.
class Canvas {
  width = 1;
  height = 1;

  getContext() {
    return { drawImage: (picture) => { this.bytes = picture.bytes; }, translate() {}, scale() {} };
  }

  convertToBlob({ type }) { return Promise.resolve(new Blob([this.bytes], { type })); }
}

class Reader {
  readAsArrayBuffer(blob) {
    blob.arrayBuffer().then((bytes) => { this.result = bytes; this.onloadend(); });
  }
}

Object.assign(globalThis, { self: globalThis, OffscreenCanvas: Canvas, FileReader: Reader });

function pictures(parser) {
  parser.loadImageSource = async (index) => {
    const { bufferView, uri, mimeType } = parser.json.images[index];
    const picture = new Canvas();
    picture.bytes = uri ? Buffer.from(uri.split(',')[1], 'base64') : await parser.getDependency('bufferView', bufferView);
    const texture = new THREE.Texture(picture);
    texture.userData.mimeType = mimeType ?? /^data:([^;]*)/.exec(uri)[1];
    return texture;
  };
  const loadBuffer = parser.loadBuffer.bind(parser);
  parser.loadBuffer = (index) => {
    const { uri } = parser.json.buffers[index];
    if (uri === undefined) return loadBuffer(index);
    return Promise.resolve(Uint8Array.from(Buffer.from(uri.split(',')[1], 'base64')).buffer);
  };
  return { name: 'pictures and buffers that need no browser' };
}

// bytes: a GLB, or a glTF file with everything inside. nodes: those of the shown scene by their index in the file; json: the file's.
export async function load(bytes) {
  const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);
  let parser;
  loader.register((made) => { parser = made; return pictures(made); });
  const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { scene, scenes, animations } = await new Promise((done, failed) => loader.parse(data, '', done, failed));
  const nodes = new Map(), skins = new Map(), morphed = new Map();
  // parser.associations has only one scene's
  const objects = await Promise.all((parser.json.nodes ?? []).map((_, node) => parser.getDependency('node', node)));
  const found = new Map(objects.map((object, node) => [object, node]));
  const nodeOf = (object) => found.get(object) ?? (object.parent && nodeOf(object.parent));
  scene.traverse((object) => {
    const node = nodeOf(object);
    if (node === undefined || node === null) return;
    if (!nodes.has(node)) nodes.set(node, object);
    const { skin } = parser.json.nodes[node];
    if (object.isSkinnedMesh && !skins.has(skin)) skins.set(skin, object.skeleton);
    if (object.morphTargetInfluences && !morphed.has(node)) morphed.set(node, object);
  });
  return { scene, scenes, animations, json: parser.json, names: (parser.json.nodes ?? []).map(({ name }) => name), nodes, skins, morphed };
}

// Matrices of every node and skin, and weights of morph targets, at each of the times; clip: its index, or null at rest.
export function posesAt({ scene, animations, nodes, skins, morphed }, clip, times) {
  const mixer = new THREE.AnimationMixer(scene);
  const action = clip === null ? null : mixer.clipAction(animations[clip]);
  action?.setLoop(THREE.LoopOnce);
  if (action) action.clampWhenFinished = true;
  const frames = times.map((time) => {
    action?.reset().play();
    mixer.setTime(time);
    scene.updateMatrixWorld(true);
    const palette = (skeleton) => skeleton.bones.map((bone, i) => bone.matrixWorld.clone().multiply(skeleton.boneInverses[i]).elements);
    return {
      nodes: Object.fromEntries([...nodes].map(([node, object]) => [node, object.matrixWorld.elements.slice()])),
      palettes: Object.fromEntries([...skins].map(([skin, skeleton]) => [skin, palette(skeleton)])),
      weights: Object.fromEntries([...morphed].map(([node, object]) => [node, object.morphTargetInfluences.slice()])),
    };
  });
  mixer.stopAllAction();
  return frames;
}

// Positions of all vertices in the scene at each of the times, of all meshes one after the other.
export function verticesAt({ scene, animations }, clip, times) {
  const mixer = new THREE.AnimationMixer(scene);
  const action = clip === null ? null : mixer.clipAction(animations[clip]);
  action?.setLoop(THREE.LoopOnce);
  if (action) action.clampWhenFinished = true;
  const frames = times.map((time) => {
    action?.reset().play();
    mixer.setTime(time);
    scene.updateMatrixWorld(true);
    const points = [], point = new THREE.Vector3();
    scene.traverse((object) => {
      for (let v = 0; v < (object.geometry?.attributes.position.count ?? 0); v++) {
        if (object.isMesh) object.getVertexPosition(v, point);
        else point.fromBufferAttribute(object.geometry.attributes.position, v);
        points.push(point.applyMatrix4(object.matrixWorld).toArray());
      }
    });
    return points;
  });
  mixer.stopAllAction();
  return frames;
}

// The same file as written by the exporter.
export async function rewrite(bytes) {
  const { scene, animations } = await load(bytes);
  return Buffer.from(await new GLTFExporter().parseAsync(scene, { binary: true, animations, onlyVisible: false }));
}

async function loadVrm(bytes, Plugin) {
  const loader = new GLTFLoader();
  loader.register(pictures);
  loader.register((parser) => new Plugin(parser));
  const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return new Promise((done, failed) => loader.parse(data, '', done, failed));
}

// Positions of the scene's vertices by the name of the mesh's node.
function verticesOf(scene) {
  const meshes = {}, point = new THREE.Vector3();
  scene.traverse((object) => {
    if (!object.isMesh) return;
    const { count } = object.geometry.attributes.position;
    meshes[object.name] = Array.from({ length: count }, (_, v) => object.getVertexPosition(v, point).applyMatrix4(object.matrixWorld).toArray());
  });
  return meshes;
}

// A VRM file moved by a .vrma file as three-vrm does it: at each of the times the scene's positions of all vertices, by the name of
// the mesh's node.
export async function vrmAt(model, motion, times) {
  const { userData: { vrm } } = await loadVrm(model, VRMLoaderPlugin);
  const { userData: { vrmAnimations } } = await loadVrm(motion, VRMAnimationLoaderPlugin);
  const proxy = new VRMLookAtQuaternionProxy(vrm.lookAt);
  proxy.name = 'lookAtQuaternionProxy';
  vrm.scene.add(proxy);
  const mixer = new THREE.AnimationMixer(vrm.scene);
  const action = mixer.clipAction(createVRMAnimationClip(vrmAnimations[0], vrm));
  action.setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  return times.map((time) => {
    action.reset().play();
    mixer.setTime(time);
    vrm.update(0);
    vrm.scene.updateMatrixWorld(true);
    return verticesOf(vrm.scene);
  });
}

// What a picture shows of a material, by its name.
export function materialsOf(scene) {
  const found = {};
  scene.traverse(({ material }) => {
    if (!material) return;
    const { color, opacity, emissive, emissiveIntensity, map } = material;
    found[material.name] = {
      color: [...color.toArray(), opacity], emissive: emissive.toArray().map((one) => one * emissiveIntensity),
      map: map && [...map.repeat.toArray(), ...map.offset.toArray(), map.rotation],
    };
  });
  return found;
}

// A VRM file in poses as three-vrm makes them: positions of all vertices by the name of the mesh's node, and the materials. A pose has
// `expressions` by name, `turns` (bone: degrees from its rest, about its own x, then y, then z), `look` ({ yaw, pitch } or { at }), and `time` of
// `motion`, a .vrma file of bones.
export async function givenAt(model, poses, motion = null) {
  const { userData: { vrm } } = await loadVrm(model, VRMLoaderPlugin);
  const { userData: { vrmAnimations } } = motion ? await loadVrm(motion, VRMAnimationLoaderPlugin) : { userData: {} };
  for (const expression of vrm.expressionManager.expressions) { // it has a bind of VRM 1 once for each mesh with the material, and adds them all
    const isSame = (one) => (other) => one.material && other.constructor === one.constructor && other.material === one.material && other.type === one.type;
    for (const bind of expression.binds.filter((one, i, all) => all.findIndex(isSame(one)) < i && one.material)) expression.deleteBind(bind);
  }
  const mixer = new THREE.AnimationMixer(vrm.scene);
  const action = motion && mixer.clipAction(createVRMAnimationClip(vrmAnimations[0], vrm));
  const rest = vrm.humanoid.getRawAbsolutePose();
  const turned = (degrees) => new THREE.Quaternion().setFromEuler(new THREE.Euler(...degrees.map(THREE.MathUtils.degToRad), 'XYZ'));
  return poses.map(({ expressions = {}, turns = {}, look, time = 0 }) => {
    if (!action) vrm.humanoid.resetNormalizedPose(); // the mixer writes what has changed alone
    action?.reset().play();
    if (action) mixer.setTime(time);
    vrm.humanoid.update(); // raw bones from normalized ones
    for (const [bone, degrees] of Object.entries(turns)) vrm.humanoid.getRawBoneNode(bone).quaternion.fromArray(rest[bone].rotation).multiply(turned(degrees));
    vrm.scene.updateMatrixWorld(true);
    for (const { expressionName } of vrm.expressionManager.expressions) vrm.expressionManager.setValue(expressionName, expressions[expressionName] ?? 0);
    if (look?.at) vrm.lookAt.lookAt(new THREE.Vector3(...look.at));
    else Object.assign(vrm.lookAt, look);
    if (look) vrm.lookAt.update(0);
    vrm.expressionManager.update();
    vrm.scene.updateMatrixWorld(true);
    return { meshes: verticesOf(vrm.scene), materials: materialsOf(vrm.scene) };
  });
}

// A file with VRMC_node_constraint, moved by its first clip as three-vrm does it: at each of the times the scene's positions of all
// vertices, by the name of the mesh's node. clip: false for its rest.
export async function constrainedAt(bytes, times, clip = true) {
  const { scene, animations, userData: { vrmNodeConstraintManager } } = await loadVrm(bytes, VRMNodeConstraintLoaderPlugin);
  const mixer = new THREE.AnimationMixer(scene);
  const action = clip ? mixer.clipAction(animations[0]) : null;
  action?.setLoop(THREE.LoopOnce);
  if (action) action.clampWhenFinished = true;
  return times.map((time) => {
    action?.reset().play();
    mixer.setTime(time);
    vrmNodeConstraintManager.update();
    scene.updateMatrixWorld(true);
    return { meshes: verticesOf(scene), constraints: vrmNodeConstraintManager.constraints.size };
  });
}
