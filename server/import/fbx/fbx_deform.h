/* fbx_deform.h - what deforms a geometry: the weights of its skin and its blend shapes, by control point. One thread.
 *
 * Influences of control point p are entries[firsts[p] .. firsts[p + 1]), weights positive with the sum 1, joints those
 * of the skin in the builder. A target of a blend shape moves some control points: offsets are in geometry space. */
#pragma once

#include "import/fbx/fbx.h"

struct fbx_target {
    struct str name;
    uint32_t count;
    uint32_t *points;     /* [count]: control points, below the geometry's */
    double (*offsets)[3]; /* [count] */
    double (*normals)[3]; /* [count]: of normals, or NULL: the file has none */
};

/* Heap arrays, freed by fbx_deform_fini(). */
struct fbx_deform {
    uint32_t *firsts; /* [point_count + 1], or NULL without a skin */
    struct influence *entries;
    struct fbx_target *targets;
    double *rest_weights; /* [target_count] */
    uint32_t target_count;
};

/* What deforms the Geometry `geometry` where Model `node` (a node of the builder) shows it; after fbx_read_skins(),
 * whose fbx->skin_of says which skin the joints are of. Returns 0, ERR_BAD_MODEL or ERR_MODEL_LIMIT; fbx_deform_fini()
 * is needed and safe in any case. */
int fbx_deform_read(struct fbx *fbx, uint32_t node, uint32_t geometry, uint32_t point_count, struct fbx_deform *deform,
                    struct err *err);
void fbx_deform_fini(struct fbx_deform *deform);
