/* influences.h - skin weights. All readers follow the same rules (protocol/formats.md, "What readers repair").
 *
 * A weight is valid if it is above 0, finite as a float, and names a joint of the skin. The valid weights of a vertex
 * are divided by their sum; a result that is 0 as a float is then left out. A joint listed twice counts twice.
 * Single-threaded. */
#pragma once

#include "import/source/import.h"

/* Names no joint, like any other number at or above the number of joints. */
#define JOINT_NONE UINT32_MAX

/* A weight of one vertex as stored in the file. */
struct joint_weight {
    double weight;
    uint32_t joint;
};

/* The repairs to the weights of a skin or a primitive. */
struct weight_repairs {
    uint32_t dropped;      /* invalid weights other than zeros */
    uint32_t renormalised; /* vertices whose weights do not sum to 1 */
    uint32_t unweighted;   /* vertices without a valid weight */
};

/* Writes the influences of one vertex, in the order of its weights, to out[count] and returns their number. Overwrites
 * `weights`. */
uint32_t influences_of_vertex(struct joint_weight *weights, uint32_t count, uint32_t joint_count, struct influence *out,
                              struct weight_repairs *repairs);
/* Adds the influences of the model's next vertex. Returns 0 or the error of import_full(). */
int influences_put(struct import *import, const struct influence *influences, uint32_t count, struct err *err);
/* Adds `count` vertices without influences. */
int influences_put_none(struct import *import, uint32_t count, struct err *err);
/* Adds one warning for each kind of repair. The reader sets a kind to 0 if its format does not have it or it gives its
 * own warning. `where` names the skin or the primitive in messages. */
void influences_warn(struct bake_builder *builder, const struct weight_repairs *repairs, uint32_t vertex_count,
                     const char *where);

/* --- the weights of all points of a mesh --- */

/* Weights in any order, for files that store them by joint. Zero-initialised: an empty list. */
struct weight_list {
    struct point_weight {
        double weight;
        uint32_t joint, point;
    } * items; /* [count]; heap */
    size_t count, capacity;
};

void weight_list_add(struct weight_list *list, uint32_t point, uint32_t joint, double weight);

/* Influences of point p are entries[firsts[p] .. firsts[p + 1] - 1]. Heap arrays; NULL without a skin. */
struct influences {
    uint32_t *firsts; /* [point_count + 1] */
    struct influence *entries;
    uint32_t point_count;
    struct weight_repairs repairs;
};

/* Sorts a list by points, preserves the order of each point's weights, and frees the list. Points without weights
 * follow own_joint, or have no influences if it is JOINT_NONE. The caller calls influences_fini(). */
void influences_make(struct influences *influences, struct weight_list *list, uint32_t point_count,
                     uint32_t joint_count, uint32_t own_joint);
void influences_fini(struct influences *influences);
/* Does influences_put() for a vertex at a point. */
int influences_put_point(struct import *import, const struct influences *influences, uint32_t point, struct err *err);
/* Whether two points have the same influences; true if `influences` is NULL. */
bool influences_are_same(const struct influences *influences, uint32_t a, uint32_t b);
