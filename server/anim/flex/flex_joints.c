/* flex_joints.c - which joints turn, about which axes, and how far. */
#include "anim/flex/flex_internal.h"

#include "anim/humanoid/humanoid.h"
#include "base/mem.h"

/* Without angles=: half of the way and all of it, for the largest ranges of flex_ranges.def that linear skins can show
 * (beyond a right angle they lose their volume however well they are painted). A joint without a role may be any, so it
 * turns by no more than most of a human's do. */
static const double ANGLES[] = {45, 90};
enum { ANGLE_COUNT = sizeof ANGLES / sizeof *ANGLES };
static const double MOST_WITHOUT_ROLE = 60;
static const double FINGER_BEND = 90;

static const struct {
    bool is_there;
    double bend, twist;
} RANGES[ROLE_COUNT] = {
#define RANGE(role, bend, twist) [ROLE_##role] = {true, bend, twist},
#include "anim/flex/flex_ranges.def"
#undef RANGE
};

/* Sets how far a joint turns. given: the request names angles, which only roles limit. */
static void take_range(struct flex_joint *joint, bool given)
{
    const bool is_finger = joint->role >= ROLE_LEFT_THUMB_METACARPAL;
    joint->bend_most_deg = joint->twist_most_deg = given ? 180 : MOST_WITHOUT_ROLE;
    if (is_finger) {
        joint->bend_most_deg = FINGER_BEND;
        joint->twist_most_deg = 0;
    } else if (joint->role >= 0 && RANGES[joint->role].is_there) {
        joint->bend_most_deg = RANGES[joint->role].bend;
        joint->twist_most_deg = RANGES[joint->role].twist;
    }
}

/* Marks the nodes that a measured vertex follows, and those that are joints of a measured skin. */
enum { IS_FOLLOWED = 1, IS_JOINT = 2, IS_LED = 4 /* by a constraint, so that it does not turn by itself */ };
static void mark_joints(struct flex *flex)
{
    const struct model *model = flex->model;
    uint32_t marked = UINT32_MAX;
    for (uint32_t p = 0; p < flex->surface.part_count; p++) {
        const struct flex_part *part = &flex->surface.parts[p];
        const struct skin *skin = &model->skins[part->skin];
        const struct primitive *primitive = &model->primitives[part->primitive];
        const uint32_t *firsts = model->influence_firsts + primitive->vertex_first;
        for (uint32_t i = firsts[0]; i < firsts[primitive->vertex_count]; i++)
            flex->has_weights[model->joints[skin->joint_first + model->influences[i].joint].node] |= IS_FOLLOWED;
        /* no more work than the skin's matrices at rest, which counts */
        for (uint32_t j = 0; j < skin->joint_count && part->skin != marked; j++)
            flex->has_weights[model->joints[skin->joint_first + j].node] |= IS_JOINT;
        marked = part->skin;
    }
    for (uint32_t i = 0; i < model->constraint_count; i++)
        if (flex->has_weights[model->constraints[i].node] != 0)
            flex->has_weights[model->constraints[i].node] |= IS_LED;
}

/* Fills in the joints below each joint: those with no other joint between. */
static void find_children(struct flex *flex)
{
    const struct model *model = flex->model;
    int32_t *above = flex->above;
    memset(flex->child_firsts, 0, ((size_t)model->node_count + 1) * sizeof *flex->child_firsts);
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        const int32_t parent = model->nodes[n].parent;
        above[n] = parent < 0 || flex->has_weights[parent] != 0 ? parent : above[parent];
        if (above[n] >= 0 && flex->has_weights[n] != 0)
            flex->child_firsts[above[n] + 1]++;
    }
    for (uint32_t n = 0; n < model->node_count; n++)
        flex->child_firsts[n + 1] += flex->child_firsts[n];
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        if (above[n] >= 0 && flex->has_weights[n] != 0)
            flex->children[flex->child_firsts[above[n]]++] = n;
    }
    for (uint32_t n = model->node_count; n > 0; n--) /* each is now where its successor begins */
        flex->child_firsts[n] = flex->child_firsts[n - 1];
    flex->child_firsts[0] = 0;
}

/* Returns the node's own axis that is nearest to its bone, the way to the middle of the joints below it, or without any
 * the way from the joint above. -1: it has no bone. */
static int32_t long_axis_of(const struct flex *flex, uint32_t node)
{
    const double *m = flex->pose.scene_from_node[node].m;
    const uint32_t first = flex->child_firsts[node], count = flex->child_firsts[node + 1] - first;
    double way[3] = {0, 0, 0}, most = 0;
    int32_t axis = -1;
    for (uint32_t i = 0; i < count; i++)
        for (int c = 0; c < 3; c++)
            way[c] += flex->pose.scene_from_node[flex->children[first + i]].m[12 + c] - m[12 + c];
    for (int c = 0; c < 3 && count == 0 && flex->above[node] >= 0; c++)
        way[c] = m[12 + c] - flex->pose.scene_from_node[flex->above[node]].m[12 + c];
    for (int a = 0; a < FLEX_AXES; a++) {
        double along[3] = {m[4 * a], m[4 * a + 1], m[4 * a + 2]};
        unit3(along);
        if (fabs(dot3(along, way)) > most) {
            most = fabs(dot3(along, way));
            axis = a;
        }
    }
    return axis;
}

static void take_roles(const struct flex *flex)
{
    struct humanoid humanoid;
    struct err none;
    if (humanoid_find(flex->model, &(struct humanoid_choice){0}, &humanoid, &none) < 0)
        return;
    for (uint32_t j = 0; j < flex->report->joint_count; j++)
        for (int role = 0; role < ROLE_COUNT; role++)
            if (humanoid.nodes[role] == (int32_t)flex->report->joints[j].node)
                flex->report->joints[j].role = role;
}

int flex_joints_find(struct flex *flex)
{
    const struct model *model = flex->model;
    struct flex_report *report = flex->report;
    mark_joints(flex);
    find_children(flex);
    for (uint32_t n = 0; n < model->node_count; n++) {
        if ((flex->has_weights[n] & (IS_FOLLOWED | IS_LED)) != IS_FOLLOWED ||
            (model->nodes[n].flags & NODE_SHEAR) != 0 ||
            (flex->options->node >= 0 && flex->options->node != (int32_t)n))
            continue;
        report->joints =
            mem_grow(report->joints, &report->joint_capacity, report->joint_count + 1, sizeof *report->joints);
        report->joints[report->joint_count++] =
            (struct flex_joint){.node = n, .role = ROLE_NONE, .long_axis = long_axis_of(flex, n)};
    }
    if (report->joint_count == 0 && flex->options->node >= 0) {
        char name[SHORT_NAME_SIZE];
        const uint32_t node = (uint32_t)flex->options->node;
        return err_set(flex->err, ERR_BAD_PARAMETER,
                       "no vertex follows node %u '%s', or its matrix is sheared, or a constraint leads it", node,
                       short_name(model, model->nodes[node].name, name));
    }
    take_roles(flex);
    for (uint32_t j = 0; j < report->joint_count; j++)
        take_range(&report->joints[j], flex->options->angle_count > 0);
    return 0;
}

static void add_unmeasured(struct flex_report *report, uint32_t node, enum flex_why why)
{
    report->unmeasured = mem_grow(report->unmeasured, &report->unmeasured_capacity, report->unmeasured_count + 1,
                                  sizeof *report->unmeasured);
    report->unmeasured[report->unmeasured_count++] = (struct flex_unmeasured){.node = node, .why = why};
}

void flex_list_unmeasured(struct flex *flex)
{
    const struct model *model = flex->model;
    struct flex_report *report = flex->report;
    uint32_t next = 0; /* of the measured joints, which are by node, too */
    for (uint32_t n = 0; n < model->node_count; n++) {
        if (next < report->joint_count && report->joints[next].node == n) {
            if (report->joints[next++].zone_triangles == 0)
                add_unmeasured(report, n, FLEX_NO_TRIANGLES);
        } else if (flex->options->node < 0 && (model->nodes[n].flags & NODE_JOINT) != 0) {
            const bool is_followed = (flex->has_weights[n] & IS_FOLLOWED) != 0;
            add_unmeasured(report, n, is_followed ? FLEX_SHEARED : FLEX_NO_VERTICES);
        }
    }
}

uint32_t flex_angles_of(const struct flex *flex, const struct flex_joint *joint, uint32_t axis,
                        double out[FLEX_ANGLES_MOST])
{
    const uint32_t given = flex->options->angle_count;
    const double *angles = given > 0 ? flex->options->angles_deg : ANGLES;
    const double most = (int32_t)axis == joint->long_axis ? joint->twist_most_deg : joint->bend_most_deg;
    uint32_t count = 0;
    for (uint32_t i = 0; i < (given > 0 ? given : ANGLE_COUNT); i++) {
        const double angle = fmin(angles[i], most);
        bool is_new = angle > 0;
        for (uint32_t k = 0; k < count; k++)
            is_new = is_new && (out[k] < angle || out[k] > angle);
        if (is_new)
            out[count++] = angle;
    }
    return count;
}
