/* eval_internal.h - shared by the files of libposed-eval. */
#pragma once

#include "anim/entity/entity.h"
#include "anim/given/given_pose.h"
#include "anim/pose/skin.h"
#include "anim/posed_file/posed_file.h"
#include "anim/retarget/retargeted_clip.h"
#include "clients/eval/posed_eval.h"

/* How a model holds the bytes of its file. */
enum holding { HELD_OWNED, HELD_MAPPED, HELD_BORROWED };

struct pe_model {
    struct posed_file file;
    void *bytes; /* bytes of the file; NULL when the arrays are elsewhere */
    size_t size_bytes;
    enum holding holding;
    int32_t root;       /* default root of root motion; -1: none */
    char *text;         /* names, NUL-terminated */
    const char **names; /* [names_first[NAMES_END]], NULL for a thing without a name */
    uint32_t names_first[6];
};

/* Kinds of names, in the order of pe_model.names. */
enum names { NAMES_NODES, NAMES_SKINS, NAMES_CLIPS, NAMES_MARKERS, NAMES_VALUES, NAMES_END };
/* How palettes of a clip of the model are computed. */
enum pe_evaluation eval_evaluation(const struct model *model, uint32_t clip);

static inline const char *eval_name(const struct pe_model *model, enum names kind, uint32_t index)
{
    return model->names[model->names_first[kind] + index];
}

/* Fills text, names and names_first. False: memory ran out, and pe_model_close() frees what there is. */
bool eval_names_make(struct pe_model *model);

struct pe_retargeted_clip {
    const struct pe_model *of; /* the model that plays it */
    struct retargeted_clip *clip;
    uint32_t channel_count, unmatched_count;
};

/* A model for which the evaluator has room. */
struct reserved {
    const struct pe_model *model;
    uint64_t checksum; /* because another model may later have the same address */
    uint32_t layers_most;
};

struct pe_given {
    const struct pe_model *of; /* the model that plays it */
    struct given_pose pose;
};

/* Where poses of callers go. */
enum { EVAL_POSE_VALUES = 2 }; /* the time of the only frame, and a number where nothing is given */
struct given_room {
    struct given_node *nodes;     /* [node_capacity] */
    struct given_weight *weights; /* [weight_capacity] */
    double *values;               /* [value_capacity], enough for both and for EVAL_POSE_VALUES of each layer */
    size_t node_capacity, weight_capacity, value_capacity;
    size_t node_count, weight_count, value_count; /* in use */
    bool is_borrowing; /* numbers of callers stay until the room is emptied, so they need not be copied */
};

/* Where a checked copy of the data of a caller's entity goes. */
struct taken {
    struct blend_layer *layers; /* with room for the entity's */
    struct given_pose *given;   /* likewise */
    struct given_room *room;    /* whose counts say where this entity's poses begin */
    struct blend_mask *masks;   /* [mask_capacity] */
    struct dmat4 *world_from_scene;
    uint32_t mask_capacity;
    struct root_motion motion;
    uint8_t *is_moved; /* [node_capacity] of the evaluator */
};

struct pe_evaluator {
    struct entity_work work;
    struct entity entity;                           /* last one evaluated; model NULL: none; it points into `taken` */
    bool is_compiled;                               /* pe_evaluate() used compiled clips */
    struct taken taken, end;                        /* end: the second pose of a target of rays */
    struct blend_layer layers[2][BLEND_LAYERS_MAX]; /* for both, as the next four */
    struct given_pose given[2][BLEND_LAYERS_MAX];
    struct given_room rooms[2];
    struct blend_mask masks[2][BLEND_MASKS_MAX];
    struct dmat4 worlds[2];
    uint8_t *is_moved;           /* [2 * node_capacity]: for both */
    uint32_t *nodes;             /* [node_capacity]: 0, 1, 2, .. */
    struct skin_palette palette; /* for vertices */
    uint32_t palette_skin;       /* skin of `palette`; UINT32_MAX: none yet */
    uint32_t node_capacity, joint_capacity, part_capacity;
    struct reserved *reserved; /* [reserved_count] */
    uint32_t reserved_count;
};

/* Fill *error (may be NULL) and return its status. */
int eval_fail(struct pe_error *error, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
int eval_fail_by(struct pe_error *error, const struct err *err);

/* Returns room for these nodes and weights, of up to `layer_count` poses, in *room. False: memory ran out, and *room
 * stays usable. */
bool eval_reserve_room(struct given_room *room, size_t node_count, size_t weight_count, size_t layer_count);
void eval_free_room(struct given_room *room);
static inline void eval_empty_room(struct given_room *room)
{
    room->node_count = room->weight_count = room->value_count = 0;
}
/* Adds the pose of a caller to the room, checks it, and fills *out, which points there. Returns 0, PE_E_ARGUMENT that
 * names frame, node and number, or PE_E_RESERVE. */
int eval_take_pose(struct given_room *room, const struct pe_model *model, const struct pe_pose *pose,
                   struct given_pose *out, struct pe_error *error);
/* Checks the node and the target of weights[index]. */
int eval_check_weight(const struct pe_given_weight *weight, const struct model *model, uint32_t index,
                      struct pe_error *error);
/* Puts the nodes and weights of a given pose in order, and finishes it: makes its numbers those of local transforms,
 * checks them and sets the flags. */
int eval_finish_given(struct given_pose *given, const struct model *model, bool is_from_rest, struct pe_error *error);

/* Returns the entity in terms of layers. A single clip becomes the layer *alone. */
struct pe_entity eval_as_blend(const struct pe_entity *entity, struct pe_layer *alone);
/* Fills *out from a checked copy of *entity, which goes where *taken says. Drops the last
 * evaluation. Returns 0, PE_E_ARGUMENT or PE_E_RESERVE. */
int eval_take(struct pe_evaluator *evaluator, const struct pe_entity *entity, struct taken *taken, struct entity *out,
              struct pe_error *error);
/* The same for an entity whose model has room and which has layers. */
int eval_take_entity(struct pe_evaluator *evaluator, const struct pe_entity *entity, struct taken *taken,
                     struct entity *out, struct pe_error *error);
