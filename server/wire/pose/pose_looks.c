#include "wire/pose/pose_looks.h"

#include "anim/model/material_layers.h"
#include "wire/models/body_materials.h"
#include "wire/reply/reply_json.h"

#include <string.h>

bool pose_looks_need_pose(struct reply_context *context, uint32_t frame)
{
    const struct entity entity = context_entity(context, frame);
    bool needs = false;
    for (uint32_t i = 0; i < entity.layer_count; i++)
        needs = needs || (entity.layers[i].given != NULL && entity.layers[i].given->look.bind_count > 0);
    return needs;
}

bool pose_looks_evaluate(struct reply_context *context, struct appearance *appearance, uint32_t frame)
{
    const struct request *request = context->request;
    const int32_t clip = request->pose.layer_count > 0 ? POSE_REST : context->clip;
    struct err err;
    if (appearance_evaluate(appearance, context->model, clip,
                            clip_time_in_span(&context->span, request->pose.times_s[frame]), &err) < 0)
        return context_fail(context, &err);
    const struct entity entity = context_entity(context, frame);
    for (uint32_t i = 0; i < entity.layer_count; i++) {
        const struct blend_layer *layer = &entity.layers[i];
        const struct give give = {.given = layer->given, .time_s = layer->clip_time_s, .weight = layer->weight};
        if (layer->given != NULL && appearance_give(appearance, context->model, &give,
                                                    context->workspace->entity.pose.scene_from_node, &err) < 0)
            return context_fail(context, &err);
    }
    return true;
}

static bool is_changed(const struct model *shown, const struct model *model, uint32_t index)
{
    const struct material *now = &shown->materials[index], *before = &model->materials[index];
    const struct material_layers *layers = material_layers_of(shown, now);
    return memcmp(now, before, sizeof *now) != 0 ||
           (layers != NULL && memcmp(layers, material_layers_of(model, before), sizeof *layers) != 0);
}

void pose_looks_put(struct reply_context *context, const struct appearance *appearance)
{
    const struct model *model = context->model, shown = appearance_view(appearance, model);
    struct buf *out = context->out;
    bool is_first = true;
    buf_put_text(out, ",\"materials\":[");
    for (uint32_t m = 0; m < model->material_count && appearance->is_animated && !buf_failed(out); m++) {
        if (!is_changed(&shown, model, m))
            continue;
        json_comma(out, !is_first);
        body_list_material(out, &shown, m);
        is_first = false;
    }
    buf_put_char(out, ']');
}

uint64_t pose_looks_bytes_most(const struct model *model)
{
    enum { MATERIAL_MOST = 16384, ESCAPED_MOST = 6 }; /* all numbers of a material, its layers and textures */
    uint64_t size_bytes = sizeof ",\"materials\":[]";
    for (uint32_t m = 0; m < model->material_count; m++) {
        const struct str name = model->materials[m].name;
        size_bytes += MATERIAL_MOST + (name.offset == STR_NONE ? 0 : ESCAPED_MOST * (uint64_t)name.size_bytes);
    }
    return size_bytes;
}
