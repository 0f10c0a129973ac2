/* flex.h - bends the joints of a model's skins, one at a time from the rest pose, and measures what the skin does.
 *
 * A turn is a rotation of one joint about one of its own axes, x, y or z, after its rest rotation: what a rotation
 * channel with rest * turn would do. All that is below the joint turns with it. Measured are the triangles between what
 * moves and what stays, the bend zone. Each turn has its opposite, and the rules judge the mean of both: a joint that
 * lies beside the middle of its limb gains volume on one side and loses as much on the other. Distances are in units of
 * the scene. Pure; any thread. */
#pragma once

#include "anim/model/mat.h"
#include "base/err.h"

enum flex_rule {
#define RULE(symbol, name, severity, text) symbol,
#include "protocol/rules/flex_rules.def"
#undef RULE
    FLEX_RULE_COUNT
};
const char *flex_rule_name(enum flex_rule rule); /* "flex-volume" */

enum {
    FLEX_ANGLES_MOST = 8,
    FLEX_VERTICES_MOST = 4000000, /* of all skinned draws */
    FLEX_FINDINGS_MOST = 1000,    /* more are only counted */
    FLEX_AXES = 3,
    FLEX_SIDES = 8,
};

/* One pose of a joint. Shares are of the bend zone's area at rest. */
struct flex_turn {
    uint32_t axis; /* 0 to 2 for x to z */
    double angle_deg;
    double volume_lost; /* share of the bend zone's volume; below 0: it gains; NaN: the zone has no volume */
    uint32_t flipped;   /* triangles that face against what the joint that they follow most would make of them */
    double flipped_share;
    uint32_t collapsed; /* triangles that have lost nine tenths of their area */
    double collapsed_share;
};

/* Where a camera stands: camera.h. */
struct flex_side {
    double yaw_deg, pitch_deg;
};

struct flex_joint {
    uint32_t node;
    int32_t role;                         /* enum humanoid_role, or -1 */
    int32_t long_axis;                    /* its own axis that is nearest to its bone, or -1 without a bone */
    double bend_most_deg, twist_most_deg; /* how far its turns go about the other axes, and about the long one */
    uint32_t zone_triangles;
    struct flex_side side; /* from where most of the zone is seen at rest: elsewhere other parts hide it */
    struct box zone_box;   /* at rest */
    struct box moved_box;  /* around the zone and what moves with the joint, over all turns; empty without a zone */
    double zone_area, zone_volume; /* volume: NaN for an open or flat zone */
    uint32_t turn_first, turn_count;
    uint32_t left_behind, dragged; /* vertices */
};

/* Why nothing is known of a joint of the file's skins. */
enum flex_why {
    FLEX_NO_VERTICES,  /* no vertex of a shown mesh follows it */
    FLEX_SHEARED,      /* it has a sheared matrix */
    FLEX_NO_TRIANGLES, /* it turns, and no triangle deforms: it moves rigid pieces, or points and lines */
};
struct flex_unmeasured {
    uint32_t node;
    enum flex_why why;
};

struct flex_finding {
    enum flex_rule rule;
    uint32_t node;
    int32_t axis;        /* or -1: at every turn */
    double angle_deg;    /* to both sides; NaN without an axis */
    double value, limit; /* a share, or a distance as a share of the model's size */
    int32_t mesh;        /* for vertices: the mesh, the vertex in its primitives, and how many; -1 */
    uint32_t vertex, vertex_count;
    int32_t other; /* the node that they follow instead, or -1 */
    char message[ERR_MESSAGE_SIZE];
};

struct flex_report {
    double size; /* longest side of the skinned draws at rest */
    struct flex_joint *joints;
    struct flex_turn *turns;
    struct flex_finding *findings;
    struct flex_unmeasured *unmeasured; /* by node; those without triangles are among joints, too */
    uint32_t joint_count, turn_count, finding_count, unmeasured_count,
        left_out; /* left_out: findings beyond FLEX_FINDINGS_MOST */
    uint64_t pose_count, step_count, vertex_count;
    size_t joint_capacity, turn_capacity, finding_capacity, unmeasured_capacity; /* private */
};

struct flex_options {
    int32_t node;                   /* only this joint; -1: all */
    const double *angles_deg;       /* [angle_count], above 0 to 180 */
    uint32_t angle_count;           /* 0: those of flex_joints.c */
    uint64_t steps;                 /* greatest number of nodes to evaluate */
    uint64_t vertices;              /* greatest number of vertices to look at or to deform */
    const _Atomic bool *is_stopped; /* may be NULL; once it is true, the call ends soon */
};

/* Fills *report, which starts as zeros and flex_report_fini() frees, also after an error. Joints are those that
 * vertices follow, without those of a sheared matrix, in the order of nodes. Each turns by each angle to both sides. An
 * angle beyond what its role allows (flex_ranges.def) is cut to that; two that become the same are one. Returns 0,
 * ERR_BAD_PARAMETER for a node that is no such joint, ERR_TOO_MANY_FRAMES beyond a limit, ERR_NOT_FINITE,
 * ERR_NO_MEMORY, or ERR_REQUEST_TIMEOUT once stopped. */
int flex_measure(const struct model *model, const struct flex_options *options, struct flex_report *report,
                 struct err *err);
void flex_report_fini(struct flex_report *report);
