// Types of the posed client. protocol/http.md and protocol/answers.md describe parameters and answers in full.

/** An index, or a name that is not made of digits. */
export type Ref = number | string;
/** Seconds; a range `start:end:fps`; or a list of these. */
export type Times = number | string | ReadonlyArray<number | string> | Float32Array | Float64Array;
export type Refs = Ref | readonly Ref[];
/** Rules about joints, such as `'PATTERN=NAME'`: one, a list of them, or an object with the texts before `=` as keys and those after it as
 * values. */
export type Renames = string | readonly string[] | Readonly<Record<string, string>>;
type Flag = boolean | 0 | 1;

/** Aborts the wait for an answer. */
export interface Abortable {
  signal?: AbortSignal;
}

// Made by `make types` from request_params.def.
export interface ReferenceParameters {
  /** clip by index or name; - is the rest pose */
  clip?: Ref;
  /** clip by name, even one of digits */
  clip_name?: string;
  /** another model, whose clips are meant */
  clip_file?: string;
  /** content hash that the clips' file must have */
  clip_hash?: string;
  /** times in seconds, or start:end:fps; of a picture one time, or auto */
  t?: Times;
  /** what happens outside the clip */
  wrap?: 'loop' | 'clamp' | 'mirror';
}

export interface SpanParameters extends ReferenceParameters {
  /** where the part of the clip that is played begins */
  from?: number;
  /** where it ends */
  to?: number;
  /** from and to are frames of this rate */
  fps?: number;
  /** how fast the clip passes */
  speed?: number;
  /** where in the part time 0 is */
  phase?: number;
}

export interface LayerParameters extends SpanParameters {
  /** nodes by index or name */
  joints?: Refs;
  /** a node by name, even one of digits or with a comma */
  joint_name?: string | readonly string[];
  /** share of an override layer, strength of an additive one; or one for each time */
  weight?: number | ReadonlyArray<number>;
  /** transforms of nodes, morph weights and expressions in place of a clip */
  pose?: GivenPose;
  /** clips share nodes by weight or are added; a pose replaces what it gives, or is added */
  mode?: 'override' | 'additive' | 'replace';
  /** nodes with all below them */
  subtree?: Refs;
  /** nodes that the layer does not move, nor anything below them */
  except?: Refs;
  /** the pose that an additive layer differs from */
  reference?: ReferenceParameters;
}

export interface ClipParameters extends Abortable, SpanParameters {
  /** content hash the model must have */
  hash?: string;
  /** 1: only tell how long the answer will take and how large it will be, as JSON */
  estimate?: Flag;
  /** other names for the nodes of clip_file, with one * on each side at most */
  rename_joints?: Renames;
  /** clips of clip_file move joints of the same name, or a human like another by how both rest */
  retarget?: 'names' | 'rest';
  /** with retarget=rest: lock keeps planted feet where they stand */
  feet?: 'free' | 'lock';
  /** which joints of the model are which bones of a human: a table (posectl: or a file) */
  map?: 'auto' | 'vrm' | 'mixamo' | 'unreal' | 'rigify';
  /** likewise of clip_file */
  clip_map?: 'auto' | 'vrm' | 'mixamo' | 'unreal' | 'rigify';
  /** one joint of the model and which bone of a human it is: hips, leftUpperLeg, ..; JOINT - for none */
  bones?: Renames;
  /** likewise of clip_file */
  clip_bones?: Renames;
  /** with retarget=rest: the pose of clip_file that stands for its rest; auto: its rest where that stands, else a frame that stands */
  clip_rest?: 'auto' | 'zero' | 'frame:N';
  /** a joint by index, name or role, and the degrees by which it turns from its rest about its own x, then y, then z */
  turn?: string | readonly string[];
  /** the weight of a morph target by name */
  morph?: string | readonly string[];
  /** the weight of a VRM file's expression by name, 0 to 1 */
  expression?: string | readonly string[];
  /** where the eyes of a VRM file look: degrees to its left and down, or a place in the scene */
  look?: string | readonly number[];
  /** take the movement over the ground out of the pose */
  root_motion?: 'extract';
  /** the node whose movement it is */
  root?: Ref;
  /** clips to blend, in a body */
  layers?: readonly LayerParameters[];
}

export interface PaletteParameters extends ClipParameters {
  /** skins by index or name */
  skin?: Refs;
  /** a skin by name, even one of digits or with a comma */
  skin_name?: string | readonly string[];
  /** the space that the palette leads to */
  space?: 'scene' | 'root' | 'mesh';
  /** palette: the mesh node of space=mesh; else: only this mesh */
  mesh?: Ref;
  /** instead of mesh: a name, even one of digits */
  mesh_name?: string;
  /** layout of a matrix */
  layout?: 'mat4' | 'mat3x4' | 'dualquat';
  /** take the turning out too */
  yaw?: Flag;
}

export interface PoseParameters extends ClipParameters {
  /** layout of a matrix */
  layout?: 'mat4' | 'mat3x4' | 'dualquat';
  /** local, scene or both */
  what?: 'local' | 'scene' | ReadonlyArray<'local' | 'scene'>;
  /** nodes by index or name */
  joints?: Refs;
  /** a node by name, even one of digits or with a comma */
  joint_name?: string | readonly string[];
  /** take the turning out too */
  yaw?: Flag;
  /** nodes with all below them */
  subtree?: Refs;
}

export interface MeshParameters extends ClipParameters {
  /** palette: the mesh node of space=mesh; else: only this mesh */
  mesh?: Ref;
  /** instead of mesh: a name, even one of digits */
  mesh_name?: string;
  /** add the triangles */
  indices?: Flag;
  /** add the normals */
  normals?: Flag;
  /** add the positions as in the file */
  rest?: Flag;
  /** add the joints and weights of every vertex, and the skins' inverse bind matrices */
  weights?: Flag;
  /** add normals, texture coordinates, colours and tangents as in the file */
  attributes?: Flag;
  /** textures as their own files, in another format, or not at all */
  textures?: 'keep' | 'png' | 'jpeg' | 'webp' | 'none';
  /** the longer side of a texture; larger ones are reduced */
  max_texture?: number;
  /** how much of a texture a JPEG or WebP keeps that is encoded again */
  quality?: 'QUALITY';
  /** the set of materials by index or name, in place of the file's own */
  variant?: Ref;
  /** instead of variant: a name, even one of digits */
  variant_name?: string;
  /** take the turning out too */
  yaw?: Flag;
}

export interface BoundsParameters extends ClipParameters {
  /** palette: the mesh node of space=mesh; else: only this mesh */
  mesh?: Ref;
  /** instead of mesh: a name, even one of digits */
  mesh_name?: string;
  /** over all of the clip instead of at times */
  over?: 'clip';
  /** poses a second that are looked at beside the keys */
  rate?: number;
  /** boxes of joints too */
  per?: 'joint';
  /** take the turning out too */
  yaw?: Flag;
}

export interface KeypointsParameters extends ClipParameters {
  /** nodes by index or name, or all */
  joints?: Refs;
  /** a node by name, even one of digits or with a comma */
  joint_name?: string | readonly string[];
  /** points of a human: the bones that the model has, or the 18 of view=openpose */
  body?: 'roles' | 'openpose';
  /** width of the picture */
  width?: number;
  /** height of the picture */
  height?: number;
  /** the set of materials by index or name, in place of the file's own */
  variant?: Ref;
  /** instead of variant: a name, even one of digits */
  variant_name?: string;
  /** where the camera stands: a side of the model, a camera of the file, or in a body its numbers */
  camera?: Ref | CameraNumbers;
  /** a camera of the file by name, even one of digits */
  camera_name?: string;
  /** degrees that the camera goes round the model */
  yaw?: number;
  /** degrees that the camera is lifted */
  pitch?: number;
  /** what fills the picture: all that the clip shows, or the pose, the default where the server picks the time */
  frame?: 'clip' | 'pose';
  /** instead of frame: the box that fills the picture, in the scene */
  frame_box?: string | readonly number[];
  /** share of the picture left free on each side */
  margin?: number;
  /** angle of view */
  fov?: number;
  /** without perspective */
  ortho?: Flag;
  /** how far away the camera is; 1: everything just fits */
  distance?: number;
  /** what is in the middle: a node, or a place x,y,z */
  target?: Ref | readonly number[];
  /** instead of target: a node by name, even one of digits */
  target_name?: string;
  /** the camera of a kind of game: no perspective, from a certain height */
  projection?: 'level' | 'isometric' | 'dimetric';
  /** take the turning out too, where yaw is the camera's */
  root_yaw?: Flag;
  /** how far what counts as the same may be away, as a share of the size */
  tolerance?: number;
  /** points fixed to joints or to triangles, in a body */
  points?: readonly KeypointPoint[];
}

export interface KeysParameters extends Abortable {
  /** content hash the model must have */
  hash?: string;
  /** 1: only tell how long the answer will take and how large it will be, as JSON */
  estimate?: Flag;
  /** clip by index or name; - is the rest pose */
  clip?: Ref;
  /** clip by name, even one of digits */
  clip_name?: string;
  /** another model, whose clips are meant */
  clip_file?: string;
  /** content hash that the clips' file must have */
  clip_hash?: string;
  /** other names for the nodes of clip_file, with one * on each side at most */
  rename_joints?: Renames;
  /** nodes by index or name */
  joints?: Refs;
  /** a node by name, even one of digits or with a comma */
  joint_name?: string | readonly string[];
  /** only the keys of these properties of a node, or of materials, lights and cameras */
  path?: 'translation' | 'rotation' | 'scale' | 'weights' | 'visibility' | 'property' | ReadonlyArray<'translation' | 'rotation' | 'scale' | 'weights' | 'visibility' | 'property'>;
  /** nodes with all below them */
  subtree?: Refs;
}

export interface HitboxesParameters extends Abortable {
  /** content hash the model must have */
  hash?: string;
  /** what is fitted to the vertices that a joint leads */
  fit?: 'capsule' | 'box' | 'sphere';
}

export interface RaycastParameters extends Abortable {
  /** what is fitted to the vertices that a joint leads */
  fit?: 'capsule' | 'box' | 'sphere';
  /** what rays are tested with: the joints' volumes, or the triangles */
  test?: 'volumes' | 'mesh';
  /** which hits of each ray are told */
  hits?: 'nearest' | 'all';
  /** what is posed and where it stands, in a body */
  entities?: readonly RaycastEntity[];
  /** rays and moving balls, in a body */
  rays?: readonly Ray[];
}

export interface CompareParameters extends Abortable {
  /** content hash the model must have */
  hash?: string;
  /** 1: only tell how long the answer will take and how large it will be, as JSON */
  estimate?: Flag;
  /** clip by index or name; - is the rest pose */
  clip?: Ref;
  /** clip by name, even one of digits */
  clip_name?: string;
  /** how far what counts as the same may be away, as a share of the size */
  tolerance?: number;
}

export interface CheckParameters extends Abortable {
  /** content hash the model must have */
  hash?: string;
  /** clip by index or name; - is the rest pose */
  clip?: Ref;
  /** clip by name, even one of digits */
  clip_name?: string;
  /** the node whose movement it is */
  root?: Ref;
  /** whether the clip must end as it begins; auto: if its name is that of a motion that repeats */
  loop?: 'auto' | 'no' | 'yes';
  /** whether the clip must stay in place, or must move over the ground */
  ground?: 'any' | 'in_place' | 'travels';
  /** how far a node or vertex may jump at the end of a loop, as a share of the size */
  max_jump?: number;
  /** how far over the ground a clip in place may get, and one that travels must */
  max_drift?: number;
  /** how far a clip must move something at least */
  least_motion?: number;
}

export interface FlexParameters extends Abortable {
  /** content hash the model must have */
  hash?: string;
  /** the node that the view is about, or the only joint that is bent */
  joint?: Ref;
  /** instead of joint: a name, even one of digits */
  joint_name?: string;
  /** by how much joints are turned about each of their axes, to both sides, up to 180 */
  angles?: number | ReadonlyArray<number>;
}

export interface TextureParameters extends Abortable {
  /** content hash the model must have */
  hash?: string;
  /** the texture as its own file, or in another format */
  textures?: 'keep' | 'png' | 'jpeg' | 'webp';
  /** the longer side of a texture; larger ones are reduced */
  max_texture?: number;
  /** how much of a texture a JPEG or WebP keeps that is encoded again */
  quality?: 'QUALITY';
}

export interface PictureParameters extends ClipParameters {
  /** width of the picture */
  width?: number;
  /** height of the picture */
  height?: number;
  /** colour behind the model */
  background?: string;
  /** what the picture shows */
  view?: 'lit' | 'weights' | 'skeleton' | 'wireframe' | 'normals' | 'depth' | 'joints' | 'hitboxes' | 'onion' | 'openpose';
  /** the node that the view is about, or the only joint that is bent */
  joint?: Ref;
  /** instead of joint: a name, even one of digits */
  joint_name?: string;
  /** the set of materials by index or name, in place of the file's own */
  variant?: Ref;
  /** instead of variant: a name, even one of digits */
  variant_name?: string;
  /** 0: edges are not smoothed */
  aa?: Flag;
  /** whether colours are multiplied by their alpha */
  alpha?: 'straight' | 'premultiplied';
  /** a soft shadow on the ground */
  shadow?: Flag;
  /** where the light comes from; file: from the lights of the model's file */
  light?: 'studio' | 'outdoor' | 'flat' | 'file';
  /** a Radiance picture (.hdr) whose light falls on the model */
  environment?: string;
  /** degrees that the environment is turned */
  environment_yaw?: number;
  /** stops by which the light is brighter, below 0 darker */
  exposure?: number;
  /** how light becomes a colour */
  tone?: 'neutral' | 'aces' | 'none';
  /** ambient occlusion: corners are darker */
  ao?: Flag;
  /** a file made fast or a small one */
  compression?: 'fast' | 'small';
  /** how much of the picture a JPEG or WebP keeps */
  quality?: 'QUALITY';
  /** where the camera stands: a side of the model, a camera of the file, or in a body its numbers */
  camera?: Ref | CameraNumbers;
  /** a camera of the file by name, even one of digits */
  camera_name?: string;
  /** degrees that the camera goes round the model */
  yaw?: number;
  /** degrees that the camera is lifted */
  pitch?: number;
  /** what fills the picture: all that the clip shows, or the pose, the default where the server picks the time */
  frame?: 'clip' | 'pose';
  /** instead of frame: the box that fills the picture, in the scene */
  frame_box?: string | readonly number[];
  /** share of the picture left free on each side */
  margin?: number;
  /** angle of view */
  fov?: number;
  /** without perspective */
  ortho?: Flag;
  /** how far away the camera is; 1: everything just fits */
  distance?: number;
  /** what is in the middle: a node, or a place x,y,z */
  target?: Ref | readonly number[];
  /** instead of target: a node by name, even one of digits */
  target_name?: string;
  /** a picture that shows nothing is no error */
  allow_empty?: Flag;
  /** the camera of a kind of game: no perspective, from a certain height */
  projection?: 'level' | 'isometric' | 'dimetric';
  /** take the turning out too, where yaw is the camera's */
  root_yaw?: Flag;
}

export interface RenderParameters extends PictureParameters {
  /** the picture, JSON about it, or passes as arrays */
  format?: 'png' | 'json' | 'jpeg' | 'webp' | 'npz';
  /** arrays of numbers for each pixel beside or in place of the picture */
  passes?: 'color' | 'depth' | 'normal' | 'position' | 'node' | 'mesh' | 'material' | 'joint' | 'uv' | 'motion' | ReadonlyArray<'color' | 'depth' | 'normal' | 'position' | 'node' | 'mesh' | 'material' | 'joint' | 'uv' | 'motion'>;
  /** the space of the pass of normals */
  normal_space?: 'camera' | 'scene';
  /** the time that the pass of motion leads to */
  t2?: number;
}

export interface TurntableParameters extends PictureParameters {
  /** moments of each clip; of a turntable: directions */
  frames?: number;
  /** cells in a row */
  columns?: number;
  /** pixels between cells */
  gap?: number;
  /** pixels around all cells */
  padding?: number;
  /** the first row that is drawn, or frame of an animation, from 0 */
  first_row?: 'ROW';
  /** how many rows or frames are drawn, framed as the whole sheet is */
  rows?: number;
  /** words under each cell: clip, time, direction */
  captions?: Flag;
  /** a picture, an animation, a video, or what is where */
  format?: 'png' | 'apng' | 'gif' | 'webp' | 'json' | 'jpeg' | 'y4m';
  /** frames a second of the animation */
  play_rate?: number;
  /** how often the animation plays; 0: for ever */
  loops?: number;
}

export interface SheetParameters extends Omit<TurntableParameters, 'clip_file'> {
  /** moments a second of each clip, instead of frames */
  rate?: number;
  /** all clips instead of one */
  clips?: 'all';
  /** views around the model, each a row */
  directions?: number;
  /** another model, whose clips are meant; with clips=all several */
  clip_file?: string | readonly string[];
}

export interface EnvironmentParameters extends Abortable {
  /** where the light comes from; file: from the lights of the model's file */
  light?: 'studio' | 'outdoor' | 'flat' | 'file';
  /** a Radiance picture (.hdr) whose light falls on the model */
  environment?: string;
  /** degrees that the environment is turned */
  environment_yaw?: number;
}

export interface ExportParameters extends Abortable {
  /** content hash the model must have */
  hash?: string;
  /** 1: only tell how long the answer will take and how large it will be, as JSON */
  estimate?: Flag;
  /** other names for the nodes of clip_file, with one * on each side at most */
  rename_joints?: Renames;
  /** clips of clip_file move joints of the same name, or a human like another by how both rest */
  retarget?: 'names' | 'rest';
  /** with retarget=rest: lock keeps planted feet where they stand */
  feet?: 'free' | 'lock';
  /** which joints of the model are which bones of a human: a table (posectl: or a file) */
  map?: 'auto' | 'vrm' | 'mixamo' | 'unreal' | 'rigify';
  /** likewise of clip_file */
  clip_map?: 'auto' | 'vrm' | 'mixamo' | 'unreal' | 'rigify';
  /** one joint of the model and which bone of a human it is: hips, leftUpperLeg, ..; JOINT - for none */
  bones?: Renames;
  /** likewise of clip_file */
  clip_bones?: Renames;
  /** with retarget=rest: the pose of clip_file that stands for its rest; auto: its rest where that stands, else a frame that stands */
  clip_rest?: 'auto' | 'zero' | 'frame:N';
  /** textures as their own files, in another format, or not at all */
  textures?: 'keep' | 'png' | 'jpeg' | 'webp' | 'none';
  /** the longer side of a texture; larger ones are reduced */
  max_texture?: number;
  /** how much of a texture a JPEG or WebP keeps that is encoded again */
  quality?: 'QUALITY';
  /** the node whose movement it is */
  root?: Ref;
  /** nodes with all below them */
  subtree?: Refs;
  /** a GLB file, or a .posed file for libposed-eval */
  format?: 'glb' | 'posed';
  /** the clips of the file by index or name, without it all; - is none */
  clips?: Refs;
  /** a clip of the file by name, even one of digits or with a comma */
  clip_name?: string | readonly string[];
  /** other models, whose clips the file has too */
  clip_file?: string | readonly string[];
  /** names of the clips of other models: {file} and {clip} stand for theirs */
  clip_names?: string;
  /** 1: nodes of such clips that have no partner in the model are an error */
  strict?: Flag;
  /** turn the scene, so that this axis is up */
  up?: 'x' | 'y' | 'z';
  /** scale the scene to this unit of length */
  unit?: 'm' | 'cm' | 'mm' | 'inch' | number;
  /** the movement of clips over the ground: as it is, none, or that of the node above the hips */
  root_motion?: 'keep' | 'in-place' | 'to-root';
  /** poses a second in place of the keys of the file */
  fps?: number;
  /** 1: what glTF cannot say is an error; otherwise it becomes the nearest that glTF can */
  exact?: Flag;
  /** how vertices, indices and keys are compressed, without loss */
  compress?: 'none' | 'meshopt' | 'draco';
  /** 1: the same in fewer bytes, with poses and vertices off by at most 1/10000 of the size */
  optimize?: Flag;
}

// End of what `make types` makes.

/** A node: its index, its name or its role in a human; or an object with the index, as answers have it. */
export type PoseNode = Ref | { node: number };
type Rows = ReadonlyArray<readonly number[] | null>;

/** The numbers of a frame, for each node of a pose's list: null where a node's part is not given. */
export interface PoseRows {
  /** x, y, z in the model's unit */
  translation?: Rows;
  /** quaternions x, y, z, w */
  rotation?: Rows;
  /** instead of rotation: degrees about x, y and z */
  degrees?: Rows;
  /** x, y, z */
  scale?: Rows;
  /** ten numbers: translation, rotation and scale, as `pose({ what: 'local' })` has them */
  local?: Rows;
}

/** What a pose gives of a node, by its name. */
export type PosePart = { [Part in keyof PoseRows]?: readonly number[] };

/** A frame of several. */
export interface PoseFrame extends PoseRows {
  /** seconds, from 0 on and rising */
  time?: number;
  /** weights for the pose's `morphs`, a list of names */
  morphs?: readonly number[];
  expressions?: readonly number[];
}

/** A camera by numbers: pixels and a matrix (protocol/http.md, "A camera by numbers"). */
export interface CameraNumbers {
  /** focal lengths in pixels; orthographic: pixels of a unit of the scene */
  fx: number;
  fy: number;
  /** the pixel where the axis meets the picture; the centre of the first pixel is at 0.5 */
  cx: number;
  cy: number;
  /** 16 numbers in columns, with `convention`; or by the name of the convention */
  camera_from_scene: readonly number[] | { opencv?: readonly number[]; opengl?: readonly number[] };
  /** opencv: y down, z forward; opengl: y up, z backward */
  convention?: 'opencv' | 'opengl';
  projection?: 'perspective' | 'orthographic';
  near?: number;
  far?: number;
}

/** The camera of a picture. */
export interface PictureCamera extends CameraNumbers {
  camera_from_scene: { opencv: number[]; opengl: number[] };
  projection: 'perspective' | 'orthographic';
  near: number;
  far: number;
  view_from_scene: number[];
  clip_from_view: number[];
}

/**
 * A pose in place of a clip (protocol/blending.md), as JSON: what it gives replaces what the layers below make of it, or is added. `givenPose`
 * makes one of arrays, `poseOf` of binary frames; the JSON answer of `pose({ what: 'local', format: 'json' })` is one as it is.
 */
export interface GivenPose extends PoseRows {
  nodes?: readonly PoseNode[] | Readonly<Record<string, PosePart>>;
  /** several frames, which are played as a clip is */
  frames?: readonly PoseFrame[];
  /** frames a second, for frames without a time; 30 by default */
  rate?: number;
  /** the parent (local transforms), or changes of the rest pose */
  relative_to?: 'parent' | 'rest';
  /** of degrees: by default about the node's own x, then its turned y, then its turned z */
  order?: 'xyz' | 'xzy' | 'yxz' | 'yzx' | 'zxy' | 'zyx';
  /** weights by the name of a target; with `frames` a list of names */
  morphs?: Readonly<Record<string, number>> | ReadonlyArray<string | { mesh: string; target: string }>;
  /** weights, 0 to 1, of a VRM file's expressions by name; with `frames` a list of names */
  expressions?: Readonly<Record<string, number>> | readonly string[];
  /** where the eyes of a VRM file look: degrees to its left and down, or a place in the scene */
  look?: Look;
  /** what an answer has besides is ignored */
  [member: string]: unknown;
}

type Look = { yaw?: number; pitch?: number } | { at: readonly number[] };
type PoseNumbers = Float32Array | Float64Array | Rows | ReadonlyArray<Rows>;

/** Arrays for `givenPose`: flat typed arrays of all numbers, frame after frame and node after node, or nested lists with or without frames.
 * NaN or null for all numbers of a node: not given. */
export interface PoseArrays {
  nodes?: readonly Ref[];
  translation?: PoseNumbers;
  rotation?: PoseNumbers;
  degrees?: PoseNumbers;
  scale?: PoseNumbers;
  local?: PoseNumbers;
  times?: ArrayLike<number>;
  rate?: number;
  relative_to?: 'parent' | 'rest';
  order?: GivenPose['order'];
  /** a weight, or one for each frame */
  morphs?: Readonly<Record<string, number | readonly number[] | Float32Array>>;
  expressions?: Readonly<Record<string, number | readonly number[] | Float32Array>>;
  look?: Look;
}

/** Makes a pose of arrays. Throws a RangeError that names array, frame, node and number if they do not fit. */
export function givenPose(arrays: PoseArrays): GivenPose;
/** Makes a pose of binary frames with local transforms. Sheared nodes are not given. */
export function poseOf(frames: Frames): GivenPose;

export type Layout = 'mat4' | 'mat3x4' | 'dualquat';

/** A JSON answer: protocol/answers.md has its fields. */
export type Json = Record<string, any>;

/** Some members of the answer to `GET /v1/model`. */
export interface ModelInfo extends Json {
  model: string;
  hash: string;
  clips: Array<{ index: number; name: string | null; start: number; duration: number } & Json>;
  /** Index of the clip that pictures show where none is named; null without clips. */
  usual_clip: number | null;
  skins: Array<{ index: number; name: string | null; rigid: boolean; method?: "rigid" | "dual_quaternion" | "blended"; joints: Array<{ node: number; name: string | null }> } & Json>;
  nodes: Array<{ node: number; name: string | null; parent: number; mesh: number | null; skin: number | null } & Json>;
  /** Of VRM and .vrma files. */
  humanoid?: Record<string, number>;
  expressions?: Expression[];
  /** Of files with VRMC_node_constraint, in the order of evaluation. */
  constraints?: NodeConstraint[];
  look_at?: { kind: 'bone' | 'expression'; node?: number; offset: number[] } & Record<'inner' | 'outer' | 'down' | 'up', { most_deg: number; output: number }>;
  /** The bones of a human that retargeting finds; nodes by role. */
  bones?: { by: string; score: number; roles: Record<string, number>; missing: string[] };
  warnings: Array<{ code: string; message: string }>;
}

/** A face of a VRM file's human, by its name, and what a weight of 1 does. */
export interface Expression {
  name: string;
  preset: boolean;
  binary: boolean;
  override_mouth: ExpressionOverride;
  override_blink: ExpressionOverride;
  override_look_at: ExpressionOverride;
  /** In a .vrma file: the node whose x translation is the weight. */
  node?: number;
  binds: ExpressionBind[];
}

/** A rule by which a node's rotation follows another node. */
export interface NodeConstraint {
  node: number;
  kind: 'roll' | 'aim' | 'rotation';
  source: number;
  /** Of the node; an aim may have a negative one, a rotation has none. */
  axis?: 'x' | 'y' | 'z' | '-x' | '-y' | '-z';
  weight: number;
}

export type ExpressionOverride = 'none' | 'block' | 'blend';

export type ExpressionBind =
  | { kind: 'morph'; node: number; index: number; weight: number }
  | { kind: 'color'; material: number; value: number[];
      property: 'color' | 'emission_color' | 'shade_color' | 'matcap_color' | 'rim_color' | 'outline_color' }
  | { kind: 'texture_transform'; material: number; scale: number[]; offset: number[] };

export interface Candidate {
  index: number;
  name: string | null;
}

/** The server refused a request, or could not be reached or understood. */
export class PosedError extends Error {
  constructor(code: string, message: string, details?: Partial<Omit<PosedError, 'code' | 'message' | 'name'>>);
  /** For programs, stable: `clip_not_found`. Of the client itself: `connection_lost`, `bad_answer`, `unavailable`. */
  readonly code: string;
  /** HTTP's status, over a WebSocket too; 0 if no server answered. */
  readonly status: number;
  /** What exists instead of something that was not found or is ambiguous. */
  readonly candidates: Candidate[];
  /** Of a `connection_lost` that was given up: how often it was tried, and for how many seconds. */
  readonly tries?: number;
  readonly seconds?: number;
  /** Seconds after which to try again; 0 if that does not help. */
  readonly retryAfter: number;
  /** The request's id in the server's log, over HTTP. */
  readonly requestId: string | null;
  /** Of a malformed packet: the offset of the wrong byte. */
  readonly offset: number | null;
}

export type BlockKind = 'palette' | 'scene' | 'local' | 'local_matrix' | 'positions' | 'normals' | 'root_motion' | 'nodes' | 'sheared' | 'rest'
  | 'indices' | 'span'
  | 'influence_firsts' | 'influence_joints' | 'influence_weights' | 'dual_weights' | 'joint_nodes' | 'joint_from_bind'
  | 'channels' | 'key_times' | 'key_values' | 'harmonics' | 'light_map'
  | 'rest_normals' | 'texcoords' | 'second_texcoords' | 'colors' | 'tangents';

/** One array of binary frames: protocol/frames.md. */
export interface Block {
  readonly kind: BlockKind;
  /** Present once, not in every frame. */
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

/** An answer as binary frames. Its arrays are views on the received bytes: nothing is copied, and nothing changes them later. */
export class Frames {
  constructor(data: ArrayBuffer | ArrayBufferView, warnings?: number);
  readonly kind: 'palette' | 'pose' | 'mesh' | 'keys' | 'environment';
  /** Layout of every matrix: 16 numbers in columns, 12 in rows, or a dual quaternion of 8. */
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
  /** The number of warnings about the model, which `info` lists. */
  readonly warnings: number;
  readonly blocks: readonly Block[];
  /** `time` and `clipTime` of every frame, alternating. */
  readonly pairs: Float64Array;
  /** The requested time, in seconds. */
  time(frame?: number): number;
  /** The resulting time inside the clip. */
  clipTime(frame?: number): number;
  /** The first block of a kind, or the one with an index. */
  find(kind: BlockKind, index?: number): Block | undefined;
  /** The numbers of a block in a frame. */
  view(block: Block, frame?: number): Float32Array | Uint32Array | Float64Array | Uint16Array;
  /** `view(find(kind, index), frame)`; throws a RangeError if there is no such block. */
  array(kind: 'nodes' | 'sheared' | 'indices' | 'influence_firsts' | 'influence_joints' | 'joint_nodes' | 'channels', frame?: number, index?: number): Uint32Array;
  array(kind: 'span' | 'key_times', frame?: number, index?: number): Float64Array;
  /** Half floats. */
  array(kind: 'light_map', frame?: number, index?: number): Uint16Array;
  array(kind: BlockKind, frame?: number, index?: number): Float32Array;
  /** The matrices of a skin, the first one by default: matrix j is of its joint j. */
  palette(frame?: number, skin?: number): Float32Array;
}

/** An answer, as bytes. */
export class Answer {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly warnings: number;
  /** A header of HTTP's response, such as `X-Posed-Unmatched`. Over a WebSocket, only those that the protocol sends as notes. */
  header(name: string): string | null;
  json(): any;
  frames(): Frames;
  blob(): Blob;
}

/** A picture as a file: PNG, unless another `format` was requested. */
export class Picture extends Answer {
  /** The clip's time that it shows, in seconds; null if the server does not send it. */
  readonly time: number | null;
  /** The camera, which `camera` of a request takes again; null if the server does not send it. */
  readonly camera: PictureCamera | null;
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
  glb(options?: MeshParameters): Promise<Answer>;
  /** The whole model as a glTF 2.0 file: skeleton, weights, clips. */
  export(options?: ExportParameters): Promise<Answer>;
  bounds(options?: BoundsParameters): Promise<Json>;
  /** The volumes of the joints: fitted, or from the model's hitbox file (protocol/hits.md). */
  hitboxes(options?: HitboxesParameters): Promise<Json>;
  /** Where joints and points of the surface are in a picture, and whether they are visible. */
  keypoints(options?: KeypointsParameters): Promise<Json>;
  keys(options: KeysParameters & { format: 'bin' }): Promise<Frames>;
  keys(options?: KeysParameters & { format?: 'json' }): Promise<Json>;
  /** The differences between this model and an older one, which is given by its path. */
  compare(old: string, options?: CompareParameters): Promise<Json>;
  /** What is wrong with the motion of a clip, or of all clips. */
  check(options?: CheckParameters): Promise<Json>;
  /** What the skin does where joints bend (protocol/rules/flex.md). */
  flex(options?: FlexParameters): Promise<Json>;
  /** A texture of the model, by its index, as a picture. */
  texture(index: number, options?: TextureParameters): Promise<Picture>;
  render(options: RenderParameters & { format: 'json' }): Promise<Json>;
  render(options?: RenderParameters): Promise<Picture>;
  /** Several moments, clips or directions in one picture, or an animation; as JSON its manifest. */
  sheet(options: SheetParameters & { format: 'json' }): Promise<Json>;
  sheet(options?: SheetParameters): Promise<Picture>;
  /** The model from all around. */
  turntable(options: TurntableParameters & { format: 'json' }): Promise<Json>;
  turntable(options?: TurntableParameters): Promise<Picture>;
  /** Any operation on this model by its name: `ask('render', {..})`. */
  ask(op: string, parameters?: Record<string, unknown>, options?: Abortable): Promise<Answer>;
}

/** `route`: by which balancers choose a server, such as the path that an upload will have. A batch about one model defaults to that model.
 */
export interface Routed extends Abortable {
  route?: string;
}

/** The pose of an entity of a raycast, and the place of its scene: 16 numbers, column by column. */
export interface RaycastPose extends SpanParameters {
  layers?: readonly LayerParameters[];
  world?: readonly number[];
}

/** What rays may hit. `end` has the members that differ in its second pose. */
export interface RaycastEntity extends RaycastPose {
  model: string;
  hash?: string;
  end?: RaycastPose;
  mask?: number;
}

/** A point that follows a joint, at `offset` in its space, or one of a triangle: `barycentric` has the weights of its corners. */
export type KeypointPoint = { name?: string } & (
  | { joint: number | string; offset?: readonly number[] }
  | { mesh: number | string; node?: number | string; primitive?: number; triangle: number; barycentric: readonly number[] }
);

/** A ray, or a moving ball if it has a radius. `at`: the moment between first and second poses, 0 to 1. */
export interface Ray {
  origin: readonly number[];
  direction: readonly number[];
  max?: number;
  radius?: number;
  at?: number;
  mask?: number;
  ignore?: number;
}

/**
 * A clip at one time, or a given pose. Clips and nodes are indices: look names up once. `mask`: an index into the crowd's masks. `clip_file`: the file of
 * the clips, and of the reference's clip; they move the nodes of the same names. Without it they belong to the entity's own model.
 */
export interface CrowdLayer {
  /** -1: the rest pose */
  clip?: number;
  clip_file?: string;
  /** seconds */
  t?: number;
  weight?: number;
  mask?: number;
  wrap?: 'loop' | 'clamp' | 'mirror';
  /** of a clip: override or additive; of a pose: replace or additive */
  mode?: 'override' | 'additive' | 'replace';
  /** plays a given pose in place of a clip: an index into the crowd's poses. What is of clips has no effect */
  pose?: number;
  /** additive layer: the reference pose; the layer adds the difference from it */
  reference?: { clip?: number; t?: number };
}

/**
 * A given pose: local transforms by node, of each node any of the parts. Nodes are indices. What it does not give stays as the layers before
 * it make it.
 */
export interface CrowdPose {
  nodes: Readonly<Record<number, { translation?: ArrayLike<number>; rotation?: ArrayLike<number>; scale?: ArrayLike<number> }>>;
}

/** Nodes that a layer may move: these, and these with all nodes below them, except these with all nodes below them. */
export interface CrowdMask {
  nodes?: readonly number[];
  subtree?: readonly number[];
  except?: readonly number[];
}

/** Selects matrices of an entity: the palette of a skin (-1: of all skins), or of some indices in its order of joints; or with `nodes`
 * world_from_node. */
export interface CrowdWanted {
  skin?: number;
  joints?: readonly number[];
  nodes?: readonly number[];
}

/** An entity. `model` and `wanted`: indices into the crowd's lists. `world`: 16 numbers, column by column. Without layers it is at rest. */
export interface CrowdEntity {
  model?: number;
  wanted?: number;
  layout?: Layout;
  layers?: readonly CrowdLayer[];
  world?: ArrayLike<number>;
}

/** `models`: paths. `hashes`: the content that each model must have. `wanted`: by default the palette of skin 0. */
export interface Crowd extends Abortable {
  models: readonly string[];
  entities: readonly CrowdEntity[];
  masks?: readonly CrowdMask[];
  wanted?: readonly CrowdWanted[];
  hashes?: ReadonlyArray<string | undefined>;
  poses?: readonly CrowdPose[];
}

/** The answer to a crowd: views on its bytes. */
export class Entities {
  constructor(data: Uint8Array<ArrayBuffer>);
  /** Entity after entity, in the order of the request, ready for upload by a graphics API. Zeros for an entity with an error. */
  readonly floats: Float32Array<ArrayBuffer>;
  /** The content hash of each model, '' for a missing model. */
  readonly hashes: readonly string[];
  /** Keyed by the index of the entity. */
  readonly errors: ReadonlyMap<number, PosedError>;
  /** The number of entities. */
  readonly length: number;
  /** Where its matrices begin in `floats`, their number, and the floats of each: 16, 12 or 8. */
  place(entity: number): { offset: number; count: number; itemLength: number };
  /** A view on its matrices: column-major, or with `mat3x4` the upper three rows. Throws the error of the entity. */
  matrices(entity: number): Float32Array<ArrayBuffer>;
}

/** What rays may hit: an entity of the crowd. It stands still, or moves from its pose, `begin`, to the pose of another entity, `end`. */
export interface RaycastTarget {
  begin: number;
  /** -1, the default: it stands still */
  end?: number;
  /** Only rays with one of these bits hit it; by default all do. */
  mask?: number;
}

/** Rays as arrays. `origins` and `directions` have 3 numbers for each ray. The others have one number for each ray, or one for all.
 * `ignore`: -1 for none. */
export interface RayArrays {
  origins: ArrayLike<number>;
  directions: ArrayLike<number>;
  max?: number | ArrayLike<number>;
  radius?: number | ArrayLike<number>;
  at?: number | ArrayLike<number>;
  mask?: number | ArrayLike<number>;
  ignore?: number | ArrayLike<number>;
}

/** A crowd, and rays to cast at it. The crowd's layouts and `wanted` have no effect. `targets`: by default each entity, standing still. */
export interface CrowdRaycast extends Crowd {
  rays: readonly Ray[] | RayArrays;
  targets?: readonly RaycastTarget[];
  fit?: 'capsule' | 'box' | 'sphere';
  test?: 'volumes' | 'mesh';
  hits?: 'nearest' | 'all';
}

export interface Hit {
  /** An index into the rays. */
  ray: number;
  /** An index into the targets; without targets, into the crowd's entities. */
  entity: number;
  /** Volumes: the joint; meshes: the node that carries the mesh. */
  node: number;
  /** Volumes: an index into the `volumes` of hitboxes(); meshes: the primitive of the node's mesh. */
  part: number;
  /** Meshes: index within the primitive; volumes: 0. */
  triangle: number;
  /** The ray begins inside the volume, or the ball begins in touch. */
  inside: boolean;
  /** The distance that the ray, or the centre of the ball, has travelled, in world units. */
  distance: number;
  /** In world space; views on the answer. */
  point: Float32Array<ArrayBuffer>;
  normal: Float32Array<ArrayBuffer>;
  /** Meshes: barycentric coordinates in the triangle; volumes: 0. */
  barycentric: Float32Array<ArrayBuffer>;
}

/** The answer to a raycast, ordered by ray, then by distance: views on its bytes. */
export class Hits implements Iterable<Hit> {
  constructor(data: Uint8Array<ArrayBuffer>);
  /** The number of hits. */
  readonly length: number;
  /** From the request. */
  readonly entityCount: number;
  readonly rayCount: number;
  readonly test: 'volumes' | 'mesh';
  /** 16 words for each hit. The integers are ray, entity, node, part, triangle, and 1 if `inside`. */
  readonly words: Uint32Array<ArrayBuffer>;
  /** The same bytes: distance at 6, point from 7, normal from 10, barycentric from 13 on. */
  readonly floats: Float32Array<ArrayBuffer>;
  hit(i: number): Hit;
  [Symbol.iterator](): IterableIterator<Hit>;
}

/** One entry of a batch: `op` and the parameters of that operation. */
export type Query = { op: 'model' | 'palette' | 'pose' | 'mesh' | 'bounds' | 'hitboxes' | 'keys'; model: string } & Record<string, unknown>;

interface Asks {
  /** Any operation of protocol/http.md by its path. */
  ask(path: string, parameters?: Record<string, unknown>, options?: Abortable): Promise<Answer>;
  /** Several queries in one round trip. Resolves with the JSON answer or the error of each. */
  batch(queries: readonly Query[], options?: Abortable): Promise<Array<Json | PosedError>>;
}

/** The part of a WebSocket that the client uses: the browser's, Node 22's, or that of the package `ws`. */
export interface WebSocketLike {
  binaryType: string;
  send(data: any): void;
  close(code?: number): void;
  addEventListener(type: any, listener: (event: any) => void): void;
}
export type WebSocketConstructor = new (url: string, protocols?: string) => WebSocketLike;

/** What happens when a connection ends: see "Connections that end" in README.md. */
export interface ReconnectOptions {
  /** How many connections to try after one has ended, by default 10. 0: none, and nothing is repeated. */
  reconnectTries?: number;
  /** Seconds for all of them together, by default 10. */
  reconnectSeconds?: number;
  /** Called each time a connection works again. */
  onReconnect?: (event: { what: string; tries: number; seconds: number }) => void;
}

export interface ClientOptions extends ReconnectOptions {
  /** One of the server's tokens, if it requires one. */
  token?: string;
  fetch?: typeof globalThis.fetch;
  /** Needed in Node before 22. */
  WebSocket?: WebSocketConstructor;
}

/** One server. The constructor sends no request. */
export class Client implements Asks {
  constructor(url?: string | URL, options?: ClientOptions);
  readonly url: string;
  model(path: string): Model;
  models(options?: Abortable & { prefix?: string }): AsyncGenerator<{ model: string; state: string } & Json, void>;
  ask(path: string, parameters?: Record<string, unknown>, options?: Abortable): Promise<Answer>;
  /** Casts rays at posed entities. Resolves with JSON (protocol/hits.md). `raycastCrowd` is for many rays and entities. */
  raycast(request: RaycastParameters & { entities: readonly RaycastEntity[]; rays: readonly Ray[] }): Promise<Json>;
  /** The poses of many entities in one round trip (protocol/crowd.md). */
  crowd(crowd: Crowd): Promise<Entities>;
  /** Casts rays and moving balls at the entities of a crowd, in binary. Rejects if an entity or a ray has an error; the error names it. */
  raycastCrowd(raycast: CrowdRaycast): Promise<Hits>;
  batch(queries: readonly Query[], options?: Routed): Promise<Array<Json | PosedError>>;
  version(options?: Abortable): Promise<Json>;
  environment(options: EnvironmentParameters & { format: 'json' }): Promise<Json>;
  environment(options: EnvironmentParameters & { format: 'hdr' }): Promise<Answer>;
  environment(options?: EnvironmentParameters & { format?: 'bin' }): Promise<Frames>;
  formats(options?: Abortable): Promise<Json>;
  stats(options?: Abortable): Promise<Json>;
  upload(name: string, data: Blob | ArrayBuffer | Uint8Array<ArrayBuffer>, options?: Routed): Promise<ModelInfo>;
  delete(name: string, options?: Routed): Promise<void>;
  /**
   * Opens a WebSocket, for streams and for many small requests. `route`: the model by which a balancer chooses the server. Without it, a
   * WebSocket that replaces this one uses the first model that was opened.
   */
  connect(options?: Abortable & { route?: string }): Promise<Link>;
}

/**
 * A WebSocket with the binary protocol. Requests may be sent without waiting; answers arrive in their order. If the WebSocket ends, another
 * one replaces it: models, streams and watches go on, and requests without an answer are sent once more.
 */
export class Link implements Asks {
  static open(url: string, options?: Abortable & ReconnectOptions & { token?: string; WebSocket?: WebSocketConstructor; route?: string }): Promise<Link>;
  readonly limits: {
    version: number; payloadMax: number; modelsMax: number; streamsMax: number; answerMax: number; framesMax: number;
    pictureSideMax: number; rateMax: number; server: string;
  };
  readonly closed: boolean;
  /** Opens a handle for a model, which the server imports if necessary. */
  open(path: string, options?: Abortable): Promise<LinkedModel>;
  ask(path: string, parameters?: Record<string, unknown>, options?: Abortable): Promise<Answer>;
  batch(queries: readonly Query[], options?: Abortable): Promise<Array<Json | PosedError>>;
  /** The same as in Client. */
  crowd(crowd: Crowd): Promise<Entities>;
  raycastCrowd(raycast: CrowdRaycast): Promise<Hits>;
  ping(options?: Abortable): Promise<void>;
  close(): void;
}

export interface StreamOptions extends Abortable {
  /** Frames per second; 0, the default: one for each `next`. */
  rate?: number;
  /** The position of the first frame, in seconds. */
  position?: number;
  /** Seconds that the position moves per second; 1 by default. */
  speed?: number;
  paused?: boolean;
  /** Frames that the server may send ahead; 1 by default. More hide network latency, but a slow reader gets old frames. */
  credit?: number;
}

/** A model with a handle on a connection. */
export class LinkedModel extends Model {
  /** The content hash at the time of `open`. */
  readonly hash: string;
  readonly counts: { nodes: number; skins: number; clips: number; meshes: number };
  /** Rises when the model's content changes; indices may then mean something else. */
  readonly generation: number;
  stream(op: 'palette', parameters?: Omit<PaletteParameters, 't' | 'signal'>, options?: StreamOptions): Promise<Stream>;
  stream(op: 'pose', parameters?: Omit<PoseParameters, 't' | 'signal'>, options?: StreamOptions): Promise<Stream>;
  stream(op: 'mesh', parameters?: Omit<MeshParameters, 't' | 'signal'>, options?: StreamOptions): Promise<Stream>;
  watch(options?: Abortable): Promise<Watch>;
  close(): Promise<void>;
}

export interface StreamFrame {
  /** The number of the frame, counting skipped ones. */
  readonly tick: number;
  /** Frames since the last one that were not sent because this side was slow. */
  readonly skipped: number;
  /** The position that it shows, in seconds. */
  readonly time: number;
  /** The model changed since the last frame. */
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
  /** The newest frame, without waiting, for draw loops; null if none arrived since the last call. After the first call, a stream with a
   * rate receives every frame and keeps the newest; one without a rate receives one frame per call. */
  latest(): StreamFrame | null;
  /** Stops frames until `resume` or `seek`. Like the methods below, it drops older frames. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** The next frame shows this time, in seconds; a paused stream sends that one. */
  seek(position: number): Promise<void>;
  setSpeed(speed: number): Promise<void>;
  setRate(rate: number): Promise<void>;
}

export interface Change {
  readonly generation: number;
  /** Of the new content; null if the model cannot be read. */
  readonly hash: string | null;
  /** Why it cannot be read. */
  readonly error: PosedError | null;
}

/** Changes of a model's content. Leaving `for await` ends it. */
export class Watch implements AsyncIterableIterator<Change> {
  readonly ended: boolean;
  next(): Promise<IteratorResult<Change, undefined>>;
  return(): Promise<IteratorResult<Change, undefined>>;
  [Symbol.asyncIterator](): this;
}
