/* compare_frame.c - finds the space in which both models are compared: the old file's, unless the files state different
 * units or up axes and their numbers differ exactly by that. */
#include "anim/compare/compare_internal.h"

#include <string.h>

/* Returns the rotation along the shortest arc from a unit vector to +Y. */
static struct dmat4 y_from_up(const float up[3])
{
    const double from[3] = {(double)up[0], (double)up[1], (double)up[2]}, to[3] = {0, 1, 0};
    double axis[3];
    cross3(from, to, axis);
    const double cosine = dot3(from, to), sine = unit3(axis);
    if (!(sine > 1e-9)) {
        struct dmat4 out = DMAT4_IDENTITY;
        if (cosine < 0)
            out.m[5] = out.m[10] = -1; /* half a turn about x */
        return out;
    }
    return dmat4_from_axis(axis, cosine, sine);
}

struct dmat4 compare_node_matrix(const struct compare_model *side, uint32_t node)
{
    const struct dmat4 *scene_from_node = &side->pose.scene_from_node[node];
    return side->has_frame ? dmat4_mul(&side->common_from_scene, scene_from_node) : *scene_from_node;
}

/* Converts to metres and +Y up, where requested. */
static void set_frame(struct compare_model *side, bool has_unit, bool has_up)
{
    const struct model_info *info = &side->model->infos[0];
    side->has_frame = has_unit || has_up;
    side->common_from_scene = has_up ? y_from_up(info->up) : DMAT4_IDENTITY;
    for (int i = 0; i < 12 && has_unit; i++)
        side->common_from_scene.m[i] *= (double)info->unit_m;
}

/* Returns the box around the drawn vertices at rest, or around the joints without any, in the current frame. */
static struct box rest_box(const struct compare_model *side)
{
    const struct model *model = side->model;
    const struct vec3 *corners[2] = {&model->infos[0].rest_min, &model->infos[0].rest_max};
    struct box box = BOX_EMPTY;
    double point[3];
    for (int i = 0; i < 8 && corners[0]->x <= corners[1]->x; i++) {
        const double corner[3] = {(double)corners[i & 1]->x, (double)corners[i >> 1 & 1]->y,
                                  (double)corners[i >> 2]->z};
        dmat4_point(&side->common_from_scene, corner, point);
        box_add(&box, point);
    }
    const bool has_vertices = !box_is_empty(&box);
    for (uint32_t n = 0; n < model->node_count && !has_vertices; n++) {
        if (!side->is_joint[n])
            continue;
        dmat4_point(&side->common_from_scene, side->pose.scene_from_node[n].m + 12, point);
        box_add(&box, point);
    }
    return box;
}

static double distance3(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(dot3(d, d));
}

/* Returns how far both rest poses (boxes and joints) differ in the current frames, relative to the size of the old one.
 */
static double misfit(const struct compare *compare)
{
    const struct compare_model *old = &compare->sides[COMPARE_OLD], *new = &compare->sides[COMPARE_NEW];
    const struct box boxes[2] = {rest_box(old), rest_box(new)};
    double sum = 0, count = 0;
    for (uint32_t n = 0; n < old->model->node_count; n++) {
        if (!old->is_joint[n] || old->partners[n] < 0)
            continue;
        double a[3], b[3];
        dmat4_point(&old->common_from_scene, old->pose.scene_from_node[n].m + 12, a);
        dmat4_point(&new->common_from_scene, new->pose.scene_from_node[old->partners[n]].m + 12, b);
        sum += distance3(a, b);
        count++;
    }
    const double joints = count > 0 ? sum / count : 0;
    if (box_is_empty(&boxes[0]) || box_is_empty(&boxes[1]))
        return joints;
    const double size = box_size(&boxes[0]);
    return (joints + distance3(boxes[0].min, boxes[1].min) + distance3(boxes[0].max, boxes[1].max)) /
           (size > 0 ? size : 1);
}

static void choose_frame(struct compare *compare)
{
    struct comparison *out = compare->out;
    double best = HUGE_VAL;
    for (int i = 0; i < 4; i++) { /* the frame that the files state comes first */
        const bool has_unit = out->has_other_unit && (i & 1) == 0, has_up = out->has_other_up && (i & 2) == 0;
        for (int s = 0; s < COMPARE_SIDES; s++)
            set_frame(&compare->sides[s], has_unit, has_up);
        const double error = misfit(compare);
        if (error < best * 0.9) {
            best = error;
            out->is_unit_converted = has_unit;
            out->is_up_converted = has_up;
        }
    }
    for (int s = 0; s < COMPARE_SIDES; s++)
        set_frame(&compare->sides[s], out->is_unit_converted, out->is_up_converted);
}

static bool both_say(const struct compare *compare, uint32_t flag)
{
    return (compare->sides[COMPARE_OLD].model->infos[0].flags & flag) != 0 &&
           (compare->sides[COMPARE_NEW].model->infos[0].flags & flag) != 0;
}

/* Reports files of one format with the same numbers but other units or axes. Files of different formats are not
 * reported: one format may not state what the other does, and a converted file keeps its numbers. */
static void tell_frame(struct compare *compare)
{
    const struct model *old = compare->sides[COMPARE_OLD].model, *new = compare->sides[COMPARE_NEW].model;
    const struct model_info *a = &old->infos[0], *b = &new->infos[0];
    const struct comparison *out = compare->out;
    if (name_key(old, a->format, NAME_EXACT) != name_key(new, b->format, NAME_EXACT))
        return;
    struct difference *unit =
        out->has_other_unit && !out->is_unit_converted ? difference_add(compare, DIFFERENCE_UNIT) : NULL;
    if (unit != NULL) {
        difference_set_number(unit, COMPARE_OLD, (double)a->unit_m);
        difference_set_number(unit, COMPARE_NEW, (double)b->unit_m);
        difference_say(unit, "one unit is %g m and was %g m, with the same numbers", (double)b->unit_m,
                       (double)a->unit_m);
    }
    struct difference *up = out->has_other_up && !out->is_up_converted ? difference_add(compare, DIFFERENCE_UP) : NULL;
    if (up != NULL)
        difference_say(up, "up is (%g, %g, %g) and was (%g, %g, %g), with the same numbers", (double)b->up[0],
                       (double)b->up[1], (double)b->up[2], (double)a->up[0], (double)a->up[1], (double)a->up[2]);
}

static void set_rest(struct compare_model *side)
{
    for (uint32_t n = 0; n < side->model->node_count; n++)
        side->rest[n] = compare_node_matrix(side, n);
}

void frames_find(struct compare *compare)
{
    const struct model_info *infos[COMPARE_SIDES];
    struct comparison *out = compare->out;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        struct compare_model *side = &compare->sides[s];
        pose_evaluate(&side->pose, side->model, POSE_REST, 0);
        set_frame(side, false, false);
        infos[s] = &side->model->infos[0];
    }
    const double units = (double)infos[COMPARE_OLD]->unit_m / (double)infos[COMPARE_NEW]->unit_m;
    double turn = 0;
    for (int i = 0; i < 3; i++)
        turn += (double)infos[COMPARE_OLD]->up[i] * (double)infos[COMPARE_NEW]->up[i];
    out->has_other_unit = both_say(compare, MODEL_HAS_UNIT) && fabs(units - 1) > 1e-6;
    out->has_other_up = both_say(compare, MODEL_HAS_UP) && turn < 1 - 1e-6;
    if (out->has_other_unit || out->has_other_up)
        choose_frame(compare);
    tell_frame(compare);
    compare->unit = out->is_unit_converted ? (double)infos[COMPARE_OLD]->unit_m : 1;
    struct box boxes[COMPARE_SIDES];
    for (int s = 0; s < COMPARE_SIDES; s++) {
        set_rest(&compare->sides[s]);
        boxes[s] = rest_box(&compare->sides[s]);
        if (!(compare->size > 0) && !box_is_empty(&boxes[s]))
            compare->size = box_size(&boxes[s]);
    }
    if (!(compare->size > 0) || !isfinite(compare->size))
        compare->size = 1;
    placement_find(compare, boxes);
    set_rest(&compare->sides[COMPARE_NEW]);
    out->size = compare->size / compare->unit;
}
