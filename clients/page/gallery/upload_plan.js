/** Plans the upload of files that are dropped together: which are models, and which belong to a model. Pure. */

const SEARCHED_BYTES = 64 << 20; // of each file, for the names of other files
const TABLES = ['mtl', 'material', 'skeleton', 'bin', 'txt', 'bgei', 'prj', 'animation'];

export const endingOf = (path) => (/\.([^./]+)$/.exec(path) || ['', ''])[1].toLowerCase();
const baseOf = (path) => path.slice(path.lastIndexOf('/') + 1);
const folderOf = (path) => path.slice(0, path.lastIndexOf('/') + 1);
const stemOf = (path) => baseOf(path).replace(/\.[^.]*$/, '').toLowerCase();

/** Whether a text contains a file's name as a whole word: after a quote, a slash, a space, or a byte of a length. */
export function names(text, base) {
  const lower = base.toLowerCase();
  for (const name of new Set([lower, encodeURIComponent(lower).toLowerCase(), lower.replaceAll(' ', '%20')])) {
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
      const isWord = !/[\p{L}\p{N}_.-]/u.test(text[at - 1] || ' ') && !/[\p{L}\p{N}_-]/u.test(text[at + name.length] || ' ');
      if (isWord) return true;
    }
  }
  return false;
}

const textOf = async (file) => new TextDecoder('utf-8').decode(await file.slice(0, SEARCHED_BYTES).arrayBuffer()).toLowerCase();

/** The folder that contains all paths, with its slash. */
function commonFolder(paths) {
  let common = folderOf(paths[0]);
  for (const path of paths) while (!path.startsWith(common)) common = folderOf(common.slice(0, -1));
  return common;
}

/** All files that a file names, and those that these name: "hero.obj" names "hero.mtl", which names textures. */
function companionsOf(model, references) {
  const found = new Set(), open = [model];
  while (open.length) {
    for (const other of references.get(open.pop())) {
      if (other === model || found.has(other)) continue;
      found.add(other);
      open.push(other);
    }
  }
  return found;
}

/**
 * @param {{path: string, file: Blob}[]} files
 * @param {{ending: string, companion_of: string|null}[]} formats of /v1/formats
 * @returns {Promise<{uploads: {name: string, model: string, files: Object[]}[], left: Object[]}>}
 *   uploads: `name` is that of the upload; of several files it ends in .zip. left: what no model of these needs
 */
export async function planUploads(files, formats) {
  const known = new Map(formats.map((one) => [one.ending, one]));
  const isModel = (one) => known.has(endingOf(one.path)) && !files.some((other) => other !== one &&
    known.get(endingOf(one.path)).companion_of && endingOf(other.path) === known.get(endingOf(one.path)).companion_of && stemOf(other.path) === stemOf(one.path));
  const references = new Map();
  for (const one of files) {
    const isSearched = files.length > 1 && (known.has(endingOf(one.path)) || TABLES.includes(endingOf(one.path)));
    const text = isSearched ? await textOf(one.file) : '';
    references.set(one, files.filter((other) => other !== one && text && names(text, baseOf(other.path))));
  }
  // A model that another one names is its companion, unless both name each other.
  const named = new Set(files.flatMap((one) => isModel(one) ? references.get(one).filter((other) => !references.get(other).includes(one)) : []));
  const models = files.filter((one) => isModel(one) && !named.has(one));
  const groups = models.map((model) => ({ model, files: [model, ...companionsOf(model, references)] }));
  const taken = new Set(groups.flatMap((group) => group.files));
  const left = [];
  for (const one of files) {
    if (taken.has(one)) continue;
    if (endingOf(one.path) === 'zip') {
      groups.push({ model: one, files: [one] });
      continue;
    }
    const near = groups.filter((group) => stemOf(group.model.path) === stemOf(one.path) && endingOf(group.model.path) !== 'zip');
    const beside = groups.filter((group) => folderOf(one.path).startsWith(folderOf(group.model.path)) && endingOf(group.model.path) !== 'zip');
    const owner = near.length ? near : models.length === 1 || folderOf(one.path) ? beside : [];
    if (owner.length === 1) owner[0].files.push(one);
    else left.push(one);
  }
  const uploads = groups.map(({ model, files: own }) => {
    const common = commonFolder(own.map((one) => one.path));
    const inside = own.map(({ path, file }) => ({ path: path.slice(common.length), file }));
    const name = baseOf(model.path);
    return { name: own.length === 1 ? name : name.replace(/\.[^.]*$/, '') + '.zip', model: model.path, files: inside };
  });
  return { uploads: distinct(uploads), left };
}

/** Two models of one name must not replace each other: "a.fbx" of another folder becomes "folder-a.fbx". */
function distinct(uploads) {
  const seen = new Set();
  for (const one of uploads) {
    const folder = folderOf(one.model).slice(0, -1).replaceAll('/', '-');
    if (seen.has(one.name) && folder) one.name = folder + '-' + one.name;
    for (let i = 2, name = one.name; seen.has(one.name); i++) one.name = name.replace(/(\.[^.]*)?$/, '-' + i + '$1');
    seen.add(one.name);
  }
  return uploads;
}

/**
 * Selects from models that were stored together, as PUT describes each, the one to show and the files whose clips move it; or null. A clip
 * file has clips and no meshes, and the model has the names of most of its moving joints.
 */
export function playOf(models) {
  const shown = models.filter((one) => one.counts.meshes > 0), clips = models.filter((one) => one.counts.meshes === 0 && one.counts.clips > 0);
  if (shown.length !== 1 || !clips.length) return null;
  const known = new Set(shown[0].nodes.map((node) => node.name).filter(Boolean));
  const fits = clips.filter((one) => {
    const names_ = one.nodes.map((node) => node.name).filter(Boolean);
    return names_.filter((name) => known.has(name)).length * 2 >= names_.length && names_.length > 0;
  });
  return fits.length ? { model: shown[0], clipFiles: fits } : null;
}
