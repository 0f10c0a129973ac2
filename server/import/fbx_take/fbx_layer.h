/* fbx_layer.h - the value of one property in one take, blended from all layers. Single-threaded. */
#pragma once

#include "import/fbx_take/fbx_take.h"
#include "import/fbx_take/fbx_transform.h"

/* The type of a property decides how its layers are blended. fbx_motion_turn() blends rotations. */
enum fbx_blended { FBX_BLENDED_PLAIN, FBX_BLENDED_SCALING };

/* A layer's data for the property. */
struct fbx_sheet {
    struct fbx_curve curves[3]; /* placed in the clip; one without keys means the default */
    double defaults[3];
    struct fbx_layer layer;
    struct fbx_curve weight;      /* the layer's weight, placed, in percent; without keys, layer.weight applies */
    bool is_base;                 /* the take's first layer, whose value replaces the static value */
    struct fbx_cursor cursors[4]; /* of each curve and of the weight */
};

struct fbx_motion {
    struct fbx_sheet *sheets; /* [sheet_count], heap, in layer order; with none, the value is the static value */
    uint32_t sheet_count;
    double rest[3]; /* the static value */
    enum fbx_blended blended;
    enum fbx_rotation_order order; /* for rotations only */
};

/* The parameters for reading a take's curves from the file. */
struct fbx_take_reader {
    const struct fbx_scene *scene;
    const struct fbx_take_list *list;
    const struct fbx_take *take;
    uint64_t key_limit;  /* limit per placed curve */
    uint64_t *work_left; /* the list's work_left, or NULL: see fbx_take_spend() */
};

/* The largest number of layers that may drive one property; the reader refuses more. */
enum { FBX_SHEETS_MAX = 1024 };

/* Reads the curves that drive a property of an object. The caller sets rest, blended and order first. Returns 0 or the
 * errors of fbx_curve_read() and fbx_curve_place(); on failure there are no sheets. */
int fbx_motion_read(struct fbx_motion *motion, const struct fbx_take_reader *reader, uint32_t object,
                    struct fbx_span property, struct err *err);
void fbx_motion_fini(struct fbx_motion *motion);

/* The value at a time of the clip. An additive layer adds its value times its weight. A passing layer interpolates
 * towards its value by its weight. Scales multiply unless the layer specifies otherwise (FBX SDK Reference:
 * FbxAnimLayer::EScaleAccumulationMode). Pure. */
void fbx_motion_at(struct fbx_motion *motion, double time_s, double out[3]);
/* The same for angles in degrees, as a unit quaternion. Layers multiply rotations unless they add angles
 * (ERotationAccumulationMode). Pure. */
void fbx_motion_turn(struct fbx_motion *motion, double time_s, double out[4]);
/* The approximate total variation of its numbers between two times without a key between them. */
double fbx_motion_swing(struct fbx_motion *motion, double from_s, double to_s);
/* Whether the curves of a single layer alone give the value. */
bool fbx_motion_is_plain(const struct fbx_motion *motion);

/* Strictly increasing times; heap. */
struct fbx_times {
    double *times_s;
    uint32_t count;
};
/* Merges times that never decrease. */
void fbx_times_merge(struct fbx_times *times, const double *added_s, uint32_t added_count);
/* Adds the times of a placed curve's keys within 0 and stop_s, and each of these ends if a segment extends beyond
 * it. */
void fbx_times_add(struct fbx_times *times, const struct fbx_curve *curve, double stop_s);
void fbx_motion_times(const struct fbx_motion *motion, double stop_s, struct fbx_times *times);
/* Adds the times of extrema between a curve's keys. */
void fbx_motion_extrema(const struct fbx_motion *motion, double stop_s, struct fbx_times *times);
/* Adds the time 0 if there are no times. */
void fbx_times_complete(struct fbx_times *times);
void fbx_times_fini(struct fbx_times *times);
