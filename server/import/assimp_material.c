/* assimp's materials: base colour, its texture, opacity. */
#include "assimp_parts.h"
#include "texture.h"

#include "../base/mem.h"

#include <assimp/material.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sRGB curve (IEC 61966-2-1): colours of these formats are what a painter saw on a screen. */
static float linear_of(float srgb)
{
    if (!(srgb > 0))
        return 0;
    if (srgb >= 1)
        return 1;
    return srgb <= 0.04045f ? srgb / 12.92f : powf((srgb + 0.055f) / 1.055f, 2.4f);
}

static uint32_t wrap_of(enum aiTextureMapMode mode)
{
    return mode == aiTextureMapMode_Clamp || mode == aiTextureMapMode_Decal ? TEXTURE_WRAP_CLAMP
           : mode == aiTextureMapMode_Mirror                                ? TEXTURE_WRAP_MIRROR
                                                                            : TEXTURE_WRAP_REPEAT;
}

static const char *base_name(const char *path)
{
    const char *name = path;
    for (const char *p = path; *p != '\0'; p++)
        if (*p == '/' || *p == '\\')
            name = p + 1;
    return name;
}

/* The embedded texture that a path means: "*3", or the file's name without its folders. -1: none. */
static int find_embedded(const struct aiScene *scene, const char *path)
{
    if (path[0] == '*') {
        char *end;
        const unsigned long index = strtoul(path + 1, &end, 10);
        return end != path + 1 && *end == '\0' && index < scene->mNumTextures ? (int)index : -1;
    }
    const char *name = base_name(path);
    for (uint32_t i = 0; i < scene->mNumTextures && name[0] != '\0'; i++)
        if (strcmp(base_name(scene->mTextures[i]->mFilename.data), name) == 0)
            return (int)i;
    return -1;
}

/* Raw texels as a file that our decoders read: an uncompressed 32-bit TGA, rows top first, whose pixels are laid out
 * as struct aiTexel is. NULL when it has no sensible size; the caller's to free. */
static uint8_t *tga_of(const struct aiTexture *texture, size_t *size_bytes)
{
    if (texture->mWidth == 0 || texture->mHeight == 0 || texture->mWidth > UINT16_MAX || texture->mHeight > UINT16_MAX)
        return NULL;
    const size_t pixel_bytes = (size_t)texture->mWidth * texture->mHeight * sizeof(struct aiTexel);
    uint8_t *tga = malloc(18 + pixel_bytes);
    if (tga == NULL)
        return NULL;
    const uint8_t header[18] = {[2] = 2,
                                [12] = (uint8_t)texture->mWidth,
                                [13] = (uint8_t)(texture->mWidth >> 8),
                                [14] = (uint8_t)texture->mHeight,
                                [15] = (uint8_t)(texture->mHeight >> 8),
                                [16] = 32,
                                [17] = 0x28}; /* top first, 8 bits of alpha */
    memcpy(tga, header, sizeof header);
    memcpy(tga + sizeof header, texture->pcData, pixel_bytes);
    *size_bytes = sizeof header + pixel_bytes;
    return tga;
}

static int add_embedded(struct assimp_job *job, uint32_t index, struct texture_query query, struct err *err)
{
    const struct aiTexture *texture = job->scene->mTextures[index];
    const bool is_file = texture->mHeight == 0;
    uint8_t *tga = is_file ? NULL : tga_of(texture, &query.size_bytes);
    query.uri = NULL;
    query.bytes = is_file ? (const uint8_t *)texture->pcData : tga;
    if (is_file)
        query.size_bytes = texture->mWidth;
    int rc;
    if (query.bytes == NULL) {
        static const uint8_t NOTHING = 0;
        query.bytes = &NOTHING;
        query.size_bytes = 0;
    }
    rc = texture_add(job->import->builder, job->import->opener, job->import->limits, &query, err);
    free(tga);
    return rc;
}

struct embedded {
    int texture; /* of the model, or -1 */
    uint32_t wrap_s, wrap_t;
};

/* Index of the material's base colour texture in the model, -1 when it has none, or a failure. *found says which. */
static int add_texture(struct assimp_job *job, const struct aiMaterial *material, struct embedded *done, bool *found,
                       struct err *err)
{
    const enum aiTextureType types[] = {aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE};
    *found = false;
    for (int t = 0; t < 2; t++) {
        struct aiString path = {0};
        enum aiTextureMapMode modes[3] = {aiTextureMapMode_Wrap, aiTextureMapMode_Wrap, aiTextureMapMode_Wrap};
        if (aiGetMaterialTexture(material, types[t], 0, &path, NULL, NULL, NULL, NULL, modes, NULL) !=
                aiReturn_SUCCESS ||
            path.length == 0)
            continue;
        const struct texture_query query = {.uri = path.data, .wrap_s = wrap_of(modes[0]), .wrap_t = wrap_of(modes[1])};
        const int embedded = find_embedded(job->scene, path.data);
        *found = true;
        if (embedded < 0)
            return texture_add(job->import->builder, job->import->opener, job->import->limits, &query, err);
        struct embedded *known = &done[embedded];
        if (known->texture < 0 || known->wrap_s != query.wrap_s || known->wrap_t != query.wrap_t)
            *known = (struct embedded){add_embedded(job, (uint32_t)embedded, query, err), query.wrap_s, query.wrap_t};
        return known->texture;
    }
    return -1;
}

/* True when part of the picture, not all, is see-through: a grille, hair, leaves. */
static bool has_holes(const struct bake_builder *builder, const struct texture *texture)
{
    if (texture->state != TEXTURE_FOUND)
        return false;
    const uint64_t pixels = (uint64_t)texture->width * texture->height;
    uint64_t clear = 0;
    for (uint64_t i = 0; i < pixels; i++)
        clear += builder->pixels[texture->pixel_first + 4 * i + 3] < 128;
    /* Nearly all: then the alpha channel means something else, gloss for instance. */
    return clear > pixels / 1000 && clear < pixels - pixels / 20;
}

static void set_color(const struct assimp_job *job, const struct aiMaterial *from, bool is_textured,
                      struct material *to)
{
    struct aiColor4D color = {1, 1, 1, 1};
    if (aiGetMaterialColor(from, AI_MATKEY_BASE_COLOR, &color) != aiReturn_SUCCESS)
        aiGetMaterialColor(from, AI_MATKEY_COLOR_DIFFUSE, &color);
    /* In FBX and COLLADA a texture stands in the colour's place; black under a texture means the same elsewhere. */
    const bool is_replaced = strcmp(job->ending, "fbx") == 0 || strcmp(job->ending, "dae") == 0 ||
                             strcmp(job->ending, "zae") == 0 || (color.r <= 0 && color.g <= 0 && color.b <= 0);
    if (is_textured && is_replaced)
        color.r = color.g = color.b = 1;
    float opacity = 1;
    unsigned one = 1;
    if (aiGetMaterialFloatArray(from, AI_MATKEY_OPACITY, &opacity, &one) != aiReturn_SUCCESS)
        opacity = 1;
    /* Wholly invisible is what exporters write that mean the opposite number. */
    if (!(opacity > 0) || opacity > 1)
        opacity = 1;
    to->base_color[0] = linear_of(color.r);
    to->base_color[1] = linear_of(color.g);
    to->base_color[2] = linear_of(color.b);
    to->base_color[3] = opacity;
    to->alpha_mode = opacity < 0.999f ? ALPHA_BLEND : ALPHA_OPAQUE;
}

/* Formats whose materials or surfaces say whether their backs are seen; in the others nothing says that they are not.
 */
static bool has_sides(const struct assimp_job *job)
{
    static const char *const ENDINGS[] = {"3ds", "ac", "ac3d", "b3d", "lwo", "lws", "lxo"};
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++)
        if (strcmp(job->ending, ENDINGS[i]) == 0)
            return true;
    return false;
}

static int add_material(struct assimp_job *job, const struct aiMaterial *from, struct embedded *done, struct err *err)
{
    struct bake_builder *builder = job->import->builder;
    struct material to = MATERIAL_PLAIN;
    bool is_textured;
    to.textures[TEXTURE_BASE_COLOR].texture = add_texture(job, from, done, &is_textured, err);
    if (is_textured && to.textures[TEXTURE_BASE_COLOR].texture < 0)
        return to.textures[TEXTURE_BASE_COLOR].texture;
    set_color(job, from, is_textured, &to);
    if (is_textured && to.alpha_mode == ALPHA_OPAQUE &&
        has_holes(builder, &builder->textures[to.textures[TEXTURE_BASE_COLOR].texture]))
        to.alpha_mode = ALPHA_MASK;
    int is_two_sided = !has_sides(job), shading = 0;
    aiGetMaterialIntegerArray(from, AI_MATKEY_TWOSIDED, &is_two_sided, NULL);
    aiGetMaterialIntegerArray(from, AI_MATKEY_SHADING_MODEL, &shading, NULL);
    to.flags = (is_two_sided != 0 ? MATERIAL_DOUBLE_SIDED : 0) |
               (shading == (int)aiShadingMode_NoShading ? MATERIAL_UNLIT : 0);
    struct aiString name = {0};
    if (aiGetMaterialString(from, AI_MATKEY_NAME, &name) == aiReturn_SUCCESS)
        to.name = assimp_text(builder, &name);
    struct material *added = bake_add_material(builder, 1);
    if (added == NULL)
        return assimp_no_room(job, err);
    *added = to;
    return 0;
}

int assimp_materials(struct assimp_job *job, struct err *err)
{
    if (job->is_skeleton)
        return 0;
    struct embedded *done = mem_alloc((job->scene->mNumTextures + 1) * sizeof *done);
    for (uint32_t i = 0; i < job->scene->mNumTextures; i++)
        done[i].texture = -1;
    int rc = 0;
    for (uint32_t m = 0; m < job->scene->mNumMaterials && rc == 0; m++)
        rc = add_material(job, job->scene->mMaterials[m], done, err);
    free(done);
    return rc;
}
