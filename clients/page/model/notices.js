/** Words for the visitor: what is said, notices on the stage, what is loading. */
import { byId, make } from '../common/dom.js';

const NEWS_MS = 6000; // how long a notice without a question stays
let newsTimer = 0;

/** Says something to a screen reader. */
export function say(text) { byId('said').textContent = text; }

/** Shows a notice on the stage, at most one of a kind. Without text it is removed. */
export function notice(kind, text, grade = '', button = null) {
  const old = document.querySelector(`#notices [data-kind="${kind}"]`);
  if (old) old.remove();
  if (!text) return;
  const node = make('div', { class: 'notice ' + grade, role: grade === 'bad' ? 'alert' : 'status', 'data-kind': kind }, make('span', {}, text), button,
    make('button', { type: 'button', class: 'plain', 'aria-label': 'Dismiss', onclick: () => node.remove() }, '×'));
  byId('notices').append(node);
}

/** A notice about the file, which goes by itself. */
export function news(text) {
  notice('file', text);
  clearTimeout(newsTimer);
  const node = document.querySelector('#notices [data-kind="file"]');
  newsTimer = setTimeout(() => node.remove(), NEWS_MS);
}

export function loading(text) { byId('loading').textContent = text; }
