/** The buttons that save and share: picture, sheet, turntable, GLB, a line for curl, code for a frame. */
import { icon, make } from '../common/dom.js';
import { baseName } from '../common/format.js';
import { absolute, get, link, pathOf, token } from '../common/http.js';
import { copy, save } from '../common/save.js';
import { givenQuery, layersOf, pictureQuery, writeState } from './state.js';

const ICONS = {
  picture: ['M4 5h16v14H4z', 'M4 16l5-5 4 4 3-3 4 4', 'M15.5 9.5h.01'], sheet: ['M4 4h7v7H4z', 'M13 4h7v7h-7z', 'M4 13h7v7H4z', 'M13 13h7v7h-7z'],
  turntable: ['M12 4c5 0 9 2 9 4.5S17 13 12 13 3 11 3 8.500 7 4 12 4z', 'M3 14c0 2.500 4 5 9 5', 'M9 16l3 3-3 3'], glb: ['M12 3l8 4.500v9L12 21l-8-4.500v-9z', 'M12 12l8-4.500', 'M12 12v9', 'M12 12L4 7.500'],
  link: ['M10 14a4 4 0 0 0 6 .500l3-3a4 4 0 0 0-6-6l-1.500 1.500', 'M14 10a4 4 0 0 0-6-.500l-3 3a4 4 0 0 0 6 6l1.500-1.500'], curl: ['M4 17l6-5-6-5', 'M12 19h8'], embed: ['M8 6l-6 6 6 6', 'M16 6l6 6-6 6'],
};
const SIDE = 1024, DONE_MS = 2500;
const SHEET = { frames: 8, captions: 1, width: 256, height: 256, background: 'ffffff' };
const TURNTABLE = { width: 512, height: 512, background: 'ffffff' };

/** Quotes text for a shell, with its own quotes escaped. */
const quoted = (text) => "'" + text.replaceAll("'", "'\\''") + "'";
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** Which pages may show its page in a frame, by a policy (https://www.w3.org/TR/CSP3/#directive-frame-ancestors): 'none', 'self' or
 * 'some'. */
function framersOf(policy) {
  const [, list] = /(?:^|;)\s*frame-ancestors\s+([^;]*)/.exec(policy || '') || [];
  const names = (list || '').trim().split(/\s+/);
  return names.every((name) => name === "'none'") ? 'none' : names.every((name) => name === "'self'") ? 'self' : 'some';
}
/** Hints for the visitor; every other part of the text is code. */
const FRAMERS = {
  none: ['No page can show it yet: this server must be started with the addresses of the pages that may, such as ', '--frame-ancestors https://wiki.example', '.'],
  self: ['Only pages of this server\'s own address can show it. For others it must be started with their addresses, such as ', '--frame-ancestors self,https://wiki.example', '.'],
};

export class Actions {
  /**
   * @param {HTMLElement} root is filled
   * @param {{model: string, state: function(): Object, time_s: function(): number, say: function(string), fail: function(string)}} page
   */
  constructor(root, page) {
    this.page = page;
    const button = (key, word, title, work) => {
      const node = make('button', { type: 'button', title, onclick: () => this.run(node, work) }, icon(...ICONS[key]), make('span', { class: 'word' }, word));
      node.setAttribute('aria-label', title);
      return node;
    };
    root.append(
      button('picture', 'Picture', 'Save a picture of this view (PNG)', () => this.picture()),
      button('sheet', 'Sheet', 'Save the clip as a contact sheet (PNG)', () => this.sheet()),
      button('turntable', 'Turntable', 'Save a turntable (animated PNG)', () => this.turntable()),
      button('glb', 'GLB', 'Save the model as a GLB file', () => this.glb()),
      button('link', 'Link', 'Copy a link to this view', () => this.copied(this.viewLink(), 'The link')),
      button('curl', 'curl', 'Copy a curl command for this picture', () => this.copied(this.curl(), 'The command')),
      button('embed', 'Embed', 'Copy code that shows this in another page', () => this.shareFrame()));
    this.dialog = make('dialog', { 'aria-labelledby': 'copy-title' });
    document.body.append(this.dialog);
  }

  async run(button, work) {
    if (button.getAttribute('aria-busy') === 'true') return;
    button.setAttribute('aria-busy', 'true');
    try {
      const said = await work();
      if (said === null) return;
      this.page.say(said);
      button.classList.add('done');
      const word = button.querySelector('.word'), usual = word.dataset.usual || (word.dataset.usual = word.textContent);
      word.textContent = said.startsWith('Saved') ? 'Saved' : 'Copied';
      setTimeout(() => { button.classList.remove('done'); word.textContent = usual; }, DONE_MS);
    } catch (problem) {
      this.page.fail(problem.message);
    } finally {
      button.setAttribute('aria-busy', 'false');
    }
  }

  /** A request for what the page shows: its address, and a body if clips are blended. */
  request(path, more, hasTime = true) {
    const state = this.page.state(), layers = layersOf(state);
    const url = link(path, { ...pictureQuery(this.page.model, state, hasTime || layers ? this.page.time_s() : undefined), ...more });
    return { url, body: layers && JSON.stringify({ layers }) };
  }

  async save(path, more, word, hasTime) {
    const { url, body } = this.request(path, more, hasTime);
    const name = baseName(this.page.model).replace(/\.[^.]*$/, '') + '-' + word;
    return 'Saved ' + await save(url, name, body ? { method: 'POST', headers: { 'Content-Type': 'application/json' }, body } : {});
  }

  picture() { return this.save('v1/render', { width: SIDE, height: SIDE }, (this.page.state().clip || 'picture').replace(/[^\w-]+/g, '_') + '.png'); }

  sheet() {
    const state = this.page.state(), background = state.background || SHEET.background;
    const isBlend = Boolean(state.blend); // a blend has no length of its own, so times are needed
    const frames = isBlend ? { frames: null, t: `0:${this.page.duration_s().toFixed(4)}:${(7 / Math.max(0.01, this.page.duration_s())).toFixed(4)}` } : {};
    return this.save('v1/sheet', { ...SHEET, background, ...frames }, 'sheet.png', false);
  }

  turntable() { return this.save('v1/turntable', { ...TURNTABLE, background: this.page.state().background || TURNTABLE.background }, 'turntable.png'); }

  /** The model with all clips; with a pose on top the one clip that is shown, in this pose. */
  async glb() {
    const { model } = this.page, state = this.page.state(), given = givenQuery(state), { clip, clip_file, clip_files, retarget } = state;
    const all = { model, clip_file: clip_files, retarget: clip_files.length && retarget ? 'rest' : null };
    const isPosed = Object.keys(given).length > 0, isOwn = !state.blend && !clip_file;
    const layers = isPosed && !isOwn ? (layersOf(state) ?? [{ clip }]).map((layer) => ({ ...(clip_file && { clip_file }), ...layer })) : null;
    const query = !isPosed ? all : isOwn ? { model, clips: clip, ...given } : { model, retarget: clip_file && retarget ? 'rest' : null, ...given };
    return 'Saved ' + await save(link('v1/export', query), baseName(model) + '.glb', layers ? { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ layers }) } : {});
  }

  viewLink() { return absolute(link('m/' + pathOf(this.page.model), writeState({ ...this.page.state() }))); }

  curl() {
    const { url, body } = this.request('v1/render', { width: SIDE, height: SIDE });
    return ['curl', token() && '-H "Authorization: Bearer $POSED_TOKEN"', quoted(absolute(url)), body && "-H 'Content-Type: application/json' -d " + quoted(body), '-o picture.png'].filter(Boolean).join(' ');
  }

  embed() {
    const url = absolute(link('embed/' + pathOf(this.page.model), writeState({ ...this.page.state() })));
    return `<iframe src="${escaped(url)}" title="${escaped(baseName(this.page.model))}" width="640" height="420" loading="lazy" allowfullscreen style="border:0"></iframe>`;
  }

  /** Shows the code for a frame, and which pages may use it: the policy of the frame's page says so. */
  async shareFrame() {
    const code = this.embed();
    const framed = get(link('embed/' + pathOf(this.page.model)), undefined, { method: 'HEAD' }).then((response) => framersOf(response.headers.get('Content-Security-Policy')));
    return this.copied(code, 'The code', FRAMERS[await framed.catch(() => 'some')]);
  }

  async copied(text, what, more = null) {
    const isCopied = await copy(text);
    if (isCopied && !more) return what + ' is copied';
    this.show(text, what + (isCopied ? ' is copied' : ''), more);
    return isCopied ? what + ' is copied' : null;
  }

  /** Shows the text itself, if the clipboard is not available or there is more to say. */
  show(text, title, more) {
    const field = make('textarea', { readonly: true, 'aria-label': title });
    field.value = text;
    this.dialog.replaceChildren(make('h2', { id: 'copy-title' }, title), field, more && make('p', { class: 'notice' }, make('span', {}, ...more.map((part, i) => i % 2 ? make('code', {}, part) : part))),
      make('div', { class: 'row' }, make('button', { type: 'button', class: 'primary', onclick: () => this.dialog.close() }, 'Close')));
    this.dialog.showModal();
    field.select();
    field.scrollTop = 0;
  }
}
