/** Uploads: files that are dropped or chosen, their progress, and the pages that they lead to. */
import { make, byId } from '../common/dom.js';
import { authorization, get, link, modelLink, pathOf, Problem } from '../common/http.js';
import { planUploads, playOf } from './upload_plan.js';
import { zip } from './zip.js';

/** What the server lacks, by uploads_lack of /v1/version, in words for the person who starts it. */
const LACKS = {
  folder: ['This server takes no uploads. Start it with ', '--uploads DIR', ', a folder beneath its root; a container with ', '-e POSED_UPLOADS=/models/uploads',
    ' and a volume for that folder.'],
  token: ['This server takes no uploads: on an address that is not loopback they need a token. Start it with ', '--token-file FILE', ' (a container with ',
    '-e POSED_TOKEN_FILE=/run/secrets/posed', ').'],
};

/** Uses XMLHttpRequest, because fetch() does not report the progress of an upload. folder: where the model will be, for a balancer. */
const put = (folder, name, body, onProgress) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.open('PUT', link('v1/models/' + pathOf(name), { route: folder + name }));
  for (const [key, value] of Object.entries(authorization())) request.setRequestHeader(key, value);
  request.upload.onprogress = (event) => onProgress(event.loaded / Math.max(1, event.total));
  request.onerror = () => reject(new Problem('The connection broke', { isPassing: true }));
  request.onload = () => {
    let body = null;
    try { body = JSON.parse(request.responseText); } catch { /* not posed's response */ }
    if (request.status < 300) resolve(body);
    else reject(new Problem((body && body.error && body.error.message) || 'The server answers ' + request.status, { status: request.status }));
  };
  request.send(body);
});

/** Returns the files of a dropped folder, with their paths. */
async function entriesOf(entry, path = '') {
  if (entry.isFile) return [{ path: path + entry.name, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) }];
  const reader = entry.createReader(), found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return found;
    for (const one of some) if (!one.name.startsWith('.')) found.push(...await entriesOf(one, path + entry.name + '/'));
  }
}

/** Returns the files of a dropped item. A file from an archive, a mail or another program may come without an entry. */
async function filesOf(item) {
  const entry = item.webkitGetAsEntry(), file = item.getAsFile();
  if (entry) return entriesOf(entry);
  return file ? [{ path: file.name, file }] : [];
}

export class Uploads {
  /** @param {{onStored: function(), onNote: function(string)}} page */
  constructor(page) {
    this.page = page;
    this.folder = null;    // under the root, with its slash; null: the server accepts no uploads
    this.lack = null;
    this.again = null;     // uploads that need a token first
    this.list = byId('coming').querySelector('ul');
    byId('upload').addEventListener('click', () => this.folder === null ? this.sayLack() : byId('files').click());
    byId('files').addEventListener('change', ({ target }) => {
      this.take([...target.files].map((file) => ({ path: file.name, file })));
      target.value = '';
    });
    byId('coming').querySelector('button').addEventListener('click', () => { byId('coming').hidden = true; this.list.replaceChildren(); });
    this.watchDrops();
  }

  async begin() {
    const version = await (await get('v1/version')).json();
    this.folder = version.uploads;
    this.lack = version.uploads_lack;
  }

  sayLack() {
    const parts = LACKS[this.lack] || ['This server takes no uploads.'];
    byId('lack').replaceChildren(make('span', {}, ...parts.map((part, i) => i % 2 ? make('code', {}, part) : part)),
      make('button', { type: 'button', class: 'plain', onclick: () => { byId('lack').hidden = true; } }, 'Close'));
    byId('lack').hidden = false;
    byId('lack').scrollIntoView({ block: 'nearest' });
  }

  watchDrops() {
    let depth = 0; // number of elements under the pointer
    const over = byId('over');
    const hasFiles = (event) => [...(event.dataTransfer ? event.dataTransfer.types : [])].includes('Files');
    const show = (isOver) => {
      over.hidden = !isOver;
      over.querySelector('p').textContent = this.folder === null ? 'This server takes no uploads' : 'Drop models here, with their textures and clips';
    };
    addEventListener('dragenter', (event) => { if (hasFiles(event)) { depth++; show(true); event.preventDefault(); } });
    addEventListener('dragover', (event) => { if (hasFiles(event)) event.preventDefault(); });
    addEventListener('dragleave', (event) => { if (hasFiles(event) && --depth <= 0) show(false); });
    addEventListener('drop', async (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      show(false);
      const items = [...event.dataTransfer.items].map(filesOf); // read them now: they are gone later
      if (this.folder === null) { await Promise.allSettled(items); this.sayLack(); return; }
      try { await this.take((await Promise.all(items)).flat()); } catch (problem) { this.page.onNote(problem.message); }
    });
  }

  row(text) {
    const progress = make('progress', { max: 1, value: 0, 'aria-label': text }), words = make('span', {}, text);
    const node = make('li', {}, progress, words);
    byId('coming').hidden = false;
    this.list.append(node);
    return {
      progress: (share) => { progress.value = share; },
      stored: (model) => { progress.remove(); words.replaceChildren('Stored: ', make('a', { href: modelLink(model) }, model)); },
      failed: (problem) => {
        progress.remove();
        words.className = 'error';
        const why = problem.status === 401 ? 'it waits for the token' : problem.message;
        words.textContent = why.startsWith(text) ? why : text + ': ' + why;
      },
    };
  }

  async store(one) {
    const row = this.row(one.name);
    try {
      const model = await put(this.folder, one.name, one.files.length === 1 ? one.files[0].file : await zip(one.files), row.progress);
      row.stored(model.model);
      return model;
    } catch (problem) {
      row.failed(problem);
      if (problem.status === 401) this.wantToken(one);
      return null;
    }
  }

  /** Sends refused uploads again after the visitor has signed in. */
  wantToken(one) {
    if (!this.again) this.again = [];
    this.again.push(one);
    this.page.onToken();
  }

  async resume() {
    const again = this.again || [];
    this.again = null;
    this.list.replaceChildren();
    await this.storeAll(again);
  }

  async storeAll(uploads) {
    const stored = [];
    for (const one of uploads) {
      const model = await this.store(one);
      if (model) stored.push(model);
    }
    if (!stored.length) return;
    this.page.onStored();
    const play = playOf(stored);
    if (play) location.assign(modelLink(play.model.model, { clip_file: play.clipFiles.map((one) => one.model) }));
    else if (stored.length === 1 && uploads.length === 1) location.assign(modelLink(stored[0].model));
  }

  /** Takes files that were dropped together. */
  async take(files) {
    if (!files.length) return;
    if (this.folder === null) { this.sayLack(); return; }
    const { formats } = await (await get('v1/formats')).json();
    const { uploads, left } = await planUploads(files, formats);
    for (const one of left) this.row(one.path).failed(new Problem('no model of these names it, so it was left out'));
    await this.storeAll(uploads);
  }
}
