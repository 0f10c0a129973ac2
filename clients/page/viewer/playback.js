// The clock of a clip. It chooses the shot to show and its source. A short clip is fetched once and kept. A longer one arrives as a stream.
// Other data (blends, clips of other files, morph targets, a given pose) is fetched ahead in chunks.
import { ClipShots, Shot, clipParameters } from './shots.js';

const KEPT_BYTES = 8 << 20;
const FULL_RATE = 60, STREAM_RATE = 30;

export class Playback {
  #ask;
  #connection;
  #clip = {}; // the choice
  #given = {}; // a pose on top of it: turn, morph, expression, look
  #plan = null; // of the shots
  #shots = null;
  #coming = null; // shots with a newer given pose
  #stream = null;
  #starting = null; // marks the current attempt: an older one gives up
  #exact = { wanted: null, shown: null, isBusy: false };
  #isGivenNew = false;
  #clock_ms = null;
  #time_s = 0;
  #speed = 1;
  isPlaying = false;
  loop = true;
  duration_s = 0;
  frameRate = 30;
  keepsClips = true;

  /**
   * @param {object} how
   * @param {(parameters: object, times_s: number[], signal: AbortSignal) => Promise<object>} how.ask the parts of shots
   * @param {import('./connection.js').Connection} how.connection
   * @param {(error: Error) => void} how.onError
   * @param {number} how.frameBytes of a shot
   * @param {string|null} how.streamed the operation that may be streamed: palette, pose or null
   * @param {string} how.model its path
   */
  constructor(how) {
    Object.assign(this, { how });
    this.#ask = how.ask;
    this.#connection = how.connection;
  }

  /** Sets another clip, and the clock back to its start. */
  setClip(choice, duration_s, frameRate) {
    this.#shots?.dispose();
    this.#forgetComing();
    this.#endStream();
    this.#clip = choice;
    this.duration_s = duration_s;
    this.frameRate = frameRate > 0 && frameRate <= 1000 ? frameRate : 30;
    this.#time_s = 0;
    this.#exact = { wanted: 0, shown: null, isBusy: false };
    const full = this.frameRate * Math.max(1, Math.floor(FULL_RATE / this.frameRate));
    const bytes = (rate) => (Math.floor(duration_s * rate) + 1) * this.how.frameBytes;
    const rate = this.keepsClips && bytes(full) > KEPT_BYTES ? Math.min(full, this.frameRate) : full;
    const isKept = this.keepsClips && bytes(rate) <= KEPT_BYTES;
    this.#plan = { rate, count: Math.floor(duration_s * rate + 1e-6) + 1, frameBytes: this.how.frameBytes, isKept };
    this.#shots = this.#makeShots();
  }

  #makeShots() {
    const { parameters } = this;
    return new ClipShots((times, signal) => this.#ask(parameters, times, signal), this.#plan);
  }

  get isStreamed() {
    const isAlone = !this.#clip.blend && !this.#clip.clip_file && Object.keys(this.#given).length === 0;
    return !this.#plan.isKept && this.how.streamed !== null && isAlone;
  }

  /** Puts another pose on top of the clip. The clock goes on. Until its first shot has arrived, the previous one is shown. */
  setGiven(given) {
    this.#given = given;
    if (!this.#shots) return;
    this.#endStream();
    this.#exact.shown = null;
    this.#isGivenNew = true;
  }

  get given() {
    return this.#given;
  }

  /** The shot of time 0 with this given pose came with the clip. */
  startIsShown(given) {
    if (this.#exact.wanted === 0 && given === this.#given) this.#exact.shown = 0;
  }

  get parameters() {
    return { ...clipParameters(this.#clip), ...this.#given };
  }

  get time_s() {
    return this.#time_s;
  }

  set time_s(seconds) {
    this.#time_s = Math.min(Math.max(Number(seconds) || 0, 0), this.duration_s);
    this.#exact.wanted = this.#time_s;
    if (this.#stream) this.#endStream(); // it starts again at the next picture
  }

  get speed() {
    return this.#speed;
  }

  set speed(factor) {
    this.#speed = Number.isFinite(+factor) ? Math.min(Math.max(+factor, -100), 100) : 1;
    if (this.#stream) this.#endStream(); // it starts again at the next picture
  }

  play() {
    if (this.isPlaying || !(this.duration_s > 0)) return;
    if (!this.loop && this.#speed > 0 && this.#time_s >= this.duration_s) this.#time_s = 0;
    this.isPlaying = true;
    this.#clock_ms = null;
  }

  pause() {
    if (!this.isPlaying) return;
    this.isPlaying = false;
    this.#endStream();
    this.#exact.wanted = this.#time_s;
  }

  /** Moves by whole frames of the clip's own rate. */
  step(frames) {
    this.pause();
    const at = Math.round(this.#time_s * this.frameRate) + frames;
    const last = Math.floor(this.duration_s * this.frameRate + 1e-6);
    this.time_s = (this.loop ? ((at % (last + 1)) + last + 1) % (last + 1) : at) / this.frameRate;
  }

  /** Nothing is shown for now: a hidden tab does not stream. */
  rest() {
    this.#endStream();
    this.#clock_ms = null;
  }

  /**
   * Called once for each picture of the screen.
   * @param {number} now_ms
   * @returns {Shot|null} the shot to show, if it is a new one
   */
  tick(now_ms) {
    const passed_s = this.#clock_ms === null ? 0 : Math.min((now_ms - this.#clock_ms) / 1000, 0.25);
    this.#clock_ms = now_ms;
    if (!this.#shots) return null;
    this.#renewShots();
    if (!this.isPlaying || !(this.duration_s > 0)) return this.#still();
    this.#exact.shown = null;
    return this.isStreamed ? this.#streamed() : this.#stepped(passed_s);
  }

  // Of a pose that a hand moves, one request is under way at a time, and the newest pose is the next.
  #renewShots() {
    const isStill = !this.isPlaying || !(this.duration_s > 0);
    if (this.#isGivenNew && (isStill || !this.#coming)) {
      this.#isGivenNew = false;
      this.#forgetComing();
      this.#coming = this.#makeShots();
    }
    if (!this.#coming) return;
    const index = this.#indexOf(this.#time_s);
    if (!isStill) this.#coming.want(index, this.#speed < 0 ? -1 : 1);
    if (!isStill && !this.#coming.get(index) && !this.#coming.error) return;
    this.#shots.dispose();
    this.#shots = this.#coming;
    this.#coming = null;
  }

  #forgetComing() {
    this.#coming?.dispose();
    this.#coming = null;
  }

  #indexOf(time_s) {
    return Math.min(Math.max(Math.floor(time_s * this.#shots.rate + 1e-6), 0), this.#shots.count - 1);
  }

  // For a clip that stands still: the shot of exactly its time, which may be a kept one.
  #still() {
    const exact = this.#exact;
    if (exact.shown === exact.wanted || exact.isBusy) return null;
    const at = exact.wanted * this.#shots.rate, index = Math.round(at);
    const kept = Math.abs(at - index) < 1e-6 && index < this.#shots.count ? this.#shots.get(index) : null;
    if (kept) {
      exact.shown = exact.wanted;
      return kept;
    }
    this.#fetchExact(exact);
    return null;
  }

  async #fetchExact(exact) {
    const { wanted } = exact, given = this.#given;
    exact.isBusy = true;
    try {
      const parts = await this.#ask(this.parameters, [wanted], undefined);
      if (this.#exact === exact) this.onShot?.(new Shot(parts, 0));
    } catch (error) {
      if (this.#exact === exact) this.how.onError(error);
    } finally {
      exact.isBusy = false;
      exact.shown = given === this.#given ? wanted : null; // after an error it asks again when the time or the pose changes
    }
    if (this.#exact === exact && given === this.#given) this.onStill?.();
  }

  #stepped(passed_s) {
    const shots = this.#shots;
    const before = this.#time_s;
    let next = before + passed_s * this.#speed;
    if (this.loop) next = ((next % this.duration_s) + this.duration_s) % this.duration_s;
    else next = Math.min(Math.max(next, 0), this.duration_s);
    shots.want(this.#indexOf(next), this.#speed < 0 ? -1 : 1);
    const shot = shots.get(this.#indexOf(next));
    if (!shot) { // the clock waits for the server
      if (shots.error) this.how.onError(shots.error);
      return null;
    }
    this.#time_s = next;
    if (!this.loop && passed_s > 0 && next === (this.#speed < 0 ? 0 : this.duration_s)) this.pause();
    const isOther = this.shownIndex !== this.#indexOf(next) || this.shownOf !== shots;
    this.shownIndex = this.#indexOf(next);
    this.shownOf = shots;
    return isOther ? shot : null;
  }

  // --- the stream ---

  #streamed() {
    if (!this.#stream) {
      if (!this.#starting) this.#startStream();
      return null;
    }
    let got;
    try {
      got = this.#stream.latest();
    } catch (error) {
      this.#loseStream(error);
      return null;
    }
    if (this.#stream.ended && !got) {
      this.#loseStream(new Error('the stream ended'));
      return null;
    }
    if (!got) return null;
    this.#connection.succeeded();
    this.#time_s = Math.min(got.frames.clipTime(0), this.duration_s);
    const isLast = !this.loop && (this.#speed < 0 ? this.#time_s <= 0 : this.#time_s >= this.duration_s);
    const shot = new Shot({ [this.how.streamed]: got.frames }, 0);
    if (isLast) this.pause();
    return shot;
  }

  async #startStream() {
    const attempt = this.#starting = {};
    try {
      const link = await this.#connection.link();
      const model = await link.open(this.how.model);
      if (attempt !== this.#starting || !this.isPlaying) return;
      const op = this.how.streamed;
      const { clip } = this.parameters;
      const parameters = { ...(clip === undefined ? {} : { clip }), layout: 'mat3x4', wrap: this.loop ? 'loop' : 'clamp', ...(op === 'pose' ? { what: 'scene' } : {}) };
      const stream = await model.stream(op, parameters, { rate: STREAM_RATE, position: this.#time_s, speed: this.#speed, credit: 2 });
      if (attempt !== this.#starting || !this.isPlaying) {
        stream.return().catch(() => {});
        return;
      }
      this.#stream = stream;
    } catch (error) {
      if (attempt !== this.#starting) return;
      this.#starting = null;
      if (error.code && error.code !== 'connection_lost') this.how.onError(error);
      else this.#connection.failed(error);
    }
  }

  #loseStream(error) {
    this.#stream = null;
    this.#starting = null;
    this.#connection.failed(error);
  }

  #endStream() {
    this.#stream?.return().catch(() => {});
    this.#stream = null;
    this.#starting = null;
  }

  dispose() {
    this.#endStream();
    this.#forgetComing();
    this.#shots?.dispose();
    this.isPlaying = false;
  }
}
