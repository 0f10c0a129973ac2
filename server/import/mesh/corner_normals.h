/* corner_normals.h - normals of polygons whose file has none: smooth ones, and edges where the file or the angle
 * between faces makes them. Pure; any thread. */
#pragma once

#include "anim/model/model.h"

/* A surface of polygons; borrowed. */
struct polygons {
    const double (*points)[3];
    const uint32_t *corners; /* [starts[polygon_count]]: points */
    const uint32_t *starts;  /* [polygon_count + 1]: of a polygon's corners */
    uint32_t point_count, polygon_count;
};

enum smoothing_kind {
    SMOOTHING_BY_ANGLE,  /* faces that meet at more than 50 degrees have an edge: a column of eight sides is round, a
                            dice is not */
    SMOOTHING_BY_CREASE, /* the same with an angle of the file */
    SMOOTHING_BY_GROUPS, /* two faces are smooth where they have a group in common */
    SMOOTHING_BY_EDGES,  /* faces round a point are smooth up to the next hard edge */
};

struct smoothing {
    enum smoothing_kind kind;
    double crease_cosine;   /* of the angle that faces which are smooth do not reach; 1: all edges are hard */
    const uint32_t *groups; /* [polygon_count]: a bit for each group */
    const uint8_t
        *is_hard; /* [corners]: whether the edge that begins at this corner is hard; one side of it suffices */
};

/* Fills out[corner]: the mean of the faces that meet there and are smooth with the corner's own, each weighted by its
 * angle (Thuermer and Wuethrich, "Computing vertex normals from polygonal facets", 1998); unit vectors, or +Z where no
 * face has an area. */
void corner_normals(const struct polygons *polygons, const struct smoothing *smoothing, struct vec3 *out);
