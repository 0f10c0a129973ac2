// The binary protocol over one WebSocket: requests and their answers in order, streams and changes between them.
import { badAnswer, connectionLost } from './errors.js';
import { Answer, Model, batchResults } from './model.js';
import { namesIn, toFields, toJson, toTarget } from './parameters.js';
import { Stream, Watch } from './stream.js';
import * as packets from './packets.js';

const VERSION = 1;
const TYPES = { json: 'application/json', frames: 'application/vnd.posed.frames', png: 'image/png', glb: 'model/gltf-binary' };
const abortReason = (signal) => signal.reason ?? new DOMException('This operation was aborted', 'AbortError');

export class Link {
  #socket;
  #waiting = new Map(); // id: {settle, fail}, in the order of the requests
  #routes = new Map(); // id of a subscribe or watch: the receiver of its packets
  #lastId = 0;
  #greeting;
  #end = null; // the error that ended the connection

  // For Link.open. `greeting` has resolve and reject, for the hello.
  constructor(socket, token, greeting) {
    this.#socket = socket;
    this.#greeting = greeting;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => socket.send(packets.hello(token)));
    socket.addEventListener('message', ({ data }) => this.#take(data));
    socket.addEventListener('error', ({ message }) => this.#fail(connectionLost(`the WebSocket failed${message ? ': ' + message : ''}`)));
    socket.addEventListener('close', ({ code }) => this.#fail(connectionLost(`the WebSocket closed (${code})`)));
  }

  static open(url, { WebSocket = globalThis.WebSocket, token = '', signal } = {}) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) throw abortReason(signal);
      const forget = onAbort(signal, (reason) => link.#fail(reason));
      const link = new Link(new WebSocket(url, 'posed.1'), token, {
        resolve: () => { forget(); resolve(link); },
        reject: (error) => { forget(); reject(error); },
      });
    });
  }

  get closed() {
    return this.#end !== null;
  }

  #take(data) {
    if (this.#end) return;
    try {
      if (!(data instanceof ArrayBuffer)) throw badAnswer('a message of text');
      this.#sort(packets.read(data));
    } catch (error) {
      this.#fail(error);
    }
  }

  #sort(got) {
    if (this.#greeting) {
      this.#greet(got);
    } else if (got.kind === 'stream' || got.kind === 'changed' || (got.kind === 'error' && got.last)) {
      this.#routes.get(got.id)?.take(got);
    } else if (got.kind === 'error' && got.closing) {
      this.#fail(packets.readError(got));
    } else if (this.#waiting.size && this.#waiting.keys().next().value === got.id) {
      const { settle } = this.#waiting.get(got.id);
      this.#waiting.delete(got.id);
      settle(got);
    } else if (got.kind !== undefined) { // an unknown kind is from a newer server
      throw badAnswer(`an answer '${got.kind}' to no request`);
    }
  }

  #greet(got) {
    if (got.kind === 'error') throw packets.readError(got);
    if (got.kind !== 'hello') throw badAnswer(`'${got.kind}' instead of a hello`);
    this.limits = packets.readHello(got);
    if (this.limits.version !== VERSION) throw badAnswer(`version ${this.limits.version} of the protocol`);
    const { resolve } = this.#greeting;
    this.#greeting = null;
    resolve();
  }

  #fail(error) {
    if (this.#end) return;
    this.#end = error;
    const greeting = this.#greeting;
    this.#greeting = null;
    greeting?.reject(error);
    for (const { fail } of this.#waiting.values()) fail(error);
    for (const route of this.#routes.values()) route.fail(error);
    this.#waiting.clear();
    this.#routes.clear();
    this.#socket.close();
  }

  // The id of the next request.
  #nextId() {
    do this.#lastId = (this.#lastId + 1) >>> 0; while (this.#waiting.has(this.#lastId) || this.#routes.has(this.#lastId));
    return this.#lastId;
  }

  // Sends a request; resolves with the packet of its answer, rejects with its error. `settled` is called with the answer
  // before any later packet is read. An abort by `signal` ends the wait; the server answers all the same.
  request(kind, payload, { model = 0, signal, settled, route } = {}) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) throw abortReason(signal);
      if (this.#end) throw this.#end;
      const id = this.#nextId();
      const forget = onAbort(signal, reject);
      if (route) {
        route.id = id;
        this.#routes.set(id, route);
      }
      this.#waiting.set(id, {
        settle: (got) => {
          forget();
          if (got.kind === 'error') {
            this.#routes.delete(id);
            if (route) route.id = null;
            reject(packets.readError(got));
            return;
          }
          settled?.(got);
          resolve(got);
        },
        fail: (error) => { forget(); reject(error); },
      });
      this.#socket.send(packets.packet(kind, id, payload, model));
    });
  }

  // Sends a packet that has no answer.
  tell(kind, payload) {
    if (!this.#end) this.#socket.send(packets.packet(kind, this.#nextId(), payload));
  }

  dropRoute(id) {
    this.#routes.delete(id);
  }

  // Opens a handle for a model, which the server imports if necessary.
  async open(path, { signal } = {}) {
    let left = false;
    const closing = (got) => { if (left) this.request('close', undefined, { model: got.model }).catch(() => {}); };
    const forget = onAbort(signal, () => { left = true; });
    const got = await this.request('open', packets.open(path), { signal, settled: closing }).finally(forget);
    return new LinkedModel(this, path, got);
  }

  // Any operation of protocol/http.md by its path.
  async ask(path, parameters = {}, { signal } = {}) {
    const { target, body } = toTarget(path, parameters);
    return toAnswer(await this.request('call', packets.call(target, body), { signal }));
  }

  async batch(queries, { signal } = {}) {
    return batchResults(toAnswer(await this.request('call', packets.call('/v1/query', toJson({ queries })), { signal })));
  }

  async ping({ signal } = {}) {
    await this.request('ping', undefined, { signal });
  }

  close() {
    this.#fail(connectionLost('the connection was closed here'));
  }
}

// Calls back once with the reason when the signal aborts. Returns a function that cancels this.
function onAbort(signal, act) {
  if (!signal) return () => {};
  const listener = () => act(abortReason(signal));
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

function toAnswer(got) {
  const header = (name) => got.notes.get(name.toLowerCase()) ?? null;
  const type = TYPES[got.kind] ?? header('Content-Type');
  if (!type) throw badAnswer(`'${got.kind}' instead of an answer`);
  return new Answer(type.split(';')[0], got.payload, header, got.warnings);
}

export class LinkedModel extends Model {
  #link;
  #handle;
  #watch = null;

  constructor(link, path, got) {
    super(path, (op, parameters, signal) => this.#asked(op, parameters, signal));
    Object.assign(this, packets.readOpened(got), { generation: got.generation });
    this.#link = link;
    this.#handle = got.model;
  }

  async #request(kind, payload, options = {}) {
    const settled = (got) => {
      if (got.generation) this.generation = got.generation;
      options.settled?.(got);
    };
    return this.#link.request(kind, payload, { ...options, settled, model: this.#handle });
  }

  // Sends the operation's own packet if its fields can express the parameters, else a call.
  async #asked(op, { format, ...parameters }, signal) {
    const fields = format === 'bin' && ['palette', 'pose', 'mesh'].includes(op) ? toFields(op, parameters) : null;
    if (fields) return toAnswer(await this.#request(op, packets.query(fields), { signal }));
    const { target, body } = toTarget(`/v1/${op}`, { ...parameters, format });
    return toAnswer(await this.#request('call', packets.call(target, body), { signal }));
  }

  // Frames of a clip as time passes. `op` is palette, pose or mesh; parameters are the operation's, without `t`.
  async stream(op, parameters = {}, { rate = 0, position = 0, speed = 1, paused = false, credit = 1, signal } = {}) {
    for (;;) {
      const { fields, generation } = await this.#found(op, parameters, signal);
      const stream = new Stream(this.#link, rate, signal);
      const clock = { op, rate, position, speed, paused, credit };
      const got = await this.#begun(stream, 'subscribe', packets.query(fields, clock), signal);
      if (generation === null || got.generation === generation) return stream;
      await stream.return(); // the model changed between the look-up of a name and its use
    }
  }

  // Sends the request that starts a stream or a watch.
  async #begun(arrivals, kind, payload, signal) {
    try {
      return await this.#request(kind, payload, { signal, route: arrivals });
    } catch (error) {
      arrivals.finish();
      throw error;
    }
  }

  // The fields of a stream, and the generation that its names were looked up in; null if fields cannot express it.
  async #found(op, parameters, signal) {
    if (!['palette', 'pose', 'mesh'].includes(op)) throw new TypeError(`a stream is of palette, pose or mesh, not of ${op}`);
    const indices = new Map();
    let generation = null;
    await Promise.all(namesIn(op, parameters).map(async ({ what, name }) => {
      const got = await this.#request('find', packets.find(what, name), { signal });
      indices.set(`${what} ${name}`, packets.readFound(got));
      generation = Math.min(generation ?? got.generation, got.generation);
    }));
    const fields = parameters.t === undefined ? toFields(op, parameters, (what, name) => indices.get(`${what} ${name}`)) : null;
    if (!fields) throw new TypeError(`a stream of ${op} cannot have one of these, or not with this value: ${Object.keys(parameters).join(', ')}`);
    return { fields, generation };
  }

  // Reports when the content of the model changes or can no longer be read. A handle has one watch at a time.
  async watch({ signal } = {}) {
    if (this.#watch && !this.#watch.ended) throw new Error(`'${this.path}' is being watched already`);
    this.#watch = new Watch(this.#link, this.#handle, signal);
    await this.#begun(this.#watch, 'watch', packets.watch(true), signal);
    return this.#watch;
  }

  async close() {
    await this.#request('close');
  }
}
