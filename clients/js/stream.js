// Packets that arrive without a request: frames of a stream and changes of a model, as async iterators.
import { PosedError } from './errors.js';
import { Frames } from './frames.js';
import * as packets from './packets.js';

// A queue of values that arrive at any time. `take` receives the packets with its `id`. `left` tells the server that nobody reads them any
// more.
class Arrivals {
  #takers = []; // promises of `next` that still wait for a value
  #values = [];
  #error = null;
  #signal;
  #aborted = () => this.fail(this.#signal.reason);
  id = null; // of the request that started it; null while the server does not know it
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

  // The number of values in the queue.
  get count() {
    return this.#values.length;
  }

  // Empties the queue and returns its values.
  takeAll() {
    const values = this.#values;
    this.#values = [];
    this.handed(values.length);
    return values;
  }

  // Ends with an error, which `next` reports after the values that arrived before it.
  fail(error) {
    if (this.ended) return;
    if (this.#takers.length) this.#takers.shift().reject(error);
    else this.#error = error;
    this.finish();
    this.left().catch(() => {}); // the connection itself may have failed
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

// If the connection ends, a stream goes on over another one with the frame after the last one that arrived, at its time. The position
// stands still meanwhile. No tick is left out or arrives twice.
export class Stream extends Arrivals {
  #link;
  #fields;
  #clock; // of a subscribe that would continue the stream now: op, rate, position, speed, paused, credit
  #tick = 0; // the next tick
  #ticksBefore = 0; // ticks of earlier connections
  #isSought = false; // a paused stream was sought, and owes a frame
  #owed = 0; // credit of frames that were read, not yet given back
  #early = 0; // frames in the queue whose credit was already given back
  #isPolled = false; // latest() was called

  constructor(link, fields, clock, signal) {
    super(signal);
    this.#link = link;
    this.#fields = fields;
    this.#clock = { ...clock };
  }

  renewal() {
    this.#ticksBefore = this.#tick;
    return { kind: 'subscribe', payload: packets.query(this.#fields, this.#clock) };
  }

  // Sends what must follow the renewal, with its id.
  renewed(id) {
    const { paused, position } = this.#clock;
    return paused && this.#isSought ? { kind: 'control', payload: packets.control(id, { position }) } : null;
  }

  // The stream cannot go on.
  failed(error) {
    this.id = null;
    this.fail(error);
  }

  take(got) {
    if (got.kind === 'error') {
      this.#link.dropRoute(this.id);
      this.failed(packets.readError(got));
      return;
    }
    const { tick, skipped, frames } = packets.readStream(got);
    const one = new Frames(frames, got.warnings);
    this.#passed(this.#ticksBefore + tick, one.time(0));
    // A caller of latest() wants the newest frame, so credit is given back at once. Without a rate that would never end.
    const isReplaced = this.#isPolled && this.#clock.rate > 0;
    if (isReplaced) this.takeAll();
    this.add({ tick: this.#ticksBefore + tick, skipped, time: one.time(0), changed: got.changed, generation: got.generation, frames: one });
    if (isReplaced) {
      this.#early = this.count;
      this.#owed += this.count;
      this.#giveBack();
    }
  }

  // Counts a frame that arrived: the stream would continue with the next one.
  #passed(tick, time) {
    const { rate, speed, paused } = this.#clock;
    this.#tick = tick + 1;
    this.#isSought = false;
    this.#clock.credit = Math.max(0, this.#clock.credit - 1);
    this.#clock.position = time + (rate > 0 && !paused ? speed / rate : 0);
  }

  handed(count) {
    const early = Math.min(count, this.#early);
    this.#early -= early;
    this.#owed += count - early;
  }

  #giveBack() {
    if (this.#owed && this.id !== null) this.#link.tell('credit', packets.credit(this.id, this.#owed));
    this.#clock.credit += this.#owed;
    this.#owed = 0;
  }

  // The credit of a frame is given back when the next one is asked for.
  next() {
    this.#giveBack();
    return super.next();
  }

  // Returns the newest frame, without waiting; null if none arrived since the last call.
  latest() {
    this.#isPolled = true;
    const frame = this.takeAll().pop() ?? null;
    this.#giveBack();
    if (frame === null) this.throwError();
    return frame;
  }

  async #control(what) {
    if (this.ended || this.id === null) throw new PosedError('not_found', 'the stream has ended', { status: 404 });
    // Frames from before the answer are dropped, but their credit is given back.
    const settled = () => {
      this.takeAll();
      this.#giveBack();
      const { pause, resume, ...clock } = what;
      Object.assign(this.#clock, clock);
      if (pause || resume) this.#clock.paused = Boolean(pause);
      this.#isSought ||= what.position !== undefined;
    };
    await this.#link.request('control', () => packets.control(this.id, what), { settled });
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

  setRate(rate) {
    return this.#control({ rate });
  }

  async left() {
    const { id } = this;
    if (id === null || this.#link.closed) {
      this.id = null;
      return;
    }
    // a renewal meanwhile changes the id
    await this.#link.request('unsubscribe', () => packets.unsubscribe(this.id), { settled: () => { this.#link.dropRoute(this.id); this.id = null; } });
  }
}

// If the connection ends, the model is watched over another one. A change meanwhile is reported; several are reported as one.
export class Watch extends Arrivals {
  #link;
  #model;

  constructor(link, model, signal) {
    super(signal);
    this.#link = link;
    this.#model = model;
  }

  renewal() {
    return { kind: 'watch', payload: packets.watch(true) };
  }

  renewed() {
    const { isChanged, generation, hash } = this.#model;
    if (isChanged) this.add({ generation, hash, error: null });
    return null;
  }

  // The model can no longer be read: the watch ends with that change.
  failed(error) {
    this.id = null;
    this.add({ generation: 0, hash: null, error });
    this.finish();
  }

  take(got) {
    this.add(packets.readChanged(got));
  }

  async left() {
    if (this.id === null || this.#link.closed) {
      this.id = null;
      return;
    }
    await this.#link.request('watch', packets.watch(false), { handle: this.#model, settled: () => { this.#link.dropRoute(this.id); this.id = null; } });
  }
}
