/**
 * The pages' requests to the server: addresses, the token, error messages, and retries after temporary failures.
 *
 * All addresses are relative to <base href>, which the server puts into each page, so a proxy may add a path prefix.
 */

import { encode, toQuery } from '../js/parameters.js';

const TOKEN = 'posed-token';
const TRIES_MAX = 6;
const WAIT_FIRST_MS = 400, WAIT_MAX_MS = 8000;

/** The token, if the server requires one. It is kept until the tab is closed, sent with every request, and never part of an address. */
export const token = () => sessionStorage.getItem(TOKEN) || '';
export const setToken = (text) => text ? sessionStorage.setItem(TOKEN, text) : sessionStorage.removeItem(TOKEN);
export const authorization = () => token() ? { Authorization: 'Bearer ' + token() } : {};

/**
 * An address of the server: link('v1/model', {model: 'a b.glb'}) is 'v1/model?model=a%20b.glb'.
 * @param {string} path without a slash in front
 * @param {Object} [query] members that are null, undefined or '' are left out; a list repeats its name
 */
export function link(path, query = {}) {
  const parameters = [];
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== '') parameters.push([name, one]);
    }
  }
  const text = toQuery(parameters);
  return text ? path + '?' + text : path;
}

/** "a/b c.glb" as a part of a path: slashes stay. */
export const pathOf = encode;
/** The page of a model, with its state. */
export const modelLink = (name, query = {}) => link('m/' + pathOf(name), query);
/** The same with scheme and host, for another program. */
export const absolute = (relative) => new URL(relative, document.baseURI).href;

/**
 * An error of a request.
 *   status     of HTTP; 0: there was no response
 *   code       the server's ('model_not_found'); '' if it sent none
 *   isPassing  it may be temporary: overload, a server that is gone, a proxy that has lost it
 */
export class Problem extends Error {
  constructor(message, { status = 0, code = '', isPassing = false, wait_s = 0 } = {}) {
    super(message);
    Object.assign(this, { name: 'Problem', status, code, isPassing, wait_s });
  }
}

const sentenceOf = (error) => typeof error === 'string' ? error : error && (error.message || error.code);

/** Makes the problem of a response that failed. */
export async function problemOf(response) {
  let error = null;
  try { error = (await response.json()).error; } catch { /* a proxy's response, not posed's */ }
  const code = (error && error.code) || '';
  const isGateway = ([502, 504].includes(response.status) && !code) || (response.status === 503 && code !== 'unavailable') || (response.status === 429);
  return new Problem(sentenceOf(error) || (isGateway ? 'The server cannot be reached' : 'The server answers ' + response.status),
    { status: response.status, code, isPassing: isGateway, wait_s: +(response.headers.get('Retry-After') || 0) });
}

const signInListeners = new Set();
/** Calls `listener` when the server requires a token. Returns a function that removes the listener. */
export function onSignIn(listener) {
  signInListeners.add(listener);
  return () => signInListeners.delete(listener);
}

/**
 * Sends one request. Throws a Problem, or an AbortError.
 * @param {string} url relative to the page's base
 * @returns {Promise<Response>} of 2xx
 */
export async function get(url, signal, options = {}) {
  let response;
  try {
    response = await fetch(url, { signal, ...options, headers: { ...authorization(), ...options.headers } });
  } catch (fault) {
    if (signal && signal.aborted) throw fault;
    throw new Problem('The server cannot be reached', { isPassing: true });
  }
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (problem.status === 401) for (const listener of signInListeners) listener(problem);
  throw problem;
}

/** Waits, or throws when the signal is aborted. */
export const pause = (time_ms, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, time_ms);
  if (signal) signal.addEventListener('abort', () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
});

/**
 * The same with retries, after growing pauses, while the failure may be temporary.
 * @param {function(Problem, number)} [onWait] receives each failure before the pause, and the length of the pause in ms
 * @param {number} [tries] Infinity: until the signal is aborted
 */
export async function getPatiently(url, signal, { onWait, tries = TRIES_MAX, ...options } = {}) {
  for (let i = 1; ; i++) {
    try {
      return await get(url, signal, options);
    } catch (problem) {
      if (!problem.isPassing || i >= tries) throw problem;
      const time_ms = Math.max(problem.wait_s * 1000, Math.min(WAIT_MAX_MS, WAIT_FIRST_MS * 2 ** (i - 1)));
      if (onWait) onWait(problem, time_ms);
      await pause(time_ms * (0.8 + 0.4 * Math.random()), signal); // at random, so that many tabs do not retry together
    }
  }
}
