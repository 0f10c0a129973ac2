/* compare_internal.h - declarations that the files of the comparison share. Private to this folder. Pure. */
#pragma once

#include "anim/compare/compare.h"
#include "anim/pose/pose.h"

/* One of the two models. */
struct compare_model {
    const struct model *model;
    struct dmat4 common_from_scene; /* converts units and up axis when the numbers differ like these */
    bool has_frame;                 /* common_from_scene is not the identity */
    struct pose pose;
    uint8_t *is_joint;     /* [node_count]: the node is a skin's joint, or a clip moves it */
    uint32_t *main_joints; /* [position_count]: bounds_main_joint() */
    int32_t *partners;     /* [node_count]: the matching node of the other model, or -1 */
    int32_t *bind_joints;  /* [node_count]: index of the node's first joint in a skin of the file; or -1 */
    int32_t *pairs;        /* [node_count]: the pair that moves it, its own or that of the nearest ancestor; or -1 */
    struct dmat4 *rest;    /* [node_count]: common_from_node at rest */
    const struct dmat4 *reference; /* [node_count]: common_from_node in a pose that both models have: usually `rest` */
    struct dmat4 *other;           /* the array of `reference` where it differs from `rest`, else NULL */
};

enum { PROBES_MOST = 7, PROBE_CHILDREN_MOST = 2 };
/* Vertices of a model; those beyond are not compared. */
enum { COMPARE_VERTICES_MOST = 2000000 };

/* A joint that both models have. */
struct joint_pair {
    uint32_t nodes[COMPARE_SIDES];
    int32_t parent;  /* pair above it in the old model, or -1 */
    bool is_bind;    /* ref is bind space, else the scene in the reference pose; the same for both models */
    bool is_rebound; /* its bind pose is another one, so that ref is not bind space */
    bool has_children;
    bool is_elsewhere; /* a difference at rest has been reported for it or for a pair above it */
    struct dmat4 node_from_ref[COMPARE_SIDES];
    double scale;                  /* scale of common_from_ref at rest */
    double probes[PROBES_MOST][3]; /* in ref space: its origin, then the vertices that follow it most */
    uint32_t probe_count, vertex_first;
    double children[PROBE_CHILDREN_MOST][3]; /* in ref space: origins of joints below it */
    uint32_t child_count;
    /* of the current pose: */
    struct dmat4 common_from_ref[COMPARE_SIDES];
    struct dmat4 ref_from_common; /* of the new model; only set with has_children */
};

struct surface;

/* Which times of two clips are compared: the same, or the same shares of what is between first key and end. */
enum clip_mapping { MAPPING_TIME, MAPPING_PHASE, CLIP_MAPPINGS };

/* A morph target that both models have, for one node. */
struct morph_pair {
    uint32_t weights[COMPARE_SIDES]; /* indices into model->weights */
    uint32_t meshes[COMPARE_SIDES];
    struct str name; /* name of the old model's target */
    uint32_t target; /* index of the old model's target */
    double reach;    /* greatest distance that it moves a vertex, in units of the common frame */
    struct morph_worst {
        double apart, time_s; /* greatest difference in the current clip, and when */
    } worsts[CLIP_MAPPINGS];
};

/* A vertex between joints that are bound in another pose. */
struct watched_vertex {
    uint32_t vertices[COMPARE_SIDES], skins[COMPARE_SIDES]; /* indices into the models' vertices and skins */
    int32_t pair;                                           /* of the joint that it follows most, or -1 */
};

struct compare {
    struct compare_model sides[COMPARE_SIDES];
    const struct compare_options *options;
    struct comparison *out;
    double size, tolerance; /* the common frame's unit of length; the tolerance as a share of it */
    bool has_bind_rest;     /* the new model rests in its bind pose; the old one does not */
    bool has_met;         /* the references are poses of a clip of each, in which most joints are at the same places */
    uint32_t bind_checks; /* how often binds_check() has looked at vertices */
    uint32_t rebound_count;   /* pairs that are is_rebound */
    double unit;              /* common units in a unit of the old file */
    struct surface *surface;  /* set while drawn surfaces are compared */
    struct joint_pair *pairs; /* parents come before their children */
    uint32_t pair_count;
    struct morph_pair *morphs;
    size_t morph_count, morph_capacity;
    struct looks *looks;            /* what clips move beside joints and morph targets */
    struct watched_vertex *watched; /* [watched_count] */
    uint32_t watched_count;
    uint64_t steps_left;
    uint64_t looks_left;               /* vertices that may still be tried as partners */
    uint64_t influences_left;          /* influences of drawn vertices that may still be compared */
    uint32_t counted_names;            /* names that were counted in the whole old file */
    uint32_t counts[DIFFERENCE_COUNT]; /* number of differences of each kind in `out` */
    struct err *err;
};

/* True once the caller no longer needs the result. */
bool compare_is_stopped(const struct compare *compare);

/* Takes steps from those that are left, of which there may be fewer. */
void compare_charge(struct compare *compare, uint64_t steps);
/* Counts the influences of both vertices of a pair, at index `at` of the old list. False: the limit is used up. */
bool compare_takes_influences(struct compare *compare, uint32_t at);

/* --- differences.c --- */

/* Adds a difference without indices or values. Returns NULL when there are enough of the kind. */
struct difference *difference_add(struct compare *compare, enum difference_kind kind);
/* Returns an empty difference outside the list. */
struct difference difference_empty(enum difference_kind kind);
void difference_say(struct difference *difference, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a note; `kind` is static. The text must have no names of a file. */
void note_say(struct compare *compare, const char *kind, const char *format, ...) __attribute__((format(printf, 3, 4)));
void difference_set_number(struct difference *difference, enum compare_side side, double value);
void difference_set_text(struct difference *difference, enum compare_side side, const char *text);
/* Sets the name of a thing in that side's model; an empty name is null. */
void difference_set_name(struct compare *compare, struct difference *difference, enum compare_side side,
                         struct str name);
void differences_sort(struct comparison *comparison);
/* Writes the name of a node for messages: 'arm', or node 7 when it has no name. */
enum { THING_SIZE = SHORT_NAME_SIZE + 24 };
const char *compare_thing(const struct model *model, const char *what, struct str name, uint32_t index,
                          char out[THING_SIZE]);
/* Hides rounding noise: tiny angles are 0 in messages. */
static inline double compare_told_deg(double angle_deg) { return angle_deg < 1e-4 ? 0 : angle_deg; }

/* --- compare_names.c --- */

/* How reliably a name identifies something: as it is written; as exporters rewrite it (three.js: no []./: and _ for
 * spaces; Blender: 63 bytes); without the number that tools append to duplicates (.001, _1); without the object and the
 * layer beside the name of a clip (Armature|Dance). */
enum name_level { NAME_EXACT, NAME_REWRITTEN, NAME_BASE, NAME_ACTION };
/* Returns a hash of the name, or 0 without one. */
uint64_t name_key(const struct model *model, struct str name, enum name_level level);

/* A name on one side of a comparison. */
struct name_entry {
    uint64_t key;
    uint32_t index;
    uint32_t side;
};
/* Pairs the entries of equal keys in their order, where both sides have equally many of a key. Sorts the entries. Sets
 * partners[side][index] to the other side's index. */
void names_match(struct name_entry *entries, size_t count, int32_t *const partners[COMPARE_SIDES]);

/* --- compare_nodes.c, compare_places.c --- */

/* Marks the joints of a side. */
void joints_mark(struct compare_model *side);
/* Matches joints by name. */
void joints_match_names(struct compare *compare);
/* Matches the remaining joints by place. */
void joints_match_places(struct compare *compare);
/* Reports joints that were added, removed, renamed or reparented, and makes the pairs. */
void skeletons_compare(struct compare *compare);

/* --- compare_frame.c --- */

/* Evaluates both rest poses and finds the common frame. */
void frames_find(struct compare *compare);
/* Returns common_from_node of a node in the side's current pose. */
struct dmat4 compare_node_matrix(const struct compare_model *side, uint32_t node);

/* --- compare_placement.c --- */

/* Finds that the whole new model is elsewhere, turned or evenly scaled, at rest and in clips. Reports it, and takes it
 * out of the new model's common_from_scene. boxes: around what is drawn at rest, in the common frame. */
void placement_find(struct compare *compare, const struct box boxes[COMPARE_SIDES]);

/* --- compare_probes.c --- */

/* Chooses the points by which each pair is measured, and the spaces in which both models are alike. */
void probes_choose(struct compare *compare);
/* Finds the place of a joint in bind space. False: it has none, or its inverse bind matrix has no inverse. */
bool bind_origin(const struct compare_model *side, uint32_t node, double out[3]);

/* --- compare_references.c --- */

/* Makes a pose the reference of a side. */
void reference_set(struct compare *compare, enum compare_side side, int32_t clip, double time_s);
/* Returns the difference of the origins of a pair in the reference poses. A joint that moved with the joint above it
 * has the score 0. */
struct pair_error origins_compare(const struct compare *compare, const struct joint_pair *pair);
/* Fills errors[pair_count] for two poses, which are the references. Returns how many joints differ. */
uint32_t references_measure(struct compare *compare, const int32_t clips[COMPARE_SIDES],
                            const double times_s[COMPARE_SIDES], struct pair_error *errors);
/* Where the rest poses differ: makes a pose of a clip that both models have the reference, if joints are at the same
 * places in it. errors: overwritten. */
void references_meet(struct compare *compare, struct pair_error *errors);

/* --- compare_turns.c --- */

/* Returns turns[pair_count], which the caller frees: the rotation about its origin, and the way of that, by which what
 * a joint carries in the reference pose of the old model comes to where it is in that of the new. */
struct dmat4 *turns_find(const struct compare *compare);

/* --- compare_binds.c --- */

/* Looks for joints which are at the same place in the reference poses, like the vertices that follow them, while their
 * effect on bind space differs: they are bound in another pose. Ends the use of bind space for them. `errors`: of the
 * reference poses. True if there are any. */
bool binds_check(struct compare *compare, const struct pair_error *errors);
/* True when every skinned joint of the new model is in its bind pose at rest, and the other joints are where they were
 * or follow a skinned one. */
bool rests_in_bind_pose(const struct compare *compare);

/* --- compare_rest.c --- */

/* Reports joints that differ at rest. */
int rest_compare(struct compare *compare);

/* --- compare_surface.c, compare_weights.c, compare_materials.c, compare_textures.c --- */

/* Reports the differences of all drawn surfaces. */
int surfaces_compare(struct compare *compare);
/* Reports joints whose vertices have other weights. */
void weights_compare(struct compare *compare);
/* Reports joints whose vertices differ at rest. */
void skinned_compare(struct compare *compare);
/* Reports morph targets that differ, and lists those that both models have. */
void morphs_compare(struct compare *compare);
/* For each clip and mapping: morphs_begin() starts it, morphs_measure() compares the current pose, morphs_worst()
 * returns the greatest difference as a multiple of the tolerance, morphs_tell() reports the targets that differ. */
void morphs_begin(struct compare *compare, enum clip_mapping mapping);
void morphs_measure(struct compare *compare, enum clip_mapping mapping, double time_s);
double morphs_worst(const struct compare *compare, enum clip_mapping mapping);
void morphs_tell(struct compare *compare, enum clip_mapping mapping, const int32_t clips[COMPARE_SIDES]);
/* Reports materials and textures that differ. */
void materials_compare(struct compare *compare);
/* True when both materials (-1: none) look the same. */
bool materials_are_alike(struct compare *compare, int32_t old, int32_t new);

/* --- compare_textures.c --- */

/* Describes for people how the pixels of two textures differ; NULL: not at all. An index of -1 means no texture. `out`:
 * for the text, if it has a number. */
enum { TEXTURE_SAID_SIZE = 64 };
const char *texture_differs(const struct compare *compare, int32_t old, int32_t new, bool has_alpha,
                            char out[TEXTURE_SAID_SIZE]);

/* --- compare_looks.c --- */

/* Finds the lights, cameras and drawn nodes that both models have. looks_free() frees what this makes. */
void looks_make(struct compare *compare);
void looks_free(struct compare *compare);
/* Notes two materials as the same. */
void looks_pair_materials(struct compare *compare, int32_t old, int32_t new);
/* As for morphs. MAPPING_TIME comes first. `told_s`: the time for people. Returns 0 or ERR_NO_MEMORY. */
void looks_begin(struct compare *compare, enum clip_mapping mapping, const int32_t clips[COMPARE_SIDES]);
int looks_measure(struct compare *compare, enum clip_mapping mapping, const int32_t clips[COMPARE_SIDES],
                  const double times_s[COMPARE_SIDES], double told_s);
double looks_worst(const struct compare *compare, enum clip_mapping mapping);
void looks_tell(struct compare *compare, enum clip_mapping mapping, const int32_t clips[COMPARE_SIDES]);
/* Returns the steps that a pose of the current clip costs. */
uint64_t looks_steps(const struct compare *compare);

/* --- compare_clip_pairs.c --- */

/* Fills partners[side][clip] with the clip of the other model, or -1. errors: [pair_count], overwritten. */
/* Allocates partners[side], and fills it by names alone, or with the only clips. */
void clips_match_names(const struct compare *compare, int32_t *partners[COMPARE_SIDES]);
void clips_match(struct compare *compare, int32_t *const partners[COMPARE_SIDES], struct pair_error *errors);

/* --- compare_clips.c --- */

/* A tool that resamples moves the ends of a clip by at most this. */
#define CLIP_FRAME_S (1 / 24.0 + 1e-6)
/* Finds the clips that both models have, compares them, and reports the others. */
int clips_compare(struct compare *compare);

/* --- compare_times.c --- */

/* Times of a clip of the new model, and the times of the old one that correspond. */
struct compare_times {
    double *at;     /* [count], rising: of the new clip */
    double shift_s; /* of clips with steps: both models are past a step this much later than its key */
    double firsts[COMPARE_SIDES], scale; /* old time = firsts[old] + (new time - firsts[new]) * scale */
    uint32_t count, left_out;
    uint32_t tail; /* the number of times, at the end, that only one of the clips reaches */
};
/* Lists every key of both clips and the middle between each two, or as many of these as the limit on steps allows when
 * `clips_left` clips are still to come. By time, the end is that of the shorter clip; where the other is longer by less
 * than a frame, its end follows as the tail. */
void compare_times_make(struct compare_times *times, const struct compare *compare, const int32_t clips[COMPARE_SIDES],
                        enum clip_mapping mapping, uint32_t clips_left);
static inline double compare_old_time(const struct compare_times *times, double new_s)
{
    return times->firsts[COMPARE_OLD] + (new_s - times->firsts[COMPARE_NEW]) * times->scale;
}
void compare_times_free(struct compare_times *times);

/* --- compare_pose.c --- */

/* The difference of a pair. Distances are in the common frame. */
struct pair_error {
    double distance, vertex_distance, angle, stretch;
    double score; /* the joint's own share, without its parent's; above 1 it is a difference */
};
/* Returns the greatest distance between what two matrices from its ref space do to the points of a pair. */
double pair_distance(const struct joint_pair *pair, const struct dmat4 *a, const struct dmat4 *b);
/* Evaluates a pose of both models and fills errors[pair_count]. clips: POSE_REST selects the rest pose. */
void poses_measure(struct compare *compare, const int32_t clips[COMPARE_SIDES], const double times_s[COMPARE_SIDES],
                   struct pair_error *errors);

/* --- compare_watched.c --- */

/* Chooses vertices between joints that are bound in another pose, while the surface is there. */
void watched_choose(struct compare *compare);
/* Where no joint differs in the current pose: raises the errors of the joints whose vertices do. */
void watched_measure(const struct compare *compare, struct pair_error *errors);
