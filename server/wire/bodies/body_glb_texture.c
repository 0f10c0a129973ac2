/* Textures of a GLB file: each a picture in the binary chunk, with its wrapping and filters. */
#include "wire/bodies/body_glb.h"
#include "wire/encode/json.h"
#include "wire/encode/png.h"

#include <string.h>

/* GL's numbers, as the specification has them (5.26). */
static const uint32_t MAG_FILTERS[] = {[TEXTURE_MAG_LINEAR] = 9729, [TEXTURE_MAG_NEAREST] = 9728};
static const uint32_t MIN_FILTERS[] = {[TEXTURE_MIN_LINEAR_MIPMAP_LINEAR] = 9987,
                                       [TEXTURE_MIN_NEAREST] = 9728,
                                       [TEXTURE_MIN_LINEAR] = 9729,
                                       [TEXTURE_MIN_NEAREST_MIPMAP_NEAREST] = 9984,
                                       [TEXTURE_MIN_LINEAR_MIPMAP_NEAREST] = 9985,
                                       [TEXTURE_MIN_NEAREST_MIPMAP_LINEAR] = 9986};
static const uint32_t WRAPS[] = {
    [TEXTURE_WRAP_REPEAT] = 10497, [TEXTURE_WRAP_CLAMP] = 33071, [TEXTURE_WRAP_MIRROR] = 33648};

static void put_uint(struct buf *out, const char *key, uint32_t value)
{
    buf_put_text(out, key);
    json_put_uint(out, value);
}

int32_t glb_texture_of(const struct reply_context *context, const struct glb_export *scene, uint32_t material,
                       enum texture_slot slot)
{
    return scene->materials[material] == GLB_NONE ? -1 : context->model->materials[material].textures[slot].texture;
}

void glb_add_texcoords(struct reply_context *context, struct glb_export *scene, uint32_t entry, uint32_t set)
{
    const struct model *model = context->model;
    const struct primitive *p = deform_primitive(context, scene->deform, entry);
    const enum glb_array array = set == 0 ? GLB_TEXCOORD : GLB_SECOND_TEXCOORD;
    const struct vec2 *texcoords = set == 0 ? model->texcoords : model->second_texcoords;
    uint32_t *accessor = &scene->entries[entry].accessors[array];
    if ((p->flags & (set == 0 ? PRIMITIVE_TEXCOORDS : PRIMITIVE_SECOND_TEXCOORDS)) != 0) {
        *accessor = glb_add(scene->glb, array, texcoords + p->vertex_first, p->vertex_count);
    } else if (glb_is_textured(context, scene, p->material, set)) {
        /* such a texture gives its first pixel; but a viewer refuses it without coordinates */
        memset(scene->deform->morphed, 0, p->vertex_count * sizeof *texcoords);
        *accessor = glb_add(scene->glb, array, scene->deform->morphed, p->vertex_count);
    }
    /* glTF has no second set without a first */
    if (set == 1 && *accessor != GLB_NONE && scene->entries[entry].accessors[GLB_TEXCOORD] == GLB_NONE)
        scene->entries[entry].accessors[GLB_TEXCOORD] = *accessor;
}

bool glb_put_pictures(struct reply_context *context, struct glb_export *scene)
{
    const struct model *model = context->model;
    for (uint32_t t = 0; t < model->texture_count && !glb_failed(scene->glb); t++) {
        const struct texture *texture = &model->textures[t];
        struct err err;
        if (scene->textures[t] == GLB_NONE)
            continue;
        glb_start_image(scene->glb);
        if (png_put(&scene->glb->bin, model->pixels + texture->pixel_first, texture->width, texture->height, &err) <
            0) {
            context_fail(context, &err);
            return false;
        }
        scene->pictures[t] = glb_end_image(scene->glb);
    }
    return true;
}

/* The file's name in a path or URL of the source. */
static struct str base_name(const struct model *model, struct str uri)
{
    for (uint32_t i = uri.size_bytes; i > 0; i--) {
        const char c = model->text[uri.offset + i - 1];
        if (c == '/' || c == '\\')
            return (struct str){uri.offset + i, uri.size_bytes - i};
    }
    return uri;
}

static void put_texture(struct buf *out, const struct model *model, const struct glb_export *scene, uint32_t index)
{
    (void)model;
    put_uint(out, "{\"source\":", scene->textures[index]);
    put_uint(out, ",\"sampler\":", scene->textures[index]);
    buf_put_char(out, '}');
}

static void put_sampler(struct buf *out, const struct model *model, const struct glb_export *scene, uint32_t index)
{
    (void)scene;
    put_uint(out, "{\"magFilter\":", MAG_FILTERS[model->textures[index].mag_filter]);
    put_uint(out, ",\"minFilter\":", MIN_FILTERS[model->textures[index].min_filter]);
    put_uint(out, ",\"wrapS\":", WRAPS[model->textures[index].wrap_s]);
    put_uint(out, ",\"wrapT\":", WRAPS[model->textures[index].wrap_t]);
    buf_put_char(out, '}');
}

static void put_image(struct buf *out, const struct model *model, const struct glb_export *scene, uint32_t index)
{
    const struct str uri = model->textures[index].uri;
    buf_put_char(out, '{');
    if (uri.offset != STR_NONE && uri.size_bytes > 0) {
        buf_put_text(out, "\"name\":");
        json_put_str(out, model, base_name(model, uri));
        buf_put_char(out, ',');
    }
    put_uint(out, "\"bufferView\":", scene->pictures[index]);
    buf_put_text(out, ",\"mimeType\":\"image/png\"}");
}

/* One list of what every texture of the file has; nothing where there is none. */
static void put_list(struct reply_context *context, const struct glb_export *scene, const char *start,
                     void (*put)(struct buf *, const struct model *, const struct glb_export *, uint32_t))
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < context->model->texture_count && !buf_failed(context->out); t++) {
        if (scene->textures[t] == GLB_NONE)
            continue;
        buf_put_text(context->out, count++ == 0 ? start : ",");
        put(context->out, context->model, scene, t);
    }
    if (count > 0)
        buf_put_char(context->out, ']');
}

void glb_put_textures(struct reply_context *context, const struct glb_export *scene)
{
    put_list(context, scene, ",\"textures\":[", put_texture);
    put_list(context, scene, ",\"samplers\":[", put_sampler);
    put_list(context, scene, ",\"images\":[", put_image);
}

void glb_put_texture_states(struct reply_context *context, const struct glb_export *scene)
{
    static const char *const STATES[] = {
        [TEXTURE_FOUND] = "left_out", [TEXTURE_MISSING] = "missing", [TEXTURE_BROKEN] = "broken"};
    const struct model *model = context->model;
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->material_count * TEXTURE_SLOT_COUNT && !buf_failed(context->out); i++) {
        const uint32_t m = i / TEXTURE_SLOT_COUNT;
        const enum texture_slot slot = (enum texture_slot)(i % TEXTURE_SLOT_COUNT);
        const int32_t t = glb_texture_of(context, scene, m, slot);
        if (t < 0)
            continue;
        buf_put_text(context->out, count++ == 0 ? ",\"textures\":[" : ",");
        put_uint(context->out, "{\"material\":", scene->materials[m]);
        buf_put_text(context->out, ",\"slot\":\"");
        buf_put_text(context->out, TEXTURE_SLOT_NAMES[slot]);
        buf_put_text(context->out, "\",\"uri\":");
        json_put_str(context->out, model, model->textures[t].uri);
        buf_put_text(context->out, ",\"state\":\"");
        buf_put_text(context->out, scene->textures[t] != GLB_NONE ? "embedded" : STATES[model->textures[t].state]);
        buf_put_text(context->out, "\"}");
    }
    if (count > 0)
        buf_put_char(context->out, ']');
}
