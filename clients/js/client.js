// The client over HTTP, with fetch.
import { CROWD_TYPE, buildCrowd, entitiesOf } from './crowd.js';
import { PosedError, connectionLost, errorFromBody } from './errors.js';
import { Link } from './link.js';
import { Answer, Model, batchResults } from './model.js';
import { encode, toTarget } from './parameters.js';
import { RAYCAST_TYPE, buildRaycast, hitsOf } from './raycast.js';
import { Outage, isEnd, isUnreachable, policyOf } from './reconnect.js';

// One server. The constructor sends no request.
export class Client {
  #fetch;
  #token;
  #WebSocket;
  #policy;
  #reconnect;
  #hasAnswered = false; // the first request to a server that cannot be reached is an error at once

  constructor(url = 'http://127.0.0.1:7878',
    { token, fetch = globalThis.fetch, WebSocket = globalThis.WebSocket, reconnectTries, reconnectSeconds, onReconnect } = {}) {
    this.#reconnect = { reconnectTries, reconnectSeconds, onReconnect };
    this.#policy = policyOf(this.#reconnect);
    this.url = String(url).replace(/\/+$/, '');
    this.#token = token;
    this.#fetch = (...request) => fetch(...request); // a browser's fetch accepts no other `this`
    this.#WebSocket = WebSocket;
  }

  model(path) {
    return new Model(path, (op, parameters, signal) => this.ask(`/v1/${op}`, { model: path, ...parameters }, { signal }));
  }

  // Calls any operation of protocol/http.md by its path.
  ask(path, parameters = {}, { signal } = {}) {
    const { target, body } = toTarget(path, parameters);
    return this.#send(target, { method: body === null ? 'GET' : 'POST', body, signal }, body === null ? {} : { 'Content-Type': 'application/json' });
  }

  // Sends a request. One that only reads is sent once more if the connection ended before its response was complete. A PUT of the same
  // content would be safe to repeat, too, but its body may be a stream that was read already. A DELETE that had succeeded would answer that
  // there is no such model.
  async #send(target, request, headers = {}) {
    const mayRepeat = ['GET', 'POST'].includes(request.method);
    const outage = new Outage(this.#policy, `${request.method} ${target.slice(0, 200)}`);
    for (let asked = 0; ;) {
      try {
        const answer = await this.#sendOnce(target, request, { ...headers });
        this.#hasAnswered = true;
        outage.isOver();
        return answer;
      } catch (error) {
        if (!isEnd(error) || request.signal?.aborted) throw error;
        const isUnsent = isUnreachable(error);
        if (isUnsent ? !this.#hasAnswered && !outage.tries : !mayRepeat) throw error;
        if (!isUnsent && ++asked > 1) throw outage.gaveUp(error);
        await outage.wait(error);
        request.signal?.throwIfAborted();
      }
    }
  }

  async #sendOnce(target, request, headers) {
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    let response, bytes;
    try {
      response = await this.#fetch(this.url + target, { ...request, headers });
      bytes = await response.arrayBuffer();
    } catch (error) {
      if (request.signal?.aborted || !(error instanceof TypeError)) throw error;
      throw connectionLost(`${this.url} cannot be reached: ${error.cause?.message ?? error.message}`, error);
    }
    const header = (name) => response.headers.get(name);
    if (!response.ok) {
      throw errorFromBody(new TextDecoder().decode(bytes),
        { status: response.status, retryAfter: Number(header('Retry-After') ?? 0), requestId: header('X-Request-Id') });
    }
    const type = (header('Content-Type') ?? '').split(';')[0].trim();
    return new Answer(type, new Uint8Array(bytes), header, parseInt(header('X-Posed-Warnings') ?? '0', 10));
  }

  // Yields the models under the root, page by page.
  async *models({ prefix, signal } = {}) {
    let after;
    do {
      const page = (await this.ask('/v1/models', { prefix, after }, { signal })).json();
      yield* page.models;
      after = page.next;
    } while (after !== null);
  }

  // Several queries in one round trip. Resolves with the answer or the PosedError of each.
  async batch(queries, { route, signal } = {}) {
    return batchResults(await this.ask('/v1/query', { queries, route }, { signal }));
  }

  // Casts rays at posed entities: protocol/hits.md has the members of both.
  async raycast({ entities, rays, signal, ...parameters }) {
    return (await this.ask('/v1/raycast', { ...parameters, entities, rays }, { signal })).json();
  }

  // Asks for the poses of many entities in one round trip: protocol/crowd.md. Resolves with Entities; `errors` has the entities with an
  // error.
  async crowd({ signal, ...crowd }) {
    return entitiesOf(await this.#send('/v1/crowd', { method: 'POST', body: buildCrowd(crowd), signal }, { 'Content-Type': CROWD_TYPE }));
  }

  // Casts rays at the entities of a crowd, in binary: protocol/hits.md. Resolves with Hits.
  async raycastCrowd({ signal, ...raycast }) {
    const body = buildRaycast(raycast);
    return hitsOf(await this.#send('/v1/raycast', { method: 'POST', body, signal }, { 'Content-Type': RAYCAST_TYPE }), body);
  }

  async version({ signal } = {}) {
    return (await this.ask('/v1/version', {}, { signal })).json();
  }

  // Asks for the light of pictures: `harmonics` and the levels of `light_map`. The format 'json' resolves with JSON, 'hdr' with an answer
  // that has the bytes.
  async environment({ signal, ...parameters } = {}) {
    const answer = await this.ask('/v1/environment', { format: 'bin', ...parameters }, { signal });
    if (parameters.format === 'json') return answer.json();
    return parameters.format === 'hdr' ? answer : answer.frames();
  }

  async formats({ signal } = {}) {
    return (await this.ask('/v1/formats', {}, { signal })).json();
  }

  async stats({ signal } = {}) {
    return (await this.ask('/v1/stats', {}, { signal })).json();
  }

  // Stores a model and resolves with its `info`. `data` is a Blob, a view or an ArrayBuffer.
  async upload(name, data, { route, signal } = {}) {
    return (await this.#send(modelTarget(name, route), { method: 'PUT', body: data, signal })).json();
  }

  async delete(name, { route, signal } = {}) {
    await this.#send(modelTarget(name, route), { method: 'DELETE', signal });
  }

  // Opens a WebSocket with the binary protocol, for streams and for many small requests. `route`: the model by which a balancer chooses the
  // server. Without it, a connection that replaces this one uses the first model that was opened.
  async connect({ signal, route } = {}) {
    if (!this.#WebSocket) throw new PosedError('unavailable', 'there is no WebSocket here (Node has one from 22 on): npm install ws, and new Client(url, { WebSocket }) with that of the package');
    return Link.open(this.url.replace(/^http/, 'ws') + '/v1/stream', { WebSocket: this.#WebSocket, token: this.#token, signal, route, ...this.#reconnect });
  }
}

const modelTarget = (name, route) => '/v1/models/' + encode(name) + (route ? '?route=' + encode(route) : '');
