/* compare_internal.h - what the files of the comparison share. Private to this folder. Pure. */
#pragma once

#include "anim/compare/compare.h"
#include "anim/pose/pose.h"

/* One of the two models. */
struct compare_model {
    const struct model *model;
    struct dmat4 common_from_scene; /* where both files say different axes or units, and their numbers differ so */
    bool has_frame;                 /* it is not the identity */
    struct pose pose;
    uint8_t *is_joint;     /* [node_count]: a joint of a skin, or moved by a clip */
    uint32_t *main_joints; /* [position_count]: bounds_main_joint() */
    int32_t *partners;     /* [node_count]: node of the other model, or -1 */
    int32_t *bind_joints;  /* [node_count]: into joints, the first that is the node and of a skin of the file; or -1 */
    int32_t *pairs;        /* [node_count]: the pair that moves it: its own or that of the next node above; or -1 */
    struct dmat4 *rest;    /* [node_count]: common_from_node at rest */
    const struct dmat4
        *reference;      /* [node_count]: the same of the pose that the new model has at rest: mostly `rest` */
    struct dmat4 *other; /* what it points to where it is another one, or NULL */
};

enum { PROBES_MOST = 7, PROBE_CHILDREN_MOST = 2 };
/* Of a model; what lies behind them is not looked at. */
enum { COMPARE_VERTICES_MOST = 2000000 };

/* A joint that both models have. */
struct joint_pair {
    uint32_t nodes[COMPARE_SIDES];
    int32_t parent; /* the pair above it in the old model, or -1 */
    bool is_bind;   /* ref: bind space; else the scene at rest. Of both models it is the same space */
    bool has_children;
    bool is_elsewhere; /* it, or what is above it, was told to be elsewhere at rest */
    struct dmat4 node_from_ref[COMPARE_SIDES];
    double scale;                  /* of common_from_ref at rest */
    double probes[PROBES_MOST][3]; /* in ref space: its origin, then vertices that follow it most */
    uint32_t probe_count, vertex_first;
    double children[PROBE_CHILDREN_MOST][3]; /* in ref space: origins of joints below it */
    uint32_t child_count;
    /* of the pose at hand: */
    struct dmat4 common_from_ref[COMPARE_SIDES];
    struct dmat4 ref_from_common; /* of the new model, with has_children */
};

/* The vertices of a model as they are drawn: one of a mesh that several nodes draw counts for each. */
struct drawn_vertices {
    const struct model *model;
    uint32_t count;
    uint32_t *vertices;  /* [count]: of the model */
    uint32_t *draws;     /* [count]: of the model */
    struct vec3 *places; /* [count] */
    uint64_t *materials; /* [draw_count]: names of materials, as name_key() has them; 0: none */
    int32_t *partners;   /* [count]: of the other model's, or -1. Several may have the same */
};

/* What is drawn of both. */
struct surface {
    struct drawn_vertices drawn[COMPARE_SIDES];
    bool is_partial; /* there were too many vertices at the same places to find all partners */
    bool is_bind;    /* places of skinned meshes are those in bind space, times bind_scale; else all are at rest */
    double bind_scale;
};

/* A morph target that both models have, as one node shows it. */
struct morph_pair {
    uint32_t weights[COMPARE_SIDES]; /* into model->weights */
    uint32_t meshes[COMPARE_SIDES];
    struct str name;      /* of the old model's target */
    uint32_t target;      /* its place */
    double reach;         /* how far it moves a vertex at most, in units of the common frame */
    double worst, time_s; /* of the clip at hand */
};

struct compare {
    struct compare_model sides[COMPARE_SIDES];
    const struct compare_options *options;
    struct comparison *out;
    double size, tolerance;   /* of the common frame: its unit; share */
    bool has_bind_rest;       /* the new model rests in its bind pose, which the old one does not */
    double unit;              /* of the common frame in one of the old file */
    struct surface *surface;  /* while what is drawn is compared */
    struct joint_pair *pairs; /* a parent before what is below it */
    uint32_t pair_count;
    struct morph_pair *morphs;
    size_t morph_count, morph_capacity;
    uint64_t steps_left;
    uint64_t looks_left;               /* at vertices that may be partners */
    uint64_t influences_left;          /* of drawn vertices, that may be looked at */
    uint32_t counted_names;            /* that were looked for in all of the old file */
    uint32_t counts[DIFFERENCE_COUNT]; /* of the differences in out */
    struct err *err;
};

/* True once the caller does not need the result any more. */
bool compare_is_stopped(const struct compare *compare);
/* Counts the influences of both vertices of a pair, `at` of the old list. False: nobody may look at more of them. */
bool compare_takes_influences(struct compare *compare, uint32_t at);

/* --- differences.c --- */

/* A new difference, or NULL where there are enough of the kind; it has neither subject nor values. */
struct difference *difference_add(struct compare *compare, enum difference_kind kind);
/* One that is not in a list, all of it unset. */
struct difference difference_empty(enum difference_kind kind);
void difference_say(struct difference *difference, const char *format, ...) __attribute__((format(printf, 2, 3)));
void difference_set_number(struct difference *difference, enum compare_side side, double value);
void difference_set_text(struct difference *difference, enum compare_side side, const char *text);
/* The name of a thing of that side's model, or null. */
void difference_set_name(struct compare *compare, struct difference *difference, enum compare_side side,
                         struct str name);
void differences_sort(struct comparison *comparison);
/* The name of a node, for messages: 'arm', or node 7 where it has none. */
enum { THING_SIZE = SHORT_NAME_SIZE + 24 };
const char *compare_thing(const struct model *model, const char *what, struct str name, uint32_t index,
                          char out[THING_SIZE]);
/* An angle for messages: without the last digits of what is none. */
static inline double compare_told_deg(double angle_deg) { return angle_deg < 1e-4 ? 0 : angle_deg; }

/* --- compare_names.c --- */

/* How sure a name says what it names: as it is written; as exporters rewrite it (three.js: no []./: and _ for spaces;
 * Blender: 63 bytes); without the number that tools append to names that are taken (.001, _1). */
enum name_level { NAME_EXACT, NAME_REWRITTEN, NAME_BASE };
/* A hash; 0: there is no name. */
uint64_t name_key(const struct model *model, struct str name, enum name_level level);

/* A name on one side of a comparison. */
struct name_entry {
    uint64_t key;
    uint32_t index;
    uint32_t side;
};
/* Pairs the entries of equal keys: where a key has as many on both sides, in their order. Sorts them. partners[side]
 * [index] become the other's index. */
void names_match(struct name_entry *entries, size_t count, int32_t *const partners[COMPARE_SIDES]);

/* --- compare_nodes.c, compare_places.c --- */

/* Marks the joints of a side. */
void joints_mark(struct compare_model *side);
/* Finds the partners by name. */
void joints_match_names(struct compare *compare);
/* Finds those of joints that are left by where they are. */
void joints_match_places(struct compare *compare);
/* Tells what was added, removed, renamed and hung elsewhere; makes the pairs. */
void skeletons_compare(struct compare *compare);

/* --- compare_frame.c --- */

/* Evaluates both rest poses and finds the common frame. */
void frames_find(struct compare *compare);
/* The pose of one side: common_from_node of a node. */
struct dmat4 compare_node_matrix(const struct compare_model *side, uint32_t node);

/* --- compare_probes.c --- */

/* Chooses what each pair is measured by, and the spaces in which both models are alike. */
void probes_choose(struct compare *compare);

/* --- compare_rest.c --- */

/* Tells of joints that are elsewhere at rest. */
int rest_compare(struct compare *compare);

/* --- compare_vertices.c --- */

/* Finds the partners of all vertices. */
void vertices_match(struct compare *compare);
void drawn_vertices_free(struct drawn_vertices *drawn);
/* The node of a joint, by its place in the skin that a vertex is drawn with. */
uint32_t drawn_joint_node(const struct drawn_vertices *drawn, uint32_t at, uint32_t place);
/* How far two vertices are apart: in units; in texture coordinates; 1 - the cosine between their normals. 0 where not
 * both have some. */
struct vertex_apart {
    double distance, texcoord, normal;
};
/* The primitive and the mesh that it is a vertex of. */
const struct primitive *drawn_primitive(const struct drawn_vertices *drawn, uint32_t at);
uint32_t drawn_mesh(const struct drawn_vertices *drawn, uint32_t at);
struct vertex_apart vertex_compare(const struct compare *compare, uint32_t old, uint32_t new);

/* --- compare_surface.c, compare_weights.c, compare_materials.c, compare_textures.c --- */

/* Tells of everything that is drawn. */
int surfaces_compare(struct compare *compare);
/* Tells of the joints that vertices follow with other weights. */
void weights_compare(struct compare *compare);
/* Tells of joints whose vertices are elsewhere at rest. */
void skinned_compare(struct compare *compare);
/* Tells of morph targets, and lists those that both have. */
void morphs_compare(struct compare *compare);
/* Of the clip at hand: begins it, looks at the pose at hand, and tells of the targets that are off. True: none is. */
void morphs_begin(struct compare *compare);
void morphs_measure(struct compare *compare, double time_s);
bool morphs_tell(struct compare *compare, const int32_t clips[COMPARE_SIDES]);
/* Tells of materials, and their textures. */
void materials_compare(struct compare *compare);
/* What the pixels of two textures differ in, as words for people; NULL: in nothing. -1: there is none. */
const char *texture_differs(const struct compare *compare, int32_t old, int32_t new, bool has_alpha);

/* --- compare_clips.c --- */

/* Finds the clips that both have, compares them, and tells of the others. */
int clips_compare(struct compare *compare);

/* --- compare_times.c --- */

struct compare_times {
    double *at;     /* [count], rising */
    double shift_s; /* of clips with steps: so much later both models are past a step at a key */
    uint32_t count, left_out;
};
/* Every key of both clips and the middle between each two, or as many of these as may be evaluated when so many clips
 * are left. */
void compare_times_make(struct compare_times *times, const struct compare *compare, const int32_t clips[COMPARE_SIDES],
                        uint32_t clips_left);
void compare_times_free(struct compare_times *times);

/* --- compare_pose.c --- */

/* How far a pair is off. Distances in the common frame. */
struct pair_error {
    double distance, vertex_distance, angle, stretch;
    double score; /* of what the joint does beside what its parent does: above 1 it is a difference */
};
/* Evaluates a pose of both models and fills errors[pair_count]. clips: POSE_REST is the rest pose. */
void poses_measure(struct compare *compare, const int32_t clips[COMPARE_SIDES], const double times_s[COMPARE_SIDES],
                   struct pair_error *errors);
