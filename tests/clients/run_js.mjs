// The JavaScript client as a runner: run_js.mjs URL [json|socket]. With `json` it requests palettes, poses and meshes as JSON; with
// `socket` everything goes over a WebSocket. README.md describes the input and output of runners.
import fs from 'node:fs';
import { Client, PosedError } from '../../clients/js/posed.js';
import { webSocket } from './websocket.mjs';

const FRAMES = ['palette', 'pose', 'mesh'];
const TEXTS = ['hash', 'background'];
const MANY = ['skin', 'joints', 'subtree', 'what', 't'];

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});
const crc = (bytes) => (bytes.reduce((sum, byte) => TABLE[(sum ^ byte) & 0xff] ^ (sum >>> 8), -1) ^ -1) >>> 0;

const hex = (numbers, digits) => Array.from(numbers, (number) => number.toString(16).padStart(digits, '0')).join(' ');
function bits(array) {
  const { buffer, byteOffset, length } = array;
  return array instanceof Float64Array ? hex(new BigUint64Array(buffer, byteOffset, length), 16) : hex(new Uint32Array(buffer, byteOffset, length), 8);
}
const block = (kind, frame, index, array) => `${kind} ${frame} ${index} ${bits(array)}`;
const floats = (lists) => Float32Array.from(lists.flat(2));
const ofBytes = (bytes) => [`bytes ${bytes.length} ${hex([crc(bytes)], 8)}`];

function ofFrames(frames) {
  return ['times ' + bits(frames.pairs), ...frames.blocks.flatMap((one) => (one.once
    ? [block(one.kind, '-', one.index, frames.view(one))]
    : Array.from({ length: frames.frameCount }, (_, i) => block(one.kind, i, one.index, frames.view(one, i)))))];
}

// The lines of the JSON answer, equal to the frames'.
function ofJson(answer, nodeCount) {
  const { frames } = answer;
  const lines = ['times ' + bits(Float64Array.from(frames.flatMap((frame) => [frame.time, frame.clip_time])))];
  if ('speed' in answer) lines.push(block('span', '-', 0, Float64Array.of(answer.from, answer.to, answer.speed, answer.phase)));
  for (const kind of ['rest', 'indices']) {
    answer[kind]?.forEach((list, i) => lines.push(block(kind, '-', i, (kind === 'rest' ? Float32Array : Uint32Array).from(list))));
  }
  const nodes = answer.nodes?.map(({ node }) => node);
  if (nodes && (nodes.length !== nodeCount || nodes.some((node, i) => node !== i))) lines.push(block('nodes', '-', 0, Uint32Array.from(nodes)));
  frames.forEach((frame, i) => {
    const { root_motion: motion, palettes, scene, local } = frame;
    if (motion) lines.push(block('root_motion', i, 0, Float32Array.of(...motion.translation, motion.yaw ?? 0)));
    palettes?.forEach((palette, k) => lines.push(block('palette', i, answer.skins[k].index, floats(palette))));
    if (scene) lines.push(block('scene', i, 0, floats(scene)));
    if (local) lines.push(...ofLocal(local, frame.local_matrix, nodes, i));
    for (const kind of ['positions', 'normals']) frame[kind]?.forEach((list, k) => lines.push(block(kind, i, k, floats(list))));
  });
  return lines;
}

function ofLocal(local, matrices, nodes, i) {
  const lines = [block('local', i, 0, floats(local.map((entry) => entry ?? Array(10).fill(0))))];
  const sheared = [...local.keys()].filter((place) => local[place] === null);
  if (sheared.length) lines.push(block('local_matrix', i, 0, floats(sheared.map((place) => matrices[nodes[place]]))));
  if (sheared.length && i === 0) lines.push(block('sheared', '-', 0, Uint32Array.from(sheared)));
  return lines;
}

// A parameter as in a program: numbers, lists, names.
function value(name, text) {
  if (typeof text !== 'string' || name.endsWith('_name') || TEXTS.includes(name)) return text;
  if (MANY.includes(name) && text.includes(',')) return text.split(',').map((part) => value(name, part));
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

// A repeated parameter is a list.
function ofQuery(query) {
  return Object.fromEntries(Array.from(query.keys(), (name) => [name, query.getAll(name).length > 1 ? query.getAll(name) : query.get(name)]));
}

async function ask(client, link, op, text, form) {
  const given = text.startsWith('{') ? JSON.parse(text) : ofQuery(new URLSearchParams(text));
  const { model, ...parameters } = Object.fromEntries(Object.entries(given).map(([name, one]) => [name, value(name, one)]));
  if (model === undefined) return ofBytes((await (link ?? client).ask(`/v1/${op}`, parameters)).bytes);
  const asked = link ? await link.open(model) : client.model(model);
  if (parameters.format === 'glb') return ofBytes((await asked.glb(parameters)).bytes);
  if (op === 'render') return ofBytes((await asked.render(parameters)).bytes);
  if (!FRAMES.includes(op)) return ofBytes((await asked.ask(op, parameters)).bytes);
  if (form !== 'json') return ofFrames(await asked[op](parameters));
  return ofJson(await asked[op]({ ...parameters, format: 'json' }), (await asked.info()).counts.nodes);
}

const [url, form] = process.argv.slice(2);
const WebSocket = form === 'socket' ? webSocket() : undefined;
const client = new Client(url, { WebSocket });
const link = form === 'socket' ? await client.connect() : null;
const lines = fs.readFileSync(0, 'utf8').split('\n').filter((line) => line.trim() && !line.startsWith('#'));
const results = await Promise.all(lines.map(async (line) => { // all at once: each answer is matched to its request
  const [, id, op, text] = /^(\S+)\s+(\S+)\s*(.*)$/.exec(line.trim());
  const answer = ask(client, link, op, text, form).catch((error) => {
    if (error instanceof PosedError && error.status) return [`error ${error.code}`];
    throw error;
  });
  return (await answer).map((result) => `${id} ${result}\n`).join('');
}));
process.stdout.write(results.join(''));
link?.close();
