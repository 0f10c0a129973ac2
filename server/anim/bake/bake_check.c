/* bake_check.c - the sizes and the info of a model, and the order of all checks. */
#include "anim/bake/bake_check.h"

#include "base/limits.h"
#include "base/utf8.h"

#include <math.h>
#include <string.h>

/* Evaluation allocates by these counts, and each source file is looked at for each request, so a block may not ask
 * for more than an importer may give. */
static int check_sizes(const struct model *model, struct err *err)
{
    const struct {
        const char *section;
        uint64_t count;
        enum limit limit;
    } rows[] = {
        {"nodes", model->node_count, LIMIT_NODES},
        {"joints", model->joint_count, LIMIT_JOINTS},
        {"clips", model->clip_count, LIMIT_CLIPS},
        {"positions", model->position_count, LIMIT_VERTICES},
        {"indices", model->index_count, LIMIT_INDICES},
        {"key_values", model->key_value_count, LIMIT_KEYS},
        {"textures", model->texture_count, LIMIT_TEXTURES},
        {"weights", model->weight_count, LIMIT_WEIGHTS},
        {"markers", model->marker_count, LIMIT_MARKERS},
        {"source_files", model->source_file_count, LIMIT_SOURCE_FILES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].count > LIMIT_INFO[rows[i].limit].initial)
            return err_set(err, ERR_MODEL_LIMIT, "%s has %llu elements, more than %llu", rows[i].section,
                           (unsigned long long)rows[i].count, (unsigned long long)LIMIT_INFO[rows[i].limit].initial);
    return 0;
}

static bool is_unit(const float v[3])
{
    const double x = (double)v[0], y = (double)v[1], z = (double)v[2];
    return fabs(x * x + y * y + z * z - 1) <= 1e-3; /* false for NaN */
}

static bool is_bounds(struct vec3 low, struct vec3 high)
{
    const bool is_some = low.x <= high.x && low.y <= high.y && low.z <= high.z;
    const bool is_none = low.x > high.x && low.y > high.y && low.z > high.z;
    return bake_is_finite(&low.x, 3) && bake_is_finite(&high.x, 3) && (is_some || is_none);
}

int bake_check_info(const struct model *model, struct err *err)
{
    const int rc = check_sizes(model, err);
    if (rc < 0)
        return rc;
    if (model->text_byte_count > 0 && (memchr(model->text, '\0', model->text_byte_count) != NULL ||
                                       !utf8_is_valid(model->text, model->text_byte_count)))
        return err_set(err, ERR_BAD_BAKE, "text is not UTF-8 without NUL bytes");
    if (model->info_count != 1)
        return err_set(err, ERR_BAD_BAKE, "infos has %u elements instead of 1", model->info_count);
    const struct model_info *info = model->infos;
    const uint32_t flags = MODEL_HAS_UP | MODEL_HAS_FORWARD | MODEL_HAS_UNIT;
    const char *field = !bake_is_str(model, info->format)               ? "format"
                        : !bake_is_str(model, info->generator)          ? "generator"
                        : (info->flags & ~flags) != 0                   ? "flags"
                        : !is_unit(info->up)                            ? "up"
                        : !is_unit(info->forward)                       ? "forward"
                        : !(isfinite(info->unit_m) && info->unit_m > 0) ? "unit_m"
                        : !is_bounds(info->rest_min, info->rest_max)    ? "rest_min"
                        : info->reserved != 0                           ? "reserved"
                                                                        : NULL;
    return field == NULL ? 0 : bake_check_fail(err, "infos", 0, field);
}

int bake_check(const struct model *model, struct err *err)
{
    static int (*const checks[])(const struct model *, struct err *) = {
        bake_check_info,   bake_check_assets, bake_check_skins, bake_check_nodes,
        bake_check_meshes, bake_check_draws,  bake_check_clips, bake_check_compiled,
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        const int rc = checks[i](model, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}
