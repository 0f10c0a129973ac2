/* check_rig.c - finds the feet of a human. */
#include "anim/check/check_rig.h"

#include "base/mem.h"

#include <stdlib.h>

static const int8_t HEELS[FEET] = {ROLE_LEFT_FOOT, ROLE_RIGHT_FOOT}, BALLS[FEET] = {ROLE_LEFT_TOES, ROLE_RIGHT_TOES};
static const double UPRIGHT = 0.6; /* of a leg: least height of the hips over an ankle of a rest that stands */
static const double SOLE = 0.25;   /* of a leg: greatest height of an ankle over its sole */

static const double *place_of(const struct clip_check *check, int32_t node)
{
    return check->pose.scene_from_node[node].m + 12;
}

static double distance3(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(dot3(d, d));
}

/* Returns the length of a leg at rest, hip to knee to ankle; 0: the rest does not stand. */
static double leg_of(const struct clip_check *check, const struct humanoid *humanoid, int foot)
{
    static const int8_t UPPER[FEET] = {ROLE_LEFT_UPPER_LEG, ROLE_RIGHT_UPPER_LEG};
    static const int8_t LOWER[FEET] = {ROLE_LEFT_LOWER_LEG, ROLE_RIGHT_LOWER_LEG};
    const double *hip = place_of(check, humanoid->nodes[UPPER[foot]]);
    const double *knee = place_of(check, humanoid->nodes[LOWER[foot]]);
    const double *ankle = place_of(check, humanoid->nodes[HEELS[foot]]);
    const double length = distance3(hip, knee) + distance3(knee, ankle);
    return dot3(hip, check->up) - dot3(ankle, check->up) >= UPRIGHT * length ? length : 0;
}

/* Returns the lowest height of what the model draws at rest, or HUGE_VAL. */
static double drawn_level(const struct clip_check *check)
{
    const struct model_info *info = check->model->infos;
    const double low[3] = {(double)info->rest_min.x, (double)info->rest_min.y, (double)info->rest_min.z};
    const double high[3] = {(double)info->rest_max.x, (double)info->rest_max.y, (double)info->rest_max.z};
    double level = 0;
    for (int i = 0; i < 3; i++)
        level += fmin(check->up[i] * low[i], check->up[i] * high[i]);
    return low[0] <= high[0] ? level : HUGE_VAL;
}

/* Returns the height of the soles: of what is drawn, if that is close below the joints; else of the lowest joint. */
static double sole_level(const struct clip_check *check, const struct soles *soles, double leg)
{
    const double drawn = drawn_level(check);
    double lowest = HUGE_VAL;
    for (int p = 0; p < SOLE_POINTS; p++)
        lowest = fmin(lowest, dot3(place_of(check, (int32_t)soles->nodes[p]), check->up));
    return drawn <= lowest && drawn >= lowest - SOLE * leg ? drawn : lowest;
}

/* Lists the nodes of the soles and what is above them. */
static void list_chain(const struct model *model, struct soles *soles)
{
    soles->is_in_chain = mem_zalloc((size_t)model->node_count + 1, 1);
    soles->chain = mem_alloc(((size_t)model->node_count + 1) * sizeof *soles->chain);
    for (int p = 0; p < SOLE_POINTS; p++)
        for (int32_t n = (int32_t)soles->nodes[p]; n >= 0 && soles->is_in_chain[n] == 0; n = model->nodes[n].parent)
            soles->is_in_chain[n] = 1;
    for (uint32_t i = 0; i < model->order_count; i++)
        if (soles->is_in_chain[model->node_order[i]] != 0)
            soles->chain[soles->chain_count++] = model->node_order[i];
}

/* Finds the soles in the evaluated rest pose. */
static void find_soles(const struct clip_check *check, const struct humanoid *humanoid, struct soles *soles)
{
    const double leg = fmin(leg_of(check, humanoid, 0), leg_of(check, humanoid, 1));
    const bool has_balls = humanoid->nodes[BALLS[0]] >= 0 && humanoid->nodes[BALLS[1]] >= 0;
    if (!(leg > 0))
        return;
    for (int foot = 0; foot < FEET; foot++) {
        soles->nodes[2 * foot + SOLE_HEEL] = (uint32_t)humanoid->nodes[HEELS[foot]];
        soles->nodes[2 * foot + SOLE_BALL] = (uint32_t)humanoid->nodes[has_balls ? BALLS[foot] : HEELS[foot]];
    }
    soles->level = sole_level(check, soles, leg);
    soles->is_known = isfinite(soles->level);
    for (int p = 0; p < SOLE_POINTS; p++) {
        const struct dmat4 *scene_from_node = &check->pose.scene_from_node[soles->nodes[p]];
        const double *place = scene_from_node->m + 12, above = dot3(place, check->up) - soles->level;
        struct dmat4 node_from_scene;
        double sole[3];
        for (int i = 0; i < 3; i++)
            sole[i] = place[i] - above * check->up[i];
        soles->is_known = soles->is_known && dmat4_invert(scene_from_node, &node_from_scene);
        if (soles->is_known)
            dmat4_point(&node_from_scene, sole, soles->points[p]);
    }
    if (soles->is_known)
        list_chain(check->model, soles);
}

int check_find_rig(struct clip_check *check)
{
    const struct humanoid_choice choice = {.map = HUMANOID_AUTO};
    struct check_report *report = check->report;
    struct err err;
    if (report->rig != NULL)
        return 0;
    report->rig = mem_zalloc(1, sizeof *report->rig);
    if (check_evaluate_rest(check) < 0)
        return check->err->code;
    report->rig->is_human = humanoid_find(check->model, &choice, &report->rig->humanoid, &err) == 0;
    if (report->rig->is_human)
        find_soles(check, &report->rig->humanoid, &report->rig->soles);
    check_find_strays(check, report->rig);
    return check_is_stopped(check);
}

void check_rig_free(struct check_rig *rig)
{
    if (rig == NULL)
        return;
    free(rig->soles.chain);
    free(rig->soles.is_in_chain);
    free(rig->strays);
    free(rig);
}
