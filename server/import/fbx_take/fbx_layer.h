/* fbx_layer.h - the value of one property in one take, with all layers blended. One thread. */
#pragma once

#include "import/fbx_take/fbx_take.h"
#include "import/fbx_take/fbx_transform.h"

/* How layers are blended depends on what a property is. Rotations: by fbx_motion_turn(). */
enum fbx_blended { FBX_BLENDED_PLAIN, FBX_BLENDED_SCALING };

/* What a layer says of the property. */
struct fbx_sheet {
    struct fbx_curve curves[3]; /* placed in the clip; without keys: the default holds */
    double defaults[3];
    struct fbx_layer layer;
    struct fbx_curve weight; /* of the layer, placed, in percent; without keys: layer.weight */
    bool is_base;            /* the take's first layer: its value replaces the static one */
    uint32_t hints[4];       /* where the curves and the weight were evaluated last */
};

struct fbx_motion {
    struct fbx_sheet *sheets; /* [sheet_count], heap, in the order of layers; 0: the value is the static one */
    uint32_t sheet_count;
    double rest[3]; /* the static value */
    enum fbx_blended blended;
    enum fbx_rotation_order order; /* of rotations */
};

/* What takes the curves of a take from the file. */
struct fbx_take_reader {
    const struct fbx_scene *scene;
    const struct fbx_take_list *list;
    const struct fbx_take *take;
    uint64_t key_limit;  /* of a placed curve */
    uint64_t *work_left; /* of the list, or NULL: fbx_take_spend() */
};

/* Layers that drive one property; more are refused. */
enum { FBX_SHEETS_MAX = 1024 };

/* Reads what drives a property of an object; rest, blended and order are set before.
 * Returns 0 or as fbx_curve_read() and fbx_curve_place(); on failure there are no sheets. */
int fbx_motion_read(struct fbx_motion *motion, const struct fbx_take_reader *reader, uint32_t object,
                    struct fbx_span property, struct err *err);
void fbx_motion_fini(struct fbx_motion *motion);

/* The value at a time of the clip: additive layers add their value times their weight, passing ones go that far towards
 * theirs. Scales multiply, unless the layer says otherwise (FBX SDK Reference: FbxAnimLayer::EScaleAccumulationMode).
 * Pure. */
void fbx_motion_at(struct fbx_motion *motion, double time_s, double out[3]);
/* The same of angles in degrees, as a unit quaternion: layers turn one after the other, unless they add angles
 * (ERotationAccumulationMode). Pure. */
void fbx_motion_turn(struct fbx_motion *motion, double time_s, double out[4]);
/* About how far its numbers go, all together, from one time to another without a key in between. */
double fbx_motion_swing(struct fbx_motion *motion, double from_s, double to_s);
/* Whether the value is that of the curves of one layer and nothing else. */
bool fbx_motion_is_plain(const struct fbx_motion *motion);

/* Times that rise strictly; heap. */
struct fbx_times {
    double *times_s;
    uint32_t count;
};
/* Adds times that do not fall. */
void fbx_times_merge(struct fbx_times *times, const double *added_s, uint32_t added_count);
/* Adds the times of all keys of a placed curve that are within 0 and stop_s, and each end where a piece goes beyond. */
void fbx_times_add(struct fbx_times *times, const struct fbx_curve *curve, double stop_s);
void fbx_motion_times(const struct fbx_motion *motion, double stop_s, struct fbx_times *times);
/* Adds the times at which a curve turns back between its keys. */
void fbx_motion_extrema(const struct fbx_motion *motion, double stop_s, struct fbx_times *times);
/* Where there are none: 0. */
void fbx_times_complete(struct fbx_times *times);
void fbx_times_fini(struct fbx_times *times);
