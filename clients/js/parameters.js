// The parameters of a request, by the names of protocol/http.md: as a query, as a JSON body, or as the fields of the binary
// protocol's own requests.

// Longer queries go into the body of a POST. By default a server accepts 8192 bytes (--max-url).
const QUERY_BYTES_MAX = 4000;
// The entries of these may contain commas, so the parameter is repeated for each.
const REPEATED = ['rename_joints', 'clip_file', 'bones', 'clip_bones', 'turn', 'morph', 'expression'];
const isRepeated = (name) => name.endsWith('_name') || REPEATED.includes(name);
// Parameters that only a body can have.
const IN_BODY = ['layers', 'queries', 'entities', 'rays', 'points'];
// These are in the query even if there is a body.
const IN_TARGET = ['model', 'route'];

const isList = (value) => Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
const isObject = (value) => typeof value === 'object' && value !== null && !isList(value);
const given = (parameters) => Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null);

// [name, text] pairs. Commas join the entries of a list, except names and rules, which may contain commas.
function pairs([name, value]) {
  if (!isList(value)) return [[name, String(value)]];
  const entries = Array.from(value, String);
  return isRepeated(name) ? entries.map((entry) => [name, entry]) : [[name, entries.join(',')]];
}

// The value as JSON: lists instead of typed arrays, and NaN as text, so that the server reports it.
function jsonValue(value) {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (isList(value)) return Array.from(value, jsonValue);
  if (isObject(value)) return Object.fromEntries(given(value).map(([name, part]) => [name, jsonValue(part)]));
  return value;
}

export const toJson = (parameters) => JSON.stringify(jsonValue(parameters));

// The request's target and body: a body if the query would be too long or cannot express the parameters.
export function toTarget(path, parameters) {
  const all = given(parameters);
  if (!all.some(([name, value]) => IN_BODY.includes(name) || isObject(value))) {
    const query = toQuery(all.flatMap(pairs));
    if (query.length <= QUERY_BYTES_MAX) return { target: query ? `${path}?${query}` : path, body: null };
  }
  return withBody(path, all);
}

// Puts `model` and `route` into the query here too, where a balancer sees them. The route of a batch about one model is that model.
function withBody(path, all) {
  let seen = all.filter(([name, value]) => IN_TARGET.includes(name) && typeof value === 'string');
  const queries = all.find(([name]) => name === 'queries')?.[1];
  const models = new Set(isList(queries) ? Array.from(queries, (query) => query?.model) : []);
  const [model] = models;
  if (models.size === 1 && typeof model === 'string' && !seen.some(([name]) => name === 'route')) seen.push(['route', model]);
  if (toQuery(seen).length > QUERY_BYTES_MAX) seen = [];
  const rest = all.filter(([name]) => !seen.some(([one]) => one === name));
  return { target: seen.length ? `${path}?${toQuery(seen)}` : path, body: toBody(Object.fromEntries(rest)) };
}

// The parameters as a JSON body.
export const toBody = (parameters) => toJson(Object.fromEntries(given(parameters).map(([name, value]) => [name, inBody(name, value)])));

// Encodes as protocol/http.md defines it, so that each value has one form: all bytes but letters, digits and -._~/ are encoded.
export const encode = (value) => encodeURIComponent(String(value).replace(SURROGATES, (c) => c.length === 2 ? c : '\uFFFD'))
  .replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase()).replaceAll('%2F', '/');
const SURROGATES = /[\uD800-\uDBFF][\uDC00-\uDFFF]|[\uD800-\uDFFF]/g; // a pair is one character, a single surrogate is not

// The query of [name, text] pairs.
export const toQuery = (parameters) => parameters.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');

// Writes a list as in a query, so that both have the same meaning.
function inBody(name, value) {
  const isText = isList(value) && !isRepeated(name) && !IN_BODY.includes(name);
  return isText ? pairs([name, value])[0][1] : value;
}

const WORDS = {
  wrap: ['loop', 'clamp', 'mirror'],
  layout: ['mat4', 'mat3x4', 'dualquat'],
  space: ['scene', 'root', 'mesh'],
};
// Of a stream: parameters that have no field follow as JSON.
export const MORE = 16384;
const FLAGS = { from: 1, to: 2, speed: 4, phase: 8, yaw: 64, indices: 128, normals: 256, rest: 512,
  weights: 8192 };
const RANGE = 16;
const ROOT_MOTION = 32;
const COMMON = ['clip', 'clip_name', 't', 'wrap', 'from', 'to', 'speed', 'phase', 'root_motion', 'root', 'yaw'];
const OWN = {
  palette: ['skin', 'skin_name', 'space', 'layout', 'mesh', 'mesh_name'],
  pose: ['what', 'joints', 'joint_name', 'layout'],
  mesh: ['mesh', 'mesh_name', 'indices', 'normals', 'rest', 'weights'],
};

// The kind of names in each parameter, for `find` of the binary protocol.
const FINDS = { clip: 1, skin: 2, joints: 3, root: 3, mesh: 4 };
// The mesh of a palette is a node.
const whatOf = (op, what) => (op === 'palette' && what === FINDS.mesh ? FINDS.joints : what);
const plain = (name) => ({ joint_name: 'joints' })[name] ?? name.replace(/_name$/, '');
const asList = (value) => (isList(value) ? Array.from(value) : [value]);

// Returns the names that must be found before `toFields`: [{what, name}].
export function namesIn(op, parameters) {
  return given(parameters).flatMap(([name, value]) => {
    const what = FINDS[plain(name)];
    if (!what || (name === 'clip' && value === '-')) return [];
    return asList(value).filter((entry) => isName(name, entry))
      .map((entry) => ({ what: whatOf(op, what), name: entry }));
  });
}

const isName = (parameter, entry) => typeof entry === 'string' && (parameter.endsWith('_name') || !/^[0-9]+$/.test(entry));

// Returns the fields of a palette, a pose or a mesh, or null if they cannot express the parameters exactly. The request then goes as a
// call, and the server reports its error. `find(what, name)` returns the index of a name, or undefined.
export function toFields(op, parameters, find = () => undefined) {
  const all = given(parameters);
  if (!all.every(([name]) => COMMON.includes(name) || OWN[op].includes(name))) return null;
  const fields = { clip: -2, wrap: 0, layout: 0, space: 0, what: 0, flags: 0, mesh: -1, root: -1, from: 0, to: 0, speed: 0, phase: 0,
    times: [], indices: [] };
  const seen = new Set();
  for (const [name, value] of all) {
    if (seen.has(plain(name)) || !setField(fields, op, name, value, find)) return null;
    seen.add(plain(name));
  }
  return fields;
}

function setField(fields, op, name, value, find) {
  const index = (what, entry) => {
    if (!['number', 'string'].includes(typeof entry)) return undefined;
    const found = isName(name, entry) ? find(whatOf(op, what), entry) : Number(entry);
    return Number.isInteger(found) && found >= 0 && found < 2 ** 31 ? found : undefined;
  };
  const one = (what) => (isList(value) ? undefined : index(what, value));
  if (name in WORDS) return (fields[name] = WORDS[name].indexOf(value)) >= 0;
  switch (name) {
    case 't': {
      const range = typeof value === 'string' ? value.split(':') : [];
      if (range.length === 3) fields.flags |= RANGE;
      fields.times = range.length === 3 ? range.map((part) => (part.trim() ? Number(part) : NaN)) : asList(value);
      return fields.times.length > 0 && fields.times.every(Number.isFinite);
    }
    case 'from': case 'to': case 'speed': case 'phase':
      fields.flags |= FLAGS[name];
      fields[name] = value;
      return Number.isFinite(value);
    case 'yaw': case 'indices': case 'normals': case 'rest': case 'weights':
      if (value === 1 || value === true) fields.flags |= FLAGS[name];
      return [0, 1, true, false].includes(value);
    case 'root_motion':
      fields.flags |= ROOT_MOTION;
      return value === 'extract';
    case 'what': {
      const bits = asList(value).map((word) => ({ local: 1, scene: 2 })[word]);
      fields.what = bits.reduce((sum, bit) => sum | bit, 0);
      return bits.every(Boolean);
    }
    case 'clip': case 'clip_name':
      fields.clip = name === 'clip' && value === '-' ? -1 : one(FINDS.clip);
      return fields.clip !== undefined;
    case 'root': case 'mesh': case 'mesh_name':
      fields[plain(name)] = one(FINDS[plain(name)]);
      return fields[plain(name)] !== undefined;
    default:
      fields.indices = asList(value).map((entry) => index(FINDS[plain(name)], entry));
      return fields.indices.length > 0 && !fields.indices.includes(undefined);
  }
}
