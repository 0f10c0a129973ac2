#include "wire/models/model_bodies.h"

#include "wire/encode/json.h"
#include "wire/picture/texture_file.h"

static void refuse(struct reply_context *context)
{
    const struct model *model = context->model;
    const struct request *request = context->request;
    const uint32_t index = request->texture;
    struct err err;
    if (model->texture_count == 0) {
        err_set(&err, ERR_TEXTURE_NOT_FOUND, "'%s' has no textures", request->model);
    } else if (index >= model->texture_count) {
        err_set(&err, ERR_TEXTURE_NOT_FOUND, "'%s' has no texture %u: they go from 0 to %u", request->model, index,
                model->texture_count - 1);
    } else {
        char name[SHORT_NAME_SIZE];
        const bool is_missing = model->textures[index].state == TEXTURE_MISSING;
        err_set(&err, ERR_TEXTURE_NOT_FOUND, "'%s': texture %u has no pixels: its image '%s' is %s", request->model,
                index, short_name(model, model->textures[index].uri, name), is_missing ? "missing" : "broken");
    }
    context_fail(context, &err);
}

void body_put_texture(struct reply_context *context)
{
    const struct model *model = context->model;
    const uint32_t index = context->request->texture;
    struct err err;
    if (index >= model->texture_count || model->textures[index].state != TEXTURE_FOUND) {
        refuse(context);
        return;
    }
    struct picture_made made;
    if (texture_file_put(model, index, &context->request->textures, context->workspace->pictures, context->out, &made,
                         &err) < 0)
        context_fail(context, &err);
    else
        context->reply->content_type = picture_mime_type(made.file);
}
