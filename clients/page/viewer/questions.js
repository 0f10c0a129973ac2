// The viewer's requests to the server about the pose of its model.
import { Frames } from '../js/frames.js';
import { MovingLooks } from './moving_looks.js';
import { Shot, clipParameters } from './shots.js';
import { Visibility } from './visibility.js';

const FRAME_EXTRA_BYTES = 64;

export class Questions {
  #server;
  #connection;
  #model;
  #hasMaterialBinds; // expressions change materials
  #files = new Map(); // [clip file]: the response of /v1/model

  constructor(server, connection, model) {
    this.#server = server;
    this.#connection = connection;
    this.#model = model;
    const shown = model.entries.filter((entry) => entry.isShown);
    const vertices = model.entries.reduce((sum, entry) => sum + entry.rest.length / 3, 0);
    this.hasMesh = shown.some((entry) => entry.mover === 'mesh');
    this.isSkeleton = shown.length === 0;
    /** The approximate size of a shot. */
    this.frameBytes = FRAME_EXTRA_BYTES + 48 * (this.isSkeleton ? model.info.nodes.length : model.jointCount) + (this.hasMesh ? 24 * vertices : 0);
    this.#hasMaterialBinds = (model.info.expressions ?? []).some(({ binds = [] }) => binds.some(({ kind }) => kind !== 'morph'));
    /** The operation to stream; null: a stream cannot have all data. */
    this.streamed = this.hasMesh ? null : this.isSkeleton ? 'pose' : 'palette';
  }

  async #frames(op, parameters, signal) {
    const { query } = this.#model;
    if (parameters.layers) { // only a body can have them
      const link = await this.#connection.link();
      return (await link.ask(`/v1/${op}`, { ...query, ...parameters, format: 'bin' }, { signal })).frames();
    }
    const response = await this.#server.get(this.#server.link(`v1/${op}`, { ...query, ...parameters, format: 'bin' }), signal);
    return new Frames(await response.arrayBuffer());
  }

  // The materials that differ from the file's: for each time a map by index, with looks as /v1/model has them.
  async #looks(parameters, signal) {
    const ask = { ...this.#model.query, ...parameters, what: 'materials', format: 'json' };
    const answer = parameters.layers ? await (await this.#connection.link()).ask('/v1/pose', ask, { signal })
      : await this.#server.get(this.#server.link('v1/pose', ask), signal);
    return (await answer.json()).frames.map(({ materials }) => new Map(materials.map((look) => [look.index, look])));
  }

  /** Asks for the parts of shots at these times. */
  async ask(parameters, times_s, signal) {
    const at = { ...parameters, ...(parameters.layers ? {} : { wrap: 'clamp' }), t: times_s.join(',') };
    const palette = this.isSkeleton ? null : this.#frames('palette', { ...at, layout: 'mat3x4' }, signal);
    const pose = this.isSkeleton ? this.#frames('pose', { ...at, layout: 'mat3x4', what: 'scene' }, signal) : null;
    const mesh = this.hasMesh ? this.#frames('mesh', { ...at, normals: 1 }, signal) : null;
    const looks = this.#hasMaterialBinds && (at.expression || at.look) ? this.#looks(at, signal) : null;
    const parts = Object.entries({ palette, pose, mesh, looks }).filter(([, part]) => part);
    return Object.fromEntries(await Promise.all(parts.map(async ([name, part]) => [name, await part])));
  }

  /** Asks for the shot at the start of a clip. It does not fall back to the rest pose if the clip cannot be evaluated, because that would
   * hide the error. */
  async first(parameters) {
    return new Shot(await this.ask(parameters, [0], undefined), 0);
  }

  async #fileInfo(path) {
    if (!this.#files.has(path)) {
      const response = await this.#server.get(this.#server.link('v1/model', { model: path }), undefined);
      this.#files.set(path, await response.json());
    }
    return this.#files.get(path);
  }

  /** Name, duration and rate of a chosen clip; null: the rest pose. */
  async clipInfo({ clip, clip_file }) {
    const info = clip_file ? await this.#fileInfo(clip_file) : this.#model.info;
    if (clip === '-' || info.clips.length === 0) return null;
    const isIndex = /^[0-9]+$/.test(String(clip ?? '0'));
    const found = clip === null || clip === '' ? info.clips[0] : isIndex ? info.clips[Number(clip ?? 0)] : info.clips.find((one) => one.name === clip);
    if (!found) throw new Error(`'${clip_file ?? info.model}' has no clip '${clip}'`);
    return { ...found, frameRate: info.frame_rate ?? 30 };
  }

  /** What a chosen clip changes beside the pose: the nodes that it hides, and materials. Only glTF files can do this; a blend does not. */
  async changes({ blend, ...choice }) {
    const { info, query } = this.#model;
    const isTold = choice.clip !== '-' && !blend && (choice.clip_file || (info.clips.length > 0 && /^(glT|GLB)/.test(info.format ?? '')));
    const { retarget, ...clip } = isTold ? clipParameters({ ...choice, blend: null }) : {};
    let keys = {};
    if (isTold && !retarget) {
      const response = await this.#server.get(this.#server.link('v1/keys', { ...query, clip: 0, ...clip, path: 'visibility,property' }), undefined);
      keys = (await response.json()).clips[0] ?? {};
    }
    return { visibility: new Visibility(info.nodes, keys.channels ?? []), looks: new MovingLooks(info.materials, keys.properties ?? []) };
  }

  /** Asks where a node is at a time: scene_from_node (mat3x4). */
  async placeOf(parameters, time_s, node) {
    const wrap = parameters.layers ? {} : { wrap: 'clamp' };
    return (await this.#frames('pose', { ...parameters, ...wrap, t: String(time_s), what: 'scene', layout: 'mat3x4', joints: String(node) })).array('scene', 0);
  }

  /** The server's own camera for a clip and a given pose: view_from_scene, or null if the server draws none. */
  async camera(choice, given, { yaw, pitch, fov }, { width, height }, signal) {
    const { layers, ...parameters } = clipParameters({ ...choice, blend: null });
    const query = { ...this.#model.query, ...parameters, ...given, yaw, pitch, fov, width: Math.min(width, 2048), height: Math.min(height, 2048), t: 0, format: 'json', allow_empty: 1 };
    try {
      const response = await this.#server.get(this.#server.link('v1/render', query), signal);
      return (await response.json()).camera?.view_from_scene ?? null;
    } catch (error) {
      if (signal.aborted) throw error;
      return null;
    }
  }
}
