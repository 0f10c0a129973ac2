/** What the page shows, as in its address, so that links and the back button restore it. */

/** The members in the address. '' is the default of each, and is left out. */
export const EMPTY = Object.freeze({ folder: '', q: '', format: '', clips: '', findings: '', view: '', deep: '' });

/** @param {string} search "?folder=a/&q=hero" */
export function stateOf(search) {
  const parameters = new URLSearchParams(search);
  return Object.fromEntries(Object.keys(EMPTY).map((name) => [name, parameters.get(name) || '']));
}

/** The address of a state, relative to the page's base. */
export function addressOf(state) {
  const parameters = new URLSearchParams();
  for (const name of Object.keys(EMPTY)) if (state[name]) parameters.set(name, state[name]);
  const text = String(parameters).replaceAll('%2F', '/');
  return './' + (text ? '?' + text : '');
}
