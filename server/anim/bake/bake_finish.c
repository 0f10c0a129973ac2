#include "anim/bake/bake.h"

#include "base/mem.h"
#include "anim/bake/bake_check.h"
#include "anim/bake/bake_finish.h"
#include "anim/compiled/clip_compile.h"
#include "anim/pose/pose.h"
#include "anim/pose/skin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_zero3(const float v[3]) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

/* What a reader that had nothing to say left at zero. */
static void fill_in(struct bake_builder *builder)
{
    /* Adding nothing gives every array an address: no NULL for the steps that follow. */
#define X(id, singular, plural, type) bake_add_##singular(builder, 0);
#include "anim/model/model_sections.def"
#undef X
    if (builder->influence_first_count == 0)
        bake_add_influence_first(builder, builder->position_count + 1);
    if (builder->info_count == 0)
        bake_add_info(builder, 1);
    if (builder->is_failed)
        return;
    struct model_info *info = &builder->infos[0];
    if (is_zero3(info->up))
        info->up[1] = 1;
    if (is_zero3(info->forward))
        info->forward[2] = 1;
    if (info->unit_m == 0)
        info->unit_m = 1;
    info->rest_min = (struct vec3){1, 1, 1};
    info->rest_max = (struct vec3){-1, -1, -1};
}

static void include(struct box *box, const struct vec3 *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (isfinite(points[i].x) && isfinite(points[i].y) && isfinite(points[i].z))
            box_add(box, DOUBLE3(points[i]));
}

/* The rest palettes of all skins, one behind the other: firsts[skin] into *palettes, UINT32_MAX for a skin whose
 * palette is not finite. */
static bool rest_palettes(const struct model *model, const struct pose *pose, struct mat4 *palettes, uint32_t *firsts)
{
    bool is_finite = true;
    uint32_t end = 0;
    for (uint32_t s = 0; s < model->skin_count; s++) {
        firsts[s] = end;
        if (pose_palette(pose, model, s, &DMAT4_IDENTITY, palettes + end, NULL) < 0) {
            firsts[s] = UINT32_MAX;
            is_finite = false;
        }
        end += model->skins[s].joint_count;
    }
    return is_finite;
}

static void measure_draws(const struct model *model, const struct pose *pose, const struct mat4 *palettes,
                          const uint32_t *firsts, struct box *box)
{
    uint32_t largest = 0;
    for (uint32_t p = 0; p < model->primitive_count; p++)
        if (model->primitives[p].vertex_count > largest)
            largest = model->primitives[p].vertex_count;
    struct vec3 *points = mem_alloc(largest * sizeof *points);
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const struct draw *draw = &model->draws[d];
        if ((draw->flags & DRAW_IN_SCENE) == 0 || firsts[draw->skin] == UINT32_MAX)
            continue;
        const struct node *node = &model->nodes[draw->node];
        skin_morph_positions(model, draw->primitive, pose->weights + node->weight_first, node->weight_count, points);
        skin_positions(model, draw->primitive, palettes + firsts[draw->skin], points, points);
        include(box, points, model->primitives[draw->primitive].vertex_count);
    }
    free(points);
}

static void measure_rest(struct bake_builder *builder)
{
    const struct model model = bake_builder_view(builder);
    struct box box = BOX_EMPTY;
    struct mat4 *palettes = mem_alloc(model.joint_count * sizeof *palettes);
    uint32_t *firsts = mem_alloc(model.skin_count * sizeof *firsts);
    struct pose pose;
    pose_init(&pose);
    pose_evaluate(&pose, &model, POSE_REST, 0);
    if (!rest_palettes(&model, &pose, palettes, firsts))
        bake_warn(builder, "rest_not_finite", "a skin's rest pose has values too large for a float");
    measure_draws(&model, &pose, palettes, firsts, &box);
    pose_fini(&pose);
    free(palettes);
    free(firsts);
    if (box_is_empty(&box))
        return;
    builder->infos[0].rest_min = (struct vec3){(float)box.min[0], (float)box.min[1], (float)box.min[2]};
    builder->infos[0].rest_max = (struct vec3){(float)box.max[0], (float)box.max[1], (float)box.max[2]};
}

static int over_limit(const struct bake_builder *builder, struct err *err)
{
    return err_set(err, ERR_MODEL_LIMIT, "the model takes more than %llu bytes, or than there is memory",
                   (unsigned long long)builder->limit_bytes);
}

int bake_finish(struct bake_builder *builder, struct err *err)
{
    fill_in(builder);
    if (builder->is_failed)
        return over_limit(builder, err);
    int rc = bake_finish_check_references(builder, err);
    if (rc == 0)
        rc = bake_finish_order(builder, err);
    if (rc == 0)
        rc = bake_finish_clips(builder, err);
    if (rc == 0)
        rc = bake_finish_draws(builder, err);
    if (rc < 0)
        return rc;
    bake_finish_matrices(builder);
    if (builder->is_failed)
        return over_limit(builder, err);
    const struct model view = bake_builder_view(builder);
    rc = bake_check(&view, err);
    if (rc == ERR_BAD_BAKE) { /* not a damaged block but a model that does not fit together */
        if (err != NULL)
            err->code = ERR_BAD_MODEL;
        rc = ERR_BAD_MODEL;
    }
    if (rc < 0)
        return rc;
    measure_rest(builder);
    clip_compile_all(builder);
    return builder->is_failed ? over_limit(builder, err) : 0;
}
