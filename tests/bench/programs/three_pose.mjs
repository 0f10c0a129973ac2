// three_pose - palettes as three.js computes them: AnimationMixer.setTime, updateMatrixWorld, Skeleton.update.
//
//   node three_pose.mjs FILE CLIP
//
// Answers a line of JSON for each line on stdin, as classic_walk.cpp does. three is that of tests/web. Times are the lesser of the
// processor's (which has the compiler's and the collector's threads in it) and of the clock on the wall.
import readline from 'node:readline';
import { AnimationMixer } from '../../web/node_modules/three/build/three.module.js';
import { loadGltf } from './three_load.mjs';

const [, , file, clipIndex] = process.argv;

const gltf = await loadGltf(file);
const clip = gltf.animations[Number(clipIndex)];
const mixer = new AnimationMixer(gltf.scene);
mixer.clipAction(clip).play();
const skeletons = new Set();
let nodes = 0;
gltf.scene.traverse((object) => {
  nodes += 1;
  if (object.isSkinnedMesh) skeletons.add(object.skeleton);
});

function evaluate(time) {
  mixer.setTime(time);
  gltf.scene.updateMatrixWorld();
  for (const skeleton of skeletons) skeleton.update();
}

function measure(pattern, seconds) {
  let seed = 1;
  let poses = 0;
  const [processor, wall] = [process.cpuUsage(), performance.now()];
  let spent = 0;
  while (spent < seconds * 1e6) {
    for (let i = 0; i < 64; i += 1, poses += 1) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      evaluate(pattern === 'random' ? seed / 4294967296 * clip.duration : poses / 60 % clip.duration);
    }
    const used = process.cpuUsage(processor);
    spent = Math.min(used.user + used.system, (performance.now() - wall) * 1e3);
  }
  const joints = [...skeletons].reduce((sum, one) => sum + one.bones.length, 0);
  return { ns: spent * 1e3 / poses, poses, nodes, joints, duration_s: clip.duration };
}

// By the names of the file, or assimp's names for nodes without one.
function palette(time) {
  evaluate(time);
  const found = {};
  const nameOf = (bone) => {
    const { nodes: node } = gltf.parser.associations.get(bone);
    return gltf.parser.json.nodes[node].name ?? `nodes[${node}]`;
  };
  for (const { bones, boneMatrices } of skeletons) {
    bones.forEach((bone, i) => { found[nameOf(bone)] = [...boneMatrices.subarray(16 * i, 16 * i + 16)]; });
  }
  return found;
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const [verb, first, second] = line.split(' ');
  console.log(JSON.stringify(verb === 'measure' ? measure(first, Number(second)) : palette(Number(first))));
}
