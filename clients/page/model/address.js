/** Which model a page is about. */

/** The model's path, from the address: what follows "m/" or "embed/" below the page's base. */
export function modelOfAddress() {
  const base = new URL(document.baseURI).pathname;
  return location.pathname.slice(base.length).replace(/^(m|embed)\//, '').split('/').map(decodeURIComponent).join('/');
}
