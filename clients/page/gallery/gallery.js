/* The page at /: a card for each model. */
// Everything that comes from a model goes into the page as text, never as markup.

const SIDE = 256;           // pixels of a thumbnail
const CAMERA = { yaw: 28, pitch: 8 }; // degrees: half from the side, where depth shows
const FRAMES = 16;          // pictures of one turn of a clip
const SHEET = { captions: 1, columns: 4, background: 'ffffff', width: 256, height: 256 };
const TURNTABLE = { background: 'ffffff', width: 512, height: 512 };
const IN_FLIGHT = 2;        // requests at a time: the renderer has other clients
const TURN_S = [0.5, 8];    // a turn takes the clip's time, within this
const MODELS_MAX = 10000;   // beyond it the page itself would become slow

// First the still, then frames that halve the gaps: a turn looks right long before all frames are there.
const ORDER = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15];

const element = (id) => document.getElementById(id);
const make = (tag, name, text) => {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text) node.textContent = text;
  return node;
};
const link = (path, query) => path + '?' + new URLSearchParams(query);
const bytesText = (n) => n < 1024 ? n + ' B' : n < 1048576 ? (n / 1024).toFixed(0) + ' KB' : (n / 1048576).toFixed(1) + ' MB';
const secondsText = (s) => (+s).toFixed(s < 10 ? 2 : 1) + ' s';

// The server's sentence, from an error answer or a listing's entry.
const sentence = (error, otherwise) =>
  typeof error === 'string' ? error : (error && (error.message || error.code)) || otherwise;

// Where the server wants a token: kept until the tab is closed, sent with every request, never part of an address.
const TOKEN = 'posed-token';
const authorization = () => {
  const token = sessionStorage.getItem(TOKEN);
  return token ? { Authorization: 'Bearer ' + token } : {};
};

async function get(url, signal, method = 'GET') {
  const answer = await fetch(url, { signal, method, headers: authorization() });
  if (answer.ok) return answer;
  if (answer.status === 401) element('sign-in').hidden = false;
  let body = null;
  try { body = await answer.json(); } catch { /* not ours */ }
  const problem = new Error(sentence(body && body.error, 'The server answers ' + answer.status));
  problem.isPassing = answer.status === 503 && !(body && body.error && body.error.code === 'unavailable');
  problem.wait = +(answer.headers.get('Retry-After') || 0);
  throw problem;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Overload is passing: try again later, longer each time.
async function getPatiently(url, signal) {
  for (let tries = 0; ; tries++) {
    try {
      return await get(url, signal);
    } catch (problem) {
      if (!problem.isPassing || tries === 5 || signal.aborted) throw problem;
      await pause(Math.max(problem.wait * 1000, 500 << tries));
    }
  }
}

class Card {
  constructor(entry) {
    this.entry = entry;
    this.name = entry.model;
    this.query = { model: entry.model };
    this.clips = null;
    this.duration = 0;
    this.frames = [];
    this.isVisible = false;
    this.isPointed = false;
    this.isBroken = false;
    this.abort = new AbortController();
    this.build();
  }

  build() {
    this.node = make('li', 'card');
    this.view = make('a', 'view');
    this.view.href = link('/v1/render', { ...this.query, ...CAMERA, width: 1024, height: 1024 });
    this.canvas = make('canvas');
    this.canvas.width = this.canvas.height = SIDE;
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', 'Picture of ' + this.name);
    this.view.append(this.canvas);
    this.facts = make('p', 'facts', bytesText(this.entry.bytes || 0));
    this.select = make('select');
    this.select.hidden = true;
    this.select.setAttribute('aria-label', 'Clip of ' + this.name);
    this.select.onchange = () => { this.renew(); work(); };
    this.error = make('p', 'error');
    this.error.hidden = true;
    const links = make('p', 'links');
    this.pictures = make('p', 'links pictures');
    this.links = Object.fromEntries(['sheet', 'turntable', 'model', 'palette', 'pose'].map((what, i) => {
      const a = make('a', '', what);
      a.href = link('/v1/' + what, this.query);
      (i < 2 ? this.pictures : links).append(a);
      return [what, a];
    }));
    this.links.sheet.title = 'The clip in one picture';
    this.links.turntable.title = 'The model from all around';
    if (uploads !== null && this.name.startsWith(uploads)) {
      const gone = make('button', 'gone', 'Delete');
      gone.type = 'button';
      gone.setAttribute('aria-label', 'Delete ' + this.name);
      gone.onclick = () => this.remove();
      links.append(gone);
    }
    this.node.append(this.view, make('h2', '', this.name), this.facts, this.error, this.select, this.pictures, links);
    for (const on of ['pointerenter', 'focusin']) this.node.addEventListener(on, () => { this.isPointed = true; work(); });
    for (const off of ['pointerleave', 'focusout']) this.node.addEventListener(off, () => { this.isPointed = false; });
    this.node.card = this;
    if (this.entry.state === 'failed') this.fail(sentence(this.entry.error, 'This model could not be read'));
  }

  // A model of a folder that was uploaded goes with its folder.
  async remove() {
    if (!confirm('Delete ' + this.name + '?')) return;
    try {
      await get(fileLink(this.name.slice(uploads.length)), undefined, 'DELETE');
      forgetCard(this);
    } catch (problem) {
      note(problem.message);
    }
  }

  fail(text) {
    this.isBroken = true;
    this.error.textContent = text;
    this.error.hidden = false;
    this.view.hidden = this.pictures.hidden = true;
  }

  // One clip that cannot be drawn says nothing about the others.
  recover() {
    this.isBroken = false;
    this.error.hidden = true;
    this.view.hidden = this.pictures.hidden = false;
  }

  // Links and times follow the chosen clip.
  aim() {
    const clip = this.clips && this.clips[this.select.selectedIndex];
    this.duration = clip ? Math.max(0, +clip.duration || 0) : 0;
    const query = clip ? { ...this.query, clip: this.select.value } : this.query;
    const picture = { ...query, ...(element('what').value && { view: element('what').value }) };
    this.renderQuery = { ...picture, ...CAMERA };
    this.view.href = link('/v1/render', { ...this.renderQuery, width: 1024, height: 1024 });
    this.links.palette.href = link('/v1/palette', { ...query, t: 0 });
    this.links.pose.href = link('/v1/pose', { ...query, t: 0 });
    this.links.sheet.href = link('/v1/sheet', { ...picture, ...CAMERA, ...SHEET });
    this.links.sheet.hidden = this.duration === 0;
    this.links.turntable.href = link('/v1/turntable', { ...picture, ...TURNTABLE });
  }

  forget() {
    this.abort.abort();
    this.abort = new AbortController();
    for (const frame of this.frames) if (frame) frame.close();
    this.frames = [];
  }

  // Other pictures of the same clip; a model that could not be read stays so.
  renew() {
    if (!this.clips) return;
    this.forget();
    this.recover();
    this.aim();
  }

  wantsMotion() { return isMoving || (this.isPointed && !reducedMotion.matches); }

  // What to ask the server for next; null when there is nothing.
  nextTask() {
    if (this.isBroken || !this.isVisible || this.isBusy) return null;
    if (!this.clips) return () => this.loadModel();
    const last = this.duration > 0 && this.wantsMotion() ? FRAMES : 1;
    for (let i = 0; i < last; i++) if (!this.frames[ORDER[i]]) return () => this.loadFrame(ORDER[i]);
    return null;
  }

  // A fraction of how much is there: the emptiest card goes first, so that all fill evenly.
  fullness() { return this.clips ? 1 + this.frames.filter(Boolean).length : 0; }

  async loadModel() {
    const model = await (await getPatiently(link('/v1/model', this.query), this.abort.signal)).json();
    this.clips = model.clips || [];
    this.select.replaceChildren(...this.clips.map((clip, i) => {
      const index = clip.index === undefined ? i : clip.index;
      const option = make('option', '', (clip.name || 'clip ' + index) + ' (' + secondsText(clip.duration || 0) + ')');
      option.value = index;
      return option;
    }));
    this.select.hidden = this.clips.length === 0;
    const joints = (model.skins || []).reduce((sum, skin) => sum + ((skin.joints || []).length || 0), 0);
    this.facts.textContent = [bytesText(this.entry.bytes || 0), this.clips.length + (this.clips.length === 1 ? ' clip' : ' clips'),
      joints + (joints === 1 ? ' joint' : ' joints')].join(' · ');
    this.aim();
  }

  async loadFrame(i) {
    const t = +(i * this.duration / FRAMES).toFixed(4);
    const signal = this.abort.signal;
    const answer = await getPatiently(link('/v1/render', { ...this.renderQuery, t, width: SIDE, height: SIDE }), signal);
    const frame = await createImageBitmap(await answer.blob());
    if (signal.aborted) { frame.close(); return; }
    this.frames[i] = frame;
    if (i === 0) this.draw(0);
  }

  draw(i) {
    while (i > 0 && !this.frames[i]) i--;
    if (!this.frames[i] || this.drawn === this.frames[i]) return;
    const context = this.canvas.getContext('2d');
    context.clearRect(0, 0, SIDE, SIDE);
    context.drawImage(this.frames[i], 0, 0);
    this.drawn = this.frames[i];
  }

  show(now_s) {
    if (!this.isVisible || this.duration === 0 || !this.wantsMotion()) return;
    const turn = Math.min(TURN_S[1], Math.max(TURN_S[0], this.duration));
    this.draw(Math.floor((now_s % turn) / turn * FRAMES));
  }
}

let cards = [];
let uploads = null; // the folder that uploads go to, with its slash; null: this server takes none
const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
let isMoving = !reducedMotion.matches;
let inFlight = 0;

// Starts requests while there is room: pointed-at cards first, then the emptiest.
function work() {
  while (inFlight < IN_FLIGHT && !document.hidden) {
    let best = null, bestRank = Infinity, task = null;
    for (const card of cards) {
      const rank = card.fullness() - (card.isPointed ? 100 : 0);
      const next = rank < bestRank ? card.nextTask() : null;
      if (next) [best, bestRank, task] = [card, rank, next];
    }
    if (!best) return;
    inFlight++;
    best.isBusy = true;
    const { signal } = best.abort; // aborted: what went wrong is of a clip no longer shown
    task().catch((problem) => { if (!signal.aborted) best.fail(problem.message); })
      .finally(() => { inFlight--; best.isBusy = false; work(); });
  }
}

const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    target.card.isVisible = isIntersecting;
    if (!isIntersecting) target.card.forget();
  }
  work();
}, { rootMargin: '100px' });

function filter() {
  const words = element('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const card of cards) {
    const isShown = words.every((word) => card.name.toLowerCase().includes(word));
    card.node.hidden = !isShown;
    shown += isShown;
  }
  element('count').textContent = (shown === cards.length ? '' : shown + ' of ') + cards.length +
    (cards.length === 1 ? ' model' : ' models');
}

function note(text) {
  element('note').textContent = text;
  element('note').hidden = false;
}

function showMotion() {
  element('motion').textContent = isMoving ? 'Pause' : 'Play';
}

async function list() {
  let after = '';
  do {
    const page = await (await get(link('/v1/models', after ? { after } : {}))).json();
    const added = (page.models || []).map((entry) => new Card(entry));
    cards = cards.concat(added);
    element('models').append(...added.map((card) => card.node));
    for (const card of added) observer.observe(card.node);
    after = page.next || '';
    filter();
  } while (after && cards.length < MODELS_MAX);
  if (after) note('The first ' + cards.length + ' models are shown.');
  if (!cards.length) note('No models here yet. Put files such as .glb, .gltf, .fbx or .dae under the folder that --root names, and reload.');
}

// --- uploads ---

const fileLink = (name) => '/v1/models/' + name.split('/').map(encodeURIComponent).join('/');

function forgetCard(card) {
  observer.unobserve(card.node);
  card.forget();
  card.node.remove();
  cards = cards.filter((one) => one !== card);
  filter();
}

function showModel(name, bytes) {
  const older = cards.find((card) => card.name === name);
  const card = new Card({ model: name, bytes });
  if (older) older.node.replaceWith(card.node); else element('models').prepend(card.node);
  if (older) forgetCard(older);
  cards.unshift(card);
  observer.observe(card.node);
  element('note').hidden = true;
  filter();
}

// PKWARE's APPNOTE.TXT 6.3.10, 4.3: entries without compression, names in UTF-8.
const CRC_TABLE = Array.from({ length: 256 }, (_, i) => {
  for (let bit = 0; bit < 8; bit++) i = i & 1 ? (i >>> 1) ^ 0xedb88320 : i >>> 1;
  return i >>> 0;
});
function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

async function zip(files) {
  const parts = [], directory = [];
  let offset = 0;
  for (const { path, file } of files) {
    const name = new TextEncoder().encode(path), bytes = new Uint8Array(await file.arrayBuffer());
    // from "version needed" to "extra field length": UTF-8 flag, stored, 1980-01-01
    const fields = (view, at) => {
      [20, 0x0800, 0, 0, 0x21].forEach((value, i) => view.setUint16(at + 2 * i, value, true));
      [crc32(bytes), bytes.length, bytes.length].forEach((value, i) => view.setUint32(at + 10 + 4 * i, value, true));
      view.setUint16(at + 22, name.length, true);
    };
    const local = new DataView(new ArrayBuffer(30)), central = new DataView(new ArrayBuffer(46));
    local.setUint32(0, 0x04034b50, true);
    fields(local, 4);
    central.setUint32(0, 0x02014b50, true);
    central.setUint16(4, 20, true);
    fields(central, 6);
    central.setUint32(42, offset, true);
    parts.push(local, name, bytes);
    directory.push(central, name);
    offset += 30 + name.length + bytes.length;
  }
  const size = directory.reduce((sum, part) => sum + part.byteLength, 0);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, files.length, true);
  end.setUint16(10, files.length, true);
  end.setUint32(12, size, true);
  end.setUint32(16, offset, true);
  return new Blob([...parts, ...directory, end]);
}

// fetch() cannot tell how far an upload is.
const put = (name, body, onProgress) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.open('PUT', fileLink(name));
  for (const [key, value] of Object.entries(authorization())) request.setRequestHeader(key, value);
  request.upload.onprogress = (event) => onProgress(event.loaded / Math.max(1, event.total));
  request.onerror = () => reject(new Error('The connection broke'));
  request.onload = () => {
    let answer = null;
    try { answer = JSON.parse(request.responseText); } catch { /* not ours */ }
    if (request.status === 401) element('sign-in').hidden = false;
    if (request.status < 300) resolve(answer);
    else reject(new Error(sentence(answer && answer.error, 'The server answers ' + request.status)));
  };
  request.send(body);
});

// One file goes as it is, several as a zip that is called as their folder or as the first of them that is no picture.
async function upload(files) {
  if (!files.length) return;
  const row = make('li'), progress = make('progress'), text = make('span');
  progress.max = 1;
  row.append(progress, text);
  element('coming').append(row);
  let name = files[0].path;
  try {
    let body = files[0].file;
    if (files.length > 1) {
      const tops = new Set(files.map(({ path }) => path.split('/')[0]));
      const main = files.find(({ path }) => !/\.(png|jpe?g|webp|tga|bmp|bin|mtl|txt|md)$/i.test(path)) || files[0];
      const folder = tops.size === 1 ? [...tops][0] : main.path.replace(/\.[^.]*$/, '');
      name = folder + '.zip';
      text.textContent = name;
      body = await zip(tops.size === 1 ? files.map(({ path, file }) => ({ path: path.split('/').slice(1).join('/'), file })) : files);
    }
    text.textContent = name;
    const model = await put(name, body, (share) => { progress.value = share; });
    showModel(model.model, body.size);
    row.remove();
  } catch (problem) {
    progress.remove();
    row.className = 'error';
    text.textContent = problem.message.startsWith(name) ? problem.message : name + ': ' + problem.message;
  }
}

// Files of a dropped folder, with their paths.
async function entriesOf(entry, path = '') {
  if (entry.isFile) return [{ path: path + entry.name, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) }];
  const reader = entry.createReader(), found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return found;
    for (const one of some) if (!one.name.startsWith('.')) found.push(...await entriesOf(one, path + entry.name + '/'));
  }
}

// What was dropped; from an archive, a mail or another program a file may come without an entry.
async function filesOf(item) {
  const entry = item.webkitGetAsEntry(), file = item.getAsFile();
  if (entry) return entriesOf(entry);
  return file ? [{ path: file.name, file }] : [];
}

function welcomeUploads() {
  const drop = element('drop');
  drop.hidden = false;
  const over = (isOver) => (event) => { event.preventDefault(); drop.classList.toggle('over', isOver); };
  addEventListener('dragover', over(true));
  addEventListener('dragleave', over(false));
  addEventListener('drop', async (event) => {
    over(false)(event);
    const files = await Promise.all([...event.dataTransfer.items].map(filesOf)).catch((problem) => note(problem.message));
    if (files) upload(files.flat());
  });
  element('files').onchange = ({ target }) => {
    upload([...target.files].map((file) => ({ path: file.name, file })));
    target.value = '';
  };
}

async function begin() {
  uploads = (await (await get('/v1/version')).json()).uploads;
  if (uploads !== null) welcomeUploads();
  await list();
}

function setMotion(isWanted) {
  isMoving = isWanted;
  showMotion();
  work();
}

// A link cannot carry the token: the answer is fetched and shown instead.
async function follow(event) {
  const anchor = event.target.closest('a');
  if (!anchor || !sessionStorage.getItem(TOKEN)) return;
  event.preventDefault();
  const answer = await get(anchor.href).catch((problem) => note(problem.message));
  if (answer) location.assign(URL.createObjectURL(await answer.blob()));
}

element('sign-in').onsubmit = (event) => {
  event.preventDefault();
  sessionStorage.setItem(TOKEN, element('token').value);
  location.reload();
};
element('models').addEventListener('click', follow);
element('search').oninput = filter;
element('what').onchange = () => { for (const card of cards) card.renew(); work(); };
element('motion').onclick = () => setMotion(!isMoving);
reducedMotion.addEventListener('change', () => setMotion(!reducedMotion.matches));
document.addEventListener('visibilitychange', work);
showMotion();
begin().catch((problem) => note('The models could not be listed: ' + problem.message));

let lastShown = 0;
function tick(now) {
  if (now - lastShown > 40) {
    lastShown = now;
    for (const card of cards) card.show(now / 1000);
  }
  requestAnimationFrame(tick);
}
requestAnimationFrame(tick);
