// Types of the posed client. What parameters and answers mean in full is in protocol/http.md and protocol/answers.md.

/** An index, or a name that is not made of digits. */
export type Ref = number | string;
/** Seconds; a range `start:end:fps`; or a list of these. */
export type Times = number | string | ReadonlyArray<number | string> | Float32Array | Float64Array;
export type Refs = Ref | readonly Ref[];
type Flag = boolean | 0 | 1;

/** Gives up what is being waited for. */
export interface Abortable {
  signal?: AbortSignal;
}

/** Which clip, and how time passes in it: protocol/http.md, Times, and protocol/time.md. */
export interface ClipParameters extends Abortable {
  /** The content hash that the model must have. */
  hash?: string;
  /** Index, name, or `-` for the rest pose; the first clip by default. */
  clip?: Ref;
  /** A name that is made of digits, is `-` or is empty. */
  clip_name?: string;
  /** Another model, whose clips are meant. */
  clip_file?: string;
  clip_hash?: string;
  t?: Times;
  wrap?: 'loop' | 'clamp' | 'mirror';
  from?: number;
  to?: number;
  fps?: number;
  speed?: number;
  phase?: number;
  root_motion?: 'extract';
  root?: Ref;
  /** Clips to blend, see protocol/blending.md. */
  layers?: ReadonlyArray<Record<string, unknown>>;
}

export type Layout = 'mat4' | 'mat3x4' | 'dualquat';

export interface PaletteParameters extends ClipParameters {
  skin?: Refs;
  skin_name?: string | readonly string[];
  space?: 'scene' | 'root' | 'mesh';
  mesh?: Ref;
  mesh_name?: string;
  layout?: Layout;
  yaw?: Flag;
}

export interface PoseParameters extends ClipParameters {
  what?: 'local' | 'scene' | ReadonlyArray<'local' | 'scene'>;
  joints?: Refs;
  joint_name?: string | readonly string[];
  subtree?: Refs;
  layout?: Layout;
  yaw?: Flag;
}

export interface MeshParameters extends ClipParameters {
  mesh?: Ref;
  mesh_name?: string;
  indices?: Flag;
  normals?: Flag;
  rest?: Flag;
  yaw?: Flag;
}

export interface BoundsParameters extends ClipParameters {
  mesh?: Ref;
  mesh_name?: string;
  over?: 'clip';
  rate?: number;
  per?: 'joint';
  yaw?: Flag;
}

/** Any other option of protocol/http.md, GET /v1/render and GET /v1/sheet, may be given as well. */
export interface RenderParameters extends ClipParameters {
  width?: number;
  height?: number;
  background?: string | readonly string[];
  view?: string;
  camera?: string | number;
  /** Degrees round the model, unlike elsewhere. */
  yaw?: number;
  pitch?: number;
  format?: 'png' | 'apng' | 'gif' | 'webp' | 'json';
  [option: string]: unknown;
}

/** A JSON answer: protocol/answers.md has its fields. */
export type Json = Record<string, any>;

/** What `GET /v1/model` tells, in part. */
export interface ModelInfo extends Json {
  model: string;
  hash: string;
  clips: Array<{ index: number; name: string | null; start: number; duration: number } & Json>;
  skins: Array<{ index: number; name: string | null; rigid: boolean; joints: Array<{ node: number; name: string | null }> } & Json>;
  nodes: Array<{ node: number; name: string | null; parent: number; mesh: number | null; skin: number | null } & Json>;
  warnings: Array<{ code: string; message: string }>;
}

export interface Candidate {
  index: number;
  name: string | null;
}

/** The server refused, or could not be reached or understood. */
export class PosedError extends Error {
  constructor(code: string, message: string, details?: Partial<Omit<PosedError, 'code' | 'message' | 'name'>>);
  /** For programs, stable: `clip_not_found`. Of the client itself: `connection_lost`, `bad_answer`, `unavailable`. */
  readonly code: string;
  /** HTTP's status, over a WebSocket too; 0 where no server said anything. */
  readonly status: number;
  /** What there is instead, of something that was not found or is ambiguous. */
  readonly candidates: Candidate[];
  /** Seconds after which to try again; 0 where that does not help. */
  readonly retryAfter: number;
  /** The request's id in the server's log, over HTTP. */
  readonly requestId: string | null;
  /** Of a malformed packet: the byte that the server calls wrong. */
  readonly offset: number | null;
}

export type BlockKind = 'palette' | 'scene' | 'local' | 'local_matrix' | 'positions' | 'normals' | 'root_motion' | 'nodes' | 'sheared' | 'rest'
  | 'indices' | 'span';

/** One array of binary frames: protocol/frames.md. */
export interface Block {
  readonly kind: BlockKind;
  /** There once, not in every frame. */
  readonly once: boolean;
  /** Palette: the skin; mesh: the entry; else 0. */
  readonly index: number;
  readonly node: number;
  readonly primitive: number;
  /** Items. */
  readonly count: number;
  /** Numbers in an item: 16 of a mat4. */
  readonly itemLength: number;
  readonly offset: number;
}

/** An answer as binary frames. Its arrays are views on the bytes that came: nothing is copied, and nothing changes them later. */
export class Frames {
  constructor(data: ArrayBuffer | ArrayBufferView, warnings?: number);
  readonly kind: 'palette' | 'pose' | 'mesh';
  /** Form of every matrix: 16 numbers in columns, 12 in rows, or a dual quaternion of 8. */
  readonly layout: Layout;
  readonly space: 'scene' | 'root' | 'mesh';
  readonly wrap: 'loop' | 'clamp' | 'mirror';
  /** Index of the clip, -1 for the rest pose. */
  readonly clip: number;
  /** Of the clip, in seconds. */
  readonly duration: number;
  /** The model's content hash, 64 hex digits. */
  readonly hash: string;
  readonly frameCount: number;
  readonly byteLength: number;
  /** How many warnings there are about the model: `info` has them. */
  readonly warnings: number;
  readonly blocks: readonly Block[];
  /** `time` and `clipTime` of every frame, in turn. */
  readonly pairs: Float64Array;
  /** The time asked for, in seconds. */
  time(frame?: number): number;
  /** The time inside the clip that it led to. */
  clipTime(frame?: number): number;
  /** The first block of a kind, or the one with an index. */
  find(kind: BlockKind, index?: number): Block | undefined;
  /** The numbers of a block in a frame. */
  view(block: Block, frame?: number): Float32Array | Uint32Array | Float64Array;
  /** `view(find(kind, index), frame)`; a RangeError where there is no such block. */
  array(kind: 'nodes' | 'sheared' | 'indices', frame?: number, index?: number): Uint32Array;
  array(kind: 'span', frame?: number, index?: number): Float64Array;
  array(kind: BlockKind, frame?: number, index?: number): Float32Array;
  /** The matrices of a skin, the first one by default: matrix j is of its joint j. */
  palette(frame?: number, skin?: number): Float32Array;
}

/** What a server answered, as bytes. */
export class Answer {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly warnings: number;
  /** A header of HTTP's answer, such as `X-Posed-Unmatched`. Over a WebSocket those that the protocol sends as notes. */
  header(name: string): string | null;
  json(): any;
  frames(): Frames;
  blob(): Blob;
}

/** A picture as a file: PNG, unless another `format` was asked for. */
export class Picture extends Answer {
  /** The clip's time that it shows, in seconds; null where the server does not say. */
  readonly time: number | null;
  /** Two matrices, 16 numbers in columns each; null likewise. */
  readonly camera: { view_from_scene: number[]; clip_from_view: number[] } | null;
}

/** One model of a server. */
export class Model {
  readonly path: string;
  info(options?: Abortable & { hash?: string }): Promise<ModelInfo>;
  palette(options?: PaletteParameters & { format?: 'bin' }): Promise<Frames>;
  palette(options: PaletteParameters & { format: 'json' }): Promise<Json>;
  pose(options?: PoseParameters & { format?: 'bin' }): Promise<Frames>;
  pose(options: PoseParameters & { format: 'json' }): Promise<Json>;
  mesh(options?: MeshParameters & { format?: 'bin' }): Promise<Frames>;
  mesh(options: MeshParameters & { format: 'json' }): Promise<Json>;
  /** The posed model as a glTF 2.0 file. */
  glb(options?: MeshParameters & { textures?: Flag }): Promise<Answer>;
  bounds(options?: BoundsParameters): Promise<Json>;
  render(options: RenderParameters & { format: 'json' }): Promise<Json>;
  render(options?: RenderParameters): Promise<Picture>;
  /** Several moments, clips or directions in one picture, or an animation; as JSON its manifest. */
  sheet(options: RenderParameters & { format: 'json' }): Promise<Json>;
  sheet(options?: RenderParameters): Promise<Picture>;
  /** The model from all around. */
  turntable(options: RenderParameters & { format: 'json' }): Promise<Json>;
  turntable(options?: RenderParameters): Promise<Picture>;
  /** Any operation on this model by its name: `ask('render', {..})`. */
  ask(op: string, parameters?: Record<string, unknown>, options?: Abortable): Promise<Answer>;
}

/** One entry of a batch: `op` and the parameters of that operation. */
export type Query = { op: 'model' | 'palette' | 'pose' | 'mesh' | 'bounds'; model: string } & Record<string, unknown>;

interface Asks {
  /** Any operation of protocol/http.md by its path. */
  ask(path: string, parameters?: Record<string, unknown>, options?: Abortable): Promise<Answer>;
  /** Several queries in one round trip: of each its JSON answer, or the error that it is. */
  batch(queries: readonly Query[], options?: Abortable): Promise<Array<Json | PosedError>>;
}

/** What a WebSocket has to be able to do: the browser's, Node 22's, or that of the package `ws`. */
export interface WebSocketLike {
  binaryType: string;
  send(data: any): void;
  close(code?: number): void;
  addEventListener(type: any, listener: (event: any) => void): void;
}
export type WebSocketConstructor = new (url: string, protocols?: string) => WebSocketLike;

export interface ClientOptions {
  /** One of the server's tokens, where it wants one. */
  token?: string;
  fetch?: typeof globalThis.fetch;
  /** Node before 22 has none of its own. */
  WebSocket?: WebSocketConstructor;
}

/** One server. Nothing is sent until something is asked. */
export class Client implements Asks {
  constructor(url?: string | URL, options?: ClientOptions);
  readonly url: string;
  model(path: string): Model;
  models(options?: Abortable & { prefix?: string }): AsyncGenerator<{ model: string; state: string } & Json, void>;
  ask(path: string, parameters?: Record<string, unknown>, options?: Abortable): Promise<Answer>;
  batch(queries: readonly Query[], options?: Abortable): Promise<Array<Json | PosedError>>;
  version(options?: Abortable): Promise<Json>;
  formats(options?: Abortable): Promise<Json>;
  stats(options?: Abortable): Promise<Json>;
  upload(name: string, data: Blob | ArrayBuffer | Uint8Array<ArrayBuffer>, options?: Abortable): Promise<ModelInfo>;
  delete(name: string, options?: Abortable): Promise<void>;
  /** Opens a WebSocket, for streams and for many small questions. */
  connect(options?: Abortable): Promise<Link>;
}

/** A WebSocket with the binary protocol. Requests may be sent ahead; answers come in their order. */
export class Link implements Asks {
  static open(url: string, options?: Abortable & { token?: string; WebSocket?: WebSocketConstructor }): Promise<Link>;
  readonly limits: {
    version: number; payloadMax: number; modelsMax: number; streamsMax: number; answerMax: number; framesMax: number;
    pictureSideMax: number; rateMax: number; server: string;
  };
  readonly closed: boolean;
  /** A handle for a model, which the server imports if it has to. */
  open(path: string, options?: Abortable): Promise<LinkedModel>;
  ask(path: string, parameters?: Record<string, unknown>, options?: Abortable): Promise<Answer>;
  batch(queries: readonly Query[], options?: Abortable): Promise<Array<Json | PosedError>>;
  ping(options?: Abortable): Promise<void>;
  close(): void;
}

export interface StreamOptions extends Abortable {
  /** Frames a second; 0, the default: one whenever one is asked for. */
  rate?: number;
  /** Seconds: what the first frame shows. */
  position?: number;
  /** Seconds that the position moves in a second; 1 by default. */
  speed?: number;
  paused?: boolean;
  /** Frames that may be under way; 1 by default. More hide a long way to the server, but who is slow reads old ones. */
  credit?: number;
}

/** A model that a connection has a handle for. */
export class LinkedModel extends Model {
  /** The content hash at the time of `open`. */
  readonly hash: string;
  readonly counts: { nodes: number; skins: number; clips: number; meshes: number };
  /** Counts the contents that answers were made from: when it rises, indices may mean something else. */
  readonly generation: number;
  stream(op: 'palette', parameters?: Omit<PaletteParameters, 't' | 'signal'>, options?: StreamOptions): Promise<Stream>;
  stream(op: 'pose', parameters?: Omit<PoseParameters, 't' | 'signal'>, options?: StreamOptions): Promise<Stream>;
  stream(op: 'mesh', parameters?: Omit<MeshParameters, 't' | 'signal'>, options?: StreamOptions): Promise<Stream>;
  watch(options?: Abortable): Promise<Watch>;
  close(): Promise<void>;
}

export interface StreamFrame {
  /** Which frame of the stream this is, those skipped counted. */
  readonly tick: number;
  /** Frames since the last one that were not sent, because this side was slow. */
  readonly skipped: number;
  /** The position that it shows, in seconds. */
  readonly time: number;
  /** The model is another one since the last frame. */
  readonly changed: boolean;
  readonly generation: number;
  /** The answer, with one frame. */
  readonly frames: Frames;
}

/** Frames of a clip as time passes. Leaving `for await` ends it on the server too. */
export class Stream implements AsyncIterableIterator<StreamFrame> {
  readonly ended: boolean;
  next(): Promise<IteratorResult<StreamFrame, undefined>>;
  return(): Promise<IteratorResult<StreamFrame, undefined>>;
  [Symbol.asyncIterator](): this;
  /** The newest frame that has come, without waiting; null where none came since the last time. For draw loops. Once it was
   * called, a stream with a rate gets every frame and keeps the newest; one without gets one for each call. */
  latest(): StreamFrame | null;
  /** No more frames until `resume` or `seek`. This and the others drop frames from before. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** The next frame shows this time, in seconds; a paused stream sends that one. */
  seek(position: number): Promise<void>;
  setSpeed(speed: number): Promise<void>;
  setRate(rate: number): Promise<void>;
}

export interface Change {
  readonly generation: number;
  /** Of the new content; null where there is none. */
  readonly hash: string | null;
  /** Why there is none. */
  readonly error: PosedError | null;
}

/** Changes of a model's content. Leaving `for await` ends it. */
export class Watch implements AsyncIterableIterator<Change> {
  readonly ended: boolean;
  next(): Promise<IteratorResult<Change, undefined>>;
  return(): Promise<IteratorResult<Change, undefined>>;
  [Symbol.asyncIterator](): this;
}
