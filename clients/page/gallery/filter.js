/** Selects the models and folders of the list that a state shows. Pure. */

const COLLATOR = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** "model2" before "model10", folder by folder. */
export function comparePaths(a, b) {
  return COLLATOR.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}

const endingOf = (path) => path.slice(path.lastIndexOf('.') + 1).toLowerCase();

/**
 * Whether a model passes the filters of `state`: true, false, or null if the server has not read it yet.
 * @param {Set<string>} [still] extensions of formats whose models never have clips
 */
export function matches(entry, state, still = new Set()) {
  if (state.format && endingOf(entry.model) !== state.format) return false;
  if (state.findings === 'broken') return entry.state === 'failed' ? true : entry.counts || entry.problem === null ? false : null;
  if (entry.state === 'failed') return !state.clips && !state.findings;
  if (!state.clips && !state.findings) return true;
  if (!entry.counts && state.clips && still.has(endingOf(entry.model)) && (state.clips === 'with' || !state.findings)) return state.clips === 'without';
  if (!entry.counts) return null;
  return (!state.clips || (entry.counts.clips > 0) === (state.clips === 'with')) &&
    (!state.findings || (entry.counts.warnings > 0) === (state.findings === 'warnings'));
}

/** Whether anything narrows the list. Then it shows all folders beneath. */
export const isNarrowed = (state) => Boolean(state.q.trim() || state.format || state.clips || state.findings);

/**
 * The models to show, in order, and the number of models that might belong to them but were not read yet.
 * @returns {{shown: Object[], unknown: Object[], total: number}} total: all in the folder, as deep as the list goes
 */
export function choose(entries, state, still) {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const isDeep = state.deep === '1' || isNarrowed(state);
  const shown = [], unknown = [];
  let total = 0;
  for (const entry of entries) {
    if (!entry.model.startsWith(state.folder)) continue;
    const rest = entry.model.slice(state.folder.length);
    if (!isDeep && rest.includes('/')) continue;
    total++;
    const name = rest.toLowerCase();
    if (!words.every((word) => name.includes(word))) continue;
    const is = matches(entry, state, still);
    if (is) shown.push(entry);
    else if (is === null) unknown.push(entry);
  }
  return { shown, unknown, total };
}

/**
 * The folders directly inside one, with the number of models in each and beneath it.
 * @param {{folder: string, models_beneath: number}[]} folders of the whole root
 */
export function foldersIn(folders, folder) {
  return folders.filter((one) => one.folder !== folder && one.folder.startsWith(folder) &&
    one.folder.indexOf('/', folder.length) === one.folder.length - 1)
    .sort((a, b) => comparePaths(a.folder, b.folder));
}

/** Extensions of the models, the most frequent first: [['glb', 12], ['fbx', 3]]. */
export function extensionsOf(entries) {
  const counts = new Map();
  for (const { model } of entries) counts.set(endingOf(model), (counts.get(endingOf(model)) || 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
