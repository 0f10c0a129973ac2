/* gltf_material.c - materials, as far as the base colour goes, and its textures. */
#include "gltf.h"

#include "gltf_buffer.h"
#include "gltf_uri.h"
#include "texture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cJSON *base_color_info(const struct gltf *gltf, uint32_t material)
{
    const cJSON *pbr = json_member(gltf_item(gltf, GLTF_MATERIALS, material), "pbrMetallicRoughness");
    return json_member(pbr, "baseColorTexture");
}

/* KHR_texture_transform: translation * rotation * scale, the rotation such that the extension's own example (offset
 * 0,1, a quarter turn, scale 0.5) shows the lower left quadrant; the GLSL in its text is the transpose of that. */
struct gltf_texcoord gltf_material_texcoord(const struct gltf *gltf, int64_t material)
{
    struct gltf_texcoord texcoord = {.m = {1, 0, 0, 0, 1, 0}};
    const cJSON *info = material < 0 ? NULL : base_color_info(gltf, (uint32_t)material);
    texcoord.set = json_count(info, "texCoord", 0);
    const cJSON *transform = json_member(json_member(info, "extensions"), "KHR_texture_transform");
    if (transform == NULL)
        return texcoord;
    float offset[2] = {0, 0}, scale[2] = {1, 1};
    json_floats(transform, "offset", 2, offset);
    json_floats(transform, "scale", 2, scale);
    const double angle = json_number(transform, "rotation", 0), c = cos(angle), s = sin(angle);
    const double m[6] = {c * (double)scale[0],  s * (double)scale[1], (double)offset[0],
                         -s * (double)scale[0], c * (double)scale[1], (double)offset[1]};
    memcpy(texcoord.m, m, sizeof m);
    texcoord.set = json_count(transform, "texCoord", texcoord.set);
    return texcoord;
}

/* OpenGL's numbers (glTF 2.0, 5.26). */
static int read_wrap(const cJSON *sampler, const char *member, uint32_t index, uint32_t *wrap, struct err *err)
{
    const uint64_t number = json_count(sampler, member, 10497);
    switch (number) {
    case 10497:
        *wrap = TEXTURE_WRAP_REPEAT;
        return 0;
    case 33071:
        *wrap = TEXTURE_WRAP_CLAMP;
        return 0;
    case 33648:
        *wrap = TEXTURE_WRAP_MIRROR;
        return 0;
    default:
        return err_set(err, ERR_BAD_MODEL, "samplers[%u].%s is %llu, which is none of glTF's", index, member,
                       (unsigned long long)number);
    }
}

/* One that is missing means 0, our own choice. */
static int read_filter(const cJSON *sampler, const char *member, uint32_t index, uint32_t *filter, struct err *err)
{
    static const struct {
        uint64_t number;
        uint32_t mag, min;
    } FILTERS[] = {
        {9728, TEXTURE_MAG_NEAREST, TEXTURE_MIN_NEAREST},       {9729, TEXTURE_MAG_LINEAR, TEXTURE_MIN_LINEAR},
        {9984, UINT32_MAX, TEXTURE_MIN_NEAREST_MIPMAP_NEAREST}, {9985, UINT32_MAX, TEXTURE_MIN_LINEAR_MIPMAP_NEAREST},
        {9986, UINT32_MAX, TEXTURE_MIN_NEAREST_MIPMAP_LINEAR},  {9987, UINT32_MAX, TEXTURE_MIN_LINEAR_MIPMAP_LINEAR},
    };
    if (json_member(sampler, member) == NULL)
        return 0;
    const uint64_t number = json_count(sampler, member, 0);
    for (size_t i = 0; i < sizeof FILTERS / sizeof *FILTERS; i++) {
        const uint32_t value = strcmp(member, "magFilter") == 0 ? FILTERS[i].mag : FILTERS[i].min;
        if (FILTERS[i].number != number || value == UINT32_MAX)
            continue;
        *filter = value;
        return 0;
    }
    return err_set(err, ERR_BAD_MODEL, "samplers[%u].%s is %llu, which is none of glTF's", index, member,
                   (unsigned long long)number);
}

static int read_sampler(const struct gltf *gltf, int64_t index, struct texture_query *query, struct err *err)
{
    const cJSON *sampler = index < 0 ? NULL : gltf_item(gltf, GLTF_SAMPLERS, index);
    if (read_wrap(sampler, "wrapS", (uint32_t)index, &query->wrap_s, err) < 0 ||
        read_wrap(sampler, "wrapT", (uint32_t)index, &query->wrap_t, err) < 0 ||
        read_filter(sampler, "magFilter", (uint32_t)index, &query->mag_filter, err) < 0 ||
        read_filter(sampler, "minFilter", (uint32_t)index, &query->min_filter, err) < 0)
        return err->code;
    return 0;
}

static int add_image(struct gltf *gltf, uint32_t image, struct texture_query *query, struct err *err)
{
    const struct import *import = gltf->import;
    const cJSON *json = gltf_item(gltf, GLTF_IMAGES, image);
    const char *uri = json_text(json, "uri");
    const int64_t view_index = json_index(json, "bufferView");
    if (uri == NULL && view_index < 0)
        return err_set(err, ERR_BAD_MODEL, "images[%u] has neither uri nor bufferView", image);
    uint8_t *decoded = NULL;
    char *path = NULL;
    int rc = 0;
    if (uri == NULL) {
        struct gltf_view view;
        rc = gltf_view(gltf, (uint32_t)view_index, &view, err);
        if (rc == 0) {
            query->bytes = view.bytes;
            query->size_bytes = view.size_bytes;
        }
    } else if (uri_is_data(uri)) {
        rc = uri_read_data(uri, &decoded, &query->size_bytes, err);
        query->bytes = decoded;
    } else {
        rc = uri_decode(uri, &path, err);
        query->uri = path;
    }
    rc = rc < 0 ? err_prefix(err, "images[%u]", image)
                : texture_add(gltf->builder, import->opener, import->limits, query, err);
    free(decoded);
    free(path);
    return rc;
}

/* The image of a texture, or -1. Where a file has both, EXT_texture_webp's is the same picture again. */
static int64_t image_of(const cJSON *texture)
{
    const int64_t image = json_index(texture, "source");
    return image >= 0 ? image
                      : json_index(json_member(json_member(texture, "extensions"), "EXT_texture_webp"), "source");
}

/* Images that lie in one view are one image. */
static int32_t image_number(struct gltf *gltf, uint32_t image)
{
    const int64_t view = json_index(gltf_item(gltf, GLTF_IMAGES, image), "bufferView");
    if (view < 0)
        return (int32_t)image;
    if (gltf->view_images[view] == 0)
        gltf->view_images[view] = (int32_t)image + 1;
    return gltf->view_images[view] - 1;
}

/* A texture of an image is decoded once, however many materials and samplers use it. */
static int add_texture(struct gltf *gltf, uint32_t image, struct texture_query *query, struct err *err)
{
    struct bake_builder *builder = gltf->builder;
    query->image = image_number(gltf, image);
    query->images = gltf->texture_images;
    int same_pixels;
    const uint32_t before = builder->texture_count;
    int texture = texture_find(builder, query, &same_pixels);
    if (texture < 0)
        texture = same_pixels >= 0 ? texture_share(builder, gltf->import->limits, query, same_pixels, err)
                                   : add_image(gltf, image, query, err);
    if (texture >= 0 && (uint32_t)texture >= before)
        gltf->texture_images[texture] = query->image;
    return texture;
}

/* The builder's index of textures[index], or -1 when it has no image. */
static int find_texture(struct gltf *gltf, uint32_t index, int32_t *out, struct err *err)
{
    *out = -1;
    const cJSON *json = gltf_item(gltf, GLTF_TEXTURES, index);
    const int64_t image = image_of(json);
    if (image < 0) {
        bake_warn(gltf->builder, "texture_without_image", "textures[%u] has no image that is known here", index);
        return 0;
    }
    struct texture_query query = {0};
    if (read_sampler(gltf, json_index(json, "sampler"), &query, err) < 0)
        return err->code;
    const int texture = add_texture(gltf, (uint32_t)image, &query, err);
    if (texture < 0)
        return texture;
    *out = texture;
    return 0;
}

static int read_alpha(const cJSON *json, uint32_t index, struct material *material, struct err *err)
{
    static const char *const MODES[] = {[ALPHA_OPAQUE] = "OPAQUE", [ALPHA_MASK] = "MASK", [ALPHA_BLEND] = "BLEND"};
    const char *mode = json_text(json, "alphaMode");
    material->alpha_cutoff = (float)json_number(json, "alphaCutoff", 0.5);
    if (mode == NULL)
        return 0;
    for (uint32_t i = 0; i < sizeof MODES / sizeof *MODES; i++) {
        if (strcmp(MODES[i], mode) == 0) {
            material->alpha_mode = i;
            return 0;
        }
    }
    return err_set(err, ERR_BAD_MODEL, "materials[%u].alphaMode is '%.20s', which is none of glTF's", index, mode);
}

static int read_material(struct gltf *gltf, uint32_t index, struct err *err)
{
    const cJSON *json = gltf_item(gltf, GLTF_MATERIALS, index);
    struct material material = MATERIAL_PLAIN;
    material.name = gltf_name(gltf, json, GLTF_MATERIALS, index);
    json_floats(json_member(json, "pbrMetallicRoughness"), "baseColorFactor", 4, material.base_color);
    if (read_alpha(json, index, &material, err) < 0)
        return err->code;
    if (json_is_true(json, "doubleSided"))
        material.flags |= MATERIAL_DOUBLE_SIDED;
    if (json_member(json_member(json, "extensions"), "KHR_materials_unlit") != NULL)
        material.flags |= MATERIAL_UNLIT;
    const cJSON *info = base_color_info(gltf, index);
    if (info != NULL && find_texture(gltf, (uint32_t)json_index(info, "index"),
                                     &material.textures[TEXTURE_BASE_COLOR].texture, err) < 0)
        return err_prefix(err, "materials[%u]", index);
    gltf->builder->materials[index] = material;
    return 0;
}

int gltf_read_materials(struct gltf *gltf, struct err *err)
{
    const uint32_t count = gltf->lists[GLTF_MATERIALS].count;
    void *images, *views;
    if (gltf_alloc(&images, gltf->import->limits->value[LIMIT_TEXTURES], sizeof *gltf->texture_images, err) < 0)
        return err->code;
    gltf->texture_images = images;
    if (gltf_alloc(&views, gltf->lists[GLTF_BUFFER_VIEWS].count, sizeof *gltf->view_images, err) < 0)
        return err->code;
    gltf->view_images = views;
    if (bake_add_material(gltf->builder, count) == NULL)
        return gltf_full(gltf, err);
    for (uint32_t i = 0; i < count; i++)
        if (read_material(gltf, i, err) < 0)
            return err->code;
    return 0;
}
