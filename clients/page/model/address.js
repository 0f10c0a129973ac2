/** Finds the model of a page. */

/** Returns the model's path from the address: the text after "m/" or "embed/" below the page's base. */
export function modelOfAddress() {
  const base = new URL(document.baseURI).pathname;
  return location.pathname.slice(base.length).replace(/^(m|embed)\//, '').split('/').map(decodeURIComponent).join('/');
}
