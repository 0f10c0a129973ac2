/* eval_internal.h - shared by the files of libposed-eval. */
#pragma once

#include "anim/entity/entity.h"
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

/* Where a checked copy of the data of a caller's entity goes. */
struct taken {
    struct blend_layer *layers; /* with room for the entity's */
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
    struct blend_layer layers[2][BLEND_LAYERS_MAX]; /* for both, as the next two */
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

/* Returns the entity in terms of layers. A single clip becomes the layer *alone. */
struct pe_entity eval_as_blend(const struct pe_entity *entity, struct pe_layer *alone);
/* Fills *out from a checked copy of *entity, which goes where *taken says. Drops the last
 * evaluation. Returns 0, PE_E_ARGUMENT or PE_E_RESERVE. */
int eval_take(struct pe_evaluator *evaluator, const struct pe_entity *entity, struct taken *taken, struct entity *out,
              struct pe_error *error);
/* The same for an entity whose model has room and which has layers. */
int eval_take_entity(struct pe_evaluator *evaluator, const struct pe_entity *entity, struct taken *taken,
                     struct entity *out, struct pe_error *error);
