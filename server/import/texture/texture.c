/* texture.c - finds or reads the image of a texture and adds its pixels to the builder. */
#include "import/texture/texture.h"

#include "import/source/source_parts.h"
#include "import/source/source_search.h"
#include "import/texture/texture_image.h"
#include "anim/light/mip.h"

#include <nettle/sha2.h>
#include <string.h>

static bool has_text(const struct bake_builder *builder, struct str str, const char *text)
{
    return str.size_bytes == strlen(text) && memcmp(builder->text + str.offset, text, str.size_bytes) == 0;
}

static bool is_power_of_two(uint32_t side) { return (side & (side - 1)) == 0; }

/* Whether two textures of one image have the same pixels; the filter determines the enlargement. */
static bool has_pixels_of(const struct texture *texture, const struct texture_request *request)
{
    return texture->content == request->content &&
           (texture->mag_filter == request->mag_filter ||
            (is_power_of_two(texture->source_width) && is_power_of_two(texture->source_height)));
}

static bool is_image(const struct bake_builder *builder, uint32_t index, const struct texture_request *request)
{
    const struct texture *texture = &builder->textures[index];
    return (request->image != TEXTURE_IS_FILE && texture->reserved == request->image) ||
           (request->uri != NULL && request->bytes == NULL && has_text(builder, texture->uri, request->uri));
}

/* Adds a texture for the request, with the pixels of `texture`. Returns its index, or ERR_MODEL_LIMIT. */
static int add(struct import *import, const struct texture_request *request, struct texture texture, struct err *err)
{
    struct bake_builder *builder = import->builder;
    texture.uri = bake_textz(builder, request->uri != NULL ? request->uri : "");
    texture.wrap_s = request->wrap_s;
    texture.wrap_t = request->wrap_t;
    texture.mag_filter = request->mag_filter;
    texture.min_filter = request->min_filter;
    texture.content = request->content;
    texture.reserved = request->image;
    return import_put_texture(import, &texture, err) < 0 ? err->code : (int)(builder->texture_count - 1);
}

int texture_find(struct import *import, const struct texture_request *request, int *texture, struct err *err)
{
    const struct bake_builder *builder = import->builder;
    int same_pixels = -1;
    *texture = -1;
    for (uint32_t i = 0; i < builder->texture_count; i++) {
        const struct texture *other = &builder->textures[i];
        if (other->reserved == TEXTURE_IS_MIXED || !is_image(builder, i, request))
            continue;
        if (other->content == request->content && other->wrap_s == request->wrap_s &&
            other->wrap_t == request->wrap_t && other->mag_filter == request->mag_filter &&
            other->min_filter == request->min_filter) {
            *texture = (int)i;
            return 0;
        }
        if (has_pixels_of(other, request))
            same_pixels = (int)i;
    }
    if (same_pixels < 0)
        return 0;
    if (import_check_limit(import, LIMIT_TEXTURES, import->builder->texture_count, 1, "the materials", err) < 0)
        return err->code;
    *texture = add(import, request, builder->textures[same_pixels], err);
    return *texture < 0 ? *texture : 0;
}

/* The enlargement of a non-power-of-two side if its texels must stay square. The widths of texels then differ by at
 * most an eighth. */
enum { CRISP_SCALE = 8, CRISP_SIDE_MAX = 1024 };

static uint32_t side_of(uint32_t side, uint32_t side_max, bool is_crisp)
{
    const uint32_t crisp_max = side_max < CRISP_SIDE_MAX ? side_max : CRISP_SIDE_MAX;
    const bool is_scaled = is_crisp && !is_power_of_two(side) && side < crisp_max;
    return is_scaled ? mip_side(CRISP_SCALE * side, crisp_max) : mip_side(side, side_max);
}

/* The pixels of a model's textures together take half of what it may have. Each texture takes at most a quarter of what
 * earlier ones have left, so that many large ones become smaller and the model is not refused. */
enum { PIXELS_SHARE = 2, TEXTURE_SHARE = 4 };

static uint32_t side_most(const struct import *import, const struct image *image, bool is_crisp)
{
    const uint64_t budget = import->limits->value[LIMIT_BAKED_BYTES] / PIXELS_SHARE,
                   used = import->builder->pixel_byte_count;
    const uint64_t most = used < budget ? (budget - used) / TEXTURE_SHARE : 0;
    uint32_t side = (uint32_t)import->limits->value[LIMIT_TEXTURE_SIDE];
    while (side > 1 && mip_bytes(side_of(image->width, side, is_crisp), side_of(image->height, side, is_crisp)) > most)
        side /= 2;
    return side;
}

static void warn_of_size(struct import *import, const char *name, const struct texture *texture)
{
    if (texture->width >= texture->source_width && texture->height >= texture->source_height)
        return;
    const uint32_t drawn = texture->width > texture->height ? texture->width : texture->height;
    const bool is_limit = mip_side(UINT32_MAX, (uint32_t)import->limits->value[LIMIT_TEXTURE_SIDE]) == drawn;
    bake_warn(import->builder, "texture_reduced", "texture '%s' of %u x %u pixels is drawn with %u x %u: %s%s", name,
              texture->source_width, texture->source_height, texture->width, texture->height,
              is_limit ? "the limit is " : "the model's textures are too many for more",
              is_limit ? LIMIT_TEXT(import->limits, LIMIT_TEXTURE_SIDE) : "");
}

/* Appends the resampled picture with its mip levels and fills the texture's sizes. */
static int put_pixels(struct import *import, const struct image *image, const struct texture_request *request,
                      struct texture *texture, struct err *err)
{
    struct bake_builder *builder = import->builder;
    const bool is_crisp = request->mag_filter == TEXTURE_MAG_NEAREST;
    const enum texture_content content = request->content;
    const uint32_t side_max = side_most(import, image, is_crisp);
    const uint32_t width = side_of(image->width, side_max, is_crisp),
                   height = side_of(image->height, side_max, is_crisp);
    const bool is_repeated = is_crisp && width >= image->width && height >= image->height;
    const uint64_t bytes = mip_bytes(width, height);
    const uint64_t first = builder->pixel_byte_count;
    if (bytes > UINT32_MAX - first)
        return err_set(err, ERR_MODEL_LIMIT, "the model's textures together have more than 4 GiB");
    uint8_t *pixels = bake_add_pixel_byte(builder, (uint32_t)bytes);
    if (pixels == NULL)
        return import_full(import, err);
    if (is_repeated)
        mip_repeat(image->rgba, image->width, image->height, pixels, width, height);
    else
        mip_resample(image->rgba, image->width, image->height, pixels, width, height, content);
    mip_fill(pixels, width, height, content);
    texture->state = TEXTURE_FOUND;
    texture->width = width;
    texture->height = height;
    texture->level_count = mip_level_count(width, height);
    texture->pixel_first = first;
    return 0;
}

static int read_file(struct import *import, const char *uri, const uint8_t **bytes, size_t *size_bytes, struct err *err)
{
    struct source_bytes found;
    if (uri == NULL || uri[0] == '\0')
        return err_set(err, ERR_COMPANION_MISSING, "the model gives it no file name");
    const int rc = source_search(import, uri, SOURCE_TEXTURE, &found, err);
    *bytes = found.bytes;
    *size_bytes = found.size_bytes;
    return rc;
}

/* Refers to the picture's own file, unless no file of the model has it as it is. */
static void note_file(struct import *import, const uint8_t *bytes, size_t size_bytes, enum texture_file file,
                      struct texture *texture)
{
    struct sha256_ctx sha;
    uint8_t hash[TEXTURE_HASH_SIZE];
    if (file == TEXTURE_FILE_NONE)
        return;
    sha256_init(&sha);
    sha256_update(&sha, size_bytes, bytes);
    sha256_digest(&sha, sizeof hash, hash);
    if (!source_parts_note(import->files, bytes, size_bytes, hash))
        return;
    texture->file = file;
    texture->file_bytes = size_bytes;
    memcpy(texture->file_hash, hash, sizeof hash);
}

/* Finds and decodes the image. It returns 0 even if the image is missing or broken; *texture and a warning then record
 * that. */
static int fill(struct import *import, const struct texture_request *request, struct texture *texture, struct err *err)
{
    const char *name = request->uri != NULL && request->uri[0] != '\0' ? request->uri
                       : request->name != NULL                         ? request->name
                                                                       : "(embedded)";
    const uint8_t *bytes = request->bytes;
    size_t size_bytes = request->size_bytes;
    struct err why = {0};
    if (request->fault != NULL) {
        texture->state = TEXTURE_BROKEN;
        bake_warn(import->builder, "texture_broken", "texture '%s': %s", name, request->fault);
        return 0;
    }
    if (bytes == NULL && read_file(import, request->uri, &bytes, &size_bytes, &why) < 0) {
        const bool is_missing = why.code == ERR_COMPANION_MISSING;
        texture->state = is_missing ? TEXTURE_MISSING : TEXTURE_BROKEN;
        if (is_missing && texture_name_is_procedural(name, strlen(name)))
            bake_warn(import->builder, "texture_procedural", "texture '%s' is computed by Blender: it has no file",
                      name);
        else
            bake_warn(import->builder, is_missing ? "texture_missing" : "texture_broken", "texture '%s': %s", name,
                      why.message);
        return 0;
    }
    struct image image;
    int rc = 0;
    if (image_decode(bytes, size_bytes, import->limits, &image, &why) < 0) {
        if (why.code == ERR_UNAVAILABLE)
            return err_set(err, why.code, "%s", why.message);
        texture->state = TEXTURE_BROKEN;
        bake_warn(import->builder, "texture_broken", "texture '%s': %s", name, why.message);
    } else {
        if (image.is_damaged)
            bake_warn(import->builder, "texture_damaged", "texture '%s': the picture is incomplete or damaged", name);
        else
            note_file(import, bytes, size_bytes, image.file, texture);
        rc = put_pixels(import, &image, request, texture, err);
    }
    texture->source_width = image.width;
    texture->source_height = image.height;
    if (rc == 0 && texture->state == TEXTURE_FOUND)
        warn_of_size(import, name, texture);
    image_fini(&image);
    return rc;
}

int texture_add(struct import *import, const struct texture_request *request, struct err *err)
{
    int same;
    if (texture_find(import, request, &same, err) < 0)
        return err->code;
    if (same >= 0)
        return same;
    struct texture texture = {0};
    if (import_check_limit(import, LIMIT_TEXTURES, import->builder->texture_count, 1, "the materials", err) < 0 ||
        fill(import, request, &texture, err) < 0)
        return err->code;
    return add(import, request, texture, err);
}
