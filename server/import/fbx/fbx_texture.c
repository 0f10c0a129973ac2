#include "import/fbx/fbx_texture.h"

#include "import/source/source_search.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest number of layers and shading network nodes to follow to a texture with an image. */
enum { DEPTH_MAX = 8 };

/* --- pictures beside the file --- */

static char *copy(struct fbx_span span)
{
    char *text = mem_alloc(span.size_bytes + 1);
    memcpy(text, span.bytes, span.size_bytes);
    text[span.size_bytes] = '\0';
    return text;
}

/* Returns the path with which source_search() finds a file at the earliest place, out of the paths of the texture and
 * its Video. If none finds a file, returns the first path. Heap. */
static char *find_path(const struct fbx_textures *textures, uint32_t texture)
{
    enum { GIVEN = 4 };
    const struct fbx *fbx = textures->fbx;
    const struct fbx_scene *scene = &fbx->scene;
    const uint32_t video = fbx_texture_links_of(textures, texture)->video;
    const struct fbx_span none = fbx_span_of("");
    const struct fbx_span given[GIVEN] = {fbx_relative_path(scene, texture), fbx_absolute_path(scene, texture),
                                          video == FBX_NONE ? none : fbx_relative_path(scene, video),
                                          video == FBX_NONE ? none : fbx_absolute_path(scene, video)};
    char *paths[GIVEN];
    size_t count = 0;
    for (size_t i = 0; i < GIVEN; i++)
        if (given[i].size_bytes > 0)
            paths[count++] = copy(given[i]);
    if (count == 0)
        return copy(none);
    const size_t best = source_search_best(fbx->import, (const char *const *)paths, count, SOURCE_TEXTURE);
    for (size_t i = 0; i < count; i++)
        if (i != best)
            free(paths[i]);
    return paths[best];
}

/* --- how it lies --- */

/* c = a * b, each the rows of a 2x3 matrix. */
static void multiply(const double a[6], const double b[6], double c[6])
{
    double out[6];
    for (int row = 0; row < 2; row++)
        for (int column = 0; column < 3; column++)
            out[3 * row + column] =
                a[3 * row] * b[column] + a[3 * row + 1] * b[3 + column] + (column == 2 ? a[3 * row + 2] : 0);
    memcpy(c, out, sizeof out);
}

/* Applies `m`, with `pivot` as its origin, after the transform in `all`. */
static void then(double all[6], const double m[6], const double pivot[3])
{
    const double to_pivot[6] = {1, 0, -pivot[0], 0, 1, -pivot[1]}, from_pivot[6] = {1, 0, pivot[0], 0, 1, pivot[1]};
    multiply(to_pivot, all, all);
    multiply(m, all, all);
    multiply(from_pivot, all, all);
}

/* FbxTexture's properties: coordinates are swapped, multiplied by Scaling (how often the picture is repeated), turned
 * by Rotation's third angle, and Translation is added. So do 3ds Max, which writes its tiling there, and readers built
 * on the FBX SDK. */
void fbx_texture_transform(const struct fbx_scene *scene, uint32_t object, float uv_from_texcoord[6])
{
    static const double ORIGIN[3] = {0, 0, 0}, UPSIDE_DOWN[6] = {1, 0, 0, 0, -1, 1}, SWAPPED[6] = {0, 1, 0, 1, 0, 0};
    static const float NONE[6] = UV_FROM_TEXCOORD_NONE;
    double translation[3] = {0}, rotation[3] = {0}, scaling[3] = {1, 1, 1}, turn_pivot[3] = {0}, scale_pivot[3] = {0};
    int64_t is_swapped = 0;
    fbx_property_real3(scene, object, "Translation", translation);
    fbx_property_real3(scene, object, "Rotation", rotation);
    fbx_property_real3(scene, object, "Scaling", scaling);
    fbx_property_real3(scene, object, "TextureRotationPivot", turn_pivot);
    fbx_property_real3(scene, object, "TextureScalingPivot", scale_pivot);
    fbx_property_integer(scene, object, "UVSwap", &is_swapped);
    const double angle = rotation[2] * (acos(-1) / 180), c = cos(angle), s = sin(angle);
    const double scale[6] = {scaling[0], 0, 0, 0, scaling[1], 0}, turn[6] = {c, -s, 0, s, c, 0},
                 move[6] = {1, 0, translation[0], 0, 1, translation[1]};
    double all[6] = {1, 0, 0, 0, -1, 1};
    if (is_swapped != 0)
        multiply(SWAPPED, all, all);
    then(all, scale, scale_pivot);
    then(all, turn, turn_pivot);
    then(all, move, ORIGIN);
    multiply(UPSIDE_DOWN, all, all);
    memcpy(uv_from_texcoord, NONE, sizeof NONE);
    for (int i = 0; i < 6; i++)
        if (!isfinite((float)all[i]))
            return;
    for (int i = 0; i < 6; i++)
        uv_from_texcoord[i] = (float)all[i];
}

static uint32_t wrap_of(const struct fbx_scene *scene, uint32_t object, const char *property)
{
    enum { CLAMP = 1 }; /* FbxTexture::EWrapMode */
    int64_t mode = 0;
    fbx_property_integer(scene, object, property, &mode);
    return mode == CLAMP ? TEXTURE_WRAP_CLAMP : TEXTURE_WRAP_REPEAT;
}

/* --- textures --- */

/* The texture whose image represents this one. For a LayeredTexture it is the first layer. For a Texture with neither a
 * file nor a Video it is the texture linked to it. */
static uint32_t with_picture(const struct fbx_textures *textures, uint32_t texture, const char *material)
{
    const struct fbx *fbx = textures->fbx;
    const struct fbx_scene *scene = &fbx->scene;
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        const struct fbx_texture_links *links = fbx_texture_links_of(textures, texture);
        const bool is_layered = fbx_object_is(scene, texture, "LayeredTexture", NULL);
        if (!is_layered && (fbx_absolute_path(scene, texture).size_bytes > 0 ||
                            fbx_relative_path(scene, texture).size_bytes > 0 || links->video != FBX_NONE))
            return texture;
        const uint32_t inner = links->texture, count = links->texture_count;
        if (inner == FBX_NONE)
            return is_layered ? FBX_NONE : texture;
        if (is_layered && count > 1)
            bake_warn(fbx->builder, "texture_layers_ignored", "%s: of the %u layers of %s the first is drawn", material,
                      count, FBX_OBJECT_TEXT(scene, texture));
        texture = inner;
    }
    return FBX_NONE;
}

void fbx_texture_read(struct fbx_textures *textures, uint32_t object, const char *material, struct fbx_texture *out)
{
    const struct fbx_scene *scene = &textures->fbx->scene;
    *out = (struct fbx_texture){.uv_set = fbx_span_of("")};
    const uint32_t texture = with_picture(textures, object, material);
    if (texture == FBX_NONE)
        return;
    struct used_texture *used = &out->used;
    used->is_there = true;
    used->request.wrap_s = wrap_of(scene, texture, "WrapModeU");
    used->request.wrap_t = wrap_of(scene, texture, "WrapModeV");
    fbx_texture_transform(scene, texture, used->uv_from_texcoord);
    fbx_property_text(scene, texture, "UVSet", &out->uv_set);
    if (fbx_span_is(out->uv_set, "default")) /* FbxTexture's word for: none is chosen */
        out->uv_set = fbx_span_of("");
    struct fbx_video *video = fbx_video_of(textures, texture);
    if (video != NULL) {
        fbx_video_read(textures, video, &used->request);
        out->path = copy(fbx_file_name(scene, texture));
    } else {
        out->path = find_path(textures, texture);
        used->request.uri = out->path;
    }
    used->name = out->path;
}

void fbx_texture_fini(struct fbx_texture *texture)
{
    free(texture->path);
    *texture = (struct fbx_texture){0};
}
