// The binary protocol over one WebSocket: requests with answers in their order, and streams and changes between them.
import { ENTITIES_TYPE, buildCrowd, entitiesOf } from './crowd.js';
import { badAnswer, connectionLost } from './errors.js';
import { Answer, Model, batchResults } from './model.js';
import { MORE, encode, namesIn, toBody, toFields, toJson, toTarget } from './parameters.js';
import { Stream, Watch } from './stream.js';
import { CODES } from './errors.js';
import { hex } from './frames.js';
import { HITS_TYPE, buildRaycast, hitsOf } from './raycast.js';
import { Outage, isEnd, policyOf } from './reconnect.js';
import * as packets from './packets.js';

const VERSION = 1;
const SHUTTING_DOWN = [...CODES].filter(([, [code]]) => code === 'shutting_down').map(([number]) => number);
const TYPES = { json: 'application/json', frames: 'application/vnd.posed.frames', png: 'image/png', glb: 'model/gltf-binary', entities: ENTITIES_TYPE, hits: HITS_TYPE };
const abortReason = (signal) => signal.reason ?? new DOMException('This operation was aborted', 'AbortError');

// Milliseconds that a WebSocket may take, up to its hello, to replace another.
const ATTEMPT_MS = 2500;

// If the WebSocket ends, another one replaces it: models, streams and watches go on, and requests without an answer are sent once more, in
// their order. All of them only read.
export class Link {
  #connect; // (route) => a new WebSocket
  #token;
  #socket = null;
  #waiting = new Map(); // id: an entry, in the order of the answers
  #held = []; // entries between two connections
  #routes = new Map(); // id of a subscribe or watch: the receiver of its packets
  #lastId = 0;
  #greeting; // has resolve and reject, for the hello; null after it
  #end = null; // the error that ended the link
  #epoch = 0; // counts the connections; a handle is open on the connection with its own epoch
  #isUp = false;
  #wasOpen = false; // a connection has worked before
  #policy;
  #outage;
  #route;

  // For Link.open.
  constructor(connect, token, greeting, policy = policyOf({ reconnectTries: 0 }), route = undefined) {
    this.#connect = connect;
    this.#token = token;
    this.#policy = policy;
    this.#route = route;
    this.#outage = new Outage(policy, 'the connection');
    this.#start(greeting);
  }

  // Opens a WebSocket. Its hello settles `greeting`.
  #start(greeting) {
    const socket = this.#connect(this.#route);
    this.#socket = socket;
    this.#greeting = greeting;
    const isMine = () => this.#socket === socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      if (!isMine()) return;
      this.#wasOpen = true;
      socket.send(packets.hello(this.#token));
    });
    socket.addEventListener('message', ({ data }) => { if (isMine()) this.#take(data); });
    socket.addEventListener('error', ({ message }) => { if (isMine()) this.#lost(connectionLost(`the WebSocket failed${message ? ': ' + message : ''}`)); });
    socket.addEventListener('close', ({ code }) => { if (isMine()) this.#lost(connectionLost(`the WebSocket closed (${code})`)); });
  }

  static open(url, { WebSocket = globalThis.WebSocket, token = '', signal, route, reconnectTries, reconnectSeconds, onReconnect } = {}) {
    const connect = (model) => new WebSocket(model === undefined ? url : `${url}?route=${encode(model)}`, 'posed.1');
    const policy = policyOf({ reconnectTries, reconnectSeconds, onReconnect });
    return new Promise((resolve, reject) => {
      if (signal?.aborted) throw abortReason(signal);
      const forget = onAbort(signal, (reason) => link.#fail(reason));
      const link = new Link(connect, token, {
        resolve: () => { forget(); resolve(link); },
        reject: (error) => { forget(); reject(error); },
      }, policy, route);
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
      if (isEnd(error)) this.#lost(error);
      else this.#fail(error);
    }
  }

  #sort(got) {
    if (this.#greeting) {
      this.#greet(got);
    } else if (got.kind === 'stream' || got.kind === 'changed' || (got.kind === 'error' && got.last)) {
      const route = this.#routes.get(got.id);
      if (route) this.#settled();
      translated(got, route?.handle);
      route?.take(got);
    } else if (got.kind === 'error' && (got.closing || SHUTTING_DOWN.includes(got.code))) {
      throw packets.readError(got);
    } else if (this.#waiting.size && this.#waiting.keys().next().value === got.id) {
      const entry = this.#waiting.get(got.id);
      this.#waiting.delete(got.id);
      if (!entry.isOwn) this.#settled();
      entry.settle(translated(got, entry.handle));
    } else if (got.kind !== undefined) { // a newer server sent an unknown kind
      throw badAnswer(`an answer '${got.kind}' to no request`);
    }
  }

  #settled() {
    if (this.#isUp) this.#outage.isOver();
  }

  #greet(got) {
    if (got.kind === 'error') throw packets.readError(got);
    if (got.kind !== 'hello') throw badAnswer(`'${got.kind}' instead of a hello`);
    this.limits = packets.readHello(got);
    if (this.limits.version !== VERSION) throw badAnswer(`version ${this.limits.version} of the protocol`);
    const { resolve } = this.#greeting;
    this.#greeting = null;
    if (this.#epoch === 0) {
      this.#epoch = 1;
      this.#isUp = true;
    }
    resolve();
  }

  // Handles the end of the connection. Another one replaces it, unless this was the first and it was never open.
  #lost(error) {
    if (this.#end) return;
    const greeting = this.#greeting;
    this.#greeting = null;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    const refused = (reason) => {
      this.#greeting = greeting;
      this.#fail(reason);
    };
    if (this.#epoch === 0 && this.#policy.tries > 0 && (this.#wasOpen || isEndOfBalancer(error))) {
      this.#outage.wait(error).then(() => { if (!this.#end) this.#start(greeting); }, refused);
      return;
    }
    if (this.#epoch === 0 || this.#policy.tries <= 0) {
      refused(error);
      return;
    }
    if (greeting) {
      greeting.reject(error);
      return;
    }
    const own = [...this.#waiting.values()].filter(({ isOwn }) => isOwn);
    this.#held = [...this.#waiting.values()].filter(({ isOwn }) => !isOwn).concat(this.#held);
    this.#waiting.clear();
    for (const entry of [...this.#held]) {
      if (entry.sendings < 2) continue;
      this.#held.splice(this.#held.indexOf(entry), 1);
      entry.fail(this.#outage.gaveUp(error, describe(entry.kind, entry.handle)));
    }
    const isRenewing = !this.#isUp;
    this.#isUp = false;
    for (const entry of own) entry.fail(error);
    if (!isRenewing) this.#renew(error);
  }

  // Connects again, until everything that must be repeated has been repeated.
  async #renew(cause) {
    for (let error = cause; ;) {
      try {
        await this.#outage.wait(error);
        if (this.#end) return;
        await this.#reopen();
        this.#outage.isBack();
        return;
      } catch (another) {
        if (this.#end) return;
        if (!isEnd(another) || another.tries !== undefined || another === error) {
          this.#fail(another);
          return;
        }
        error = another;
      }
    }
  }

  async #reopen() {
    let timer;
    await new Promise((resolve, reject) => {
      timer = setTimeout(() => this.#lost(connectionLost('the server does not answer the hello')), ATTEMPT_MS);
      this.#start({ resolve, reject });
    }).finally(() => clearTimeout(timer));
    this.#epoch++;
    const routes = [...this.#routes.values()];
    const handles = new Set([...this.#held, ...routes].map(({ handle }) => handle).filter(Boolean));
    await Promise.all([...handles].map((handle) => this.#openAgain(handle)));
    this.#routes.clear();
    await Promise.all(routes.map((route) => this.#routeAgain(route)));
    this.#isUp = true;
    for (const entry of this.#held.splice(0)) this.#put(entry);
  }

  // Opens the handle of a model on the current connection. If that fails, the handle has an `error`.
  async #openAgain(handle) {
    const epoch = this.#epoch;
    const got = await this.#own('open', packets.open(handle.path));
    handle.epoch = epoch;
    handle.error = got.kind === 'error' ? packets.readError(got) : null;
    if (handle.error) return;
    const { hash } = packets.readOpened(got);
    handle.number = got.model;
    handle.isChanged ||= hash !== handle.hash;
    handle.before = handle.generation - (hash === handle.hash ? 1 : 0);
    handle.generation = handle.before + 1;
    handle.hash = hash;
  }

  // Continues a stream or a watch.
  async #routeAgain(route) {
    const id = this.#nextId();
    route.id = id;
    this.#routes.set(id, route);
    const { kind, payload } = route.renewal();
    if (route.handle.error) {
      this.#routes.delete(id);
      route.failed(route.handle.error);
      return;
    }
    const got = await this.#own(kind, payload, route.handle.number, id);
    if (got.kind === 'error') {
      this.#routes.delete(id);
      route.failed(packets.readError(got));
      return;
    }
    const more = route.renewed?.(id);
    if (more) await this.#own(more.kind, more.payload);
  }

  // Sends a request of the link itself. Resolves with the answer, even if it is an error.
  #own(kind, payload, model = 0, id = this.#nextId()) {
    return new Promise((settle, fail) => {
      this.#waiting.set(id, { isOwn: true, settle, fail });
      this.#socket.send(packets.packet(kind, id, payload, model));
    });
  }

  #fail(error) {
    if (this.#end) return;
    this.#end = error;
    const greeting = this.#greeting;
    this.#greeting = null;
    greeting?.reject(error);
    const entries = [...this.#waiting.values(), ...this.#held];
    this.#held = [];
    for (const { fail, kind, handle } of entries) fail(error.tries ? nameIn(error, kind, handle) : error);
    for (const route of this.#routes.values()) route.fail(error);
    this.#waiting.clear();
    this.#routes.clear();
    this.#socket?.close();
  }

  // The id of the next request.
  #nextId() {
    do this.#lastId = (this.#lastId + 1) >>> 0; while (this.#waiting.has(this.#lastId) || this.#routes.has(this.#lastId));
    return this.#lastId;
  }

  // Sends an entry, over this connection or the next one.
  #put(entry) {
    const { handle } = entry;
    if (!this.#isUp) {
      this.#held.push(entry);
      return;
    }
    if (handle && handle.epoch !== this.#epoch) { // the model was not needed on this connection so far
      this.#openAgain(handle).then(() => this.#put(entry), (error) => {
        if (this.#end) entry.fail(this.#end);
        else if (isEnd(error)) this.#put(entry);
        else entry.fail(error);
      });
      return;
    }
    if (handle?.error) {
      entry.fail(handle.error);
      return;
    }
    const id = this.#nextId();
    entry.sendings++;
    if (entry.route) {
      entry.route.id = id;
      entry.route.handle = handle;
      this.#routes.set(id, entry.route);
    }
    this.#waiting.set(id, entry);
    const payload = typeof entry.payload === 'function' ? entry.payload() : entry.payload;
    this.#socket.send(packets.packet(entry.kind, id, payload, handle?.number ?? 0));
  }

  // Sends a request. Resolves with the packet of its answer, rejects with its error. `settled` is called with the answer before any later
  // packet is read. An abort by `signal` ends only the wait; the server still answers. `handle`: the model's. `payload`: bytes, or a
  // function that makes them each time the request is sent.
  request(kind, payload, { handle = null, signal, settled, route } = {}) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) throw abortReason(signal);
      if (this.#end) throw this.#end;
      const forget = onAbort(signal, reject);
      this.#put({
        kind, payload, handle, route, sendings: 0,
        settle: (got) => {
          forget();
          if (got.kind === 'error') {
            if (route) this.dropRoute(route.id);
            if (route) route.id = null;
            reject(packets.readError(got));
            return;
          }
          settled?.(got);
          resolve(got);
        },
        fail: (error) => { forget(); reject(error); },
      });
    });
  }

  // Sends a packet without an answer, over the current connection only.
  tell(kind, payload) {
    if (!this.#end && this.#socket && !this.#greeting) this.#socket.send(packets.packet(kind, this.#nextId(), payload));
  }

  dropRoute(id) {
    this.#routes.delete(id);
  }

  // Opens a handle for a model, which the server imports if necessary.
  async open(path, { signal } = {}) {
    let left = false;
    this.#route ??= path;
    const handle = { path, number: 0, epoch: 0, before: 0, generation: 1, hash: '', isChanged: false, error: null };
    const opened = (got) => {
      Object.assign(handle, { number: got.model, epoch: this.#epoch, generation: got.generation, hash: packets.readOpened(got).hash });
      if (left) this.request('close', undefined, { handle }).catch(() => {});
    };
    const forget = onAbort(signal, () => { left = true; });
    const got = await this.request('open', packets.open(path), { signal, settled: opened }).finally(forget);
    return new LinkedModel(this, path, got, handle);
  }

  // Calls any operation of protocol/http.md by its path.
  async ask(path, parameters = {}, { signal } = {}) {
    const { target, body } = toTarget(path, parameters);
    return toAnswer(await this.request('call', packets.call(target, body), { signal }));
  }

  async batch(queries, { signal } = {}) {
    return batchResults(toAnswer(await this.request('call', packets.call('/v1/query', toJson({ queries })), { signal })));
  }

  // The same as Client.crowd.
  async crowd({ signal, ...crowd }) {
    return entitiesOf(toAnswer(await this.request('crowd', buildCrowd(crowd), { signal })));
  }

  // The same as Client.raycastCrowd.
  async raycastCrowd({ signal, ...raycast }) {
    const body = buildRaycast(raycast);
    return hitsOf(toAnswer(await this.request('raycast', body, { signal })), body);
  }

  async ping({ signal } = {}) {
    await this.request('ping', undefined, { signal });
  }

  close() {
    this.#fail(connectionLost('the connection was closed here'));
  }
}

const describe = (kind, handle) => `${kind}${handle ? ` of '${handle.path}'` : ''}`;

// Makes the error for one request of a link that was given up.
function nameIn(error, kind, handle) {
  const named = connectionLost(error.message.replace('the connection', describe(kind, handle)), error.cause);
  return Object.assign(named, { tries: error.tries, seconds: error.seconds });
}

// Replaces the generation in a packet about a model by the count over all connections.
function translated(got, handle) {
  if (!handle || !got.generation) return got;
  got.generation += handle.before;
  if (handle.isChanged && got.kind !== 'changed') got.changed = true;
  handle.isChanged = false;
  if (got.generation !== handle.generation) handle.hash = null; // unknown, unless the packet has it
  handle.generation = got.generation;
  if (got.kind === 'changed' && !got.code) handle.hash = packets.readChanged(got).hash;
  if (got.kind === 'frames') handle.hash = hex(got.payload.subarray(64, 96));
  if (got.kind === 'stream') handle.hash = hex(got.payload.subarray(80, 112));
  return got;
}

// The server behind a balancer was gone, in the words of Node's package ws. A browser does not report it, so a wrong address is an error at
// once.
const isEndOfBalancer = (error) => error.code === 'shutting_down' || /server response: 50[23]$|socket hang up|ECONNRESET/.test(error.message);

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

  constructor(link, path, got, handle) {
    super(path, (op, parameters, signal) => this.#asked(op, parameters, signal));
    Object.assign(this, packets.readOpened(got), { generation: got.generation });
    this.#link = link;
    this.#handle = handle;
  }

  async #request(kind, payload, options = {}) {
    const settled = (got) => {
      if (got.generation) this.generation = got.generation;
      options.settled?.(got);
    };
    return this.#link.request(kind, payload, { ...options, settled, handle: this.#handle });
  }

  // Sends the operation's own packet if its fields can express the parameters, else a call.
  async #asked(op, { format, ...parameters }, signal) {
    const fields = format === 'bin' && ['palette', 'pose', 'mesh'].includes(op) ? toFields(op, parameters) : null;
    if (fields) return toAnswer(await this.#request(op, packets.query(fields), { signal }));
    const { target, body } = toTarget(`/v1/${op}`, { ...parameters, format });
    return toAnswer(await this.#request('call', packets.call(target, body), { signal }));
  }

  // Streams the frames of a clip in real time. `op` is palette, pose or mesh. The parameters are those of the operation, without `t`.
  async stream(op, parameters = {}, { rate = 0, position = 0, speed = 1, paused = false, credit = 1, signal } = {}) {
    for (;;) {
      const { fields, generation } = await this.#found(op, parameters, signal);
      const stream = new Stream(this.#link, fields, { op, rate, position, speed, paused, credit }, signal);
      const got = await this.#begun(stream, 'subscribe', () => stream.renewal().payload, signal);
      if (generation === null || got.generation === generation) return stream;
      await stream.return(); // the model changed between finding a name and using it
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

  // Finds the fields of a stream, and the generation in which its names were found. Parameters that fields cannot express are JSON.
  async #found(op, parameters, signal) {
    if (!['palette', 'pose', 'mesh'].includes(op)) throw new TypeError(`a stream is of palette, pose or mesh, not of ${op}`);
    if (parameters.t !== undefined) throw new TypeError('a stream has no t: give it a position, a rate and a speed');
    if (!toFields(op, parameters, () => 0)) return { fields: { ...toFields(op, {}), flags: MORE, more: toBody(parameters) }, generation: null };
    const indices = new Map();
    let generation = null;
    await Promise.all(namesIn(op, parameters).map(async ({ what, name }) => {
      const got = await this.#request('find', packets.find(what, name), { signal });
      indices.set(`${what} ${name}`, packets.readFound(got));
      generation = Math.min(generation ?? got.generation, got.generation);
    }));
    return { fields: toFields(op, parameters, (what, name) => indices.get(`${what} ${name}`)), generation };
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
