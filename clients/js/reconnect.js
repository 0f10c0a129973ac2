// Decides how often and how long a client tries again when a connection ends.
import { connectionLost } from './errors.js';

const FIRST_PAUSE_MS = 50, LONGEST_PAUSE_MS = 2000;
const SETTLED_MS = 1000; // a connection that worked for this long, or brought an answer, resets the count

// `tries`: connections to try after one has ended, all within `within` seconds. 0 tries: none, and nothing is repeated. `called({ what,
// tries, seconds })` is called each time a connection works again.
export const policyOf = ({ reconnectTries = 10, reconnectSeconds = 10, onReconnect = null } = {}) => ({
  tries: reconnectTries, within: reconnectSeconds, called: onReconnect });

// The tries since a connection ended.
export class Outage {
  #policy;
  #what;
  #since = 0;
  #back = null;
  tries = 0;

  constructor(policy, what) {
    this.#policy = policy;
    this.#what = what;
  }

  // Waits before the next try. The first wait is zero, the later ones grow. They are random, so that the clients of a server that died do
  // not all reach the next one at the same time. Rejects with `error` if no try is allowed; after the last try rejects with an error that
  // lists the tries.
  async wait(error) {
    const now = performance.now();
    if (this.#policy.tries <= 0) throw error;
    if (this.tries === 0 || (this.#back !== null && now - this.#back >= SETTLED_MS)) {
      this.tries = 0;
      this.#since = now;
    }
    this.#back = null;
    const pause = this.tries === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.tries - 1)) * (0.5 + Math.random() / 2);
    if (this.tries >= this.#policy.tries || now + pause - this.#since > this.#policy.within * 1000) throw this.gaveUp(error);
    this.tries++;
    if (pause) await new Promise((resolve) => { setTimeout(resolve, pause); });
  }

  gaveUp(error, what = this.#what) {
    const seconds = this.tries ? (performance.now() - this.#since) / 1000 : 0;
    const lost = connectionLost(`gave up on ${what} after ${this.tries + 1} tries in ${seconds.toFixed(1)} s: ${error.message}`, error);
    return Object.assign(lost, { tries: this.tries + 1, seconds });
  }

  isBack() {
    if (this.tries === 0 || this.#back !== null) return;
    this.#back = performance.now();
    this.#policy.called?.({ what: this.#what, tries: this.tries, seconds: (this.#back - this.#since) / 1000 });
  }

  // The connection brought an answer.
  isOver() {
    this.isBack();
    this.tries = 0;
    this.#back = null;
  }
}

// Returns whether a connection, or the one behind a balancer, ended before the answer was complete. Every other error of a server is an
// answer.
export const isEnd = (error) => ['connection_lost', 'shutting_down', 'bad_gateway'].includes(error?.code);

// The codes with which Node says that no connection could be made, so nothing was sent. A browser does not say it.
const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];
export const isUnreachable = (error) => {
  const cause = error?.cause?.cause ?? error?.cause;
  return UNREACHABLE.includes(cause?.code) || Boolean(cause?.errors?.length && cause.errors.every(({ code }) => UNREACHABLE.includes(code)));
};
