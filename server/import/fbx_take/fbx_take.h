/* fbx_take.h - the takes of a file: the curves that drive properties, their layers, and the time range of each take.
 *
 * From 7.0 on, a take is an AnimationStack of AnimationLayers. In a layer, each AnimationCurveNode drives a property
 * with up to three curves. Before, a take is a record Take with one layer and a tree of Channels for each model.
 * Single-threaded. */
#pragma once

#include "import/fbx_take/fbx_curve_read.h"

/* How a layer combines its value with that of the layers before it. The first layer of a take replaces the static value
 * (FBX SDK Reference: FbxAnimLayer::EBlendMode). */
enum fbx_layering {
    FBX_LAYER_ADD,
    FBX_LAYER_OVERRIDE,
    FBX_LAYER_PASS, /* overrides in proportion to its weight */
};

struct fbx_layer {
    enum fbx_layering blend;
    double weight;         /* 0 to 1 */
    uint32_t weight_curve; /* record of a weight curve in percent, which replaces `weight`, or FBX_NONE */
    bool turns_by_angle;   /* rotations are blended per axis, not as quaternions */
    bool adds_scales;      /* scales are blended by sums, not by products of powers */
    bool is_off;           /* muted, or another layer plays solo */
};

/* An object's property that a layer drives. */
struct fbx_drive {
    uint32_t object;
    struct fbx_span property; /* "Lcl Translation" */
    uint32_t layer;           /* layer number within the take */
    uint32_t place;           /* position in the file; the first of two equal drives counts */
    uint32_t curves[3];       /* records for fbx_curve_read(); FBX_NONE means the default */
    double defaults[3];       /* not finite if the file has none: the object's static value applies */
};

struct fbx_take {
    struct fbx_span name;
    uint32_t stack; /* object; FBX_NONE in files older than stacks */
    struct fbx_range range;
    uint32_t layer_first, layer_count;
    uint32_t drive_first, drive_count; /* sorted by object, property, layer and place */
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

/* Converts a percent to a weight from 0 to 1. */
static inline double fbx_layer_weight(double percent) { return percent >= 100 ? 1 : percent > 0 ? percent / 100 : 0; }

/* Returns 0, ERR_MODEL_LIMIT, or an error of reading the curves of a take without times. The caller calls
 * fbx_take_list_fini() in any case. */
int fbx_take_list_read(struct fbx_take_list *list, const struct fbx_scene *scene, struct err *err);
void fbx_take_list_fini(struct fbx_take_list *list);

/* Subtracts the number of keys read, or of links followed, from the budget of all takes, because a small file can link
 * the same layers and curves many times. `work_left` NULL means no limit. Returns 0 or ERR_MODEL_LIMIT. */
int fbx_take_spend(uint64_t *work_left, uint64_t amount, struct err *err);

/* All drives of an object in a take, or NULL with *count 0. */
const struct fbx_drive *fbx_take_drives(const struct fbx_take_list *list, const struct fbx_take *take, uint32_t object,
                                        uint32_t *count);

/* --- shared by the files that make a list --- */

/* Appends an element, which is valid until the next one. A layer belongs to the last take, and a drive to the last take
 * and layer. */
struct fbx_take *fbx_add_take(struct fbx_take_list *list, struct fbx_span name);
struct fbx_layer *fbx_add_layer(struct fbx_take_list *list);
struct fbx_drive *fbx_add_drive(struct fbx_take_list *list, struct err *err); /* NULL with ERR_MODEL_LIMIT */

/* The records Take of a file, sorted by name. fbx_stack_times() reads them on first use. Zero-initialised before. */
struct fbx_take_records {
    uint32_t *records; /* [count]; the caller frees it with free() */
    uint32_t count;
    bool is_read;
};

/* fbx_take_times.c. Each returns false if there is no valid range, and then sets one that ends where it starts. */
bool fbx_range_set(const struct fbx_scene *scene, double start, double stop, struct fbx_range *range);
/* The range of an AnimationStack: LocalStart and LocalStop, else ReferenceStart and ReferenceStop, else that of its
 * Take. */
bool fbx_stack_times(const struct fbx_scene *scene, struct fbx_take_records *takes, uint32_t stack,
                     struct fbx_range *range);
/* The range of a record Take: LocalTime, else ReferenceTime. */
bool fbx_take_times(const struct fbx_scene *scene, uint32_t record, struct fbx_range *range);
/* fbx_take_old.c: reads the takes of files before 7.0. */
int fbx_old_takes_read(struct fbx_take_list *list, const struct fbx_scene *scene, struct err *err);
