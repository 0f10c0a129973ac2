/* posed_eval.h - the evaluator of posed as a library: palettes, poses, vertices, blends and root motion of .posed
 * files, with the server's code and the same bits. posed_eval_hits.h adds rays. C11 and C++. It needs only libc and
 * libm, has no global state, and allocates nothing after models are opened and room is reserved.
 *
 *   struct pe_error error;
 *   struct pe_model *hero;
 *   struct pe_evaluator *evaluator;
 *   struct pe_entity entity;
 *   float palette[16 * 65];
 *
 *   if (pe_model_open("hero.posed", 0, &hero, &error) < 0 || pe_evaluator_new(&evaluator, &error) < 0 ||
 *       pe_evaluator_reserve(evaluator, hero, 1, &error) < 0 ||
 *       pe_entity_clip(&entity, hero, "walk", 0.5, &error) < 0 || pe_evaluate(evaluator, &entity, &error) < 0 ||
 *       pe_palette(evaluator, 0, PE_MAT4, palette, sizeof palette / sizeof *palette, &error) < 0)
 *       fail(error.message);
 *
 * Initialise structs that you fill with zeros (= {0}). A zero has a sensible meaning in every field, given beside it.
 *
 * Make a .posed file with `posectl bake hero.fbx -o hero.posed`, or get it from a server's /v1/export?format=posed.
 *
 * protocol/answers.md, protocol/time.md and protocol/blending.md define the numbers. In short: matrices are 4x4 for
 * column vectors, column-major (row r, column c at 4*c+r). Quaternions are x, y, z, w. Units and axes are the file's
 * own. *scene*: the file's scene root; *local*: relative to the parent; *bind*: vertices as authored. Times are
 * seconds. Indices of nodes, skins, clips and meshes are the same as in the server's answers about the model.
 *
 * Threads: any number of threads may share a model, which never changes once it is open. An evaluator is working
 * memory: only one thread may use it at a time, so make one for each thread.
 *
 * Errors: a function that can fail returns 0, or a negative value of enum pe_status, and fills *error (may be NULL)
 * with a sentence that names the culprit. After an error everything else is unchanged, except that the contents of
 * output arrays are undefined. */
#ifndef POSED_EVAL_H
#define POSED_EVAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PE_API __attribute__((visibility("default")))
#else
#define PE_API
#endif

enum pe_status {
    PE_E_ARGUMENT = -1,   /* wrong use of a function: an invalid index, a negative weight, too little room */
    PE_E_SYSTEM = -2,     /* the file cannot be opened or read: error.system is errno */
    PE_E_DAMAGED = -3,    /* not a .posed file, a damaged one, or a version that this library does not read */
    PE_E_LIMIT = -4,      /* the model is larger than any that posed evaluates */
    PE_E_MEMORY = -5,     /* memory ran out; only functions that open, make or reserve return it */
    PE_E_NOT_FOUND = -6,  /* nothing has that name */
    PE_E_AMBIGUOUS = -7,  /* several things have that name: use an index */
    PE_E_NOT_FINITE = -8, /* the pose has a value that a finite float cannot hold */
    PE_E_NOT_RIGID = -9,  /* a matrix scales, shears or mirrors, which the layout cannot express */
    PE_E_RESERVE = -10    /* no room: call the function whose name ends in _reserve */
};

enum { PE_MESSAGE_MAX = 480 };

struct pe_error {
    int status;                   /* enum pe_status */
    int system;                   /* errno, with PE_E_SYSTEM */
    char message[PE_MESSAGE_MAX]; /* UTF-8, NUL-terminated, cut to this length */
};

/* Return the build of this library ("0.2.0", or "0.2.0+git20261128.142035.1a2b3c4d" between releases) and the newest
 * version of the file that it reads. It reads all older versions. */
PE_API const char *pe_version(void);
PE_API int pe_file_version(void);

/* --- models ------------------------------------------------------------------------------------------------------ */

struct pe_model; /* an opened file */

/* flags for pe_model_open() */
enum {
    /* Maps the file instead of reading it, so that processes share its memory. The file must not change while it is
     * open, even by another process, because the library would use unchecked bytes. Replace it by rename(). */
    PE_OPEN_MAP = 1
};

/* Opens a .posed file and checks all of it: any file is either refused or safe to use. Returns 0, PE_E_SYSTEM,
 * PE_E_DAMAGED, PE_E_LIMIT or PE_E_MEMORY. Close *model with pe_model_close() after freeing everything that was made
 * from it. */
PE_API int pe_model_open(const char *path, unsigned flags, struct pe_model **model, struct pe_error *error);

/* The same for a file in memory. pe_model_open_memory() copies the bytes. pe_model_open_borrowed() uses them in place.
 * They must lie at a multiple of 64 (else PE_E_ARGUMENT) and stay unchanged until the model is closed. */
PE_API int pe_model_open_memory(const void *bytes, size_t size_bytes, struct pe_model **model, struct pe_error *error);
PE_API int pe_model_open_borrowed(const void *bytes, size_t size_bytes, struct pe_model **model,
                                  struct pe_error *error);

/* No evaluation with the model may be under way. NULL is allowed. */
PE_API void pe_model_close(struct pe_model *model);

struct pe_info {
    const unsigned char *content_hash; /* [32], as in the server's answers */
    uint32_t node_count, skin_count, clip_count, mesh_count, draw_count, marker_count, expression_count;
    float up[3], forward[3];        /* unit vectors, scene space; the model faces forward */
    float unit_m;                   /* metres per unit */
    float rest_min[3], rest_max[3]; /* bounds of all drawn vertices at rest, scene space; min > max without any */
    int file_version;
    int has_compiled; /* 1: opening the file compiled its clips, because their compiled form was of another version */
    int has_gaze;     /* 1: the file says how its human looks somewhere (struct pe_look) */
};

struct pe_node {
    const char *name; /* NUL-terminated; NULL: no name */
    int32_t parent;   /* or -1 */
    int32_t mesh, skin;
    float translation[3], rotation[4], scale[3]; /* at rest, relative to the parent */
};

struct pe_skin {
    const char *name;
    uint32_t joint_count;
    int32_t mesh_node; /* first node that uses it, or -1 */
    int is_rigid;      /* 1: made for a mesh node without a skin, so that the node has a palette */
};

/* How palettes of a clip are computed: as `evaluation` of the server's model answer says. */
enum pe_evaluation {
    PE_EXACT = 0,  /* in double precision, several times slower */
    PE_LINEAR = 1, /* in float from its compiled form */
    PE_CUBIC = 2,  /* likewise, and some channels are cubic splines */
};

struct pe_clip {
    const char *name;
    double start_s, duration_s;
    int is_compiled; /* 1: palettes are evaluated the fast way; 0: in double precision */
    enum pe_evaluation evaluation;
};

/* A primitive of a mesh as drawn by a node. The arrays belong to the model. */
struct pe_draw {
    uint32_t node, mesh, skin;
    uint32_t primitive; /* index in the mesh */
    int is_in_scene;
    int topology; /* 0: triangles, 1: lines, 2: points */
    uint32_t vertex_count, index_count;
    const float *positions, *normals; /* [3 * vertex_count]: bind space, as in the file */
    const uint32_t *indices;          /* [index_count] */
};

/* A named time of a clip. */
struct pe_marker {
    uint32_t clip;
    const char *name, *value; /* value NULL: none */
    double time_s;
};

/* A face of a VRM file by its name: "happy", "aa", "blink". Presets of VRM 0 have the names of VRM 1. The library has
 * no materials, so what an expression does to colours and textures is not in it. */
struct pe_expression {
    const char *name;
    uint32_t weight_count; /* how many morph weights it moves */
    int is_binary;         /* 1: it shows wholly above 0.5, and else not at all */
};

PE_API void pe_model_info(const struct pe_model *model, struct pe_info *out);
/* Return 0, or PE_E_ARGUMENT for an invalid index. Strings and arrays live as long as the model. */
PE_API int pe_node_at(const struct pe_model *model, uint32_t index, struct pe_node *out);
PE_API int pe_skin_at(const struct pe_model *model, uint32_t index, struct pe_skin *out);
PE_API int pe_clip_at(const struct pe_model *model, uint32_t index, struct pe_clip *out);
PE_API int pe_draw_at(const struct pe_model *model, uint32_t index, struct pe_draw *out);
PE_API int pe_marker_at(const struct pe_model *model, uint32_t index, struct pe_marker *out);
PE_API int pe_expression_at(const struct pe_model *model, uint32_t index, struct pe_expression *out);
/* Gets joint `joint` of a skin, in the palette's order: its node, and, unless `joint_from_bind` is NULL, its inverse
 * bind matrix in joint_from_bind[16]. */
PE_API int pe_joint_at(const struct pe_model *model, uint32_t skin, uint32_t joint, uint32_t *node,
                       float *joint_from_bind);

/* Returns 1 when the node is `ancestor` or one of its descendants, and 0 when it is not or an index is invalid. */
PE_API int pe_node_is_below(const struct pe_model *model, uint32_t node, uint32_t ancestor);

/* Find by exact name. Return 0, PE_E_NOT_FOUND (the message lists the first names) or PE_E_AMBIGUOUS. */
PE_API int pe_find_node(const struct pe_model *model, const char *name, uint32_t *node, struct pe_error *error);
PE_API int pe_find_skin(const struct pe_model *model, const char *name, uint32_t *skin, struct pe_error *error);
PE_API int pe_find_clip(const struct pe_model *model, const char *name, int32_t *clip, struct pe_error *error);
PE_API int pe_find_expression(const struct pe_model *model, const char *name, uint32_t *expression,
                              struct pe_error *error);

/* --- clips of other files ---------------------------------------------------------------------------------------- */

/* A clip of one model that another model plays. Nodes take the motion of the nodes with their names, or bones that of
 * the same bones of another human, as with the server's clip_file, and the numbers have the same bits. Immutable, so
 * threads may share it. */
struct pe_retargeted_clip;

/* Retargets clip `clip` of `source` to `model`, and compiles it, which takes up to a fraction of a second. Returns 0,
 * PE_E_ARGUMENT for an invalid index, or PE_E_NOT_FOUND when no node of the model has the name of a node that the clip
 * moves. Free it after the evaluations that use it and before either model is closed. */
PE_API int pe_retargeted_clip_new(struct pe_retargeted_clip **out, const struct pe_model *model,
                                  const struct pe_model *source, int32_t clip, struct pe_error *error);
/* The pose of the source that stands for its rest, as the server's clip_rest: its rest where that stands, else a frame
 * that stands; its rest; or a key of its first clip. */
enum pe_rest { PE_REST_AUTO = 0, PE_REST_ZERO = 1, PE_REST_FRAME = 2 };
struct pe_rest_options {
    int has_locked_feet; /* 1: planted feet keep their places, as with the server's feet=lock */
    enum pe_rest clip_rest;
    uint32_t clip_rest_frame; /* with PE_REST_FRAME */
};
/* Retargets a clip of one human to another with other joints, another rest pose, axes and size, as the server's
 * retarget=rest does, and with the same bits. The bones of both are found as the server finds them without map=,
 * bones= and their like. options: NULL for its defaults. Takes up to seconds for a clip of minutes. Returns also
 * PE_E_NOT_FOUND when one of both has no bones of a human, and PE_E_ARGUMENT for a frame that there is not. */
PE_API int pe_retargeted_clip_new_by_rest(struct pe_retargeted_clip **out, const struct pe_model *model,
                                          const struct pe_model *source, int32_t clip,
                                          const struct pe_rest_options *options, struct pe_error *error);
/* NULL is allowed. */
PE_API void pe_retargeted_clip_free(struct pe_retargeted_clip *clip);

struct pe_retargeted_clip_info {
    double duration_s;
    uint32_t channel_count; /* channels of the clip in its own file */
    uint32_t
        unmatched_count; /* those of them that move nothing, because no single node of the model has the name or bone */
    int is_compiled;     /* as in struct pe_clip */
    enum pe_evaluation evaluation;
};
PE_API void pe_retargeted_clip_info(const struct pe_retargeted_clip *clip, struct pe_retargeted_clip_info *out);

/* --- given poses ------------------------------------------------------------------------------------------------- */

/* What is given of a node's transform. */
enum { PE_TRANSLATION = 1, PE_ROTATION = 2, PE_SCALE = 4, PE_WHOLE = 7 };
/* What it is relative to. PARENT: it is the local transform, as pe_locals() writes it. REST: the translation is added
 * to that at rest, the rotation follows about the node's own axes, and the scale is multiplied. */
enum pe_relative { PE_TO_PARENT = 0, PE_TO_REST = 1 };

struct pe_given_node {
    uint32_t node;
    uint32_t parts; /* PE_TRANSLATION | PE_ROTATION | PE_SCALE: which of the following count; 0: none */
    double translation[3], rotation[4], scale[3]; /* the model's units; x, y, z, w, of any length but 0 */
};
struct pe_given_weight {
    uint32_t node, target; /* target: of the node's mesh, as in pe_morph_weights() */
    double weight;
};
/* An expression shows by its weight, which is cut to 0..1. Expressions of the model that override the mouth, blinking
 * or the gaze take from these, and binary ones round, as the file says. Each moves its morph weights; those that are
 * given themselves stay as given. */
struct pe_given_expression {
    uint32_t expression;
    double weight;
};
/* Where the eyes look. The eyes turn, or the expressions that look are set, as the file says; a model of which
 * pe_model_info() has no has_gaze cannot look. Expressions that override the gaze take from it. */
enum pe_look_kind { PE_LOOK_NONE = 0, PE_LOOK_ANGLES = 1, PE_LOOK_POINT = 2 };
struct pe_look {
    int32_t kind;              /* enum pe_look_kind */
    double yaw_deg, pitch_deg; /* ANGLES: to the human's left, and down; up to 360 */
    double point[3];           /* POINT: in scene space, wherever the layers have put the head */
};

/* A pose of the caller's own in place of a clip: an IK or a ragdoll result. What it does not give stays as it is. The
 * caller owns all of it, may fill it anew for each frame, and may free it when the call that gets it returns. The
 * numbers are doubles, of which every float is one, so that they are those of the server's JSON. Rotations that
 * pe_locals() wrote as floats come out of pe_locals() again with the same bits. */
struct pe_pose {
    const struct pe_given_node
        *nodes; /* [node_count], in any order, each node once; evaluated fastest by rising node */
    const struct pe_given_weight *weights; /* [weight_count]: likewise */
    uint32_t node_count, weight_count;
    int32_t relative_to; /* enum pe_relative, for the nodes */
    uint32_t expression_count;
    const struct pe_given_expression *expressions; /* [expression_count], each once */
    struct pe_look look;
};

/* A motion of the caller's own: several frames of the same nodes, weights and expressions, which layers play as a clip.
 * Immutable, so threads may share it. */
struct pe_given;

struct pe_given_frames {
    uint32_t frame_count, node_count, weight_count;
    const uint32_t *nodes;    /* [node_count], in any order, each once */
    const char *const *names; /* NULL, or [node_count]: names of nodes; where one is NULL, `nodes` counts */
    const uint32_t *parts;    /* NULL: all of each node; or [node_count], as in struct pe_given_node */
    const struct pe_given_weight *weights; /* [weight_count]: which; their own numbers are not used */
    const double
        *transforms; /* [frame_count][node_count][10]: translation, rotation, scale, as pe_locals() writes them */
    const double *weight_values; /* [frame_count][weight_count] */
    const double *times_s;       /* [frame_count], from 0 or later on, rising; NULL: frame i is at i / rate */
    double rate;                 /* frames a second, without times_s */
    int32_t relative_to;         /* enum pe_relative */
    uint32_t expression_count;
    const struct pe_given_expression *expressions; /* [expression_count]: likewise */
    const double *expression_values;               /* [frame_count][expression_count] */
    struct pe_look look;                           /* of all frames */
};

/* Checks the frames, copies them and prepares them for the model. Between frames numbers are linear, and rotations take
 * the shorter arc; before the first and after the last frame the nearest one holds. It lasts until its last frame, and
 * a single frame has no duration. Returns 0, PE_E_ARGUMENT that names frame, node and number, PE_E_NOT_FOUND or
 * PE_E_AMBIGUOUS for a name, or PE_E_MEMORY. Free it after the evaluations that use it and before the model is closed.
 */
PE_API int pe_given_new(struct pe_given **out, const struct pe_model *model, const struct pe_given_frames *frames,
                        struct pe_error *error);
/* NULL is allowed. */
PE_API void pe_given_free(struct pe_given *given);
PE_API double pe_given_duration_s(const struct pe_given *given);

/* --- entities ---------------------------------------------------------------------------------------------------- */

enum pe_layout { PE_MAT4 = 0, PE_MAT3X4 = 1, PE_DUALQUAT = 2 }; /* 16, 12 and 8 floats */
enum pe_wrap { PE_LOOP = 0, PE_CLAMP = 1, PE_MIRROR = 2 };
enum { PE_REST_POSE = -1 };

/* The scope of a mask. NODE: the node; SUBTREE: the node and its descendants; EXCEPT: takes the node and its
 * descendants out again. */
enum pe_scope { PE_NODE = 0, PE_SUBTREE = 1, PE_EXCEPT = 2 };
struct pe_mask {
    uint32_t node;
    int32_t scope; /* enum pe_scope */
};
enum { PE_LAYERS_MAX = 16, PE_MASKS_MAX = 1024 /* total of all layers */ };

/* A clip of a blend, or a pose that is given (protocol/blending.md). Clips that share the pose come first, all at once;
 * then additive clips and given poses in their order. */
struct pe_layer {
    int32_t clip;            /* index, or PE_REST_POSE */
    int32_t wrap;            /* enum pe_wrap */
    double time_s;           /* any; the clip time is from_s + wrap(time_s * speed + phase * (to_s - from_s)) */
    double from_s, to_s;     /* part of the clip to play; to_s 0 or beyond the end: to the end */
    double speed;            /* 0 means 1 */
    double phase;            /* 0 to 1 */
    double weight;           /* 0 to 1000; additive or given: 0 to 1. A layer of weight 0 has no effect */
    int32_t is_additive;     /* 1: adds the difference from its reference, which of a given pose is the rest; 0: shares
                                the pose with other layers, or, of a given pose, replaces what it gives by its weight */
    int32_t has_reference;   /* for an additive layer. 0: the reference is its own clip; 1: reference_clip */
    int32_t reference_clip;  /* index, or PE_REST_POSE */
    int32_t reference_wrap;  /* enum pe_wrap */
    double reference_time_s; /* clip time, wrapped by reference_wrap */
    uint32_t mask_count;     /* 0: it may move every node */
    const struct pe_mask *masks;
    const struct pe_retargeted_clip *retargeted; /* the layer plays this, made for the entity's model; NULL: `clip` */
    const struct pe_retargeted_clip *reference_retargeted; /* with has_reference, the same for the reference */
    const struct pe_pose *pose;   /* NULL, or a pose in place of the clip; without retargeted clips or a reference */
    const struct pe_given *given; /* NULL, or a motion likewise, made for the entity's model; not both */
};

/* Root motion: taken out of the pose and returned by pe_root_step(). */
enum pe_motion { PE_MOTION_STAYS = 0, PE_MOTION_EXTRACT = 1, PE_MOTION_EXTRACT_TURN = 2 };

/* A thing to pose: a model that plays a clip, or a blend of several. The caller owns the memory that it points to, and
 * may free it when the call that gets the entity returns, except the model. */
struct pe_entity {
    const struct pe_model *model;
    int32_t clip; /* index, or PE_REST_POSE; in a model without clips 0 is the rest pose too */
    int32_t wrap; /* enum pe_wrap */
    double time_s;
    const struct pe_layer *layers; /* NULL, or [layer_count] in place of the clip; with a count of 0, the rest pose */
    uint32_t layer_count;
    int32_t motion;   /* enum pe_motion; needs a clip, or one override layer without masks */
    int32_t has_root; /* with motion. 0: the root is the joint above all others; 1: the root is node `root` */
    uint32_t root;
    const double *world_from_scene; /* NULL, or [16], column-major, affine: palettes and nodes are multiplied by it */
};
/* Makes *entity play the clip of this name, and sets all other fields to 0. Returns 0, PE_E_ARGUMENT, PE_E_NOT_FOUND or
 * PE_E_AMBIGUOUS. */
PE_API int pe_entity_clip(struct pe_entity *entity, const struct pe_model *model, const char *clip, double time_s,
                          struct pe_error *error);

/* --- evaluation -------------------------------------------------------------------------------------------------- */

struct pe_evaluator; /* working memory, for one thread at a time */

PE_API int pe_evaluator_new(struct pe_evaluator **evaluator, struct pe_error *error);
/* NULL is allowed. */
PE_API void pe_evaluator_free(struct pe_evaluator *evaluator);
/* Makes room for entities of the model with at most `layers_most` layers; an entity that plays a clip needs none. Each
 * layer may have a struct pe_pose of all nodes, morph weights and expressions. Call it for each of several models: the
 * room is for the largest. It is the only function of an evaluator that allocates. Returns 0, PE_E_ARGUMENT or
 * PE_E_MEMORY. */
PE_API int pe_evaluator_reserve(struct pe_evaluator *evaluator, const struct pe_model *model, uint32_t layers_most,
                                struct pe_error *error);
/* Selects the arithmetic: "auto" (the default, the fastest that the processor has), "scalar", "sse2", "avx2", "avx512"
 * or "neon". All give the same bits. PE_E_ARGUMENT: the processor does not have it. */
PE_API int pe_evaluator_kernel(struct pe_evaluator *evaluator, const char *name, struct pe_error *error);

/* Evaluates the entity's pose. The functions below are about the last entity evaluated. */
PE_API int pe_evaluate(struct pe_evaluator *evaluator, const struct pe_entity *entity, struct pe_error *error);

/* Returns the floats of a matrix in a layout; 0: no such layout. */
PE_API uint32_t pe_layout_floats(int layout);

/* Writes the skinning palette of a skin in its own order of joints: world_from_joint * joint_from_bind,
 * pe_layout_floats() a joint. `room`: the number of floats in `out`. */
PE_API int pe_palette(struct pe_evaluator *evaluator, uint32_t skin, int layout, float *out, size_t capacity,
                      struct pe_error *error);

/* Writes world_from_node of nodes[count], or of the first `count` nodes when `nodes` is NULL. */
PE_API int pe_nodes(struct pe_evaluator *evaluator, const uint32_t *nodes, uint32_t count, int layout, float *out,
                    size_t capacity, struct pe_error *error);

/* Writes transforms relative to the parents, 10 floats a node: translation, rotation, scale. A node whose transform is
 * a matrix with shear gets 10 zeros (a rotation is never all zeros); get it with pe_local_matrix(). */
PE_API int pe_locals(struct pe_evaluator *evaluator, const uint32_t *nodes, uint32_t count, float *out, size_t capacity,
                     struct pe_error *error);
PE_API int pe_local_matrix(struct pe_evaluator *evaluator, uint32_t node, float out[16], struct pe_error *error);

/* Writes the morph weights of a node's mesh, at most `room`. Returns their total number, or an error. */
PE_API int pe_morph_weights(struct pe_evaluator *evaluator, uint32_t node, float *out, size_t capacity,
                            struct pe_error *error);

/* Writes the vertices of a draw, morphed and skinned, in scene space (without world_from_scene), 3 floats each.
 * positions or normals may be NULL. `room`: the number of floats in each. */
PE_API int pe_vertices(struct pe_evaluator *evaluator, uint32_t draw, float *positions, float *normals, size_t capacity,
                       struct pe_error *error);

/* The motion that was taken out of the pose, since the beginning of the part that the layer plays. */
struct pe_step {
    uint32_t root;        /* the node that moved */
    float translation[3]; /* over the ground, scene space */
    float yaw_deg;        /* about the model's up axis, with PE_MOTION_EXTRACT_TURN */
};
PE_API int pe_root_step(struct pe_evaluator *evaluator, struct pe_step *out, struct pe_error *error);

/* Returns how many entities were evaluated the fast way, and how many in double precision. */
PE_API void pe_evaluator_counts(const struct pe_evaluator *evaluator, uint64_t *compiled, uint64_t *exact);

/* --- crowds ------------------------------------------------------------------------------------------------------ */

enum pe_what { PE_PALETTE = 0, PE_MATRICES = 1 };
enum { PE_ALL_SKINS = -1 };

/* An entity of a crowd, and where its floats go. */
struct pe_member {
    const struct pe_entity *entity; /* without root motion */
    int32_t what;                   /* PE_PALETTE: as pe_palette(); PE_MATRICES: as pe_nodes() */
    int32_t skin;                   /* for a palette: index, or PE_ALL_SKINS for all, one after the other */
    int32_t layout;                 /* enum pe_layout */
    uint32_t item_count;            /* 0: all joints or nodes */
    const uint32_t *items;          /* joints, in the skin's order, or nodes; not with PE_ALL_SKINS */
    float *out;                     /* [room] */
    size_t capacity;
    int status; /* output: 0, or PE_E_NOT_FINITE or PE_E_NOT_RIGID, and then its floats are 0 */
};

/* Working memory for crowds, for one thread at a time. */
struct pe_crowd;
PE_API int pe_crowd_new(struct pe_crowd **crowd, struct pe_error *error);
/* NULL is allowed. */
PE_API void pe_crowd_free(struct pe_crowd *crowd);
/* Makes room for `member_count` members in one call, including entities of the model, with at most `layers_most` layers
 * each and `mask_count` masks in total. Call it for each of several models. This and pe_crowd_reserve_poses() are the
 * only functions of a crowd that allocate. Returns 0, PE_E_ARGUMENT or PE_E_MEMORY. */
PE_API int pe_crowd_reserve(struct pe_crowd *crowd, const struct pe_model *model, uint32_t member_count,
                            uint32_t layers_most, uint32_t mask_count, struct pe_error *error);
/* Makes room for the struct pe_pose of all layers of all members in one call: for so many nodes and morph weights in
 * total. Those that expressions move count, for a look those of lookUp, lookDown, lookLeft and lookRight. Returns 0,
 * PE_E_ARGUMENT or PE_E_MEMORY. */
PE_API int pe_crowd_reserve_poses(struct pe_crowd *crowd, uint32_t node_count, uint32_t weight_count,
                                  struct pe_error *error);
/* Evaluates members[member_count] in any order; members of one model with alike layers are evaluated together, where
 * there are seven or more of them (four with SSE2 and NEON). In units of separate calls of pe_evaluate() and
 * pe_palette(), with AVX2 or AVX-512 they take 0.55 to 0.7 where each plays two layers, and 0.63 to 0.85 with one
 * layer, the least for models with many joints that move: what members cannot share is half of a pose or more. Members
 * that play different clips take 0.1 to 0.2 more, and SSE2 takes 0.7 to 0.95. Fewer members take 0.95 to 1.05, and a
 * single one up to 1.1. Members of several models take up to 1.05, and a thousand, whose floats leave the caches, 0.7
 * to 1.05, or up to 1.2 with SSE2. The floats have the same bits as those of POST /v1/crowd, and of pe_evaluate() for
 * each. Returns the number of members with a status other than 0 (*error describes one of them), or PE_E_ARGUMENT or
 * PE_E_RESERVE, naming the member; then nothing was evaluated. */
PE_API int pe_crowd_evaluate(struct pe_crowd *crowd, struct pe_member *members, uint32_t member_count,
                             struct pe_error *error);

#ifdef __cplusplus
}
#endif
#endif
