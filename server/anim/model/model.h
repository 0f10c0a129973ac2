/* model.h - the baked model: every array that evaluation, serving and drawing need, in one block.
 *
 * The structs below are also the file format (protocol/baked-model.md): fixed layout, only named padding,
 * little-endian. bake_decode() checks a block once and returns this view of it. After that the model is immutable, so
 * any thread may read it without a lock.
 *
 * Spaces: `local` = relative to the parent node; `scene` = the file's scene root; `bind` = vertices as authored. Units
 * and axes are the file's own. Matrices are column-major 4x4 for column vectors: element (row r, column c) is m[4*c +
 * r]. Quaternions are x, y, z, w. Times are seconds. An index of -1 means none; ranges are first/count into the array
 * of the same name. */
#pragma once

#include "anim/model/compiled_clip.h"
#include "anim/model/model_face.h"
#include "anim/model/model_material.h"
#include "anim/model/node_constraint.h"

#include <stdbool.h>
#include <stddef.h>

enum model_flags {
    MODEL_HAS_UP = 1,      /* the file states which axis is up */
    MODEL_HAS_FORWARD = 2, /* the file states which way the model faces */
    MODEL_HAS_UNIT = 4,    /* the file states the length of a unit */
    MODEL_OWN_SCALES = 8,  /* some node has NODE_SCALE_BY_AXIS or NODE_SCALE_OWN */
    MODEL_T_POSE = 16,     /* the file promises that its human stands in VRM's T-pose at rest */
};

struct model_info {
    uint8_t content_hash[32]; /* SHA-256 over all sections except files and stamps (import/source/import.h) */
    struct str format;        /* "glTF 2.0", "GLB 2.0", "FBX", "COLLADA", ... */
    struct str generator;     /* program that wrote the file, or missing */
    uint32_t flags;           /* MODEL_ */
    float up[3];              /* unit vector in scene space; +Y unless the file states it */
    float forward[3];         /* unit vector that the model faces; a best guess unless the file states it */
    float unit_m;             /* metres per unit; 1 unless the file states it */
    struct vec3 rest_min;     /* bounds of all drawn vertices at rest, scene space; min > max when there are none */
    struct vec3 rest_max;
    float frame_rate; /* frames a second in which the file counts time; 0 unless it states them */
};

enum node_flags {
    NODE_IN_SCENE = 1,      /* reachable from scene_roots */
    NODE_SHEAR = 2,         /* its matrix is not translation * rotation * scale */
    NODE_JOINT = 4,         /* joint of one of the file's skins (rigid skins do not count) */
    NODE_SCALE_BY_AXIS = 8, /* ancestors' scales act along its own axes: anim/pose/scale_frame.h */
    NODE_SCALE_OWN = 16,    /* the parent's own scale does not act on it: likewise; a node has at most one of the two */
    NODE_SCALES = NODE_SCALE_BY_AXIS | NODE_SCALE_OWN,
    NODE_HIDDEN = 32, /* the file does not show its mesh */
    NODE_HIDES = 64,  /* the file hides this node itself, not an ancestor of it */
};

struct node {
    struct str name;
    int32_t parent;       /* may be larger than the node's own index: use node_order to evaluate */
    int32_t mesh;         /* or -1 */
    int32_t skin;         /* the file's skin for its mesh, or -1 */
    int32_t matrix;       /* index into node_matrices, or -1: the rest transform where the file gives a matrix */
    float translation[3]; /* at rest; for a matrix node its decomposition */
    float rotation[4];
    float scale[3];
    uint32_t weight_first, weight_count; /* rest morph weights of this mesh instance */
    uint32_t flags;                      /* NODE_ */
};

enum skin_flags { SKIN_RIGID = 1 }; /* made for an unskinned mesh node: one joint, identity inverse bind */

/* How the matrices of a vertex's joints are combined (anim/pose/skin.h). */
enum skin_method {
    METHOD_LINEAR = 0,          /* weighted sum of matrices */
    METHOD_RIGID = 1,           /* the same; the file states that each vertex has one joint */
    METHOD_DUAL_QUATERNION = 2, /* weighted sum of dual quaternions and scales */
    METHOD_BLENDED = 3,         /* between linear and dual quaternions, by the vertex's dual weight */
};

struct skin {
    struct str name;
    uint32_t joint_first, joint_count; /* at least 1 */
    int32_t mesh_node;                 /* first mesh node that uses the skin, or -1 (space=mesh) */
    uint32_t flags;                    /* SKIN_ */
    uint32_t method;                   /* METHOD_; linear for SKIN_RIGID */
};

struct joint {
    struct mat4 joint_from_bind; /* the inverse bind matrix */
    uint32_t node;
    uint32_t reserved[3];
};

struct mesh {
    struct str name;
    uint32_t primitive_first, primitive_count;
};

enum topology { TOPOLOGY_TRIANGLES = 0, TOPOLOGY_LINES = 1, TOPOLOGY_POINTS = 2 };
enum primitive_flags {
    PRIMITIVE_FILE_NORMALS = 1, /* else generated */
    PRIMITIVE_TEXCOORDS = 2,
    PRIMITIVE_COLORS = 4,
    PRIMITIVE_FLAT = 8, /* the file has no normals, and its format asks for flat shading */
    PRIMITIVE_SECOND_TEXCOORDS = 16,
    PRIMITIVE_TANGENTS = 32,
};

struct primitive {
    uint32_t mesh;
    uint32_t topology; /* TOPOLOGY_; strips, fans and loops are unrolled at import */
    uint32_t vertex_first, vertex_count;
    uint32_t index_first, index_count; /* values are relative to vertex_first: 0..vertex_count-1 */
    uint32_t morph_target_first, morph_target_count;
    int32_t material; /* or -1 */
    uint32_t flags;   /* PRIMITIVE_ */
};

/* Returns the number of indices of a triangle, a line or a point. */
static inline uint32_t primitive_corner_count(const struct primitive *primitive)
{
    return primitive->topology == TOPOLOGY_TRIANGLES ? 3 : primitive->topology == TOPOLOGY_LINES ? 2 : 1;
}

/* A vertex's influences are influences[influence_firsts[v] .. influence_firsts[v + 1]). All are kept, and their weights
 * sum to 1. Without any, the vertex follows joint 0 of its skin with weight 1. */
struct influence {
    uint32_t joint; /* index in the skin; below the joint_count of every skin that draws the vertex */
    float weight;   /* > 0 */
};

struct morph_target {
    struct str name;
    uint32_t position_first; /* index into morph_deltas, vertex_count of the primitive, or UINT32_MAX */
    uint32_t normal_first;   /* likewise */
};

enum draw_flags { DRAW_IN_SCENE = 1 }; /* its node is in the scene and not hidden */

/* One primitive of one mesh node, as drawn; sorted by node, then primitive. */
struct draw {
    uint32_t node;
    uint32_t primitive;
    uint32_t skin;  /* skin of the file, or the rigid one of the node */
    uint32_t flags; /* DRAW_ */
};

/* Clip time 0 is the file's time 0 (FBX: the take's start). */
struct clip {
    struct str name;
    uint32_t channel_first, channel_count;
    double start_s;    /* the clip time of the first key of its channels */
    double duration_s; /* at least the last key's clip time, of property channels too; more where the file says so; the
                          loop range is [0, duration_s) */
};

enum channel_path {
    PATH_TRANSLATION = 0,
    PATH_ROTATION = 1,
    PATH_SCALE = 2,
    PATH_WEIGHTS = 3,
    PATH_VISIBILITY = 4, /* 0: hides the node's mesh and the meshes below it (anim/pose/visibility.h); STEP */
    PATH_COUNT
};
/* True when a channel of this path changes the node's matrix. */
static inline bool path_is_transform(uint32_t path) { return path <= PATH_SCALE; }
enum interpolation { INTERPOLATION_LINEAR = 0, INTERPOLATION_STEP = 1, INTERPOLATION_CUBICSPLINE = 2 };

/* key_values holds key_count * component_count floats from value_first. CUBICSPLINE has three times as many, for each
 * key: in-tangents, values, out-tangents (glTF 2.0, appendix C). Before the first and after the last key the nearest
 * value holds. */
struct channel {
    uint32_t node;
    uint32_t path;                      /* PATH_ */
    uint32_t interpolation;             /* INTERPOLATION_ */
    uint32_t component_count;           /* 3, 4, 3, the node's weight_count, or 1 */
    uint32_t key_time_first, key_count; /* at least 1; times strictly rising; shared between channels */
    uint32_t value_first;
    uint32_t reserved;
};

/* Moves a number of a material, a light or a camera while a clip plays (anim/model/property.h). Sorted by clip, then
 * channel.node, then channel.path; strictly, so that a clip drives each of them once. */
struct property_channel {
    uint32_t clip;
    struct channel channel; /* node: the material, light or camera; path: PATH_COUNT + PROPERTY_ */
};

struct warning {
    struct str code;    /* stable, for programs: "weights_renormalised" */
    struct str message; /* for people, names the culprit */
};

enum source_role {
    SOURCE_MODEL = 0,
    SOURCE_COMPANION = 1,
    SOURCE_TEXTURE = 2,
    SOURCE_FOLDER = 3,   /* the import read the names in this folder */
    SOURCE_SEARCHED = 4, /* the import looked for some names in this folder, ignoring case */
};

/* A file or folder that the import looked at. The model is stale when any stamp differs. */
struct source_file {
    struct str path;     /* under the root, '/' separators */
    uint32_t role;       /* SOURCE_ */
    uint32_t is_missing; /* 1: the import looked for it and did not find it */
    uint64_t size_bytes;
    int64_t mtime_ns;
    int64_t ctime_ns;
    uint64_t inode;
};

enum extra_owner { EXTRA_NODE = 0, EXTRA_MATERIAL = 1, EXTRA_CLIP = 2 };

/* Data that a file has for a thing beyond its format, as JSON without white space. Sorted by owner, then index. */
struct extra {
    uint32_t owner; /* EXTRA_ */
    uint32_t index;
    struct str json;
};

/* Things that have members which only files made of the model have again. A texture stands for that of the file, its
 * image and its sampler. */
enum carry_owner {
    CARRY_DOCUMENT, /* index 0, as for the next one */
    CARRY_ASSET,
    CARRY_SCENE, /* of the file; index below CARRIED_SCENES_MAX */
    CARRY_NODE,
    CARRY_MESH,
    CARRY_PRIMITIVE,
    CARRY_SKIN,
    CARRY_CAMERA,
    CARRY_LIGHT,
    CARRY_MATERIAL,
    CARRY_TEXTURE,
    CARRY_NOTHING, /* a line about what the model lacks of the file: the member is its code */
    CARRY_OWNER_COUNT
};
enum { CARRIED_SCENES_MAX = 1024 };
#define CARRY_BIT(owner) (1U << (owner))

/* A member of an object of a glTF file that the model has no other place for: "copyright", "extras", "nodes" of a scene
 * that is not shown, or an extension of protocol/carried.def by its name; as JSON without white space. Sorted by owner,
 * index, then member, byte by byte; each once. */
struct carried {
    uint32_t owner; /* CARRY_ */
    uint32_t index;
    struct str member;
    struct str json;
};

/* A named time of a clip: a footstep, a sound, a hit. Sorted by clip, then time. */
struct marker {
    uint32_t clip;
    uint32_t reserved;
    struct str name;
    struct str value; /* further data of the file, or missing */
    double time_s;    /* clip time; may lie outside the clip */
};

/* Maps a bone of a human, named as in the file ("leftUpperArm"), to a node. Sorted by name, byte by byte; names are
 * unique. */
struct humanoid_bone {
    struct str name;
    uint32_t node;
    uint32_t reserved;
};
enum { HUMANOID_BONES_MAX = 256 };

/* A named set of materials that can replace those of the primitives (KHR_materials_variants). */
struct variant {
    struct str name;
};
enum { VARIANTS_MAX = 1024 };

/* The material of a primitive in a variant. Sorted by primitive, then variant. Primitives without an entry keep their
 * own. */
struct variant_material {
    uint32_t primitive;
    uint32_t variant;
    int32_t material; /* or -1 */
    uint32_t reserved;
};

enum camera_kind { CAMERA_PERSPECTIVE = 0, CAMERA_ORTHOGRAPHIC = 1 };

/* The node's axis that a camera looks along; +y is up. */
enum camera_facing { CAMERA_FACING_MINUS_Z = 0, CAMERA_FACING_X = 1 };

/* A camera of the file at a node. Sorted by node. */
struct model_camera {
    struct str name; /* the camera's, or its node's where it has none */
    uint32_t node;
    uint32_t kind; /* CAMERA_ */
    float height;  /* perspective: vertical angle of view, in radians; orthographic: half of the picture's height, in
                      scene units */
    float width;   /* perspective: width / height of the picture, 0 unless the file states it; orthographic: half of its
                      width */
    float z_near, z_far; /* clip distances; z_far 0: infinite */
    uint32_t facing;     /* CAMERA_FACING_ */
};

enum light_kind { LIGHT_KIND_DIRECTIONAL, LIGHT_KIND_POINT, LIGHT_KIND_SPOT, LIGHT_KIND_COUNT };

/* A light of the file at a node, as in KHR_lights_punctual: it shines along the node's -z axis. Sorted by node. */
struct model_light {
    struct str name; /* the light's, or its node's where it has none */
    uint32_t node;
    uint32_t kind;   /* LIGHT_KIND_ */
    float color[3];  /* linear, >= 0 */
    float intensity; /* >= 0; candela, or lux for directional lights */
    float range;     /* in scene units, beyond which there is no light; 0: unlimited, as for directional lights */
    float inner_cone, outer_cone; /* for spots: radians from the axis, 0 <= inner < outer <= pi / 2; else 0 */
};
/* Pictures use at most this many lights, the first ones in the scene. */
enum { MODEL_LIGHTS_DRAWN = 16 };

enum volume_kind { VOLUME_CAPSULE = 0, VOLUME_BOX = 1, VOLUME_SPHERE = 2, VOLUME_KIND_COUNT };

/* A solid at a node, in the node's own space (joint space), that rays can hit (anim/hits). Finite. */
struct hit_volume {
    struct str name; /* its name in the file, or missing */
    uint32_t node;
    uint32_t kind;     /* VOLUME_ */
    float center[3];   /* capsule: one end of its axis */
    float end[3];      /* capsule: the other end; else center */
    float rotation[4]; /* box: joint_from_box, not zero; else the identity */
    float half[3];     /* box: half of its sides, >= 0; else 0 */
    float radius;      /* capsule or sphere, >= 0; else 0 */
};

enum hitbox_rule {
    HITBOX_GIVEN = 0, /* the node has this volume */
    HITBOX_FIT = 1,   /* a volume of this kind is fitted */
    HITBOX_NONE = 2,  /* the node has none */
};

/* A rule of NAME.hitboxes.json beside the model. It replaces what would be fitted to the node. In the file's order; a
 * node has one rule, or several HITBOX_GIVEN. */
struct hitbox {
    uint32_t rule; /* HITBOX_ */
    struct hit_volume volume;
};
enum { HITBOXES_MAX = 4096 };

struct hit_cache; /* anim/hits/hit_cache.h */

/* The checked view. All arrays are in the decoded block, and live as long as it. */
struct model {
    const void *bytes;
    uint64_t size_bytes;
    struct hit_cache *hits; /* cache of what hits need, owned by the holder of the block; may be NULL */
#define X(id, singular, plural, type, item_bytes)                                                                      \
    const type *plural;                                                                                                \
    uint32_t singular##_count;
#include "anim/model/model_sections.def"
#undef X
};

static inline uint32_t model_vertex_count(const struct model *model) { return model->position_count; }

/* Returns the first carried member of an object, and sets *count to their number. */
const struct carried *model_carried(const struct model *model, enum carry_owner owner, uint32_t index, uint32_t *count);

/* Returns the name of a mesh's morph target: that of its first primitive with so many, because the primitives of a mesh
 * have the same targets. It is missing where the file has none. */
struct str model_target_name(const struct model *model, const struct mesh *mesh, uint32_t target);

/* Returns the joint of a skin that moves a vertex most, as an index into the model's joints. Of equals the first wins.
 */
uint32_t model_strongest_joint(const struct model *model, const struct skin *skin, uint32_t vertex);

/* Returns the material of a primitive, or -1: its own for variant 0, otherwise that of model->variants[variant - 1]. */
int32_t model_material(const struct model *model, uint32_t primitive, uint32_t variant);

/* True for the name of a texture that Blender computes and that has no file: "Procedural,num=0,type=Clouds". assimp
 * gives them such names when it reads a .blend file, also in the files that it then writes. */
bool texture_name_is_procedural(const char *name, size_t size_bytes);

/* Copies the beginning of a name for messages, or "" when it has no name. Returns `out`. */
enum { SHORT_NAME_SIZE = 101 };
const char *short_name(const struct model *model, struct str name, char out[SHORT_NAME_SIZE]);
