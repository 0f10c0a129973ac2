// What comes by itself: frames of a stream and changes of a model, as async iterators.
import { PosedError } from './errors.js';
import { Frames } from './frames.js';
import * as packets from './packets.js';

// Values that come when they like and are taken one by one. `take` gets the packets with its `id`; `left` tells the server
// that nobody takes them any more.
class Arrivals {
  #takers = []; // promises of `next` that have no value yet
  #values = [];
  #error = null;
  #signal;
  #aborted = () => this.fail(this.#signal.reason);
  id = null; // of the request that began it; null: the server knows nothing of it, or no more
  ended = false;

  constructor(signal) {
    this.#signal = signal;
    signal?.addEventListener('abort', this.#aborted, { once: true });
  }

  add(value) {
    if (this.ended) return;
    if (this.#takers.length) {
      this.handed(1);
      this.#takers.shift().resolve({ value, done: false });
    } else {
      this.#values.push(value);
    }
  }

  handed() {}

  // How many wait.
  get count() {
    return this.#values.length;
  }

  // All values that wait, which nobody gets in turn any more.
  takeAll() {
    const values = this.#values;
    this.#values = [];
    this.handed(values.length);
    return values;
  }

  // Ends with an error, which who asks next is told; values that came before go first.
  fail(error) {
    if (this.ended) return;
    if (this.#takers.length) this.#takers.shift().reject(error);
    else this.#error = error;
    this.finish();
    this.left().catch(() => {}); // the connection may be what failed
  }

  finish() {
    this.ended = true;
    this.#signal?.removeEventListener('abort', this.#aborted);
    for (const { resolve } of this.#takers.splice(0)) resolve({ value: undefined, done: true });
  }

  throwError() {
    const error = this.#error;
    this.#error = null;
    if (error !== null) throw error;
  }

  async next() {
    if (this.#values.length) {
      this.handed(1);
      return { value: this.#values.shift(), done: false };
    }
    this.throwError();
    if (this.ended) return { value: undefined, done: true };
    return new Promise((resolve, reject) => { this.#takers.push({ resolve, reject }); });
  }

  async return() {
    const wasOpen = !this.ended;
    this.#values = [];
    this.#error = null;
    this.finish();
    if (wasOpen) await this.left();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}

export class Stream extends Arrivals {
  #link;
  #owed = 0; // credit of frames that were taken
  #early = 0; // frames that wait although their credit was given back already
  #isPolled = false; // by latest()
  #rate;

  constructor(link, rate, signal) {
    super(signal);
    this.#link = link;
    this.#rate = rate;
  }

  take(got) {
    if (got.kind === 'error') {
      this.#link.dropRoute(this.id);
      this.id = null;
      this.fail(packets.readError(got));
      return;
    }
    const { tick, skipped, frames } = packets.readStream(got);
    const one = new Frames(frames, got.warnings);
    // Who polls wants the newest when it looks, not the one after it looked the last time. Without a rate there would be no end.
    const isReplaced = this.#isPolled && this.#rate > 0;
    if (isReplaced) this.takeAll();
    this.add({ tick, skipped, time: one.time(0), changed: got.changed, generation: got.generation, frames: one });
    if (isReplaced) {
      this.#early = this.count;
      this.#owed += this.count;
      this.#giveBack();
    }
  }

  handed(count) {
    const early = Math.min(count, this.#early);
    this.#early -= early;
    this.#owed += count - early;
  }

  #giveBack() {
    if (this.#owed && this.id !== null) this.#link.tell('credit', packets.credit(this.id, this.#owed));
    this.#owed = 0;
  }

  // The credit of a frame is given back when the next one is asked for.
  next() {
    this.#giveBack();
    return super.next();
  }

  // The newest frame that has come, without waiting; null where none came since the last time.
  latest() {
    this.#isPolled = true;
    const frame = this.takeAll().pop() ?? null;
    this.#giveBack();
    if (frame === null) this.throwError();
    return frame;
  }

  async #control(what) {
    if (this.ended || this.id === null) throw new PosedError('not_found', 'the stream has ended', { status: 404 });
    // Frames of before the answer are of no use any more, but their credit is.
    const settled = () => {
      this.takeAll();
      this.#giveBack();
    };
    await this.#link.request('control', packets.control(this.id, what), { settled });
  }

  pause() {
    return this.#control({ pause: true });
  }

  resume() {
    return this.#control({ resume: true });
  }

  seek(position) {
    return this.#control({ position });
  }

  setSpeed(speed) {
    return this.#control({ speed });
  }

  async setRate(rate) {
    await this.#control({ rate });
    this.#rate = rate;
  }

  async left() {
    const { id } = this;
    this.id = null;
    if (id !== null && !this.#link.closed) await this.#link.request('unsubscribe', packets.unsubscribe(id), { settled: () => this.#link.dropRoute(id) });
  }
}

export class Watch extends Arrivals {
  #link;
  #model;

  constructor(link, model, signal) {
    super(signal);
    this.#link = link;
    this.#model = model;
  }

  take(got) {
    this.add(packets.readChanged(got));
  }

  async left() {
    const { id } = this;
    this.id = null;
    if (id === null || this.#link.closed) return;
    await this.#link.request('watch', packets.watch(false), { model: this.#model, settled: () => this.#link.dropRoute(id) });
  }
}
