/* flex_internal.h - the parts of flex_measure(). Private to anim/flex. */
#pragma once

#include "anim/flex/flex.h"
#include "anim/pose/skin.h"

/* A skinned draw: its vertices are entries entry_first .. entry_first + count of the surface. */
struct flex_part {
    uint32_t draw, skin, primitive, entry_first, entry_count;
};

/* All skinned triangles of a model at rest. An entry is a vertex of a draw. Entries at the same point share a place, so
 * that triangles on both sides of a texture's seam are neighbours. */
struct flex_surface {
    struct flex_part *parts;
    struct vec3 *rest;   /* [entry_count], scene space */
    uint32_t *places;    /* [entry_count]: the first entry at the same point */
    uint32_t *corners;   /* [3 * triangle_count], entries */
    uint32_t *strongest; /* [entry_count]: the node that the vertex follows most */
    uint32_t part_count, entry_count, triangle_count;
};

/* An edge of the zone's boundary, `count` times more often in this direction than back. */
struct flex_edge {
    uint32_t from, to;  /* entries */
    uint32_t low, high; /* their places */
    int32_t count;
    uint32_t piece, loop; /* the piece of the zone, and the loop of its boundary, that it belongs to */
};

/* The bend zone of a joint: the triangles that deform when it turns, in pieces that are connected. Each loop of its
 * boundary is closed by a fan around its centre. The boundary follows one side or the other nearly as a rigid body, so
 * the fans do, too, and what the closed zone loses is lost between them. */
struct flex_zone {
    uint32_t *triangles;     /* [triangle_count] of the surface */
    uint32_t *pieces;        /* [triangle_count]: which piece a triangle belongs to */
    uint32_t *entries;       /* [entry_count], ascending: their corners */
    uint32_t *moved;         /* [moved_count], ascending: the other corners that move with the joint as a rigid body */
    struct flex_edge *edges; /* [edge_count]: the boundary */
    double (*centres)[4];    /* [loop_count], working memory: sum of places, and how many */
    double *rest_volumes;    /* [piece_count], signed; 0: the piece is flat */
    double *volumes, *areas; /* [piece_count], working memory */
    uint32_t *numbers;       /* by place, working memory: of a piece or a loop */
    uint32_t triangle_count, entry_count, moved_count, edge_count, loop_count, piece_count;
    uint64_t edge_capacity, loop_capacity, piece_capacity;
    double area, volume; /* of all pieces; volume: NaN when all are flat */
};

struct flex {
    const struct model *model;
    const struct flex_options *options;
    struct flex_report *report;
    struct err *err;
    struct flex_surface surface;
    struct pose pose;
    struct skin_palette palette;
    uint8_t *has_weights; /* [node_count]: a vertex follows it */
    uint8_t *is_below;    /* [node_count]: the joint and what is below it */
    uint32_t *below;      /* [below_count], parents first */
    uint32_t below_count;
    int32_t *above;         /* [node_count]: the nearest joint above, or -1 */
    uint32_t *child_firsts; /* [node_count + 1]: the nearest joints below node n are children[child_firsts[n]] and so
                             * on, up to child_firsts[n + 1] */
    uint32_t *children;
    float *shares;             /* [entry_count]: how much a vertex follows the joint or what is below it */
    struct vec3 *bent;         /* [entry_count]: valid for the zone's */
    uint32_t *groups;          /* [entry_count], of places: union-find, working memory */
    uint32_t *counts, *beside; /* [entry_count], of groups: their places, and the greatest neighbour; working memory */
    uint32_t *seen;            /* [FLEX_SIDES][triangle_count of the surface]: pixels that are seen from a side */
    uint8_t *marks;            /* [entry_count], working memory */
    struct flex_zone zone;
};

/* flex_budget.c */
/* Makes *array (malloc'ed or NULL) as large as `count` items. False: the error is set. */
bool flex_array(struct flex *flex, void *array, uint64_t count, size_t item_bytes);
/* Charge what is about to be done, and notice a stop. False: the error is set. */
bool flex_spend(struct flex *flex, uint64_t steps, uint64_t vertices);

/* flex_surface.c: fills surface from the rest pose, and the report's size. */
int flex_surface_make(struct flex *flex);
void flex_surface_fini(struct flex_surface *surface);

/* flex_pose.c: evaluates the pose and deforms entries. */
/* Computes the places of entries[count] (ascending) in the current pose into out[entry]. */
int flex_deform(struct flex *flex, const uint32_t *entries, uint32_t count, struct vec3 *out);
/* Turns the joint by an angle about one of its axes, with what is below. scene_from_rest: what that does to places. */
int flex_turn_joint(struct flex *flex, uint32_t node, uint32_t axis, double angle_deg, struct dmat4 *scene_from_rest);
void flex_turn_back(struct flex *flex, uint32_t node);
/* Finds the nodes below and each entry's share of them. */
void flex_find_below(struct flex *flex, uint32_t node);

/* flex_zone.c: finds the zone of the joint whose shares are there, and measures it at rest. */
int flex_zone_reserve(struct flex *flex);
int flex_zone_find(struct flex *flex);
void flex_zone_fini(struct flex_zone *zone);
/* Measures the zone as it is in `bent`. scene_from_rest: of the joint. */
void flex_zone_measure(struct flex *flex, const struct dmat4 *scene_from_rest, struct flex_turn *turn);

/* flex_sides.c: fills seen, where there are triangles. */
int flex_sides_see(struct flex *flex);
/* Returns the side from which the zone is seen best, which must have triangles. */
struct flex_side flex_side_of_zone(const struct flex *flex);

/* flex_strays.c: finds the vertices that stay behind when the joint turns, or that are dragged along, and reports them.
 * turns[turn_count]: scene_from_rest of the joint. */
int flex_find_strays(struct flex *flex, struct flex_joint *joint, const struct dmat4 *turns, uint32_t turn_count);

/* flex_joints.c: which joints, and how far each turns. */
int flex_joints_find(struct flex *flex);
/* Lists the joints of the file's skins, or the one that is asked for, of which nothing was measured. */
void flex_list_unmeasured(struct flex *flex);
/* Fills out with the angles of the joint about an axis, each once and above 0. Returns how many. */
uint32_t flex_angles_of(const struct flex *flex, const struct flex_joint *joint, uint32_t axis,
                        double out[FLEX_ANGLES_MOST]);

/* flex_findings.c: applies the rules to the turns of a joint. */
void flex_judge(struct flex *flex, const struct flex_joint *joint);
void flex_add_finding(struct flex *flex, const struct flex_finding *finding);

/* Union-find over places, with the smallest place as its root. */
static inline uint32_t flex_group(uint32_t *groups, uint32_t place)
{
    while (groups[place] != place) {
        groups[place] = groups[groups[place]];
        place = groups[place];
    }
    return place;
}
static inline void flex_unite(uint32_t *groups, uint32_t a, uint32_t b)
{
    a = flex_group(groups, a);
    b = flex_group(groups, b);
    if (a != b)
        groups[a > b ? a : b] = a > b ? b : a;
}
