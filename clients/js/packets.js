// The bytes of the binary protocol (protocol/tcp.md): builds the client's packets and parses the server's.
import { CODES, badAnswer, errorFromBody } from './errors.js';
import { hex } from './frames.js';

export const HEADER_BYTES = 32;
export const KINDS = {
  open: 1, close: 2, find: 3, info: 4, palette: 5, pose: 6, mesh: 7, render: 8, call: 9, subscribe: 10, control: 11, credit: 12,
  unsubscribe: 13, watch: 14, ping: 15, crowd: 16, raycast: 17, hello: 128, error: 129, done: 130, opened: 131, found: 132, json: 133,
  frames: 134, png: 135, glb: 136, other: 137, entities: 138, hits: 139, stream: 192, changed: 193,
};
const NAMES = new Map(Object.entries(KINDS).map(([name, number]) => [number, name]));
const FLAGS = { changed: 1, last: 2, closing: 4, stale: 8 };
const CONTROL_FLAGS = { pause: 1, resume: 2, seek: 4, speed: 8, rate: 16 };
const NO_OFFSET = 2n ** 64n - 1n;

const utf8 = new TextEncoder();
const text = (bytes) => new TextDecoder().decode(bytes);
const padded = (bytes) => Math.ceil(bytes / 16) * 16;

// Returns a payload of `length` bytes, filled by `write`.
function made(length, write) {
  const bytes = new Uint8Array(length);
  write(new DataView(bytes.buffer), bytes);
  return bytes;
}

export function hello(token = '') {
  const said = utf8.encode(token);
  return made(padded(16 + said.length), (view, bytes) => {
    bytes.set([0x89, 0x50, 0x53, 0x44, 0x50, 0x0d, 0x0a, 0x00]);
    view.setUint16(8, 1, true);
    view.setUint32(12, said.length, true);
    bytes.set(said, 16);
  });
}

export function packet(kind, id, payload = new Uint8Array(), model = 0, generation = 0) {
  return made(padded(HEADER_BYTES + payload.length), (view, bytes) => {
    view.setUint32(0, payload.length, true);
    view.setUint16(4, KINDS[kind], true);
    view.setUint32(8, id, true);
    view.setUint32(12, model, true);
    view.setUint32(16, generation, true);
    bytes.set(payload, HEADER_BYTES);
  });
}

export const open = (path) => utf8.encode(path);

export function find(what, name) {
  const said = utf8.encode(name);
  return made(16 + said.length, (view, bytes) => {
    view.setUint16(0, what, true);
    bytes.set(said, 16);
  });
}

// Makes a request for a palette, a pose or a mesh, from the fields of `toFields`. With `clock` it is a subscribe, which may have `fields.more`:
// parameters as JSON.
export function query(fields, clock = null) {
  const own = clock ? 32 : 0;
  const end = 64 + own + 8 * fields.times.length + 4 * fields.indices.length;
  const more = utf8.encode(fields.more ?? '');
  return made(end + more.length, (view, bytes) => {
    bytes.set(more, end);
    view.setInt32(0, fields.clip, true);
    [fields.wrap, fields.layout, fields.space, fields.what].forEach((value, i) => view.setUint8(4 + i, value));
    [fields.flags, fields.times.length, fields.indices.length].forEach((value, i) => view.setUint32(8 + 4 * i, value, true));
    [fields.mesh, fields.root].forEach((value, i) => view.setInt32(20 + 4 * i, value, true));
    [fields.from, fields.to, fields.speed, fields.phase].forEach((value, i) => view.setFloat64(32 + 8 * i, value, true));
    if (clock) {
      view.setUint16(64, KINDS[clock.op], true);
      view.setUint16(66, clock.paused ? 1 : 0, true);
      view.setUint32(68, clock.credit, true);
      [clock.rate, clock.position, clock.speed].forEach((value, i) => view.setFloat64(72 + 8 * i, value, true));
    }
    fields.times.forEach((time, i) => view.setFloat64(64 + own + 8 * i, time, true));
    fields.indices.forEach((index, i) => view.setUint32(64 + own + 8 * fields.times.length + 4 * i, index, true));
  });
}

export function call(target, body = null) {
  const [path, json] = [utf8.encode(target), utf8.encode(body ?? '')];
  return made(16 + path.length + json.length, (view, bytes) => {
    view.setUint16(0, body === null ? 0 : 1, true);
    view.setUint32(4, path.length, true);
    view.setUint32(8, json.length, true);
    bytes.set(path, 16);
    bytes.set(json, 16 + path.length);
  });
}

// `what` has some of pause, resume (true), position, speed, rate.
export function control(stream, { pause, resume, position, speed, rate }) {
  const asked = { pause: pause || undefined, resume: resume || undefined, seek: position, speed, rate };
  return made(32, (view) => {
    view.setUint32(0, stream, true);
    view.setUint32(4, Object.keys(asked).reduce((sum, name) => sum | (asked[name] === undefined ? 0 : CONTROL_FLAGS[name]), 0), true);
    [position, speed, rate].forEach((value, i) => view.setFloat64(8 + 8 * i, value ?? 0, true));
  });
}

const u32s = (...values) => made(4 * values.length, (view) => values.forEach((value, i) => view.setUint32(4 * i, value, true)));
export const credit = (stream, more) => u32s(stream, more);
export const unsubscribe = (stream) => u32s(stream);
export const watch = (isOn) => u32s(isOn ? 1 : 0);

// Parses a packet of the server, which is one message. `payload` and `notes` are views on it.
export function read(message) {
  if (message.byteLength < HEADER_BYTES) throw badAnswer(`a packet of ${message.byteLength} bytes`);
  const view = new DataView(message);
  const payloadBytes = view.getUint32(0, true);
  const noteBytes = view.getUint32(28, true);
  if (padded(HEADER_BYTES + payloadBytes) !== message.byteLength || noteBytes > payloadBytes) throw badAnswer('a packet of another length than it says');
  const flags = view.getUint16(6, true);
  return {
    kind: NAMES.get(view.getUint16(4, true)),
    changed: Boolean(flags & FLAGS.changed),
    last: Boolean(flags & FLAGS.last),
    closing: Boolean(flags & FLAGS.closing),
    stale: Boolean(flags & FLAGS.stale),
    id: view.getUint32(8, true),
    model: view.getUint32(12, true),
    generation: view.getUint32(16, true),
    code: view.getUint16(20, true),
    warnings: view.getUint32(24, true),
    payload: new Uint8Array(message, HEADER_BYTES, payloadBytes - noteBytes),
    notes: readNotes(new Uint8Array(message, HEADER_BYTES + payloadBytes - noteBytes, noteBytes)),
  };
}

function readNotes(bytes) {
  const lines = text(bytes).split('\n').filter(Boolean);
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(': ')).toLowerCase(), line.slice(line.indexOf(': ') + 2)]));
}

// Reads the fields of a payload of at least `least` bytes.
function fieldsOf(packetRead, least) {
  const { payload } = packetRead;
  if (payload.length < least) throw badAnswer(`a packet '${packetRead.kind}' of ${payload.length} bytes`);
  return new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
}

export function readHello(got) {
  const view = fieldsOf(got, 64);
  return {
    version: view.getUint16(0, true),
    payloadMax: view.getUint32(4, true),
    modelsMax: view.getUint32(8, true),
    streamsMax: view.getUint32(12, true),
    answerMax: Number(view.getBigUint64(16, true)),
    framesMax: view.getUint32(24, true),
    pictureSideMax: view.getUint32(28, true),
    rateMax: view.getFloat64(32, true),
    server: text(got.payload.subarray(40, 64)).replace(/\0+$/, ''),
  };
}

export function readOpened(got) {
  const view = fieldsOf(got, 48);
  const [nodes, skins, clips, meshes] = [32, 36, 40, 44].map((at) => view.getUint32(at, true));
  return { hash: hex(got.payload.subarray(0, 32)), counts: { nodes, skins, clips, meshes } };
}

export const readFound = (got) => fieldsOf(got, 48).getUint32(4, true);

export function readError(got) {
  const view = fieldsOf(got, 16);
  const messageBytes = view.getUint32(12, true);
  if (16 + messageBytes > got.payload.length) throw badAnswer('an error longer than its packet');
  const offset = view.getBigUint64(0, true);
  return errorFromBody(text(got.payload.subarray(16 + messageBytes)), {
    ...codeOf(got.code),
    message: text(got.payload.subarray(16, 16 + messageBytes)),
    retryAfter: view.getUint32(8, true),
    offset: offset === NO_OFFSET ? null : Number(offset),
  });
}

function codeOf(number) {
  const [code, status] = CODES.get(number) ?? ['internal', 500];
  return { code, status };
}

export function readStream(got) {
  const view = fieldsOf(got, 16);
  return { tick: Number(view.getBigUint64(0, true)), skipped: view.getUint32(8, true), credit: view.getUint32(12, true), frames: got.payload.subarray(16) };
}

export function readChanged(got) {
  fieldsOf(got, 32);
  const error = got.code ? errorFromBody('', { ...codeOf(got.code), message: text(got.payload.subarray(32)) }) : null;
  return { generation: got.generation, hash: error ? null : hex(got.payload.subarray(0, 32)), error };
}
