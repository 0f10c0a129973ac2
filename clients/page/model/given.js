/**
 * The pose that a visitor gives on top of the clip, in the server's short form: lists of texts.
 *
 *   turn        'JOINT:X,Y,Z': degrees about the joint's own axes, x first, from its rest
 *   morph       'TARGET:WEIGHT', of all meshes with a target of this name
 *   expression  'NAME:WEIGHT', 0 to 1, of a VRM file
 */
export const GIVEN = ['turn', 'morph', 'expression'];
export const TURN_MOST = 360; // degrees

const MOST = { turn: 64, morph: 256, expression: 256 }; // entries of a list
const NAME_MAX = 256;
const isDigits = (text) => /^\d+$/.test(text);

const isGood = {
  turn: (numbers) => numbers.length === 3 && numbers.every((n) => Math.abs(n) <= TURN_MOST),
  morph: (numbers) => numbers.length === 1 && Math.abs(numbers[0]) <= 1e30,
  expression: (numbers) => numbers.length === 1 && numbers[0] >= 0 && numbers[0] <= 1,
};

/** 'a:b:1,2,3' as name and numbers: ['a:b', [1, 2, 3]]. */
export function partsOf(text) {
  const colon = text.lastIndexOf(':');
  return [text.slice(0, Math.max(colon, 0)), text.slice(colon + 1).split(',').map((part) => part.trim() === '' ? NaN : Number(part))];
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

/** The names of the morph targets of all meshes, each once. */
export const targetsOf = ({ meshes }) => [...new Set(meshes.flatMap((mesh) => mesh.targets || []).filter(Boolean))];

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
  return { state: faults.length ? { ...state, ...fitted } : state, faults };
}

/** The same pose as a layer of a request's body. */
export function layerOf({ turn, morph, expression }) {
  const turns = turn.map(partsOf), weights = (list) => Object.fromEntries(list.map(partsOf).map(([name, [weight]]) => [name, weight]));
  const byIndex = turns.some(([name]) => isDigits(name)); // only a list may have indices
  const nodes = byIndex ? { nodes: turns.map(([name]) => isDigits(name) ? +name : name), degrees: turns.map(([, degrees]) => degrees) }
    : { nodes: Object.fromEntries(turns.map(([name, degrees]) => [name, { degrees }])) };
  return { pose: { ...(turns.length && nodes), ...(morph.length && { morphs: weights(morph) }), ...(expression.length && { expressions: weights(expression) }), relative_to: 'rest' } };
}
