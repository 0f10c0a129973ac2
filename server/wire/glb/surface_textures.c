/* Textures of a GLB file: each is an image in the binary chunk, with wrap modes and filters. */
#include "anim/model/material_layers.h"
#include "wire/glb/surfaces.h"
#include "wire/reply/reply_json.h"

#include <string.h>

/* OpenGL's numbers, which the specification uses (5.26). */
static const uint32_t MAG_FILTERS[] = {[TEXTURE_MAG_LINEAR] = 9729, [TEXTURE_MAG_NEAREST] = 9728};
static const uint32_t MIN_FILTERS[] = {[TEXTURE_MIN_LINEAR_MIPMAP_LINEAR] = 9987,
                                       [TEXTURE_MIN_NEAREST] = 9728,
                                       [TEXTURE_MIN_LINEAR] = 9729,
                                       [TEXTURE_MIN_NEAREST_MIPMAP_NEAREST] = 9984,
                                       [TEXTURE_MIN_LINEAR_MIPMAP_NEAREST] = 9985,
                                       [TEXTURE_MIN_NEAREST_MIPMAP_LINEAR] = 9986};
static const uint32_t WRAPS[] = {
    [TEXTURE_WRAP_REPEAT] = 10497, [TEXTURE_WRAP_CLAMP] = 33071, [TEXTURE_WRAP_MIRROR] = 33648};

int32_t surfaces_texture_of(const struct surfaces *surfaces, uint32_t material, uint32_t slot)
{
    const struct model *model = surfaces->model;
    return surfaces->materials[material] == GLB_NONE
               ? -1
               : material_texture_at(model, &model->materials[material], slot)->texture;
}

void surfaces_add_texcoords(const struct surfaces *surfaces, struct glb_writer *glb, const struct primitive *primitive,
                            const bool is_textured[2], uint32_t out[2])
{
    const struct model *model = surfaces->model;
    for (uint32_t set = 0; set < 2; set++) {
        const struct vec2 *texcoords = set == 0 ? model->texcoords : model->second_texcoords;
        const enum glb_array array = set == 0 ? GLB_TEXCOORD : GLB_SECOND_TEXCOORD;
        out[set] = GLB_NONE;
        if ((primitive->flags & (set == 0 ? PRIMITIVE_TEXCOORDS : PRIMITIVE_SECOND_TEXCOORDS)) != 0)
            out[set] = glb_add(glb, array, texcoords + primitive->vertex_first, primitive->vertex_count);
        else if (is_textured[set])
            /* zero coordinates select the texture's first pixel; viewers reject a texture without coordinates */
            out[set] = glb_add(glb, array, NULL, primitive->vertex_count);
    }
    if (out[0] == GLB_NONE)
        out[0] = out[1]; /* glTF has no second set without a first */
}

/* True if two textures are one picture in the file. */
static bool are_one_picture(const struct surfaces *surfaces, uint32_t a, uint32_t b)
{
    const struct model *model = surfaces->model;
    const struct texture *one = &model->textures[a], *other = &model->textures[b];
    const struct picture_plan plan = picture_plan(model, a, surfaces->request);
    if (plan.is_own != picture_plan(model, b, surfaces->request).is_own)
        return false;
    if (plan.is_own)
        return memcmp(one->file_hash, other->file_hash, sizeof one->file_hash) == 0;
    return one->pixel_first == other->pixel_first && picture_is_normal_map(model, a) == picture_is_normal_map(model, b);
}

/* Returns an earlier texture of the file with the same picture, or GLB_NONE. */
static uint32_t same_picture(const struct surfaces *surfaces, uint32_t texture)
{
    for (uint32_t t = 0; t < texture; t++)
        if (surfaces->textures[t] != GLB_NONE && are_one_picture(surfaces, t, texture))
            return t;
    return GLB_NONE;
}

int surfaces_put_pictures(struct surfaces *surfaces, struct glb_writer *glb, struct err *err)
{
    const struct model *model = surfaces->model;
    uint32_t count = 0;
    for (uint32_t t = 0; t < model->texture_count && !glb_failed(glb); t++) {
        if (surfaces->textures[t] == GLB_NONE)
            continue;
        const uint32_t same = same_picture(surfaces, t);
        if (same != GLB_NONE) {
            surfaces->images[t] = surfaces->images[same];
            surfaces->made[t] = surfaces->made[same];
            continue;
        }
        glb_start_image(glb);
        if (texture_file_put(model, t, surfaces->request, surfaces->own, &glb->bin, &surfaces->made[t], err) < 0)
            return err->code;
        surfaces->pictures[t] = glb_end_image(glb);
        surfaces->images[t] = count++;
    }
    return 0;
}

/* Returns the file name in a path or URL of the source. */
static struct str base_name(const struct model *model, struct str uri)
{
    for (uint32_t i = uri.size_bytes; i > 0; i--) {
        const char c = model->text[uri.offset + i - 1];
        if (c == '/' || c == '\\')
            return (struct str){uri.offset + i, uri.size_bytes - i};
    }
    return uri;
}

/* Appends a member of a texture of the file that the model carries. */
static bool put_member(const struct surfaces *surfaces, struct buf *out, uint32_t index, const char *member,
                       const char *key)
{
    return put_carried(out, surfaces->model, CARRY_TEXTURE, index, member, key);
}

static void put_texture(const struct surfaces *surfaces, struct buf *out, uint32_t index)
{
    const uint32_t image = surfaces->images[index], sampler = surfaces->textures[index];
    const enum texture_file file = surfaces->made[index].file;
    if (file == TEXTURE_FILE_WEBP || file == TEXTURE_FILE_KTX2)
        json_printf(out, "{\"sampler\":%u,\"extensions\":{%s:{\"source\":%u}}", sampler,
                    file == TEXTURE_FILE_WEBP ? "EXT_texture_webp" : "KHR_texture_basisu", image);
    else
        json_printf(out, "{\"source\":%u,\"sampler\":%u", image, sampler);
    put_member(surfaces, out, index, "name", ",\"name\":");
    put_member(surfaces, out, index, "extras", ",\"extras\":");
    buf_put_char(out, '}');
}

static void put_sampler(const struct surfaces *surfaces, struct buf *out, uint32_t index)
{
    const struct texture *texture = &surfaces->model->textures[index];
    json_printf(out, "{\"magFilter\":%u,\"minFilter\":%u,\"wrapS\":%u,\"wrapT\":%u", MAG_FILTERS[texture->mag_filter],
                MIN_FILTERS[texture->min_filter], WRAPS[texture->wrap_s], WRAPS[texture->wrap_t]);
    put_member(surfaces, out, index, "sampler_name", ",\"name\":");
    put_member(surfaces, out, index, "sampler_extras", ",\"extras\":");
    buf_put_char(out, '}');
}

static void put_image(const struct surfaces *surfaces, struct buf *out, uint32_t index)
{
    const struct model *model = surfaces->model;
    const struct str uri = model->textures[index].uri;
    buf_put_char(out, '{');
    if (put_member(surfaces, out, index, "image_name", "\"name\":"))
        buf_put_char(out, ',');
    else if (uri.offset != STR_NONE && uri.size_bytes > 0)
        glb_put_name(out, model, base_name(model, uri));
    json_printf(out, "\"bufferView\":%u,\"mimeType\":%s", surfaces->pictures[index],
                picture_mime_type(surfaces->made[index].file));
    put_member(surfaces, out, index, "image_extras", ",\"extras\":");
    buf_put_char(out, '}');
}

static bool has_image(const struct surfaces *surfaces, uint32_t texture)
{
    return surfaces->textures[texture] != GLB_NONE && surfaces->pictures[texture] != GLB_NONE;
}

static bool has_texture(const struct surfaces *surfaces, uint32_t texture)
{
    return surfaces->textures[texture] != GLB_NONE;
}

/* Writes a list with an entry for each texture of the file that has one; nothing for an empty list. */
static void put_list(const struct surfaces *surfaces, struct buf *out, const char *start,
                     bool (*has)(const struct surfaces *, uint32_t),
                     void (*put)(const struct surfaces *, struct buf *, uint32_t))
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < surfaces->model->texture_count && !buf_failed(out); t++) {
        if (!has(surfaces, t))
            continue;
        buf_put_text(out, count++ == 0 ? start : ",");
        put(surfaces, out, t);
    }
    if (count > 0)
        buf_put_char(out, ']');
}

void surfaces_put_textures(const struct surfaces *surfaces, struct buf *out)
{
    put_list(surfaces, out, ",\"textures\":[", has_texture, put_texture);
    put_list(surfaces, out, ",\"samplers\":[", has_texture, put_sampler);
    put_list(surfaces, out, ",\"images\":[", has_image, put_image);
}

void surfaces_put_texture_states(const struct surfaces *surfaces, struct buf *out)
{
    static const char *const STATES[] = {
        [TEXTURE_FOUND] = "left_out", [TEXTURE_MISSING] = "missing", [TEXTURE_BROKEN] = "broken"};
    const struct model *model = surfaces->model;
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->material_count * TEXTURE_ALL_COUNT && !buf_failed(out); i++) {
        const uint32_t m = i / TEXTURE_ALL_COUNT, slot = i % TEXTURE_ALL_COUNT;
        const int32_t t = surfaces_texture_of(surfaces, m, slot);
        if (t < 0)
            continue;
        buf_put_text(out, count++ == 0 ? ",\"textures\":[" : ",");
        const struct texture *texture = &model->textures[t];
        json_printf(out, "{\"material\":%u,\"slot\":%s,\"uri\":%.*s,\"state\":%s", surfaces->materials[m],
                    texture_slot_name(slot), JSON_STR(model, texture->uri),
                    surfaces->textures[t] != GLB_NONE ? "embedded" : STATES[texture->state]);
        const struct picture_made *made = &surfaces->made[t];
        if (surfaces->textures[t] != GLB_NONE) {
            json_printf(out, ",\"format\":%s,\"width\":%u,\"height\":%u", picture_word(made->file), made->width,
                        made->height);
            buf_put_text(out, made->is_own ? ",\"own_file\":true" : ",\"own_file\":false");
        }
        buf_put_char(out, '}');
    }
    if (count > 0)
        buf_put_char(out, ']');
}
