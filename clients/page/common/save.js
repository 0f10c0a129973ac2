/** Files for the visitor: fetched, so that a token can go along and a fault is told in words, then saved. */
import { getPatiently } from './http.js';

/** The name that an answer wants to be saved by, or `otherwise`. */
function nameOf(answer, otherwise) {
  const disposition = answer.headers.get('Content-Disposition') || '';
  const coded = /filename\*=UTF-8''([^;]+)/.exec(disposition), plain = /filename="([^"]*)"/.exec(disposition);
  try { if (coded) return decodeURIComponent(coded[1]); } catch { /* the plain one */ }
  return plain ? plain[1] : otherwise;
}

/** Saves the answer; returns the file's name. */
export async function save(url, otherwise, options = {}) {
  const answer = await getPatiently(url, undefined, options);
  const name = nameOf(answer, otherwise);
  const address = URL.createObjectURL(await answer.blob());
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  document.body.append(anchor); // some browsers follow only what is in the page
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
  return name;
}

/** Puts text on the clipboard. False: the page may not (no TLS, or refused): show it instead. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
