/* gltf_texture.c - reads textures: a sampler's wrapping and filters, and the image, wherever it is stored. */
#include "import/gltf/gltf.h"

#include "import/gltf/gltf_buffer.h"
#include "import/source/source_parts.h"

#include <stdlib.h>
#include <string.h>

/* Our equivalents of OpenGL's numbers (glTF 2.0, 5.26). */
struct gl_number {
    uint64_t number;
    uint32_t value;
};
static const struct gl_number WRAPS[] = {{10497, TEXTURE_WRAP_REPEAT},
                                         {33071, TEXTURE_WRAP_CLAMP},
                                         {33648, TEXTURE_WRAP_MIRROR},
                                         {0}},
                              MAG_FILTERS[] = {{9728, TEXTURE_MAG_NEAREST}, {9729, TEXTURE_MAG_LINEAR}, {0}},
                              MIN_FILTERS[] = {{9728, TEXTURE_MIN_NEAREST},
                                               {9729, TEXTURE_MIN_LINEAR},
                                               {9984, TEXTURE_MIN_NEAREST_MIPMAP_NEAREST},
                                               {9985, TEXTURE_MIN_LINEAR_MIPMAP_NEAREST},
                                               {9986, TEXTURE_MIN_NEAREST_MIPMAP_LINEAR},
                                               {9987, TEXTURE_MIN_LINEAR_MIPMAP_LINEAR},
                                               {0}};

/* Leaves *out unchanged if the sampler does not have the member. */
static int read_number(const cJSON *sampler, const char *member, uint32_t index, const struct gl_number *row,
                       uint32_t *out, struct err *err)
{
    if (json_member(sampler, member) == NULL)
        return 0;
    const uint64_t number = json_count(sampler, member, 0);
    while (row->number != number && row->number != 0)
        row++;
    if (row->number == 0)
        return err_set(err, ERR_BAD_MODEL, "samplers[%u].%s is %llu, which is none of glTF's", index, member,
                       (unsigned long long)number);
    *out = row->value;
    return 0;
}

static int read_sampler(const struct gltf *gltf, int64_t index, struct texture_request *request, struct err *err)
{
    const cJSON *sampler = index < 0 ? NULL : gltf_item(gltf, GLTF_SAMPLERS, index);
    if (read_number(sampler, "wrapS", (uint32_t)index, WRAPS, &request->wrap_s, err) < 0 ||
        read_number(sampler, "wrapT", (uint32_t)index, WRAPS, &request->wrap_t, err) < 0 ||
        read_number(sampler, "magFilter", (uint32_t)index, MAG_FILTERS, &request->mag_filter, err) < 0 ||
        read_number(sampler, "minFilter", (uint32_t)index, MIN_FILTERS, &request->min_filter, err) < 0)
        return err->code;
    return 0;
}

static int add_image(struct gltf *gltf, uint32_t image, struct texture_request *request, struct err *err)
{
    const cJSON *json = gltf_item(gltf, GLTF_IMAGES, image);
    const char *uri = json_text(json, "uri");
    const int64_t view_index = json_index(json, "bufferView");
    if (uri == NULL && view_index < 0)
        return err_set(err, ERR_BAD_MODEL, "images[%u] has neither uri nor bufferView", image);
    struct data_uri data = {0};
    struct err why;
    char *path = NULL;
    int rc = 0;
    if (uri == NULL) {
        struct gltf_view view;
        rc = gltf_view(gltf, (uint32_t)view_index, &view, err);
        request->bytes = view.bytes;
        request->size_bytes = view.size_bytes;
    } else if (uri_is_data(uri)) {
        request->fault = gltf_data_uri(gltf, uri, "images", image, &data, &why) < 0 ? why.message : NULL;
        request->bytes = data.bytes;
        request->size_bytes = data.size_bytes;
    } else {
        rc = gltf_companion_path(gltf, uri, SOURCE_TEXTURE, &path, err);
        request->uri = path;
    }
    rc = rc < 0 ? err_prefix(err, "images[%u]", image) : texture_add(gltf->import, request, err);
    source_parts_end(gltf->import->files, data.bytes);
    free(data.bytes);
    free(path);
    return rc;
}

int64_t gltf_texture_image(const cJSON *texture)
{
    static const char *const EXTENSIONS[] = {"EXT_texture_webp", "KHR_texture_basisu", "MSFT_texture_dds",
                                             "EXT_texture_avif", "EXT_texture_astc"};
    int64_t image = json_index(texture, "source");
    for (size_t i = 0; i < sizeof EXTENSIONS / sizeof *EXTENSIONS && image < 0; i++)
        image = json_index(json_member(json_member(texture, "extensions"), EXTENSIONS[i]), "source");
    return image;
}

/* Images in the same view are one image. */
static uint32_t image_number(struct gltf *gltf, uint32_t image)
{
    const int64_t view = json_index(gltf_item(gltf, GLTF_IMAGES, image), "bufferView");
    if (view < 0)
        return image + 1;
    if (gltf->view_images[view] == 0)
        gltf->view_images[view] = image + 1;
    return gltf->view_images[view];
}

int gltf_texture(struct gltf *gltf, uint32_t index, uint32_t content, int32_t *out, struct err *err)
{
    *out = -1;
    const cJSON *json = gltf_item(gltf, GLTF_TEXTURES, index);
    const int64_t image = gltf_texture_image(json);
    if (image < 0) {
        bake_warn(gltf->builder, "texture_without_image", "textures[%u] has no image that is known here", index);
        return 0;
    }
    struct texture_request request = {.content = content, .wrap_s = TEXTURE_WRAP_REPEAT, .wrap_t = TEXTURE_WRAP_REPEAT};
    if (read_sampler(gltf, json_index(json, "sampler"), &request, err) < 0)
        return err->code;
    request.image = image_number(gltf, (uint32_t)image);
    int texture;
    if (texture_find(gltf->import, &request, &texture, err) < 0)
        return err->code;
    if (texture < 0)
        texture = add_image(gltf, (uint32_t)image, &request, err);
    if (texture >= 0 && gltf->model_textures[index] == 0)
        gltf->model_textures[index] = (uint32_t)texture + 1;
    *out = texture < 0 ? -1 : texture;
    return texture < 0 ? texture : 0;
}
