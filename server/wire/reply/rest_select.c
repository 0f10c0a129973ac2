#include "wire/reply/rest_select.h"

#include <string.h>

static int find(const struct model *model, const char *path, const struct humanoid_choice *choice, const char *bones,
                struct humanoid *humanoid, struct err *err)
{
    if (humanoid_find(model, choice, humanoid, err) == 0)
        return 0;
    err_prefix(err, "'%s' (say which joints these are with %s)", path, bones);
    return err->code;
}

int rest_resolve(struct resolved_rest *rest, const struct request *request, const struct model *model,
                 const struct model *const *sources, const struct limits *limits, struct err *err)
{
    memset(rest, 0, sizeof *rest);
    if (!request->is_by_rest)
        return 0;
    if (find(model, request->model, &request->humanoid, "map or bones", &rest->model, err) < 0)
        return err->code;
    if (humanoid_check_order(model, &rest->model, err) < 0) {
        err_prefix(err, "'%s'", request->model);
        return err->code;
    }
    for (uint32_t i = 0; i < request->source_count; i++) {
        const char *path = request->sources[i].path;
        rest->is_by_rest[i] = strcmp(path, request->model) != 0;
        if (rest->is_by_rest[i] &&
            find(sources[i], path, &request->clip_humanoid, "clip_map or clip_bones", &rest->sources[i], err) < 0)
            return err->code;
    }
    rest->max_steps = limits->value[LIMIT_EVALUATIONS] / (request->source_count > 0 ? request->source_count : 1) + 1;
    return 0;
}
