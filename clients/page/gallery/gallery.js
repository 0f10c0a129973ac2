/** The page at /: the server's folders and models, as they are on its disk. */
import { byId, make } from '../common/dom.js';
import { countText } from '../common/format.js';
import { get, getPatiently, link, onSignIn, pathOf, Problem } from '../common/http.js';
import { watchSignIn } from '../common/sign_in.js';
import { Card } from './card.js';
import { choose, extensionsOf, foldersIn, isNarrowed } from './filter.js';
import { Listing } from './listing.js';
import { PictureQueue, sideFor } from './pictures.js';
import { addressOf, stateOf } from './state.js';
import { Uploads } from './uploads.js';
import { Window } from './window.js';

const READERS = 2;       // models that are read at a time because a filter needs them
const MOTION = 'posed-motion';
const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

let state = stateOf(location.search);
let side = 256;
let isMoving = sessionStorage.getItem(MOTION) ? sessionStorage.getItem(MOTION) === '1' : !reducedMotion.matches;
let unknown = [];        // models that a filter needs and the server has not read
const seen = [];         // the same, in view
let still = new Set();   // extensions of formats without clips
let readers = 0;
let refusal = '';        // why there is no list

const life = new AbortController();
const listing = new Listing();
const cards = new Map();
const wantsMotion = (card) => isMoving || (card.isPointed && !reducedMotion.matches);

// --- pictures ---

const queue = new PictureQueue(() => {
  let best = null;
  for (const card of cards.values()) {
    if (!isNear(card)) continue;
    const task = card.nextTask(queue, wantsMotion(card));
    if (task && (!best || task[0] < best[0])) best = task;
  }
  return best && best[1];
});

function isNear(card) {
  const box = card.node.getBoundingClientRect();
  return box.bottom > -200 && box.top < innerHeight + 200;
}

function showMotion() {
  byId('motion').setAttribute('aria-pressed', isMoving);
  for (const card of cards.values()) card.show(wantsMotion(card));
  queue.work();
}

// --- cards ---

async function remove(card) {
  if (!confirm('Delete ' + card.name + '?')) return;
  try {
    await get(link('v1/models/' + pathOf(card.name.slice(uploads.folder.length)), { route: card.name }), life.signal, { method: 'DELETE' });
    listing.wake();
  } catch (problem) {
    note(problem.message);
  }
}

const canDelete = (name) => uploads.folder !== null && name.startsWith(uploads.folder);

function makeCard(entry) {
  const card = new Card(entry, {
    folder: state.folder, view: state.view, side,
    canDelete: canDelete(entry.model), onDelete: remove,
    onDrawn: (drawn) => learn(drawn.entry),
  });
  const point = (isPointed) => () => { card.isPointed = isPointed; card.show(wantsMotion(card)); queue.work(); };
  for (const on of ['pointerenter', 'focusin']) card.node.addEventListener(on, point(true));
  for (const off of ['pointerleave', 'focusout']) card.node.addEventListener(off, point(false));
  cards.set(entry.model, card);
  return card.node;
}

const list = new Window(byId('models'), {
  make: makeCard,
  drop: ({ card }) => { card.forget(); cards.delete(card.name); },
  keyOf: (entry) => entry.model,
  onLayout: (side_px) => {
    const now = sideFor(side_px);
    if (now === side) return;
    side = now;
    for (const card of cards.values()) { card.place.side = side; card.forget(); card.update(); }
  },
});
list.onRender = () => queue.work();

// --- what is shown ---

function note(text) {
  byId('note').textContent = text;
  byId('note').hidden = !text;
}

function go(change, isNew = true) {
  state = { ...state, ...change };
  history[isNew ? 'pushState' : 'replaceState'](null, '', addressOf(state));
  if ('folder' in change) scrollTo(0, 0);
  show(true);
}

/** A link to a state. It does not load the page again. */
function stateLink(change, ...children) {
  const target = { ...state, ...change };
  return make('a', {
    href: addressOf(target),
    onclick: (event) => {
      if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      go(change);
    },
  }, ...children);
}

function showPath() {
  const parts = state.folder.split('/').filter(Boolean);
  byId('path').hidden = !parts.length;
  byId('path').replaceChildren(stateLink({ folder: '' }, 'All models'), ...parts.flatMap((part, i) => {
    const folder = parts.slice(0, i + 1).join('/') + '/';
    const step = stateLink({ folder }, part);
    if (folder === state.folder) step.setAttribute('aria-current', 'page');
    return [make('span', { 'aria-hidden': 'true' }, '/'), step];
  }));
}

function showFolders() {
  const folders = isNarrowed(state) || state.deep ? [] : foldersIn(listing.folders, state.folder);
  byId('folders').hidden = !folders.length;
  byId('folders').replaceChildren(...folders.map((one) => stateLink({ folder: one.folder },
    make('span', { class: 'folder-name' }, one.folder.slice(state.folder.length, -1)), ' ',
    make('span', { class: 'soft numbers' }, countText(one.models_beneath, 'model')))));
  byId('deep').hidden = !(state.deep || foldersIn(listing.folders, state.folder).length);
  byId('deep').setAttribute('aria-pressed', Boolean(state.deep));
}

function showFormats() {
  const select = byId('format'), extensions = extensionsOf(listing.entries);
  if (state.format && !extensions.some(([extension]) => extension === state.format)) extensions.push([state.format, 0]);
  const wanted = ['', ...extensions.map(([extension]) => extension)].join();
  if (select.dataset.shown === wanted) return;
  select.dataset.shown = wanted;
  select.replaceChildren(make('option', { value: '' }, 'Format'), ...extensions.map(([extension]) => make('option', { value: extension }, '.' + extension)));
}

function showControls() {
  for (const name of ['format', 'clips', 'findings', 'view']) byId(name).value = state[name];
  if (byId('search').value.trim() !== state.q.trim()) byId('search').value = state.q;
  document.title = (state.folder ? state.folder.slice(0, -1) + ' - ' : '') + 'posed';
}

function emptyText(chosen) {
  if (refusal) return refusal;
  if (!listing.isLoaded) return '';
  if (chosen.shown.length) return '';
  if (chosen.unknown.length) return '';
  if (isNarrowed(state)) return 'No model here is like that.';
  if (!listing.entries.length) return (uploads.folder === null ? 'No models here yet. Put ' : 'No models here yet. Upload one, drop it on this page, or put ') +
    'files such as .glb, .gltf, .fbx or .dae under the folder that --root names: they appear by themselves.';
  return listing.folders.some((one) => one.folder === state.folder) ? '' : 'There is no such folder any more.';
}

function show(isNew) {
  const chosen = choose(listing.entries, state, still);
  unknown = chosen.unknown;
  showPath();
  showFolders();
  showFormats();
  showControls();
  const { length } = chosen.shown, here = listing.folders.find((one) => one.folder === state.folder);
  const beneath = !chosen.total && !isNarrowed(state) && here ? here.models_beneath : 0;
  document.body.classList.toggle('empty', listing.isLoaded && !listing.entries.length && !isNarrowed(state));
  byId('count').textContent = (length === chosen.total ? '' : length.toLocaleString('en') + ' of ') + countText(beneath || chosen.total, 'model') + (beneath ? ' in folders' : '') +
    (unknown.length ? ', ' + unknown.length.toLocaleString('en') + ' not read yet' : '');
  note(emptyText(chosen));
  const isOld = ({ name, place }) => place.view !== state.view || place.folder !== state.folder || place.canDelete !== canDelete(name);
  if (isNew) for (const card of cards.values()) if (isOld(card)) list.drop(card.name, card.node);
  list.set(chosen.shown);
  readUnknown();
}

const isUnknown = (entry) => !entry.counts && entry.state !== 'failed';

/** The server has read a model for its picture: gets the model's new entry. */
async function learn(entry) {
  await listing.refresh(entry.model, life.signal).catch(() => {});
  const now = listing.byPath.get(entry.model);
  if (now && isUnknown(now)) { seen.push(now); readUnknown(); }
}

/** Reads models that are in view or that a filter needs, one after the other, if the server has not read them. It forgets them with each
 * start. */
function readUnknown() {
  while (readers < READERS && (seen.length || unknown.length) && !document.hidden) {
    const entry = seen.shift() || unknown.shift();
    if (entry.isAsked || !isUnknown(entry)) continue;
    entry.isAsked = true;
    readers++;
    getPatiently(link('v1/model', { model: entry.model }), life.signal, { method: 'HEAD' }).catch((problem) => { entry.isAsked = !problem.isPassing; })
      .then(() => listing.refresh(entry.model, life.signal)).catch(() => { entry.isAsked = false; })
      .finally(() => { readers--; readUnknown(); });
  }
}

let isShowing = 0;
const showSoon = () => { if (!isShowing) isShowing = setTimeout(() => { isShowing = 0; show(false); }, 150); };

listing.addEventListener('change', () => {
  for (const entry of listing.entries) {
    const card = cards.get(entry.model);
    if (!card || card.entry === entry) continue;
    if (card.version === entry.modified + ' ' + entry.bytes) { card.entry = entry; card.update(); } else card.renew(entry);
    if (card.isStillDone && isUnknown(entry)) learn(entry); // the list is older than the picture
  }
  show(false);
});
listing.addEventListener('known', ({ detail }) => {
  if (cards.has(detail)) cards.get(detail).update();
  if (isNarrowed(state)) showSoon();
  queue.work();
});
listing.addEventListener('loaded', () => show(false));
listing.addEventListener('gone', ({ detail }) => {
  byId('gone').textContent = detail.message + '. Trying again\u2026';
  byId('gone').hidden = false;
});
listing.addEventListener('back', () => { byId('gone').hidden = true; });

// --- controls ---

for (const name of ['format', 'clips', 'findings', 'view']) byId(name).addEventListener('change', ({ target }) => go({ [name]: target.value }));
byId('search').addEventListener('input', ({ target }) => go({ q: target.value }, false));
byId('tools').addEventListener('submit', (event) => { event.preventDefault(); list.go(0); });
byId('deep').addEventListener('click', () => go({ deep: state.deep ? '' : '1' }));
byId('motion').addEventListener('click', () => {
  isMoving = !isMoving;
  sessionStorage.setItem(MOTION, isMoving ? '1' : '0');
  showMotion();
});
byId('search').addEventListener('keydown', (event) => { if (event.key === 'ArrowDown') { event.preventDefault(); list.go(0); } });
addEventListener('keydown', (event) => {
  if (event.key === '/' && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) { event.preventDefault(); byId('search').focus(); }
});
addEventListener('popstate', () => { state = stateOf(location.search); show(true); });
reducedMotion.addEventListener('change', () => { isMoving = !reducedMotion.matches; showMotion(); });
document.addEventListener('visibilitychange', () => { listing.wake(); queue.work(); readUnknown(); });

const uploads = new Uploads({
  onStored: () => listing.wake(),
  onNote: note,
  onToken: () => onTokenWanted(),
});
let onTokenWanted = () => {};

async function begin() {
  watchSignIn(() => uploads.again ? uploads.resume() : location.reload());
  onTokenWanted = () => { byId('sign-in').hidden = false; byId('token').focus(); };
  showControls();
  showMotion();
  const following = listing.follow(life.signal);
  getPatiently('v1/formats', life.signal).then((response) => response.json()).then(({ formats }) => {
    still = new Set(formats.filter((one) => one.clips === 'none').map((one) => one.ending));
    show(false);
  }, () => {});
  uploads.begin().then(() => { byId('upload').classList.toggle('primary', uploads.folder !== null); show(true); }, () => {});
  await following;
}

onSignIn(() => note(''));
begin().catch((problem) => {
  if (!(problem instanceof Problem && problem.status === 401)) note(refusal = 'The models could not be listed: ' + problem.message);
});
