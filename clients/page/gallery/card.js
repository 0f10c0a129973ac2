/** A model in the gallery: its picture, its name, and its counts. */
import { baseName, bytesText, countText, folderOf } from '../common/format.js';
import { make } from '../common/dom.js';
import { modelLink } from '../common/http.js';
import { movingLinks, stillLink } from './pictures.js';

const sentenceOf = (error) => typeof error === 'string' ? error : (error && (error.message || error.code)) || 'This model could not be read';

/** Returns ["3 clips", "41 joints"], or nothing while the server has not read the model. */
function countsOf({ counts }) {
  if (!counts) return [];
  return [counts.clips ? countText(counts.clips, 'clip') : 'no clips', counts.joints ? countText(counts.joints, 'joint') : 'no joints'];
}

export class Card {
  /**
   * @param {Object} entry of the listing
   * @param {Object} place {folder, view, side, canDelete, onDelete}: `folder` is left out of the name
   */
  constructor(entry, place) {
    this.entry = entry;
    this.place = place;
    this.name = entry.model;
    this.abort = new AbortController();
    this.isPointed = this.wantsMotion = false;
    this.still = this.moving = null; // addresses of the pictures for the image
    this.isStillDone = this.isMovingDone = this.isBusy = this.isMovingBusy = false;
    this.build();
    this.update();
  }

  build() {
    const shown = this.name.slice(this.place.folder.length);
    this.image = make('img', { alt: '', draggable: 'false' });
    this.mark = make('span', { class: 'mark', 'aria-hidden': 'true' });
    this.waiting = make('span', { class: 'waiting', hidden: true }, 'Waiting for the server');
    this.error = make('span', { class: 'error', hidden: true });
    this.picture = make('span', { class: 'picture' }, this.image, this.mark, this.waiting, this.error);
    this.facts = make('span', { class: 'facts' });
    const within = folderOf(shown);
    this.link = make('a', { href: modelLink(this.name), title: this.name, draggable: 'false' }, this.picture,
      make('span', { class: 'name' }, within ? make('span', { class: 'within' }, within) : null, make('span', { class: 'base' }, baseName(shown))), this.facts);
    this.node = make('li', { class: 'card' }, this.link);
    this.node.card = this;
    if (this.place.canDelete) {
      this.node.append(make('button', { type: 'button', class: 'delete', 'aria-label': 'Delete ' + this.name, title: 'Delete', onclick: () => this.place.onDelete(this) }, '\u2715'));
    }
  }

  /** The entry has changed. */
  update() {
    const { entry } = this;
    const warnings = (entry.counts && entry.counts.warnings) || 0;
    const counts = countsOf(entry).join(' \u00b7 ');
    this.facts.replaceChildren(...[warnings ? make('span', { class: 'warn' }, countText(warnings, 'warning')) : '', counts,
      make('span', { class: 'size' }, (counts ? ' \u00b7 ' : '') + bytesText(entry.bytes || 0))].filter(Boolean));
    if (warnings) this.facts.firstChild.after(' \u00b7 ');
    this.facts.classList.toggle('read', Boolean(counts));
    if (entry.state === 'failed') this.fail(sentenceOf(entry.error));
  }

  /** The file has changed: everything is requested again. */
  renew(entry) {
    this.entry = entry;
    this.forget();
    this.isBroken = false;
    this.error.hidden = true;
    this.update();
  }

  fail(text) {
    this.isBroken = true;
    this.error.textContent = text;
    this.error.hidden = false;
    this.node.classList.add('broken');
    this.mark.hidden = this.waiting.hidden = true;
    this.image.hidden = true;
  }

  /** Drops pictures and requests: the card is out of view, or shows another model. */
  forget() {
    this.abort.abort();
    this.abort = new AbortController();
    for (const url of [this.still, this.moving]) if (url) URL.revokeObjectURL(url);
    this.still = this.moving = null;
    this.isStillDone = this.isMovingDone = false;
    this.image.removeAttribute('src');
    this.node.classList.remove('drawn', 'moving', 'broken');
    this.mark.hidden = this.image.hidden = false;
    this.waiting.hidden = true;
  }

  get version() { return this.entry.modified + ' ' + this.entry.bytes; }
  get hasClips() { return Boolean(this.entry.counts && this.entry.counts.clips > 0); }

  /** Returns the next request to the server: [rank, task], lower first; null: none. */
  nextTask(queue, wantsMotion) {
    this.wantsMotion = wantsMotion;
    if (this.isBroken || this.isBusy) return null;
    if (!this.isStillDone) return [this.isPointed ? 0 : 1, () => this.load(queue, false)];
    if (wantsMotion && this.hasClips && !this.isMovingDone) return [this.isPointed ? 0.5 : 2, () => this.load(queue, true)];
    return null;
  }

  async load(queue, isMoving) {
    const { signal } = this.abort, { view, side } = this.place;
    const urls = isMoving ? movingLinks(this.name, view, side, this.entry.counts.joints > 0) : [stillLink(this.name, view, side)];
    this.isBusy = true;
    try {
      const blob = await this.loadFirst(queue, urls, signal, () => { this.waiting.hidden = isMoving; });
      if (signal.aborted) return;
      this.waiting.hidden = true;
      this[isMoving ? 'moving' : 'still'] = URL.createObjectURL(blob);
      this[isMoving ? 'isMovingDone' : 'isStillDone'] = true;
      if (!isMoving && !this.entry.counts) this.place.onDrawn(this);
      this.show(this.wantsMotion);
    } catch (problem) {
      if (signal.aborted) return;
      if (isMoving) this.isMovingDone = true; // the still picture has to do
      else this.fail(problem.message);
    } finally {
      this.isBusy = false;
    }
  }

  /** Loads the first of these pictures that the model can be drawn as. */
  async loadFirst(queue, [url, ...others], signal, onWait) {
    try {
      return await queue.load(url, this.version, signal, onWait);
    } catch (problem) {
      if (problem.code !== 'bad_parameter' || !others.length) throw problem;
      return this.loadFirst(queue, others, signal, onWait);
    }
  }

  /** Shows the clip if it is wanted and loaded, else the still. */
  show(wantsMotion) {
    this.wantsMotion = wantsMotion;
    const url = (wantsMotion && this.moving) || this.still;
    if (!url || this.image.src === url) return;
    this.image.src = url;
    this.node.classList.toggle('moving', url === this.moving);
    this.image.decode().then(() => { this.node.classList.add('drawn'); this.mark.hidden = true; }, () => {});
  }
}
