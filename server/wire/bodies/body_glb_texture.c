/* Textures of a GLB file: each a picture in the binary chunk, with its wrapping and filters. */
#include "wire/bodies/body_glb.h"
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

int32_t glb_texture_of(const struct reply_context *context, const struct glb_export *export, uint32_t material,
                       enum texture_slot slot)
{
    return export->materials[material] == GLB_NONE ? -1 : context->model->materials[material].textures[slot].texture;
}

void glb_add_texcoords(struct reply_context *context, struct glb_export *export, uint32_t entry, uint32_t set)
{
    const struct model *model = context->model;
    const struct primitive *p = deform_primitive(context, entry);
    const enum glb_array array = set == 0 ? GLB_TEXCOORD : GLB_SECOND_TEXCOORD;
    const struct vec2 *texcoords = set == 0 ? model->texcoords : model->second_texcoords;
    uint32_t *accessor = &export->entries[entry].accessors[array];
    if ((p->flags & (set == 0 ? PRIMITIVE_TEXCOORDS : PRIMITIVE_SECOND_TEXCOORDS)) != 0) {
        *accessor = glb_add(&context->workspace->glb, array, texcoords + p->vertex_first, p->vertex_count);
    } else if (glb_is_textured(context, export, deform_material(context, entry), set)) {
        /* such a texture gives its first pixel; but a viewer refuses it without coordinates */
        memset(context->work.mesh.deformed, 0, p->vertex_count * sizeof *texcoords);
        *accessor = glb_add(&context->workspace->glb, array, context->work.mesh.deformed, p->vertex_count);
    }
    /* glTF has no second set without a first */
    if (set == 1 && *accessor != GLB_NONE && export->entries[entry].accessors[GLB_TEXCOORD] == GLB_NONE)
        export->entries[entry].accessors[GLB_TEXCOORD] = *accessor;
}

bool glb_put_pictures(struct reply_context *context, struct glb_export *export)
{
    const struct model *model = context->model;
    struct glb_writer *glb = &context->workspace->glb;
    for (uint32_t t = 0; t < model->texture_count && !glb_failed(glb); t++) {
        const struct texture *texture = &model->textures[t];
        struct err err;
        if (export->textures[t] == GLB_NONE)
            continue;
        glb_start_image(glb);
        if (png_put(&glb->bin, model->pixels + texture->pixel_first, texture->width, texture->height, &err) < 0)
            return context_fail(context, &err);
        export->pictures[t] = glb_end_image(glb);
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

static void put_texture(struct buf *out, const struct model *model, const struct glb_export *export, uint32_t index)
{
    (void)model;
    json_printf(out, "{\"source\":%u,\"sampler\":%u}", export->textures[index], export->textures[index]);
}

static void put_sampler(struct buf *out, const struct model *model, const struct glb_export *export, uint32_t index)
{
    const struct texture *texture = &model->textures[index];
    (void)export;
    json_printf(out, "{\"magFilter\":%u,\"minFilter\":%u,\"wrapS\":%u,\"wrapT\":%u}", MAG_FILTERS[texture->mag_filter],
                MIN_FILTERS[texture->min_filter], WRAPS[texture->wrap_s], WRAPS[texture->wrap_t]);
}

static void put_image(struct buf *out, const struct model *model, const struct glb_export *export, uint32_t index)
{
    const struct str uri = model->textures[index].uri;
    buf_put_char(out, '{');
    if (uri.offset != STR_NONE && uri.size_bytes > 0)
        glb_put_name(out, model, base_name(model, uri));
    json_printf(out, "\"bufferView\":%u,\"mimeType\":\"image/png\"}", export->pictures[index]);
}

/* One list of what every texture of the file has; nothing where there is none. */
static void put_list(struct reply_context *context, const struct glb_export *export, const char *start,
                     void (*put)(struct buf *, const struct model *, const struct glb_export *, uint32_t))
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < context->model->texture_count && !buf_failed(context->out); t++) {
        if (export->textures[t] == GLB_NONE)
            continue;
        buf_put_text(context->out, count++ == 0 ? start : ",");
        put(context->out, context->model, export, t);
    }
    if (count > 0)
        buf_put_char(context->out, ']');
}

void glb_put_textures(struct reply_context *context, const struct glb_export *export)
{
    put_list(context, export, ",\"textures\":[", put_texture);
    put_list(context, export, ",\"samplers\":[", put_sampler);
    put_list(context, export, ",\"images\":[", put_image);
}

void glb_put_texture_states(struct reply_context *context, const struct glb_export *export)
{
    static const char *const STATES[] = {
        [TEXTURE_FOUND] = "left_out", [TEXTURE_MISSING] = "missing", [TEXTURE_BROKEN] = "broken"};
    const struct model *model = context->model;
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->material_count * TEXTURE_SLOT_COUNT && !buf_failed(context->out); i++) {
        const uint32_t m = i / TEXTURE_SLOT_COUNT;
        const enum texture_slot slot = (enum texture_slot)(i % TEXTURE_SLOT_COUNT);
        const int32_t t = glb_texture_of(context, export, m, slot);
        if (t < 0)
            continue;
        buf_put_text(context->out, count++ == 0 ? ",\"textures\":[" : ",");
        const struct texture *texture = &model->textures[t];
        json_printf(context->out, "{\"material\":%u,\"slot\":%s,\"uri\":%.*s,\"state\":%s}", export->materials[m],
                    TEXTURE_SLOT_NAMES[slot], JSON_STR(model, texture->uri),
                    export->textures[t] != GLB_NONE ? "embedded" : STATES[texture->state]);
    }
    if (count > 0)
        buf_put_char(context->out, ']');
}
