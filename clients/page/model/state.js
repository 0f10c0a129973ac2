import { GIVEN, POSE, readGiven, readLook } from './given.js';

/**
 * The state of the page, which is in the address: a link shows what its sender saw. Names and units are those of /v1/render if it has
 * them, so that the server accepts the same query for the picture of the link.
 *
 *   clip       name, or index if the name is missing or not unique; '-' the rest pose; null: the page chooses
 *   blend      a second clip, in the same form; null: none
 *   blend_file the model of the second clip; null: that of `clip`
 *   weight     0 to 1, the share of the second clip
 *   clip_file  another model whose clip plays; null: a clip of the model itself
 *   clip_files all other models whose clips are offered. The address has `clip_file` once for each. The one that plays is first,
 *              because the server draws its picture from the first
 *   retarget   true: by the rest poses of both, for humans with other bones
 *   t          seconds at which the clip is paused; null: it plays
 *   rate       speed
 *   loop       whether the clip repeats
 *   view       one of VIEWS
 *   joint      a node, by name or index
 *   yaw, pitch, distance, target, frame_box   the camera; target 'x,y,z' and frame_box six numbers, or null: the server's own
 *   background 'RRGGBB', 'transparent', or null: the page's own
 *   shadow     the ground with a shadow
 *   variant    a set of materials, or null
 *   light      one of LIGHTS; 'file' is the light of `environment`
 *   environment, environment_yaw  a Radiance picture under the root, or null; degrees by which it is turned
 *   exposure   stops
 *   tone       one of TONES
 *   turn, morph, expression, look   a pose on top of the clip: lists of texts, and a text, as the server takes them (given.js)
 *   model      the model of the page; not in the query
 */
export const VIEWS = ['lit', 'skeleton', 'weights', 'wireframe', 'normals'];
export const CAMERA = { yaw: 35, pitch: 15, distance: 1, target: null, frame_box: null };
export const LIGHTS = ['studio', 'outdoor', 'flat', 'file'];
export const TONES = ['neutral', 'aces', 'none'];
export const RATES = [0.1, 0.25, 0.5, 1, 1.5, 2, 4];

const TEXT_MAX = 1024;
const CLIP_FILES_MAX = 16;

const text = (value) => value !== '' && value.length <= TEXT_MAX && !value.includes('\0') ? value : undefined;
const number = (least, most) => (value) => {
  const n = value.trim() === '' ? NaN : Number(value);
  return Number.isFinite(n) && n >= least && n <= most ? n : undefined;
};
const oneOf = (...words) => (value) => words.includes(value) ? value : undefined;
const bit = (value) => value === '1' || value === '0' ? value === '1' : undefined;
const numbers = (count) => (value) => {
  const list = value.split(',').map((part) => part.trim() === '' ? NaN : Number(part));
  return list.length === count && list.every((n) => Math.abs(n) <= 1e30) ? value : undefined;
};

/** How to read each member (undefined: invalid), and its default. */
const FIELDS = {
  clip: { read: text, initial: null },
  blend: { read: text, initial: null },
  blend_file: { read: text, initial: null },
  weight: { read: number(0, 1), initial: 0.5 },
  retarget: { read: (value) => value === 'rest' ? true : value === 'names' ? false : undefined, initial: false, write: (value) => value ? 'rest' : 'names' },
  t: { read: number(0, 1e6), initial: null },
  rate: { read: number(0.01, 16), initial: 1 },
  loop: { read: bit, initial: true },
  view: { read: oneOf(...VIEWS), initial: 'lit' },
  joint: { read: text, initial: null },
  yaw: { read: number(-36000, 36000), initial: CAMERA.yaw },
  pitch: { read: number(-90, 90), initial: CAMERA.pitch },
  distance: { read: number(0.001, 1000), initial: CAMERA.distance },
  target: { read: numbers(3), initial: CAMERA.target },
  frame_box: { read: numbers(6), initial: CAMERA.frame_box },
  background: { read: (value) => value === 'transparent' || /^[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : undefined, initial: null },
  shadow: { read: bit, initial: false },
  variant: { read: text, initial: null },
  light: { read: oneOf(...LIGHTS), initial: 'studio' },
  environment: { read: text, initial: null },
  environment_yaw: { read: number(-36000, 36000), initial: 0 },
  exposure: { read: number(-16, 16), initial: 0 },
  tone: { read: oneOf(...TONES), initial: 'neutral' },
  look: { read: readLook, initial: null },
};
export const LIGHT = ['light', 'environment', 'environment_yaw', 'exposure', 'tone'];
const IN_FRONT = ['clip', 'blend', 'blend_file', 'weight']; // members of `clip_file` in the address

/** Other models whose clips are offered, in the order of the panel. */
export const clipFilesOf = (files) => [...new Set(files)].sort().slice(0, CLIP_FILES_MAX);

/** Reads the state of the address ("?clip=walk&..") of a model's page. Leaves out unknown and invalid members. */
export function readState(search, model = null) {
  const query = new URLSearchParams(search);
  const state = { model };
  const files = query.getAll('clip_file').filter((file) => text(file) !== undefined).slice(0, CLIP_FILES_MAX + 1);
  state.clip_file = files.length && files[0] !== model ? files[0] : null;
  state.clip_files = clipFilesOf(files.filter((file) => file !== model));
  for (const [name, { read, initial }] of Object.entries(FIELDS)) {
    const value = query.has(name) ? read(query.get(name)) : undefined;
    state[name] = value === undefined ? initial : value;
  }
  for (const name of GIVEN) state[name] = readGiven(name, query.getAll(name));
  if (!state.blend) state.blend_file = null;
  if (state.environment && !query.has('light')) state.light = 'file';
  if (state.light !== 'file') state.environment = null;
  else if (!state.environment) state.light = 'studio';
  return state;
}

/** The camera of six or three numbers and angles, in the form of a viewer. */
export const cameraOf = ({ yaw, pitch, distance, target, frame_box }) => ({
  yaw, pitch, distance, ...(target && { target: target.split(',').map(Number) }), ...(frame_box && { frame_box: frame_box.split(',').map(Number) }),
});

/** A list of numbers with few digits. */
export const shortList = (list) => list === undefined || list === null ? null : (typeof list === 'string' ? list.split(',') : [...list]).map((n) => +(+n).toPrecision(6)).join(',');

const written = (value) => value === true ? '1' : value === false ? '0' : typeof value === 'number' ? String(+value.toFixed(4)) : value;

/** The members of a query for the state, without those that equal the default. */
export function writeState(state) {
  const query = {};
  for (const [name, { initial, write = written }] of Object.entries(FIELDS)) {
    const value = state[name];
    if (value !== initial && value !== null && value !== undefined && write(value) !== write(initial)) query[name] = write(value);
  }
  for (const name of LIGHT) delete query[name];
  Object.assign(query, lightQuery(state), givenQuery(state));
  if (!state.clip_files || !state.clip_files.length) return query;
  const clip_file = [...new Set([state.clip_file ?? state.model, ...state.clip_files])];
  const isInFront = ([name]) => IN_FRONT.includes(name), all = Object.entries(query);
  return Object.fromEntries([...all.filter(isInFront), ['clip_file', clip_file], ...all.filter((one) => !isInFront(one))]);
}

/** The properties of a viewer for its light. While no file is named, the light is the studio. */
export const lightOf = ({ light, environment, environment_yaw, exposure, tone }) => light === 'file' && environment
  ? { light, environment, environment_yaw, exposure, tone } : { light: light === 'file' ? 'studio' : light, environment: null, environment_yaw: 0, exposure, tone };

/** The part of a query about the light that is not the default. */
function lightQuery(state) {
  const { light, environment, environment_yaw, exposure, tone } = lightOf(state);
  return { ...(environment ? { environment, ...(environment_yaw && { environment_yaw: written(environment_yaw) }) } : light && light !== 'studio' && { light }),
    ...(exposure && { exposure: written(exposure) }), ...(tone && tone !== 'neutral' && { tone }) };
}

/** The part of a query about the pose on top of the clip. */
export const givenQuery = (state) => Object.fromEntries(POSE.filter((name) => state[name]?.length).map((name) => [name, state[name]]));

/** The reference of a thing in the address: its name, or its index if the name is missing, a number, or not unique. */
export function referenceOf(things, index, indexOf = (thing) => thing.index) {
  const thing = things.find((one) => indexOf(one) === index);
  const name = thing && thing.name;
  const isPlain = name && name !== '-' && !/^\d+$/.test(name) && things.filter((one) => one.name === name).length === 1;
  return isPlain ? name : String(index);
}

/** The thing that a reference means, or undefined. */
export const findReferred = (things, reference, indexOf = (thing) => thing.index) =>
  reference === null ? undefined
    : /^\d+$/.test(reference) ? things.find((thing) => indexOf(thing) === +reference) : things.find((thing) => thing.name === reference);

/**
 * The parameters of /v1/render, /v1/sheet and /v1/turntable for a state.
 * @param {number} [t] seconds; undefined: the server chooses
 */
export function pictureQuery(model, state, t) {
  const camera = { yaw: state.yaw, pitch: state.pitch };
  const hasCamera = camera.yaw !== CAMERA.yaw || camera.pitch !== CAMERA.pitch;
  return {
    model, ...(!state.blend && { clip: state.clip }), clip_file: state.clip_file, retarget: state.clip_file && state.retarget ? 'rest' : null,
    t: t === undefined ? null : +t.toFixed(4), view: state.view === 'lit' ? null : state.view,
    joint: ['skeleton', 'weights'].includes(state.view) ? state.joint : null,
    ...(hasCamera && { yaw: +camera.yaw.toFixed(2), pitch: +camera.pitch.toFixed(2) }),
    distance: state.distance === 1 ? null : +state.distance.toFixed(4), target: state.target, frame_box: state.frame_box, variant: state.variant,
    background: state.background, shadow: state.shadow && state.view === 'lit' ? 1 : null, ...(state.view === 'lit' && lightQuery(state)),
    ...givenQuery(state),
  };
}

/** The layers of a blend, which only a body can have; null: one clip plays. */
export const layersOf = (state) => !state.blend ? null
  : [{ clip: state.clip, weight: +(1 - state.weight).toFixed(3), wrap: 'clamp' }, { clip: state.blend, ...(state.blend_file && { clip_file: state.blend_file }), weight: +state.weight.toFixed(3), wrap: 'loop' }].filter((layer) => layer.weight > 0);

/** Shows the background of the model: the page's, a colour, or the checkerboard that means transparent. */
export function showBackground(node, background) {
  node.classList.toggle('checked', background === 'transparent');
  for (const name of ['--stage-a', '--stage-b']) {
    if (background && background !== 'transparent') node.style.setProperty(name, '#' + background);
    else node.style.removeProperty(name);
  }
}
