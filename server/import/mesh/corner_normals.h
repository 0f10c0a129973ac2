/* corner_normals.h - computes normals of polygons whose file has none. They are smooth, except at edges that the file
 * or the angle between faces defines. Pure; any thread. */
#pragma once

#include "anim/model/model.h"

/* A surface of polygons; borrowed. */
struct polygons {
    const double (*points)[3];
    const uint32_t *corners; /* [starts[polygon_count]]: point indices */
    const uint32_t *starts;  /* [polygon_count + 1]: the first corner of each polygon */
    uint32_t point_count, polygon_count;
};

enum smoothing_kind {
    SMOOTHING_BY_ANGLE,  /* an angle of more than 50 degrees between faces is hard: an eight-sided column looks round, a
                            dice does not */
    SMOOTHING_BY_CREASE, /* the same with an angle from the file */
    SMOOTHING_BY_GROUPS, /* two faces are smooth if they share a group */
    SMOOTHING_BY_EDGES,  /* faces around a point are smooth up to the next hard edge */
};

struct smoothing {
    enum smoothing_kind kind;
    double crease_cosine;   /* cosine of the smallest hard angle; 1 if all edges are hard */
    const uint32_t *groups; /* [polygon_count]: a bit for each group */
    const uint8_t
        *is_hard; /* [corners]: whether the edge that begins at this corner is hard; a mark on one side suffices */
};

/* Fills out[corner] with the mean normal of the faces that meet there and are smooth with the corner's own face,
 * weighted by angle (Thuermer and Wuethrich, "Computing vertex normals from polygonal facets", 1998). The results are
 * unit vectors, or +Z if no face has an area. */
void corner_normals(const struct polygons *polygons, const struct smoothing *smoothing, struct vec3 *out);
