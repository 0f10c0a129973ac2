/* flex.c - turns each joint through its range, and collects what is measured. */
#include "anim/flex/flex_internal.h"

#include "base/mem.h"

#include <stdlib.h>

enum { MOVED_FOR_ONE = 8 }; /* vertices that move as a rigid body take the time of one that is deformed */

/* Adds to the box where the current turn puts the zone and what moves with the joint. */
static void add_moved(const struct flex *flex, const struct dmat4 *scene_from_rest, struct box *box)
{
    const struct flex_zone *zone = &flex->zone;
    for (uint32_t i = 0; i < zone->entry_count; i++)
        box_add(box, DOUBLE3(flex->bent[zone->entries[i]]));
    for (uint32_t i = 0; i < zone->moved_count; i++) {
        double turned[3];
        dmat4_point(scene_from_rest, DOUBLE3(flex->surface.rest[zone->moved[i]]), turned);
        box_add(box, turned);
    }
}

static int add_turn(struct flex *flex, struct flex_joint *joint, struct flex_turn turn, struct dmat4 *scene_from_rest)
{
    struct flex_report *report = flex->report;
    const int rc = flex_turn_joint(flex, joint->node, turn.axis, turn.angle_deg, scene_from_rest);
    if (rc < 0)
        return rc;
    turn.volume_lost = (double)NAN;
    if (flex->zone.triangle_count > 0) {
        if (!flex_spend(flex, 0,
                        (uint64_t)flex->zone.entry_count + 2 * (uint64_t)flex->zone.triangle_count +
                            flex->zone.moved_count / MOVED_FOR_ONE) ||
            flex_deform(flex, flex->zone.entries, flex->zone.entry_count, flex->bent) < 0)
            return flex->err->code;
        flex_zone_measure(flex, scene_from_rest, &turn);
        add_moved(flex, scene_from_rest, &joint->moved_box);
    }
    flex_turn_back(flex, joint->node);
    report->turns = mem_grow(report->turns, &report->turn_capacity, report->turn_count + 1, sizeof *report->turns);
    report->turns[report->turn_count++] = turn;
    joint->turn_count++;
    return 0;
}

static int measure_joint(struct flex *flex, struct flex_joint *joint)
{
    struct dmat4 turns[2 * FLEX_AXES * FLEX_ANGLES_MOST];
    if (!flex_spend(flex, flex->model->node_count,
                    (uint64_t)flex->surface.entry_count + flex->surface.triangle_count / 2))
        return flex->err->code;
    flex_find_below(flex, joint->node);
    int rc = flex_zone_find(flex);
    joint->zone_triangles = flex->zone.triangle_count;
    joint->zone_area = flex->zone.area;
    joint->zone_volume = flex->zone.volume;
    joint->zone_box = joint->moved_box = BOX_EMPTY;
    if (rc == 0 && flex->zone.triangle_count > 0)
        joint->side = flex_side_of_zone(flex);
    for (uint32_t i = 0; i < flex->zone.entry_count; i++)
        box_add(&joint->zone_box, DOUBLE3(flex->surface.rest[flex->zone.entries[i]]));
    joint->turn_first = flex->report->turn_count;
    for (uint32_t axis = 0; axis < FLEX_AXES && rc == 0; axis++) {
        double angles[FLEX_ANGLES_MOST];
        const uint32_t count = flex_angles_of(flex, joint, axis, angles);
        for (uint32_t i = 0; i < 2 * count && rc == 0; i++)
            rc = add_turn(flex, joint,
                          (struct flex_turn){.axis = axis, .angle_deg = angles[i / 2] * (i % 2 == 0 ? 1 : -1)},
                          &turns[joint->turn_count]);
    }
    if (rc == 0)
        flex_judge(flex, joint);
    return rc == 0 ? flex_find_strays(flex, joint, turns, joint->turn_count) : rc;
}

static int measure(struct flex *flex)
{
    const struct model *model = flex->model;
    const uint32_t nodes = model->node_count;
    uint32_t joints = 1;
    for (uint32_t s = 0; s < model->skin_count; s++)
        joints = model->skins[s].joint_count > joints ? model->skins[s].joint_count : joints;
    if (!pose_reserve(&flex->pose, model) ||
        !flex_array(flex, &flex->palette.matrices, joints, sizeof *flex->palette.matrices) ||
        !flex_array(flex, &flex->palette.parts, skin_parts_most(model), sizeof *flex->palette.parts) ||
        !flex_array(flex, &flex->has_weights, nodes, sizeof *flex->has_weights) ||
        !flex_array(flex, &flex->is_below, nodes, sizeof *flex->is_below) ||
        !flex_array(flex, &flex->below, nodes, sizeof *flex->below) ||
        !flex_array(flex, &flex->above, nodes, sizeof *flex->above) ||
        !flex_array(flex, &flex->child_firsts, nodes, sizeof *flex->child_firsts) ||
        !flex_array(flex, &flex->children, nodes, sizeof *flex->children))
        return err_set(flex->err, ERR_NO_MEMORY, "memory ran out");
    memset(flex->has_weights, 0, nodes);
    pose_evaluate(&flex->pose, model, POSE_REST, 0);
    int rc = flex_surface_make(flex);
    if (rc == 0)
        rc = flex_sides_see(flex);
    if (rc == 0)
        rc = flex_zone_reserve(flex);
    if (rc == 0)
        rc = flex_joints_find(flex);
    for (uint32_t j = 0; j < flex->report->joint_count && rc == 0; j++)
        rc = measure_joint(flex, &flex->report->joints[j]);
    if (rc == 0)
        flex_list_unmeasured(flex);
    return rc;
}

int flex_measure(const struct model *model, const struct flex_options *options, struct flex_report *report,
                 struct err *err)
{
    struct flex flex = {.model = model, .options = options, .report = report, .err = err};
    pose_init(&flex.pose);
    const int rc = measure(&flex);
    pose_fini(&flex.pose);
    flex_surface_fini(&flex.surface);
    flex_zone_fini(&flex.zone);
    free(flex.palette.matrices);
    free(flex.palette.parts);
    free(flex.has_weights);
    free(flex.is_below);
    free(flex.below);
    free(flex.above);
    free(flex.child_firsts);
    free(flex.children);
    free(flex.shares);
    free(flex.bent);
    free(flex.groups);
    free(flex.counts);
    free(flex.beside);
    free(flex.seen);
    free(flex.marks);
    return rc;
}

void flex_report_fini(struct flex_report *report)
{
    free(report->joints);
    free(report->turns);
    free(report->findings);
    free(report->unmeasured);
}
