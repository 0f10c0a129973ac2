#include "anim/bake/bake_check.h"

#include "base/limits.h"

#include <stdlib.h>

/* How many joints a skin must have to draw each primitive. */
static void joints_needed(const struct model *model, uint32_t *needed)
{
    for (uint32_t p = 0; p < model->primitive_count; p++) {
        const struct primitive *primitive = &model->primitives[p];
        const uint32_t *firsts = model->influence_firsts + primitive->vertex_first;
        needed[p] = 0;
        for (uint32_t i = firsts[0]; i < firsts[primitive->vertex_count]; i++)
            if (model->influences[i].joint >= needed[p])
                needed[p] = model->influences[i].joint == UINT32_MAX ? UINT32_MAX : model->influences[i].joint + 1;
    }
}

/* There is exactly one list of draws for given nodes and meshes. */
static int check_draw_list(const struct model *model, const uint32_t *needed, struct err *err)
{
    uint32_t d = 0, rigid = 0;
    while (rigid < model->skin_count && model->skins[rigid].flags == 0)
        rigid++;
    for (uint32_t n = 0; n < model->node_count; n++) {
        const struct node *node = &model->nodes[n];
        if (node->mesh < 0)
            continue;
        const uint32_t skin = node->skin >= 0 ? (uint32_t)node->skin : rigid++;
        const struct mesh *mesh = &model->meshes[node->mesh];
        const uint32_t flags = (node->flags & NODE_IN_SCENE) != 0 ? DRAW_IN_SCENE : 0;
        for (uint32_t p = 0; p < mesh->primitive_count; p++, d++) {
            const uint32_t primitive = mesh->primitive_first + p;
            const struct draw *draw = d < model->draw_count ? &model->draws[d] : NULL;
            if (draw == NULL || draw->node != n || draw->primitive != primitive || draw->skin != skin ||
                draw->flags != flags)
                return bake_check_fail(err, "draws", d, "node");
            if (needed[primitive] > model->skins[skin].joint_count)
                return err_set(err, ERR_BAD_BAKE,
                               "mesh %d primitive %u refers to joint %u, but skin %u of its node %u has %u joints",
                               (int)node->mesh, p, needed[primitive] - 1, skin, n, model->skins[skin].joint_count);
        }
    }
    return d == model->draw_count ? 0 : bake_check_fail(err, "draws", d, "node");
}

/* For each drawn vertex so many influences and morph deltas on average; real models have about ten. */
enum { STEPS_PER_VERTEX = 64 };

/* Drawing one mesh under many nodes costs no bytes, so what a frame takes to deform is limited on its own. */
static int check_work(const struct model *model, struct err *err)
{
    const uint64_t limit = LIMIT_INFO[LIMIT_DRAWN_VERTICES].initial;
    uint64_t vertices = 0, steps = 0;
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const struct primitive *p = &model->primitives[model->draws[d].primitive];
        const uint32_t *firsts = model->influence_firsts + p->vertex_first;
        vertices += p->vertex_count;
        steps += (uint64_t)p->vertex_count * p->morph_target_count + (firsts[p->vertex_count] - firsts[0]);
        if (vertices > limit || steps > STEPS_PER_VERTEX * limit)
            return err_set(
                err, ERR_MODEL_LIMIT,
                "the mesh nodes up to node %u draw %llu vertices with %llu influences and morph deltas, more "
                "than %llu and %llu",
                model->draws[d].node, (unsigned long long)vertices, (unsigned long long)steps,
                (unsigned long long)limit, (unsigned long long)(STEPS_PER_VERTEX * limit));
    }
    return 0;
}

int bake_check_draws(const struct model *model, struct err *err)
{
    uint32_t *needed = malloc(((size_t)model->primitive_count + 1) * sizeof *needed);
    if (needed == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to check %u primitives", model->primitive_count);
    joints_needed(model, needed);
    const int rc = check_draw_list(model, needed, err);
    free(needed);
    return rc < 0 ? rc : check_work(model, err);
}
