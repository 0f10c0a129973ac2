/* posed_eval.h - the evaluator of posed in your process: palettes, poses, vertices, blends and root motion of .posed
 * files, by the code of the server and with its bits; posed_eval_hits.h adds rays. C11 and C++. It needs nothing but
 * libc and libm, has no global state, and allocates nothing after models are opened and rooms are reserved.
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
 * Structs that you fill begin as zeros (= {0}): every field that is 0 has a sensible meaning, which is said beside it.
 *
 * A .posed file comes from `posectl bake hero.fbx -o hero.posed`, or from a server's /v1/export?format=posed.
 *
 * What the numbers mean is in protocol/answers.md, protocol/time.md and protocol/blending.md; in short: matrices are
 * 4x4 for column vectors, column-major (row r, column c at 4*c+r). Quaternions are x, y, z, w. Units and axes are the
 * file's own. *scene*: the file's scene root; *local*: relative to the parent; *bind*: vertices as authored. Times are
 * seconds. Indices of nodes, skins, clips and meshes are those of the server's answers about the same model.
 *
 * Threads: any number of threads share a model, which never changes once it is open. An evaluator is working memory:
 * one thread at a time, so one for each thread.
 *
 * Errors: a function that can fail returns 0, or one of enum pe_status, which are negative, and fills *error (which may
 * be NULL) with a sentence that names the culprit. Nothing else has changed then, but for arrays that were to be
 * filled: their content is undefined. */
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
    PE_E_ARGUMENT = -1,   /* wrong use of a function: an index that is none, a negative weight, too little room */
    PE_E_SYSTEM = -2,     /* the file cannot be opened or read: error.system is errno */
    PE_E_DAMAGED = -3,    /* no .posed file, a damaged one, or one of a version that this library does not read */
    PE_E_LIMIT = -4,      /* the model is larger than any that posed evaluates */
    PE_E_MEMORY = -5,     /* memory is gone; only what opens, makes and reserves returns it */
    PE_E_NOT_FOUND = -6,  /* nothing has that name */
    PE_E_AMBIGUOUS = -7,  /* several things have it: take an index */
    PE_E_NOT_FINITE = -8, /* the pose has a value that is no finite float */
    PE_E_NOT_RIGID = -9,  /* a matrix scales, shears or mirrors, which the layout cannot say */
    PE_E_RESERVE = -10    /* there is no room: take the function whose name ends in _reserve */
};

enum { PE_MESSAGE_MAX = 480 };

struct pe_error {
    int status;                   /* enum pe_status */
    int system;                   /* errno, with PE_E_SYSTEM */
    char message[PE_MESSAGE_MAX]; /* UTF-8, terminated by NUL, cut to this length */
};

/* The build of this library, "0.2.0" or "0.2.0+git20261128.1a2b3c4d" between releases, and the newest version of the
 * file that it reads; it reads every older one. */
PE_API const char *pe_version(void);
PE_API int pe_file_version(void);

/* --- models ------------------------------------------------------------------------------------------------------ */

struct pe_model; /* an opened file */

/* pe_model_open() flags */
enum {
    /* The file is mapped instead of read, so that processes share its memory. It must not be changed while it is open,
     * not even by another process: what was checked would not be what is used. Replace it by rename(). */
    PE_OPEN_MAP = 1
};

/* Opens a .posed file and checks all of it: whatever its bytes are, it is refused or safe to use. 0, PE_E_SYSTEM,
 * PE_E_DAMAGED, PE_E_LIMIT or PE_E_MEMORY. Close *model with pe_model_close(), when all that was made of it is freed.
 */
PE_API int pe_model_open(const char *path, unsigned flags, struct pe_model **model, struct pe_error *error);

/* The same of a file in memory. pe_model_open_memory() copies the bytes. pe_model_open_borrowed() uses them where they
 * are, at a multiple of 64 (else PE_E_ARGUMENT): they must stay, unchanged, until the model is closed. */
PE_API int pe_model_open_memory(const void *bytes, size_t size_bytes, struct pe_model **model, struct pe_error *error);
PE_API int pe_model_open_borrowed(const void *bytes, size_t size_bytes, struct pe_model **model,
                                  struct pe_error *error);

/* No evaluation with the model may be under way. NULL is nothing. */
PE_API void pe_model_close(struct pe_model *model);

struct pe_info {
    const unsigned char *content_hash; /* [32], as the server's answers have it */
    uint32_t node_count, skin_count, clip_count, mesh_count, draw_count, marker_count;
    float up[3], forward[3];        /* unit vectors, scene space: forward is where the model faces */
    float unit_m;                   /* metres per unit */
    float rest_min[3], rest_max[3]; /* of all drawn vertices at rest, scene space; min > max where there are none */
    int file_version;
    int has_compiled; /* 1: clips were compiled while the file was opened, as their compiled form is another one's */
};

struct pe_node {
    const char *name; /* terminated by NUL; NULL: it has none */
    int32_t parent;   /* or -1 */
    int32_t mesh, skin;
    float translation[3], rotation[4], scale[3]; /* at rest, relative to the parent */
};

struct pe_skin {
    const char *name;
    uint32_t joint_count;
    int32_t mesh_node; /* the first that uses it, or -1 */
    int is_rigid;      /* 1: made for a mesh node without a skin, so that it has a palette of one */
};

struct pe_clip {
    const char *name;
    double start_s, duration_s;
    int is_compiled; /* 1: palettes take the fast way; 0: all are evaluated in double precision */
};

/* One primitive of a mesh as a node draws it. Arrays belong to the model. */
struct pe_draw {
    uint32_t node, mesh, skin;
    uint32_t primitive; /* within the mesh */
    int is_in_scene;
    int topology; /* 0: triangles, 1: lines, 2: points */
    uint32_t vertex_count, index_count;
    const float *positions, *normals; /* [3 * vertex_count]: bind space, as in the file */
    const uint32_t *indices;          /* [index_count] */
};

/* A moment of a clip that the file names. */
struct pe_marker {
    uint32_t clip;
    const char *name, *value; /* value NULL: none */
    double time_s;
};

PE_API void pe_model_info(const struct pe_model *model, struct pe_info *out);
/* Return 0, or PE_E_ARGUMENT for an index that is none. Strings and arrays live as long as the model. */
PE_API int pe_node_at(const struct pe_model *model, uint32_t index, struct pe_node *out);
PE_API int pe_skin_at(const struct pe_model *model, uint32_t index, struct pe_skin *out);
PE_API int pe_clip_at(const struct pe_model *model, uint32_t index, struct pe_clip *out);
PE_API int pe_draw_at(const struct pe_model *model, uint32_t index, struct pe_draw *out);
PE_API int pe_marker_at(const struct pe_model *model, uint32_t index, struct pe_marker *out);
/* Joint `joint` of a skin, in the palette's order: its node, and where `joint_from_bind` is not NULL the inverse bind
 * matrix to joint_from_bind[16]. */
PE_API int pe_joint_at(const struct pe_model *model, uint32_t skin, uint32_t joint, uint32_t *node,
                       float *joint_from_bind);

/* 1: the node is `ancestor` or hangs from it, at whatever depth; 0: it does not, or one of them is none. */
PE_API int pe_node_is_below(const struct pe_model *model, uint32_t node, uint32_t ancestor);

/* By name, in the case that the file has: 0, PE_E_NOT_FOUND (the message has the first names) or PE_E_AMBIGUOUS. */
PE_API int pe_find_node(const struct pe_model *model, const char *name, uint32_t *node, struct pe_error *error);
PE_API int pe_find_skin(const struct pe_model *model, const char *name, uint32_t *skin, struct pe_error *error);
PE_API int pe_find_clip(const struct pe_model *model, const char *name, int32_t *clip, struct pe_error *error);

/* --- what is posed ----------------------------------------------------------------------------------------------- */

enum pe_layout { PE_MAT4 = 0, PE_MAT3X4 = 1, PE_DUALQUAT = 2 }; /* 16, 12 and 8 floats */
enum pe_wrap { PE_LOOP = 0, PE_CLAMP = 1, PE_MIRROR = 2 };
enum { PE_REST_POSE = -1 };

/* What a mask names: NODE the node, SUBTREE it and all below; EXCEPT is taken from that, with all below. */
enum pe_scope { PE_NODE = 0, PE_SUBTREE = 1, PE_EXCEPT = 2 };
struct pe_mask {
    uint32_t node;
    int32_t scope; /* enum pe_scope */
};
enum { PE_LAYERS_MAX = 16, PE_MASKS_MAX = 1024 /* of all layers together */ };

/* A clip of a blend (protocol/blending.md). */
struct pe_layer {
    int32_t clip;            /* index, or PE_REST_POSE */
    int32_t wrap;            /* enum pe_wrap */
    double time_s;           /* any; the clip time is from_s + wrap(time_s * speed + phase * (to_s - from_s)) */
    double from_s, to_s;     /* the part of the clip that is played; to_s 0, or beyond the end: to its end */
    double speed;            /* 0: 1 */
    double phase;            /* 0 to 1 */
    double weight;           /* 0 to 1000; additive: 0 to 1. 0 weighs nothing */
    int32_t is_additive;     /* 1: put on top, as the difference from its reference; 0: shares the pose */
    int32_t has_reference;   /* of an additive layer. 0: its reference is its own clip; 1: reference_clip */
    int32_t reference_clip;  /* index, or PE_REST_POSE */
    int32_t reference_wrap;  /* enum pe_wrap */
    double reference_time_s; /* clip time, wrapped as reference_wrap says */
    uint32_t mask_count;     /* 0: it may move every node */
    const struct pe_mask *masks;
};

/* Root motion: taken out of the pose and told by pe_root_step(). */
enum pe_motion { PE_MOTION_STAYS = 0, PE_MOTION_EXTRACT = 1, PE_MOTION_EXTRACT_TURN = 2 };

/* One posed thing: a model that plays a clip, or a blend of several. What it points at is the caller's and is not
 * needed any more once the call that gets the entity has returned, but for the model. */
struct pe_entity {
    const struct pe_model *model;
    int32_t clip; /* index, or PE_REST_POSE; of a model without clips 0 is that, too */
    int32_t wrap; /* enum pe_wrap */
    double time_s;
    const struct pe_layer *layers; /* NULL, or [layer_count] in place of the clip; none of them: the rest pose */
    uint32_t layer_count;
    int32_t motion;   /* enum pe_motion; with a clip, or one layer that is not additive and has no masks */
    int32_t has_root; /* with motion. 0: the joint that all others hang from; 1: the movement is that of node `root` */
    uint32_t root;
    const double *world_from_scene; /* NULL, or [16], column-major, affine: what palettes and nodes are multiplied by */
};
/* Makes *entity one that plays the clip of this name, and sets all other fields to 0. Returns 0, PE_E_ARGUMENT,
 * PE_E_NOT_FOUND or PE_E_AMBIGUOUS. */
PE_API int pe_entity_clip(struct pe_entity *entity, const struct pe_model *model, const char *clip, double time_s,
                          struct pe_error *error);

/* --- evaluation -------------------------------------------------------------------------------------------------- */

struct pe_evaluator; /* working memory, of one thread at a time */

PE_API int pe_evaluator_new(struct pe_evaluator **evaluator, struct pe_error *error);
/* NULL is nothing. */
PE_API void pe_evaluator_free(struct pe_evaluator *evaluator);
/* Makes room for entities of the model with at most `layers_most` layers; one that plays a clip needs none. For several
 * models call it for each: the room is that of the largest. The only function of an evaluator that allocates. 0,
 * PE_E_ARGUMENT or PE_E_MEMORY. */
PE_API int pe_evaluator_reserve(struct pe_evaluator *evaluator, const struct pe_model *model, uint32_t layers_most,
                                struct pe_error *error);
/* By default the fastest arithmetic that the processor has: "auto"; or "scalar", "sse2", "avx2", "avx512", "neon". All
 * give the same bits. PE_E_ARGUMENT: this processor has none of that name. */
PE_API int pe_evaluator_kernel(struct pe_evaluator *evaluator, const char *name, struct pe_error *error);

/* Evaluates the entity's pose; what follows is about the entity evaluated last. */
PE_API int pe_evaluate(struct pe_evaluator *evaluator, const struct pe_entity *entity, struct pe_error *error);

/* Floats a matrix has in a layout; 0: it is none. */
PE_API uint32_t pe_layout_floats(int layout);

/* The skinning palette of a skin in its own order of joints: world_from_joint * joint_from_bind, pe_layout_floats() a
 * joint. `room`: floats that `out` has. */
PE_API int pe_palette(struct pe_evaluator *evaluator, uint32_t skin, int layout, float *out, size_t room,
                      struct pe_error *error);

/* world_from_node of nodes[count]; nodes NULL: of the first `count` nodes. */
PE_API int pe_nodes(struct pe_evaluator *evaluator, const uint32_t *nodes, uint32_t count, int layout, float *out,
                    size_t room, struct pe_error *error);

/* Transforms within their parents, 10 floats a node: translation, rotation, scale. A node whose transform is a matrix
 * with shear has 10 zeros (no rotation is all zeros): take pe_local_matrix(). */
PE_API int pe_locals(struct pe_evaluator *evaluator, const uint32_t *nodes, uint32_t count, float *out, size_t room,
                     struct pe_error *error);
PE_API int pe_local_matrix(struct pe_evaluator *evaluator, uint32_t node, float out[16], struct pe_error *error);

/* Morph weights of a node's mesh, at most `room`; returns how many it has, or an error. */
PE_API int pe_morph_weights(struct pe_evaluator *evaluator, uint32_t node, float *out, size_t room,
                            struct pe_error *error);

/* The vertices of a draw, morphed and skinned, in scene space (world_from_scene is not in them): 3 floats each.
 * positions or normals may be NULL. `room`: floats that each has. */
PE_API int pe_vertices(struct pe_evaluator *evaluator, uint32_t draw, float *positions, float *normals, size_t room,
                       struct pe_error *error);

/* The movement that was taken out of the pose, since the beginning of what the layer plays. */
struct pe_step {
    uint32_t root;        /* the node whose movement it is */
    float translation[3]; /* over the ground, scene space */
    float yaw_deg;        /* about the model's up axis, with PE_MOTION_EXTRACT_TURN */
};
PE_API int pe_root_step(struct pe_evaluator *evaluator, struct pe_step *out, struct pe_error *error);

/* How many entities took the fast way, and how many the one in double precision. */
PE_API void pe_evaluator_counts(const struct pe_evaluator *evaluator, uint64_t *compiled, uint64_t *exact);

/* --- many at once ------------------------------------------------------------------------------------------------ */

enum pe_what { PE_PALETTE = 0, PE_MATRICES = 1 };
enum { PE_ALL_SKINS = -1 };

/* An entity of a crowd, and where its floats go. */
struct pe_member {
    const struct pe_entity *entity; /* without root motion */
    int32_t what;                   /* PE_PALETTE: as pe_palette(); PE_MATRICES: as pe_nodes() */
    int32_t skin;                   /* of a palette: index, or PE_ALL_SKINS, one after the other */
    int32_t layout;                 /* enum pe_layout */
    uint32_t item_count;            /* 0: all joints or nodes */
    const uint32_t *items;          /* joints, in the skin's order, or nodes; not with PE_ALL_SKINS */
    float *out;                     /* [room] */
    size_t room;
    int status; /* is filled: 0, PE_E_NOT_FINITE or PE_E_NOT_RIGID: then its floats are 0 */
};

/* Working memory for crowds; of one thread at a time. */
struct pe_crowd;
PE_API int pe_crowd_new(struct pe_crowd **crowd, struct pe_error *error);
/* NULL is nothing. */
PE_API void pe_crowd_free(struct pe_crowd *crowd);
/* Makes room for `member_count` members in one call, among them entities of the model, with at most `layers_most`
 * layers each and `mask_count` masks in all. For several models call it for each. The only function of a crowd that
 * allocates. 0, PE_E_ARGUMENT or PE_E_MEMORY. */
PE_API int pe_crowd_reserve(struct pe_crowd *crowd, const struct pe_model *model, uint32_t member_count,
                            uint32_t layers_most, uint32_t mask_count, struct pe_error *error);
/* Evaluates members[member_count], those of one model with alike layers together, whatever their order: in about half
 * of the time of one pe_evaluate() and pe_palette() after the other. Floats have the bits of POST /v1/crowd, and of
 * pe_evaluate() for each. Returns how many have a status that is not 0 (*error says what is wrong with one of them), or
 * PE_E_ARGUMENT or PE_E_RESERVE, naming the member: nothing is evaluated then. */
PE_API int pe_crowd_evaluate(struct pe_crowd *crowd, struct pe_member *members, uint32_t member_count,
                             struct pe_error *error);

#ifdef __cplusplus
}
#endif
#endif
