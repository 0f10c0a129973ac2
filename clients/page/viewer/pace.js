// Adapts the quality of pictures to the available time. If the processor draws, or pictures are late, moving pictures are simpler. If they
// are still late, they are smaller. When nothing moves, the picture is drawn in full.

const SCALES = [1, 0.8, 0.65, 0.5]; // of the sides of the canvas; the last is the smallest
const LATE_MS = 36, ABSENT_MS = 1000; // between two pictures; after ABSENT_MS the tab was hidden
const WATCHED = 8, MANY = 5; // how many of the last pictures must be late
const REST_MS = 120;

export class Pace {
  #at = 0; // in SCALES
  #moves_ms = [-Infinity, -Infinity]; // the last two
  #tick_ms = -Infinity;
  #late = [];
  #isSlow;
  isQuick = false;

  /** @param {boolean} isSlow whether the processor draws */
  constructor(isSlow) {
    this.#isSlow = isSlow;
  }

  /** Something has moved. A single step is not a movement yet. */
  move() {
    this.#moves_ms = [this.#moves_ms[1], performance.now()];
  }

  /** The browser asks for a picture. @returns {boolean} whether it differs in kind from the previous one: quick or full, or in size */
  tick(now_ms, isPlaying) {
    const { isQuick } = this, at = this.#at;
    const [before, last] = this.#moves_ms;
    const isMoving = isPlaying || (last - before < REST_MS && performance.now() - last < REST_MS);
    this.#watch(now_ms - this.#tick_ms, isMoving);
    this.#tick_ms = now_ms;
    this.isQuick = isMoving && (this.#isSlow || this.#at > 0);
    return isQuick !== this.isQuick || (this.isQuick && at !== this.#at);
  }

  #watch(passed_ms, isMoving) {
    if (!isMoving || passed_ms > ABSENT_MS) {
      this.#late = [];
      return;
    }
    this.#late = [...this.#late, passed_ms > LATE_MS].slice(-WATCHED);
    if (this.#late.filter(Boolean).length < MANY || this.#at === SCALES.length - 1) return;
    this.#at++;
    this.#late = [];
  }

  /** The factor for the sides of the canvas. */
  get scale() {
    return this.isQuick ? SCALES[this.#at] : 1;
  }
}
