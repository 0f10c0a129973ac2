#include "import/texture/texture.h"

#include "import/texture/texture_image.h"
#include "import/texture/texture_mip.h"

#include <string.h>

static bool has_text(const struct bake_builder *builder, struct str str, const char *text)
{
    return str.size_bytes == strlen(text) && memcmp(builder->text + str.offset, text, str.size_bytes) == 0;
}

static bool is_power_of_two(uint32_t side) { return (side & (side - 1)) == 0; }

/* Whether both have the same pixels, being of one image: how far it was enlarged depends on the filter. */
static bool has_pixels_of(const struct texture *texture, const struct texture_request *query)
{
    return texture->content == query->content &&
           (texture->mag_filter == query->mag_filter ||
            (is_power_of_two(texture->source_width) && is_power_of_two(texture->source_height)));
}

static bool is_image(const struct bake_builder *builder, uint32_t index, const struct texture_request *query)
{
    return (query->images != NULL && query->images[index] == query->image) ||
           (query->uri != NULL && query->bytes == NULL && has_text(builder, builder->textures[index].uri, query->uri));
}

int texture_find(const struct bake_builder *builder, const struct texture_request *query, int *same_pixels)
{
    *same_pixels = -1;
    for (uint32_t i = 0; i < builder->texture_count; i++) {
        const struct texture *texture = &builder->textures[i];
        if (texture->reserved == TEXTURE_IS_MIXED || !is_image(builder, i, query))
            continue;
        if (texture->content == query->content && texture->wrap_s == query->wrap_s &&
            texture->wrap_t == query->wrap_t && texture->mag_filter == query->mag_filter &&
            texture->min_filter == query->min_filter)
            return (int)i;
        if (has_pixels_of(texture, query))
            *same_pixels = (int)i;
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
static int find_file(struct source_files *files, const char *uri, const uint8_t **bytes, size_t *size_bytes,
                     struct err *err)
{
    if (uri == NULL || uri[0] == '\0')
        return err_set(err, ERR_COMPANION_MISSING, "the model gives it no file name");
    if (source_files_read(files, uri, SOURCE_TEXTURE, bytes, size_bytes, err) == 0)
        return 0;
    const char *name = base_name(uri);
    struct err second;
    if (err->code != ERR_COMPANION_MISSING || name == uri || name[0] == '\0')
        return err->code;
    if (source_files_read(files, name, SOURCE_TEXTURE, bytes, size_bytes, &second) == 0)
        return 0;
    if (second.code != ERR_COMPANION_MISSING)
        *err = second;
    return err->code;
}

/* A side that is no power of two, whose texels are to stay squares, becomes so many times as long: each of its texels
 * is then as wide as the others to within an eighth. */
enum { CRISP_SCALE = 8 };

static uint32_t side_of(uint32_t side, uint32_t side_max, bool is_crisp)
{
    const bool is_scaled = is_crisp && !is_power_of_two(side) && side < side_max;
    return mip_side(is_scaled ? CRISP_SCALE * side : side, side_max);
}

/* Appends the picture, resampled, with its levels, and fills the texture's sizes. */
static int put_pixels(struct bake_builder *builder, const struct limits *limits, const struct image *image,
                      const struct texture_request *query, struct texture *texture, struct err *err)
{
    const bool is_crisp = query->mag_filter == TEXTURE_MAG_NEAREST;
    const enum texture_content content = query->content;
    const uint32_t side_max = (uint32_t)limits->value[LIMIT_TEXTURE_SIDE];
    const uint32_t width = side_of(image->width, side_max, is_crisp),
                   height = side_of(image->height, side_max, is_crisp);
    const bool is_repeated = is_crisp && width >= image->width && height >= image->height;
    const uint64_t bytes = mip_bytes(width, height);
    const uint64_t first = builder->pixel_byte_count;
    if (bytes > UINT32_MAX - first)
        return err_set(err, ERR_MODEL_LIMIT, "the model's textures together have more than 4 GiB");
    uint8_t *pixels = bake_add_pixel_byte(builder, (uint32_t)bytes);
    if (pixels == NULL)
        return err_set(err, ERR_MODEL_LIMIT, "the model with its textures is larger than %s",
                       LIMIT_TEXT(limits, LIMIT_BAKED_BYTES));
    if (is_repeated)
        mip_repeat(image->rgba, image->width, image->height, pixels, width, height);
    else if (mip_resample(image->rgba, image->width, image->height, pixels, width, height, content) < 0)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory to resample a texture");
    if (mip_fill(pixels, width, height, content) < 0)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory to resample a texture");
    texture->state = TEXTURE_FOUND;
    texture->width = width;
    texture->height = height;
    texture->level_count = mip_level_count(width, height);
    texture->pixel_first = first;
    return 0;
}

/* Finds and decodes. 0 also when the texture is missing or broken, which *texture and a warning then say. */
static int fill(struct bake_builder *builder, struct source_files *files, const struct limits *limits,
                const struct texture_request *query, struct texture *texture, struct err *err)
{
    const char *name = query->uri != NULL && query->uri[0] != '\0' ? query->uri : "(embedded)";
    const uint8_t *bytes = query->bytes;
    size_t size_bytes = query->size_bytes;
    struct err why = {0};
    if (bytes == NULL && find_file(files, query->uri, &bytes, &size_bytes, &why) < 0) {
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
        rc = put_pixels(builder, limits, &image, query, texture, err);
    }
    texture->source_width = image.width;
    texture->source_height = image.height;
    image_fini(&image);
    return rc;
}

/* A texture of the query that has the picture of `texture`. */
static int add(struct bake_builder *builder, const struct texture_request *query, struct texture texture,
               struct err *err)
{
    texture.uri = bake_textz(builder, query->uri != NULL ? query->uri : "");
    texture.wrap_s = query->wrap_s;
    texture.wrap_t = query->wrap_t;
    texture.mag_filter = query->mag_filter;
    texture.min_filter = query->min_filter;
    texture.content = query->content;
    struct texture *added = bake_add_texture(builder, 1);
    if (added == NULL)
        return err_set(err, ERR_MODEL_LIMIT, "the model is larger than --%s %llu", LIMIT_INFO[LIMIT_BAKED_BYTES].option,
                       (unsigned long long)builder->limit_bytes);
    *added = texture;
    return (int)(builder->texture_count - 1);
}

static int check_count(const struct bake_builder *builder, const struct limits *limits, struct err *err)
{
    if (builder->texture_count < limits->value[LIMIT_TEXTURES])
        return 0;
    return err_set(err, ERR_MODEL_LIMIT, "the model has more textures than %s", LIMIT_TEXT(limits, LIMIT_TEXTURES));
}

int texture_share(struct bake_builder *builder, const struct limits *limits, const struct texture_request *query,
                  int same_pixels, struct err *err)
{
    if (check_count(builder, limits, err) < 0)
        return err->code;
    return add(builder, query, builder->textures[same_pixels], err);
}

int texture_add(struct bake_builder *builder, struct source_files *files, const struct limits *limits,
                const struct texture_request *query, struct err *err)
{
    int same_pixels;
    const int same = texture_find(builder, query, &same_pixels);
    if (same >= 0)
        return same;
    if (same_pixels >= 0)
        return texture_share(builder, limits, query, same_pixels, err);
    struct texture texture = {0};
    if (check_count(builder, limits, err) < 0 || fill(builder, files, limits, query, &texture, err) < 0)
        return err->code;
    return add(builder, query, texture, err);
}
