/* bake_check_faces.c - checks the expressions of a human, what they do, and its gaze. */
#include "anim/bake/bake_check.h"

#include <math.h>

static bool is_override(uint32_t word) { return word < EXPRESSION_OVERRIDE_COUNT; }

static const char *expression_fault(const struct model *model, uint32_t i)
{
    const struct expression *at = &model->expressions[i];
    const uint32_t first = i == 0 ? 0 : at[-1].bind_first + at[-1].bind_count; /* checked with the one before */
    return i >= EXPRESSIONS_MAX                                                           ? "count"
           : !bake_is_str(model, at->name) || at->name.offset == STR_NONE                 ? "name"
           : i > 0 && !bake_is_before(model, at[-1].name, at->name)                       ? "name"
           : (at->flags & ~(uint32_t)(EXPRESSION_PRESET | EXPRESSION_BINARY)) != 0        ? "flags"
           : !is_override(at->override_mouth)                                             ? "override_mouth"
           : !is_override(at->override_blink)                                             ? "override_blink"
           : !is_override(at->override_look_at)                                           ? "override_look_at"
           : !bake_is_index(at->node, model->node_count)                                  ? "node"
           : at->bind_first != first                                                      ? "bind_first"
           : !bake_is_range(at->bind_first, at->bind_count, model->expression_bind_count) ? "bind_count"
                                                                                          : NULL;
}

static bool are_zero(const float *values, int count)
{
    bool is_zero = true;
    for (int i = 0; i < count; i++)
        is_zero = is_zero && values[i] == 0;
    return is_zero;
}

static const char *bind_fault(const struct model *model, uint32_t i)
{
    const struct expression_bind *bind = &model->expression_binds[i];
    const bool is_morph = bind->kind == BIND_MORPH;
    if (i >= EXPRESSION_BINDS_MAX)
        return "count";
    if (bind->kind >= BIND_KIND_COUNT)
        return "kind";
    if (bind->target >= (is_morph ? model->node_count : model->material_count))
        return "target";
    const uint32_t indices = is_morph                   ? model->nodes[bind->target].weight_count
                             : bind->kind == BIND_COLOR ? EXPRESSION_COLOR_COUNT
                                                        : 1;
    return bind->index >= indices                                        ? "index"
           : !isfinite(bind->weight) || (!is_morph && bind->weight != 0) ? "weight"
           : is_morph                                                    ? (are_zero(bind->values, 4) ? NULL : "values")
           : !floats_are_finite(bind->values, 4)                         ? "values"
                                                                         : NULL;
}

static const char *gaze_fault(const struct model *model, uint32_t i)
{
    const struct gaze *gaze = &model->gazes[i];
    bool is_range = true;
    for (int r = 0; r < GAZE_RANGE_COUNT; r++)
        is_range = is_range && isfinite(gaze->ranges[r].most_deg) && gaze->ranges[r].most_deg > 0 &&
                   isfinite(gaze->ranges[r].output);
    return i > 0                                           ? "count"
           : gaze->kind >= GAZE_KIND_COUNT                 ? "kind"
           : !bake_is_index(gaze->node, model->node_count) ? "node"
           : !floats_are_finite(gaze->offset, 3)           ? "offset"
           : !is_range                                     ? "ranges"
                                                           : NULL;
}

int bake_check_faces(const struct model *model, struct err *err)
{
    int rc = bake_check_each(model, "expressions", model->expression_count, expression_fault, err);
    uint64_t binds = 0;
    for (uint32_t i = 0; i < model->expression_count && rc == 0; i++)
        binds += model->expressions[i].bind_count;
    if (rc == 0 && binds != model->expression_bind_count)
        rc = err_set(err, ERR_BAD_BAKE, "expression_binds has %u elements instead of %llu",
                     model->expression_bind_count, (unsigned long long)binds);
    if (rc == 0)
        rc = bake_check_each(model, "expression_binds", model->expression_bind_count, bind_fault, err);
    return rc == 0 ? bake_check_each(model, "gazes", model->gaze_count, gaze_fault, err) : rc;
}
