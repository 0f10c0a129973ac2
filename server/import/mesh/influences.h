/* influences.h - the weights of a skin: one policy for all readers (protocol/formats.md, "What readers repair").
 *
 * A weight counts where it is above 0, finite as a float, and of a joint that the skin has. Those of a vertex are
 * divided by their sum; what is 0 as a float then is left out. A joint that comes twice counts twice. One thread. */
#pragma once

#include "import/source/import.h"

/* A weight that names no joint; so does any number that is not below the number of joints. */
#define JOINT_NONE UINT32_MAX

/* A weight of one vertex, as the file has it. */
struct joint_weight {
    double weight;
    uint32_t joint;
};

/* What was repaired in the weights of a skin or a primitive. */
struct weight_repairs {
    uint32_t dropped;      /* weights that do not count, but for zeros */
    uint32_t renormalised; /* vertices whose weights do not sum to 1 */
    uint32_t unweighted;   /* vertices without a weight that counts */
};

/* The influences of one vertex, in the order of its weights, into out[count]. Returns how many there are. Uses up
 * `weights`. */
uint32_t influences_of_vertex(struct joint_weight *weights, uint32_t count, uint32_t joint_count, struct influence *out,
                              struct weight_repairs *repairs);
/* Adds them to the model as those of its next vertex. Returns 0 or what import_full() does. */
int influences_put(struct import *import, const struct influence *influences, uint32_t count, struct err *err);
/* The next `count` vertices have none. */
int influences_put_none(struct import *import, uint32_t count, struct err *err);
/* One warning for each kind of repair; a kind that is none in the reader's format, or has a warning of its own, the
 * reader sets to 0. `where` is what messages call the skin or the primitive. */
void influences_warn(struct bake_builder *builder, const struct weight_repairs *repairs, uint32_t vertex_count,
                     const char *where);

/* --- the weights of all points of a mesh --- */

/* Weights in any order, as the files have them that store them by joint. Zeroes are an empty list. */
struct weight_list {
    struct point_weight {
        double weight;
        uint32_t joint, point;
    } * items; /* [count]; heap */
    size_t count, capacity;
};

void weight_list_add(struct weight_list *list, uint32_t point, uint32_t joint, double weight);

/* Influences of point p are entries[firsts[p] .. firsts[p + 1]). Heap arrays; NULL: no skin. */
struct influences {
    uint32_t *firsts; /* [point_count + 1] */
    struct influence *entries;
    uint32_t point_count;
    struct weight_repairs repairs;
};

/* Sorts a list by points; the weights of a point stay in their order. Frees the list. own_joint: what points without
 * weights follow, or JOINT_NONE: they have no influences. influences_fini() is needed. */
void influences_make(struct influences *influences, struct weight_list *list, uint32_t point_count,
                     uint32_t joint_count, uint32_t own_joint);
void influences_fini(struct influences *influences);
/* influences_put() for a vertex at a point. */
int influences_put_point(struct import *import, const struct influences *influences, uint32_t point, struct err *err);
