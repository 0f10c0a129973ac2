/* gltf_texture.c - textures: a sampler's wrapping and filters, and the image, wherever it lies. */
#include "import/gltf/gltf.h"

#include "import/gltf/gltf_buffer.h"
#include "import/gltf/gltf_uri.h"
#include "import/texture/texture.h"

#include <stdlib.h>
#include <string.h>

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

static int read_sampler(const struct gltf *gltf, int64_t index, struct texture_request *query, struct err *err)
{
    const cJSON *sampler = index < 0 ? NULL : gltf_item(gltf, GLTF_SAMPLERS, index);
    if (read_wrap(sampler, "wrapS", (uint32_t)index, &query->wrap_s, err) < 0 ||
        read_wrap(sampler, "wrapT", (uint32_t)index, &query->wrap_t, err) < 0 ||
        read_filter(sampler, "magFilter", (uint32_t)index, &query->mag_filter, err) < 0 ||
        read_filter(sampler, "minFilter", (uint32_t)index, &query->min_filter, err) < 0)
        return err->code;
    return 0;
}

static int add_image(struct gltf *gltf, uint32_t image, struct texture_request *query, struct err *err)
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
                : texture_add(gltf->builder, import->files, import->limits, query, err);
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
static int add_texture(struct gltf *gltf, uint32_t image, struct texture_request *query, struct err *err)
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

int gltf_texture(struct gltf *gltf, uint32_t index, uint32_t content, int32_t *out, struct err *err)
{
    *out = -1;
    const cJSON *json = gltf_item(gltf, GLTF_TEXTURES, index);
    const int64_t image = image_of(json);
    if (image < 0) {
        bake_warn(gltf->builder, "texture_without_image", "textures[%u] has no image that is known here", index);
        return 0;
    }
    struct texture_request query = {.content = content};
    if (read_sampler(gltf, json_index(json, "sampler"), &query, err) < 0)
        return err->code;
    const int texture = add_texture(gltf, (uint32_t)image, &query, err);
    if (texture < 0)
        return texture;
    *out = texture;
    return 0;
}
