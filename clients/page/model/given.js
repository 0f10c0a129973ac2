/**
 * The pose that a visitor gives on top of the clip, in the server's short form: lists of texts.
 *
 *   turn        'JOINT:X,Y,Z': degrees about the joint's own axes, x first, from its rest
 *   morph       'TARGET:WEIGHT', of all meshes with a target of this name; the name of one without is its index
 *   expression  'NAME:WEIGHT', 0 to 1, of a VRM file
 *
 * and a text `look`, or null: 'YAW,PITCH' in degrees, or 'X,Y,Z', a place in the scene, of a VRM file.
 */
export const GIVEN = ['turn', 'morph', 'expression'];
export const POSE = [...GIVEN, 'look'];
export const TURN_MOST = 360, LOOK_MOST = 360; // degrees

const PLACE_MOST = 1e30;
const MOST = { turn: 64, morph: 256, expression: 256 }; // entries of a list
const NAME_MAX = 256;
const isDigits = (text) => /^\d+$/.test(text);

const isGood = {
  turn: (numbers) => numbers.length === 3 && numbers.every((n) => Math.abs(n) <= TURN_MOST),
  morph: (numbers) => numbers.length === 1 && Math.abs(numbers[0]) <= PLACE_MOST,
  expression: (numbers) => numbers.length === 1 && numbers[0] >= 0 && numbers[0] <= 1,
};

const numbersIn = (text) => text.split(',').map((part) => part.trim() === '' ? NaN : Number(part));

/** 'a:b:1,2,3' as name and numbers: ['a:b', [1, 2, 3]]. */
export function partsOf(text) {
  const colon = text.lastIndexOf(':');
  return [text.slice(0, Math.max(colon, 0)), numbersIn(text.slice(colon + 1))];
}

/** Reads the values of an address. Leaves out invalid ones, and all but the first of a name. */
export function readGiven(kind, values) {
  const names = new Set();
  return values.slice(0, MOST[kind]).filter((text) => {
    const [name, numbers] = partsOf(text);
    if (!name || name.length > NAME_MAX || name.includes('\0') || !isGood[kind](numbers) || names.has(name)) return false;
    return names.add(name);
  });
}

/** A look as {yaw, pitch} or {at: [x, y, z]}; null: none. */
export function lookOf(text) {
  const numbers = numbersIn(text ?? ''), isAll = (most) => numbers.every((n) => Math.abs(n) <= most);
  if (numbers.length === 2 && isAll(LOOK_MOST)) return { yaw: numbers[0], pitch: numbers[1] };
  return numbers.length === 3 && isAll(PLACE_MOST) ? { at: numbers } : null;
}

export const lookText = ({ at, yaw, pitch }) => (at ?? [yaw, pitch]).map((n) => +n.toFixed(3)).join(',');

/** Reads the look of an address; undefined: invalid. */
export const readLook = (text) => lookOf(text) ? text : undefined;

/** The numbers of a name in a list, or null. */
export function numbersOf(list, name) {
  const found = list.find((text) => partsOf(text)[0] === name);
  return found === undefined ? null : partsOf(found)[1];
}

/** The list with other numbers for a name; null: without it. */
export function withNumbers(list, name, numbers) {
  const at = list.findIndex((text) => partsOf(text)[0] === name), text = numbers && `${name}:${numbers.map((n) => +n.toFixed(3)).join(',')}`;
  if (at < 0) return text ? [...list, text] : list;
  return text ? list.map((one, i) => i === at ? text : one) : list.filter((_, i) => i !== at);
}

const own = (things, name) => things && Object.hasOwn(things, name) ? things[name] : undefined; // not 'constructor'

/** The index of the node that a turn means: by index, name, or role in a human; undefined: there is none. */
export function nodeOf({ nodes, humanoid = {}, bones }, reference) {
  if (isDigits(reference)) return nodes[reference]?.node;
  return nodes.find((one) => one.name === reference)?.node ?? own(humanoid, reference) ?? own(bones?.roles, reference);
}

/** The names of the morph targets of all meshes, each once; the name of one without is its index. */
export const targetsOf = ({ meshes }) => [...new Set(meshes.flatMap(({ targets }) => (targets || []).map((name, i) => name || String(i))))];

/** Whether the file says how its eyes look, and has such eyes or such expressions. */
export function canLook(description) {
  const { look_at, expressions = [] } = description, has = (role) => nodeOf(description, role) !== undefined;
  const looks = expressions.some(({ name, preset, binds = [] }) => preset && /^look(Up|Down|Left|Right)$/.test(name) && binds.length > 0);
  return Boolean(look_at) && has('head') && (look_at.kind === 'bone' ? has('leftEye') || has('rightEye') : looks);
}

/** The state without what the model does not have, and sentences about what was left out. */
export function fitGiven(state, description) {
  const targets = new Set(targetsOf(description)), expressions = new Set((description.expressions || []).map((one) => one.name)), faults = [];
  const has = { turn: (name) => nodeOf(description, name) !== undefined, morph: (name) => targets.has(name), expression: (name) => expressions.has(name) };
  const words = { turn: 'joint', morph: 'morph target', expression: 'expression' };
  const fitted = Object.fromEntries(GIVEN.map((kind) => [kind, state[kind].filter((text) => {
    const [name] = partsOf(text);
    if (!has[kind](name)) faults.push(`There is no ${words[kind]} '${name}'.`);
    return has[kind](name);
  })]));
  if (state.look && !canLook(description)) {
    fitted.look = null;
    faults.push('It does not look anywhere: only VRM files say how.');
  }
  return { state: faults.length ? { ...state, ...fitted } : state, faults };
}

/** The same pose as a layer of a request's body. */
export function layerOf({ turn, morph, expression, look }) {
  const turns = turn.map(partsOf), weights = (list) => Object.fromEntries(list.map(partsOf).map(([name, [weight]]) => [name, weight]));
  const byIndex = turns.some(([name]) => isDigits(name)); // only a list may have indices
  const nodes = byIndex ? { nodes: turns.map(([name]) => isDigits(name) ? +name : name), degrees: turns.map(([, degrees]) => degrees) }
    : { nodes: Object.fromEntries(turns.map(([name, degrees]) => [name, { degrees }])) };
  return { pose: { ...(turns.length && nodes), ...(morph.length && { morphs: weights(morph) }), ...(expression.length && { expressions: weights(expression) }), ...(look && { look: lookOf(look) }), relative_to: 'rest' } };
}
