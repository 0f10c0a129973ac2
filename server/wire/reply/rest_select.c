#include "wire/reply/rest_select.h"

#include "anim/retarget/rest_face.h"

#include <string.h>

static int find(const struct model *model, const char *path, const struct humanoid_choice *choice, const char *bones,
                struct humanoid *humanoid, struct err *err)
{
    struct humanoid_choice named = *choice;
    named.parameter = bones;
    if (humanoid_find(model, &named, humanoid, err) == 0)
        return 0;
    err_prefix(err, "'%s'", path);
    return err->code;
}

/* Whether the file moves a face only, and the request maps no bones of it. */
static bool is_face(const struct model *source, const struct humanoid_choice *choice)
{
    return choice->rule_count == 0 && choice->map <= HUMANOID_VRM && rest_face_is_alone(source);
}

bool rest_is_of(const struct request *request, uint32_t source)
{
    return request->retarget.is_by_rest && strcmp(request->sources[source].path, request->model) != 0;
}

uint64_t rest_max_steps(const struct request *request, const struct limits *limits)
{
    return limits->value[LIMIT_EVALUATIONS] / (request->source_count > 0 ? request->source_count : 1) + 1;
}

int rest_resolve(struct resolved_rest *rest, const struct request *request, const struct model *model,
                 const struct model *const *sources, struct err *err)
{
    memset(rest, 0, sizeof *rest);
    if (find(model, request->model, &request->retarget.humanoid, "bones", &rest->model, err) < 0)
        return err->code;
    if (humanoid_check_order(model, &rest->model, err) < 0) {
        err_prefix(err, "'%s'", request->model);
        return err->code;
    }
    for (uint32_t i = 0; i < request->source_count; i++)
        if (rest_is_of(request, i) && is_face(sources[i], &request->retarget.clip_humanoid))
            memset(rest->sources[i].nodes, 0xff, sizeof rest->sources[i].nodes);
        else if (rest_is_of(request, i) && find(sources[i], request->sources[i].path, &request->retarget.clip_humanoid,
                                                "clip_bones", &rest->sources[i], err) < 0)
            return err->code;
    return 0;
}
