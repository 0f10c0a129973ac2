/** Saves files for the visitor. It fetches them, so that the request can have a token and an error can be shown, and then saves them. */
import { getPatiently } from './http.js';

/** The file name that the response suggests, or `otherwise`. */
function nameOf(response, otherwise) {
  const disposition = response.headers.get('Content-Disposition') || '';
  const coded = /filename\*=UTF-8''([^;]+)/.exec(disposition), plain = /filename="([^"]*)"/.exec(disposition);
  try { if (coded) return decodeURIComponent(coded[1]); } catch { /* use the plain name */ }
  return plain ? plain[1] : otherwise;
}

/** Saves the response; returns the file's name. */
export async function save(url, otherwise, options = {}) {
  const response = await getPatiently(url, undefined, options);
  const name = nameOf(response, otherwise);
  const address = URL.createObjectURL(await response.blob());
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  document.body.append(anchor); // some browsers follow only links in the page
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
  return name;
}

/** Puts text on the clipboard. Returns false if the page may not (no TLS, or refused): show the text instead. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
