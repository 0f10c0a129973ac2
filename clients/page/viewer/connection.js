// A WebSocket of the binary protocol. It is opened when it is needed, and again when it was lost.

const FIRST_WAIT_MS = 250, LONGEST_WAIT_MS = 8000;

export class Connection {
  #open;
  #link = null;
  #opening = null;
  #failures = 0;
  #isOver = false;
  #onLost;

  /**
   * @param {() => Promise<object>} open returns a Link (clients/js/link.js)
   * @param {(error: Error) => void} onLost called each time the connection is lost or cannot be opened
   */
  constructor(open, onLost) {
    this.#open = open;
    this.#onLost = onLost;
  }

  /** The pause before the next attempt. */
  get wait_ms() {
    return this.#failures === 0 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (this.#failures - 1), LONGEST_WAIT_MS);
  }

  /** Returns the open link. Waits longer after each failure. Rejects if this attempt fails; the caller then calls failed(). */
  async link() {
    if (this.#isOver) throw new Error('the viewer was disposed of');
    if (this.#link && !this.#link.closed) return this.#link;
    this.#opening ??= this.#attempt().finally(() => { this.#opening = null; });
    return this.#opening;
  }

  async #attempt() {
    if (this.wait_ms) await new Promise((resolve) => { setTimeout(resolve, this.wait_ms); });
    this.#link = await this.#open();
    if (this.#isOver) this.#link.close();
    return this.#link;
  }

  /** The connection works. */
  succeeded() {
    this.#failures = 0;
  }

  /** The connection was lost, or cannot be opened. */
  failed(error) {
    if (this.#isOver) return;
    this.#failures++;
    this.#onLost(error);
  }

  close() {
    this.#isOver = true;
    this.#link?.close();
  }
}
