// three_crowd - a crowd as three.js poses it: one AnimationMixer for each character, one clip or two of them blended.
//
//   node three_crowd.mjs FILE CHARACTERS JOINT...
//
// The second clip is the first one at another time, on the named joints alone and with half of the weight. Answers a line of JSON for each
// line on stdin, as three_pose.mjs does: "measure LAYERS SECONDS" tells the nanoseconds of a tick, in which each character is posed once.
import readline from 'node:readline';
import { AnimationMixer } from '../../web/node_modules/three/build/three.module.js';
import { clone } from '../../web/node_modules/three/examples/jsm/utils/SkeletonUtils.js';
import { loadGltf } from './three_load.mjs';

const [, , file, count, ...masked] = process.argv;

const gltf = await loadGltf(file);
const whole = gltf.animations[0];
const part = whole.clone();
part.tracks = part.tracks.filter((track) => masked.includes(track.name.split('.')[0]));

// Characters share geometry and clips, as copies of one asset in a game do.
function makeCrowd(layers) {
  return Array.from({ length: Number(count) }, () => {
    const scene = clone(gltf.scene);
    const mixer = new AnimationMixer(scene);
    const actions = [whole, part].slice(0, layers).map((clip) => mixer.clipAction(clip).play());
    if (layers > 1) actions[1].weight = 0.5;
    const skeletons = new Set();
    scene.traverse((object) => { if (object.isSkinnedMesh) skeletons.add(object.skeleton); });
    return { scene, mixer, actions, skeletons };
  });
}

const crowds = [1, 2].map(makeCrowd);
let seed = 1;

function randomTime() {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 4294967296 * whole.duration;
}

function tick(crowd) {
  for (const { scene, mixer, actions, skeletons } of crowd) {
    for (const action of actions) action.time = randomTime();
    mixer.update(0);
    scene.updateMatrixWorld();
    for (const skeleton of skeletons) skeleton.update();
  }
}

function measure(layers, seconds) {
  const [processor, wall] = [process.cpuUsage(), performance.now()];
  let [spent, ticks] = [0, 0];
  while (spent < seconds * 1e6) {
    tick(crowds[layers - 1]);
    ticks += 1;
    const used = process.cpuUsage(processor);
    spent = Math.min(used.user + used.system, (performance.now() - wall) * 1e3);
  }
  return { ns: spent * 1e3 / ticks, ticks, characters: Number(count) };
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const [, layers, seconds] = line.split(' ');
  console.log(JSON.stringify(measure(Number(layers), Number(seconds))));
}
