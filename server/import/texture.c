#include "texture.h"

#include "texture_image.h"
#include "texture_mip.h"

#include <string.h>

static bool has_text(const struct bake_builder *builder, struct str str, const char *text)
{
    return str.size_bytes == strlen(text) && memcmp(builder->text + str.offset, text, str.size_bytes) == 0;
}

/* A texture of the same file and wrapping that is already there, or -1; *same_file becomes one that differs only
 * in wrapping, or -1. */
static int find(const struct bake_builder *builder, const struct texture_query *query, int *same_file)
{
    *same_file = -1;
    if (query->uri == NULL || query->bytes != NULL)
        return -1;
    for (uint32_t i = 0; i < builder->texture_count; i++) {
        const struct texture *texture = &builder->textures[i];
        if (!has_text(builder, texture->uri, query->uri))
            continue;
        if (texture->wrap_s == query->wrap_s && texture->wrap_t == query->wrap_t)
            return (int)i;
        *same_file = (int)i;
    }
    return -1;
}

static const char *base_name(const char *uri)
{
    const char *name = uri;
    for (const char *p = uri; *p != '\0'; p++)
        if (*p == '/' || *p == '\\')
            name = p + 1;
    return name;
}

/* The path as it stands, then its last part beside the model: exporters write paths of their own machine. */
static int find_file(struct opener *opener, const char *uri, const uint8_t **bytes, size_t *size_bytes, struct err *err)
{
    if (uri == NULL || uri[0] == '\0')
        return err_set(err, ERR_COMPANION_MISSING, "the model gives it no file name");
    if (opener_read(opener, uri, SOURCE_TEXTURE, bytes, size_bytes, err) == 0)
        return 0;
    const char *name = base_name(uri);
    struct err second;
    if (err->code != ERR_COMPANION_MISSING || name == uri || name[0] == '\0')
        return err->code;
    if (opener_read(opener, name, SOURCE_TEXTURE, bytes, size_bytes, &second) == 0)
        return 0;
    if (second.code != ERR_COMPANION_MISSING)
        *err = second;
    return err->code;
}

/* Appends the picture, resampled, with its levels, and fills the texture's sizes. */
static int put_pixels(struct bake_builder *builder, const struct limits *limits, const struct image *image,
                      struct texture *texture, struct err *err)
{
    const uint32_t side_max = (uint32_t)limits->value[LIMIT_TEXTURE_SIDE];
    const uint32_t width = mip_side(image->width, side_max), height = mip_side(image->height, side_max);
    const uint64_t bytes = mip_bytes(width, height);
    const uint64_t first = builder->pixel_byte_count;
    if (bytes > UINT32_MAX - first)
        return err_set(err, ERR_MODEL_LIMIT, "the model's textures together have more than 4 GiB");
    uint8_t *pixels = bake_add_pixel_byte(builder, (uint32_t)bytes);
    if (pixels == NULL)
        return err_set(err, ERR_MODEL_LIMIT, "the model with its textures is larger than %s",
                       LIMIT_TEXT(limits, LIMIT_BAKED_BYTES));
    if (mip_resample(image->rgba, image->width, image->height, pixels, width, height) < 0 ||
        mip_fill(pixels, width, height) < 0)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory to resample a texture");
    texture->state = TEXTURE_FOUND;
    texture->width = width;
    texture->height = height;
    texture->level_count = mip_level_count(width, height);
    texture->pixel_first = first;
    return 0;
}

/* Finds and decodes. 0 also when the texture is missing or broken, which *texture and a warning then say. */
static int fill(struct bake_builder *builder, struct opener *opener, const struct limits *limits,
                const struct texture_query *query, struct texture *texture, struct err *err)
{
    const char *name = query->uri != NULL && query->uri[0] != '\0' ? query->uri : "(embedded)";
    const uint8_t *bytes = query->bytes;
    size_t size_bytes = query->size_bytes;
    struct err why = {0};
    if (bytes == NULL && find_file(opener, query->uri, &bytes, &size_bytes, &why) < 0) {
        const bool is_missing = why.code == ERR_COMPANION_MISSING;
        texture->state = is_missing ? TEXTURE_MISSING : TEXTURE_BROKEN;
        bake_warn(builder, is_missing ? "texture_missing" : "texture_broken", "texture '%s': %s", name, why.message);
        return 0;
    }
    struct image image;
    int rc = 0;
    if (image_decode(bytes, size_bytes, limits, &image, &why) < 0) {
        texture->state = TEXTURE_BROKEN;
        bake_warn(builder, "texture_broken", "texture '%s': %s", name, why.message);
    } else {
        if (image.is_damaged)
            bake_warn(builder, "texture_damaged", "texture '%s': the picture is incomplete or damaged", name);
        rc = put_pixels(builder, limits, &image, texture, err);
    }
    texture->source_width = image.width;
    texture->source_height = image.height;
    image_fini(&image);
    return rc;
}

int texture_add(struct bake_builder *builder, struct opener *opener, const struct limits *limits,
                const struct texture_query *query, struct err *err)
{
    int same_file;
    const int same = find(builder, query, &same_file);
    if (same >= 0)
        return same;
    if (builder->texture_count >= limits->value[LIMIT_TEXTURES])
        return err_set(err, ERR_MODEL_LIMIT, "the model has more textures than %s", LIMIT_TEXT(limits, LIMIT_TEXTURES));
    struct texture texture = {0};
    if (same_file >= 0)
        texture = builder->textures[same_file]; /* shares its pixels */
    else if (fill(builder, opener, limits, query, &texture, err) < 0)
        return err->code;
    texture.uri = bake_textz(builder, query->uri != NULL ? query->uri : "");
    texture.wrap_s = query->wrap_s;
    texture.wrap_t = query->wrap_t;
    struct texture *added = bake_add_texture(builder, 1);
    if (added == NULL)
        return err_set(err, ERR_MODEL_LIMIT, "the model is larger than %s", LIMIT_TEXT(limits, LIMIT_BAKED_BYTES));
    *added = texture;
    return (int)(builder->texture_count - 1);
}
