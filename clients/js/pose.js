// Poses of one's own, for layers in place of clips (protocol/blending.md).
import { Frames } from './frames.js';

// The numbers of a node in each array.
const NUMBERS = { translation: 3, rotation: 4, degrees: 3, scale: 3, local: 10 };
const isList = (value) => Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));

// Returns a pose as JSON, the member `pose` of a layer, from arrays: flat typed arrays of all numbers, frame after frame and node after
// node, or nested lists. NaN or null for all numbers of a node: not given.
export function givenPose({ nodes = [], times, ...rest }) {
  const list = Array.from(nodes);
  const arrays = Object.fromEntries(Object.entries(rest).filter(([name]) => name in NUMBERS)
    .map(([name, array]) => [name, framesOf(name, array, list)]));
  const weights = ['morphs', 'expressions'].filter((kind) => rest[kind]);
  const counts = new Map([...Object.entries(arrays), ...(times ? [['times', times]] : [])].map(([name, { length }]) => [name, length]));
  for (const kind of weights) for (const [name, weight] of Object.entries(rest[kind])) if (isList(weight)) counts.set(name, weight.length);
  const count = Math.max(1, ...counts.values());
  for (const [name, one] of counts) if (one !== count) throw new RangeError(`'${name}' has ${one} frames, and others have ${count}`);
  const frame = (_, i) => ({
    ...(times && { time: times[i] }),
    ...Object.fromEntries(Object.entries(arrays).map(([name, frames]) => [name, frames[i]])),
    ...Object.fromEntries(weights.map((kind) => [kind, Object.values(rest[kind]).map((weight) => (isList(weight) ? weight[i] : weight))])),
  });
  const others = Object.entries(rest).filter(([name]) => !(name in NUMBERS) && !weights.includes(name));
  return {
    nodes: list, ...Object.fromEntries(others), ...Object.fromEntries(weights.map((kind) => [kind, Object.keys(rest[kind])])),
    frames: Array.from({ length: count }, frame),
  };
}

// Returns [frame][node] of an array: lists of numbers, or null.
function framesOf(name, array, nodes) {
  const size = NUMBERS[name];
  if (ArrayBuffer.isView(array)) {
    const whole = size * nodes.length;
    if (whole === 0 || array.length === 0 || array.length % whole) {
      throw new RangeError(`'${name}' has ${array.length} numbers, no multiple of ${size} for each of ${nodes.length} nodes`);
    }
    return Array.from({ length: array.length / whole }, (_, frame) => nodes.map((_, place) => {
      const at = frame * whole + place * size;
      return rowOf(name, array.subarray(at, at + size), frame, nodes[place]);
    }));
  }
  const first = array.find((row) => row !== null);
  const isOne = !first || !first.some(isList);
  return (isOne ? [array] : array).map((rows, frame) => {
    if (rows.length !== nodes.length) throw new RangeError(`'${name}': frame ${frame} has ${rows.length} nodes, and 'nodes' has ${nodes.length}`);
    return Array.from(rows, (row, place) => rowOf(name, row, frame, nodes[place]));
  });
}

function rowOf(name, row, frame, node) {
  if (row === null || Array.from(row).every(Number.isNaN)) return null;
  const numbers = Array.from(row);
  const wrong = numbers.findIndex((number) => !Number.isFinite(number));
  if (numbers.length !== NUMBERS[name] || wrong >= 0) {
    const what = wrong < 0 ? ` has ${numbers.length} numbers, not ${NUMBERS[name]}` : `, number ${wrong} is ${numbers[wrong]}`;
    throw new RangeError(`'${name}': frame ${frame}, node ${node}${what}`);
  }
  return numbers;
}

// Returns the pose of binary frames with local transforms (`what: 'local'`), as JSON. Sheared nodes are not given.
export function poseOf(frames) {
  if (!(frames instanceof Frames)) throw new TypeError('a pose is made of Frames; an answer in JSON is one as it is');
  const local = frames.find('local');
  if (!local) throw new RangeError("these frames have no local transforms: ask for what: 'local'");
  const sheared = new Set(frames.find('sheared') ? frames.array('sheared') : []);
  const nodes = frames.find('nodes') ? Array.from(frames.array('nodes')) : Array.from({ length: local.count }, (_, node) => node);
  const row = (numbers) => (_, place) => (sheared.has(place) ? null : Array.from(numbers.subarray(10 * place, 10 * place + 10)));
  return {
    nodes,
    frames: Array.from({ length: frames.frameCount }, (_, i) => ({ time: frames.time(i), local: nodes.map(row(frames.view(local, i))) })),
  };
}
