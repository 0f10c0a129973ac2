/* fbx_take.h - the takes of a file: which curves drive which properties, in which layers, and when a take plays.
 *
 * From 7.0 on a take is an AnimationStack of AnimationLayers, in which AnimationCurveNodes each drive a property by up
 * to three curves. Before, it is a record Take with a tree of Channels for each model, and has one layer. One thread.
 */
#pragma once

#include "import/fbx_take/fbx_curve_read.h"

/* What a layer does with the value of those before it; the first layer of a take replaces the static value (FBX SDK
 * Reference: FbxAnimLayer::EBlendMode). */
enum fbx_layering {
    FBX_LAYER_ADD,
    FBX_LAYER_OVERRIDE,
    FBX_LAYER_PASS, /* overrides as far as its weight says */
};

struct fbx_layer {
    enum fbx_layering blend;
    double weight;         /* 0 to 1 */
    uint32_t weight_curve; /* the record of a curve of percents instead, or FBX_NONE */
    bool turns_by_angle;   /* rotations are blended axis by axis and not as turns */
    bool adds_scales;      /* scales are blended by sums and not by products of powers */
    bool is_off;           /* muted, or another layer plays solo */
};

/* A property of an object that is driven in a layer. */
struct fbx_drive {
    uint32_t object;
    struct fbx_span property; /* "Lcl Translation" */
    uint32_t layer;           /* of the take */
    uint32_t place;           /* in the file: of two that are the same the first counts */
    uint32_t curves[3];       /* records for fbx_curve_read(), FBX_NONE: the default holds */
    double defaults[3];       /* not finite: the file has none, and the object's static value holds */
};

struct fbx_take {
    struct fbx_span name;
    uint32_t stack; /* object; FBX_NONE: the file is older than stacks */
    struct fbx_range range;
    uint32_t layer_first, layer_count;
    uint32_t drive_first, drive_count; /* ordered by object, property, layer and place */
};

struct fbx_take_list {
    struct fbx_take *takes; /* in the file's order */
    struct fbx_layer *layers;
    struct fbx_drive *drives;
    uint32_t take_count, layer_count, drive_count;
    uint64_t take_capacity, layer_capacity, drive_capacity;
    uint64_t drive_limit;
    uint64_t work_left; /* fbx_take_spend() */
};

/* A weight from percents, 0 to 1. */
static inline double fbx_layer_weight(double percent) { return percent >= 100 ? 1 : percent > 0 ? percent / 100 : 0; }

/* Returns 0, ERR_MODEL_LIMIT, or what reading the curves of a take without times gives. Whatever it returns,
 * fbx_take_list_fini() is needed and safe afterwards. */
int fbx_take_list_read(struct fbx_take_list *list, const struct fbx_scene *scene, struct err *err);
void fbx_take_list_fini(struct fbx_take_list *list);

/* Takes keys that are read, or links that are followed, off what all takes may cost: a small file can link the same
 * layers and curves over and over. `work_left` NULL: no limit. Returns 0 or ERR_MODEL_LIMIT. */
int fbx_take_spend(uint64_t *work_left, uint64_t amount, struct err *err);

/* All drives of an object in a take, or NULL with *count 0. */
const struct fbx_drive *fbx_take_drives(const struct fbx_take_list *list, const struct fbx_take *take, uint32_t object,
                                        uint32_t *count);

/* --- between the files that make a list --- */

/* A new element at the end, valid until the next; of a layer or drive: of the last take and layer. */
struct fbx_take *fbx_add_take(struct fbx_take_list *list, struct fbx_span name);
struct fbx_layer *fbx_add_layer(struct fbx_take_list *list);
struct fbx_drive *fbx_add_drive(struct fbx_take_list *list, struct err *err); /* NULL: ERR_MODEL_LIMIT */

/* The records Take of a file, by name: fbx_stack_times() reads them when it first needs one. Zeroes before that. */
struct fbx_take_records {
    uint32_t *records; /* [count]; the caller's to free() */
    uint32_t count;
    bool is_read;
};

/* fbx_take_times.c. False: it is no range, but all three set one that ends where it starts. */
bool fbx_range_set(const struct fbx_scene *scene, double start, double stop, struct fbx_range *range);
/* Of an AnimationStack: LocalStart and LocalStop, else ReferenceStart and ReferenceStop, else those of its Take. */
bool fbx_stack_times(const struct fbx_scene *scene, struct fbx_take_records *takes, uint32_t stack,
                     struct fbx_range *range);
/* The times of a record Take: of LocalTime, else of ReferenceTime. */
bool fbx_take_times(const struct fbx_scene *scene, uint32_t record, struct fbx_range *range);
/* fbx_take_old.c: the takes of files before 7.0. */
int fbx_old_takes_read(struct fbx_take_list *list, const struct fbx_scene *scene, struct err *err);
