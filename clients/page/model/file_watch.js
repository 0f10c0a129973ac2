/** Notices that files of the server change while a page shows them. */
import { get, link, pause } from '../common/http.js';
import { folderOf } from '../common/format.js';

const POLL_MS = 3000;   // as in the gallery
const WHOLE_EACH = 5;   // looks: files beside a model (textures, buffers) are in no folder's version
const SETTLING = 10;    // looks after a change: several files of a model may arrive one after the other
const WAIT_MAX_MS = 15000;

/**
 * Asks for the folders' versions, which costs the server almost nothing. It asks for a model itself if its folder's version changes, when
 * the visitor comes back to the tab, and from time to time.
 *
 * Events: "changed" (detail: {path, description}), "gone" (detail: {path}), "broken" (detail: {path, problem}); "same" (detail: {path}) if
 * a file that was gone or broken is back unchanged.
 */
export class FileWatch extends EventTarget {
  constructor() {
    super();
    this.files = new Map();   // path: {tag, trouble}
    this.folders = new Map(); // folder: {tag, version}
    this.settling = 0;
    this.isRunning = false;
    this.wake = () => {};
    const lookAtAll = () => { if (!document.hidden) { this.isWhole = true; this.wake(); } };
    document.addEventListener('visibilitychange', lookAtAll);
    addEventListener('focus', lookAtAll);
  }

  tell(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }

  /** Follows `path` from `response`, the response of /v1/model; without a response, from its state at the next look. */
  follow(path, response = null) {
    this.files.set(path, { tag: response ? response.headers.get('ETag') : null, trouble: response ? '' : 'unknown' });
    if (!this.isRunning) this.run();
  }

  /** Follows only these files. */
  keep(paths) { for (const path of this.files.keys()) if (!paths.includes(path)) this.files.delete(path); }

  /** Looks at once. */
  look() {
    this.isWhole = true;
    this.wake();
  }

  async run() {
    this.isRunning = true;
    let failures = 0;
    for (let i = 1; ; i++) {
      const wait_ms = failures ? Math.min(WAIT_MAX_MS, POLL_MS * 2 ** failures) : POLL_MS;
      await Promise.race([pause(wait_ms * (0.8 + 0.4 * Math.random())), new Promise((resolve) => { this.wake = resolve; })]);
      if (document.hidden) continue;
      try {
        await this.round(i % WHOLE_EACH === 0);
        failures = 0;
      } catch {
        failures++; // the visitor's own requests report a server that is away
      }
    }
  }

  async round(isTurn) {
    const isWhole = isTurn || this.isWhole || this.settling > 0;
    this.isWhole = false;
    this.settling = Math.max(0, this.settling - 1);
    const changed = new Set();
    for (const folder of new Set([...this.files.keys()].map(folderOf))) if (await this.hasChanged(folder)) changed.add(folder);
    for (const path of [...this.files.keys()]) if (isWhole || changed.has(folderOf(path))) await this.check(path);
  }

  async ask(url, tag) {
    try {
      return await get(url, undefined, { cache: 'no-store', headers: tag ? { 'If-None-Match': tag } : {} });
    } catch (problem) {
      if (problem.status === 304) return null;
      throw problem;
    }
  }

  async hasChanged(folder) {
    const known = this.folders.get(folder);
    const response = await this.ask(link('v1/models', { folders: 1, prefix: folder, limit: 1 }), known && known.tag);
    if (!response) return false;
    const [found] = (await response.json()).folders;
    const version = found && found.folder === folder ? found.version : null; // its last model may have gone
    this.folders.set(folder, { tag: response.headers.get('ETag'), version });
    return !known || known.version !== version;
  }

  async check(path) {
    const file = this.files.get(path);
    if (!file) return;
    let response = null;
    try {
      response = await this.ask(link('v1/model', { model: path }), file.tag);
    } catch (problem) {
      if (problem.isPassing || problem.status === 401) throw problem;
      this.trouble(path, file, problem);
      return;
    }
    if (this.files.get(path) !== file) return;
    const wasTrouble = file.trouble;
    file.trouble = '';
    if (response) {
      file.tag = response.headers.get('ETag');
      this.settling = SETTLING;
      this.tell('changed', { path, description: await response.json() });
    } else if (wasTrouble) {
      this.tell('same', { path });
    }
  }

  trouble(path, file, problem) {
    if (this.files.get(path) !== file || file.trouble === problem.message) return;
    file.trouble = problem.message;
    this.settling = SETTLING;
    if (problem.code === 'model_not_found' || problem.code === 'not_found') this.tell('gone', { path });
    else this.tell('broken', { path, problem });
  }
}
