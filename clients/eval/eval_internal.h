/* eval_internal.h - shared by the files of libposed-eval. */
#pragma once

#include "anim/entity/entity.h"
#include "anim/given/given_looks.h"
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
    uint32_t names_first[7];
    int8_t *expression_parts; /* [expression_count]: of expressions_show() */
    struct given_look look;   /* of rest_look_find(), unless look_fault.code is set */
    struct err look_fault;
    uint32_t look_bind_count; /* of the four expressions that look, where the eyes look by them */
};

/* Kinds of names, in the order of pe_model.names. */
enum names { NAMES_NODES, NAMES_SKINS, NAMES_CLIPS, NAMES_MARKERS, NAMES_VALUES, NAMES_EXPRESSIONS, NAMES_END };
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

/* Where the expressions of one pose at a time are brought together; enough for a model. */
struct face_room {
    int32_t *expressions; /* as the arrays of struct given_weights */
    float *shown;
    struct given_target *items;
    struct given_bind *binds;
    double *numbers; /* of a frame: of weights, then of expressions */
    uint32_t weight_capacity, expression_capacity, bind_capacity;
};

/* Where poses of callers go. */
enum {
    EVAL_POSE_VALUES = 2
}; /* the time of the only frame, and the share of a look, or a number where nothing is given */
struct given_room {
    struct given_node *nodes;     /* [node_capacity] */
    struct given_weight *weights; /* [weight_capacity] */
    struct look_bind *look_binds; /* [look_bind_capacity] */
    double *values;               /* [value_capacity], enough for nodes, weights and EVAL_POSE_VALUES of each layer */
    struct face_room face;
    size_t node_capacity, weight_capacity, look_bind_capacity, value_capacity;
    size_t node_count, weight_count, look_bind_count, value_count; /* in use */
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

/* Makes room for these nodes, weights and binds of looks, of up to `layer_count` poses, in *room. False: memory ran
 * out, and *room stays usable. */
struct room_size {
    size_t node_count, weight_count, look_bind_count, layer_count;
};
bool eval_reserve_room(struct given_room *room, const struct room_size *size);
void eval_free_room(struct given_room *room);
static inline void eval_empty_room(struct given_room *room)
{
    room->node_count = room->weight_count = room->look_bind_count = room->value_count = 0;
}
/* Adds the pose of a caller to the room, checks it, and fills *out, which points there. Returns 0, PE_E_ARGUMENT that
 * names frame, node and number, or PE_E_RESERVE. */
int eval_take_pose(struct given_room *room, const struct pe_model *model, const struct pe_pose *pose,
                   struct given_pose *out, struct pe_error *error);
/* Puts the nodes of a given pose in order, and finishes it: makes its numbers those of local transforms,
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

/* --- faces: morph weights, expressions and looks of given poses --- */

/* Finds how the model's expressions act on each other, and how it looks somewhere. False: memory ran out. */
bool eval_faces_make(struct pe_model *model);

/* What a caller gives of a face. */
struct asked_face {
    const struct pe_given_weight *weights;
    const struct pe_given_expression *expressions;
    uint32_t weight_count, expression_count;
    const struct pe_look *look;
};
static inline bool eval_has_face(const struct asked_face *asked)
{
    return asked->weight_count > 0 || asked->expression_count > 0 || asked->look->kind != PE_LOOK_NONE;
}

bool eval_reserve_face(struct face_room *room, const struct model *model);
void eval_free_face(struct face_room *room);

/* Fills *out, whose arrays are in the room, from what a caller gives. Returns 0 or PE_E_ARGUMENT. */
int eval_take_face(struct given_weights *out, const struct face_room *room, const struct pe_model *of,
                   const struct asked_face *asked, struct pe_error *error);
/* Appends the numbers of face->count weights to frame_values, and that of the share where there is a look. Lists the
 * weights in out->weights, and fills out->look but its binds, for which out->look.binds has to have room. */
int eval_put_face(struct given_pose *out, const struct given_weights *face, const struct pe_model *of,
                  const struct asked_face *asked, struct pe_error *error);
/* Fills the numbers of a frame from those of the room. `own`: where they begin. Returns 0, or PE_E_ARGUMENT that names
 * the expression. */
int eval_put_face_frame(struct given_pose *out, struct given_weights *face, const struct face_room *room,
                        const struct pe_model *of, uint32_t frame, uint32_t own, struct pe_error *error);
