/* check_weights.c - stray-weight: when a clip moves a vertex that follows a joint far away most from its neighbours. */
#include "anim/check/check_rig.h"

#include "anim/pose/skin.h"
#include "base/mem.h"

#include <stdlib.h>

static const double TORN = 0.01; /* limit, share of the size */

struct torn {
    double most, time_s;
};

static uint32_t joints_most(const struct model *model)
{
    uint32_t most = 1;
    for (uint32_t s = 0; s < model->skin_count; s++)
        most = model->skins[s].joint_count > most ? model->skins[s].joint_count : most;
    return most;
}

/* Returns how far a vertex is from where its neighbour's weights would move it. */
static double torn_of(const struct clip_check *check, const struct stray *stray, const struct skin_palette *palette)
{
    const double *bind = DOUBLE3(check->model->positions[stray->vertex]);
    struct vec3 own, expected;
    skin_position(check->model, stray->vertex, palette, bind, &own);
    skin_position(check->model, stray->neighbour, palette, bind, &expected);
    const double apart[3] = {(double)own.x - (double)expected.x, (double)own.y - (double)expected.y,
                             (double)own.z - (double)expected.z};
    return sqrt(dot3(apart, apart));
}

/* Looks at all strays in the evaluated pose. They are sorted by skin. */
static int look_at_strays(struct clip_check *check, double time_s, struct skin_palette *palette, struct torn *torn)
{
    const struct check_rig *rig = check->report->rig;
    bool is_posed = false;
    for (uint32_t i = 0; i < rig->stray_count; i++) {
        const struct stray *stray = &rig->strays[i];
        struct err err;
        if (i == 0 || stray->skin != rig->strays[i - 1].skin) {
            if (check_count_steps(check, check->model->skins[stray->skin].joint_count) < 0)
                return check->err->code;
            is_posed = skin_palette_make(palette, &check->pose, check->model, stray->skin, &DMAT4_IDENTITY, &err) == 0;
        }
        const double apart = is_posed ? torn_of(check, stray, palette) : 0;
        if (apart > torn[i].most)
            torn[i] = (struct torn){apart, time_s};
    }
    return 0;
}

/* Adds a stray: with the time of a clip, or at rest without. */
static void add_stray(struct clip_check *check, const struct stray *stray, const struct torn *torn)
{
    const struct model *model = check->model;
    const uint32_t node = model->joints[model->skins[stray->skin].joint_first + stray->joint].node;
    char mesh[SHORT_NAME_SIZE], joint[SHORT_NAME_SIZE];
    struct finding *finding =
        finding_add(check, MOTION_STRAY_WEIGHT, (int32_t)node, torn == NULL ? (double)NAN : torn->time_s);
    if (finding == NULL)
        return;
    finding->mesh = (int32_t)stray->mesh;
    finding_name_mesh(check, finding);
    short_name(model, model->meshes[stray->mesh].name, mesh);
    short_name(model, model->nodes[node].name, joint);
    if (torn == NULL) {
        finding_measure(finding, stray->distance, stray->limit, "size");
        finding_say(
            check, finding,
            "mesh %u '%s' has a vertex that follows joint %u '%s' by %.2g, %.2g of the mesh's size away from it, "
            "which its neighbours do not",
            stray->mesh, mesh, node, joint, stray->weight, stray->distance);
    } else {
        finding_measure(finding, torn->most / check->size, TORN, "size");
        finding_say(
            check, finding,
            ": a vertex of mesh %u '%s' follows joint %u '%s' by %.2g, far away from it, and is %.2g of the model's "
            "size away from its neighbours at %.3f s",
            stray->mesh, mesh, node, joint, stray->weight, finding->value, torn->time_s);
    }
}

/* Finds when each stray is farthest from its neighbours. torn: [stray_count], zeros. */
static int play(struct clip_check *check, struct torn *torn)
{
    const uint32_t joints = joints_most(check->model);
    struct skin_palette palette = {.matrices = mem_alloc(joints * sizeof(struct mat4)),
                                   .parts = mem_alloc(joints * sizeof(struct skin_part))};
    int rc = 0;
    for (uint32_t i = 0; i < ENDS_AND_BETWEEN && rc == 0; i++) {
        const double time_s = check_time(check, i, ENDS_AND_BETWEEN);
        rc = check_evaluate(check, time_s);
        rc = rc < 0 ? rc : look_at_strays(check, time_s, &palette, torn);
    }
    free(palette.matrices);
    free(palette.parts);
    return rc;
}

int check_weights(struct clip_check *check)
{
    if (check_find_rig(check) < 0)
        return check->err->code;
    const struct check_rig *rig = check->report->rig;
    if (rig->stray_count == 0)
        return 0;
    struct torn *torn = mem_zalloc(rig->stray_count, sizeof *torn);
    const int rc = check->clip < 0 ? 0 : play(check, torn);
    for (uint32_t i = 0; i < rig->stray_count && rc == 0; i++)
        if (check->clip < 0 || torn[i].most > TORN * check->size)
            add_stray(check, &rig->strays[i], check->clip < 0 ? NULL : &torn[i]);
    free(torn);
    return rc;
}
