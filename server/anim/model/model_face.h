/* model_face.h - part of the model (model.h): the expressions and the gaze of a VRM file's human
 * (vrm-specification: VRMC_vrm-1.0/expressions.md and lookAt.md, VRMC_vrm_animation-1.0, and VRM 0). */
#pragma once

#include "anim/model/model_types.h"

/* How an expression suppresses others of a kind: not at all, wholly as soon as it shows, or by its weight. */
enum expression_override { EXPRESSION_NONE, EXPRESSION_BLOCK, EXPRESSION_BLEND, EXPRESSION_OVERRIDE_COUNT };
enum expression_flags {
    EXPRESSION_PRESET = 1, /* the specification defines its meaning */
    EXPRESSION_BINARY = 2, /* a weight above 0.5 counts as 1, others as 0 */
};

/* A face by its name: "happy", "aa", "blink". Presets of VRM 0 have the names of VRM 1. Sorted by name, byte by byte;
 * names are unique. The binds of all expressions follow each other. */
struct expression {
    struct str name;
    uint32_t flags; /* EXPRESSION_ */
    uint32_t override_mouth, override_blink, override_look_at;
    int32_t node; /* in a VRM animation: the node whose x translation is the weight; else -1 */
    uint32_t bind_first, bind_count;
};
enum { EXPRESSIONS_MAX = 1024, EXPRESSION_BINDS_MAX = 65536 };

enum expression_bind_kind { BIND_MORPH, BIND_COLOR, BIND_TEXTURE_TRANSFORM, BIND_KIND_COUNT };
enum expression_color {
    EXPRESSION_COLOR,
    EXPRESSION_EMISSION_COLOR,
    EXPRESSION_SHADE_COLOR,
    EXPRESSION_MATCAP_COLOR,
    EXPRESSION_RIM_COLOR,
    EXPRESSION_OUTLINE_COLOR,
    EXPRESSION_COLOR_COUNT
};

/* What an expression of weight 1 does. */
struct expression_bind {
    uint32_t kind;   /* BIND_ */
    uint32_t target; /* node, or material */
    uint32_t index;  /* morph: of its weights; colour: EXPRESSION_..COLOR; else 0 */
    float weight;    /* morph: what it adds to this weight; else 0 */
    float values[4]; /* colour: linear RGB and alpha; texture transform: scale, then offset; else 0 */
};

enum gaze_kind { GAZE_BONE, GAZE_EXPRESSION, GAZE_KIND_COUNT };
enum gaze_range { GAZE_INNER, GAZE_OUTER, GAZE_DOWN, GAZE_UP, GAZE_RANGE_COUNT };

/* Where the eyes look. Angles from 0 to `most_deg` become 0 to `output`: degrees of the eyes, or a weight. */
struct gaze {
    uint32_t kind;   /* GAZE_ */
    int32_t node;    /* in a VRM animation: the node whose local rotation is the direction; else -1 */
    float offset[3]; /* from the head's joint to the point between the eyes, in the head's space */
    struct {
        float most_deg; /* > 0 */
        float output;
    } ranges[GAZE_RANGE_COUNT];
};
