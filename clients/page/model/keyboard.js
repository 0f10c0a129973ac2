/** Controls the whole page by keyboard, and lists the keys. */
import { make } from '../common/dom.js';

const KEYS = [
  ['Space', 'play, pause'], [', .', 'one frame back, on'], ['Home End', 'first, last frame'], ['[ ]', 'slower, faster'], ['L', 'loop'], ['N P', 'next, previous clip'],
  ['← → ↑ ↓', 'turn the model'], ['+ −', 'nearer, further away'], ['F', 'focus on the chosen joint'], ['T', 'turn the chosen joint, pose'], ['R', 'the camera as it was'],
  ['1 – 5', 'lit, skeleton, weights, wireframe, normals'], ['B', 'next background'], ['G', 'ground'], ['/', 'search clips'], ['Esc', 'choose no joint'], ['?', 'this list'],
];

/** Whether the control itself uses the key. */
const isTyping = (node) => node.closest('input:not([type=checkbox], [type=range]), textarea, select, [contenteditable], dialog');
const isPressed = (node) => node.closest('button, a, summary, [role=option], [role=treeitem], input[type=checkbox]');
const isMoved = (node) => node.closest('input[type=range], [role=listbox], [role=tree], [role=radiogroup], summary');

/** @param {Object} on a function for each word below */
export function listenToKeys(on) {
  const dialog = make('dialog', { 'aria-labelledby': 'keys-title' },
    make('h2', { id: 'keys-title' }, 'Keys'),
    make('dl', {}, ...KEYS.flatMap(([keys, text]) => [make('dt', {}, ...keys.split(' ').flatMap((key, i) => [i ? ' ' : '', key === '–' ? '–' : make('kbd', {}, key)])), make('dd', {}, text)])),
    make('p', { class: 'soft' }, 'Drag to turn, two fingers or the right button to move, wheel or pinch to zoom, click to choose a joint, double click to focus.'),
    make('div', { class: 'row' }, make('button', { type: 'button', class: 'primary', onclick: () => dialog.close() }, 'Close')));
  document.body.append(dialog);
  const showKeys = () => { if (!dialog.open) dialog.showModal(); };
  const plain = {
    ',': () => on.step(-1), '.': () => on.step(1), '+': () => on.zoom(0.8), '=': () => on.zoom(0.8), '-': () => on.zoom(1.25),
    f: on.focus, t: on.pose, r: on.reset, l: on.loop, b: on.background, g: on.ground, n: () => on.clip(1), p: () => on.clip(-1), '[': () => on.faster(-1), ']': () => on.faster(1),
    '/': on.search, '?': showKeys, Escape: on.unchoose,
  };
  const turns = { ArrowLeft: [-10, 0], ArrowRight: [10, 0], ArrowUp: [0, 10], ArrowDown: [0, -10] };
  addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !(target instanceof Element) || isTyping(target)) return;
    let work = null;
    if (key === ' ') work = isPressed(target) ? null : on.toggle;
    else if (key in turns) work = isMoved(target) ? null : () => on.turn(...turns[key]);
    else if (key === 'Home' || key === 'End') work = isMoved(target) ? null : () => on.end(key === 'End');
    else if (/^[1-5]$/.test(key)) work = () => on.view(+key - 1);
    else work = plain[key.length === 1 ? key.toLowerCase() : key];
    if (!work) return;
    event.preventDefault();
    work();
  });
  return { showKeys };
}
