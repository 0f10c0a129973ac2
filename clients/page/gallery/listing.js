/** The server's models and folders, kept up to date with its disk. */
import { get, getPatiently, link, pause } from '../common/http.js';
import { comparePaths } from './filter.js';

const POLL_MS = 3000;        // how soon a change on disk appears
const POLL_WAIT_MAX_MS = 15000;
const WHOLE_FROM = 8;        // from this number of changed folders on, the whole list is fetched

/**
 * Events: "change" when entries or folders have changed; "gone" (detail: the Problem) and "back" when the server goes away and
 * comes back; "loaded" when the first list is complete.
 *
 * An entry is an entry of /v1/models.
 */
export class Listing extends EventTarget {
  constructor() {
    super();
    this.byPath = new Map();
    this.entries = []; // sorted for people
    this.folders = [];
    this.tag = null;
    this.isGone = false;
    this.isLoaded = false;
    this.wake = () => {};
  }

  tell(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }

  settle() {
    this.entries = [...this.byPath.values()].sort((a, b) => comparePaths(a.model, b.model));
    this.tell('change');
  }

  /** Asks for pages until the last one; `onPage` receives the entries of each. */
  async pages(query, member, onPage, signal) {
    let after = null;
    do {
      const page = await (await getPatiently(link('v1/models', { ...query, after }), signal, { onWait: (problem) => this.lose(problem) })).json();
      this.find();
      onPage(page[member] || []);
      after = page.next;
    } while (after !== null && after !== undefined);
  }

  /** Replaces the models whose paths begin with `prefix`. */
  async renew(prefix, signal) {
    const fresh = new Map();
    await this.pages({ prefix }, 'models', (entries) => {
      for (const entry of entries) fresh.set(entry.model, entry);
      if (!this.isLoaded && fresh.size <= 1000) { // show the first pages while the others are on their way
        for (const entry of entries) this.byPath.set(entry.model, entry);
        this.settle();
      }
    }, signal);
    for (const path of this.byPath.keys()) if (path.startsWith(prefix)) this.byPath.delete(path);
    for (const [path, entry] of fresh) this.byPath.set(path, entry);
  }

  async renewFolders(response, signal) {
    const folders = (await response.json());
    let all = folders.folders;
    if (folders.next !== null) await this.pages({ folders: 1, after: folders.next }, 'folders', (more) => { all = all.concat(more); }, signal);
    const before = new Map(this.folders.map((one) => [one.folder, one.version]));
    const now = new Map(all.map((one) => [one.folder, one.version]));
    const changed = [...new Set([...before.keys(), ...now.keys()])].filter((folder) => before.get(folder) !== now.get(folder));
    const isWhole = !this.isLoaded || changed.includes('') || changed.length >= WHOLE_FROM;
    for (const prefix of isWhole ? [''] : changed) await this.renew(prefix, signal);
    this.folders = all;
    this.tag = response.headers.get('ETag');
    this.settle();
  }

  lose(problem) {
    if (!this.isGone) this.tell('gone', problem);
    this.isGone = true;
  }

  find() {
    if (this.isGone) this.tell('back');
    this.isGone = false;
  }

  /** Looks once for changes. Throws temporary and permanent failures. */
  async look(signal) {
    let response;
    try {
      response = await get(link('v1/models', { folders: 1 }), signal, { headers: this.tag ? { 'If-None-Match': this.tag } : {}, cache: 'no-store' });
    } catch (problem) {
      if (problem.status !== 304) throw problem;
    }
    this.find();
    if (response) await this.renewFolders(response, signal);
    if (!this.isLoaded) {
      this.isLoaded = true;
      this.tell('loaded');
    }
  }

  /** Follows the server until the signal is aborted. Throws if the first list is refused. */
  async follow(signal) {
    for (let failures = 0; !signal.aborted;) {
      if (!document.hidden || !this.isLoaded) {
        try {
          await this.look(signal);
          failures = 0;
        } catch (problem) {
          if (signal.aborted) return;
          if (!problem.isPassing && !this.isLoaded) throw problem;
          failures++;
          if (problem.isPassing) this.lose(problem);
        }
      }
      const wait_ms = failures ? Math.min(POLL_WAIT_MAX_MS, 500 * 2 ** (failures - 1)) : POLL_MS;
      await Promise.race([pause(wait_ms * (0.8 + 0.4 * Math.random())), new Promise((resolve) => { this.wake = resolve; })]);
    }
  }

  /** Gets the server's entry of one model. */
  async refresh(path, signal) {
    const page = await (await getPatiently(link('v1/models', { prefix: path, limit: 1 }), signal)).json();
    const [entry] = page.models;
    if (!entry || entry.model !== path || !this.byPath.has(path)) return;
    Object.assign(this.byPath.get(path), entry);
    this.tell('known', path);
  }
}
