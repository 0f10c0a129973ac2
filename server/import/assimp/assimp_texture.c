/* Textures of assimp's materials: files beside the model and those embedded in it. */
#include "import/assimp/assimp_texture.h"

#include "import/texture/texture.h"

#include <stdlib.h>
#include <string.h>

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

static int add_embedded(struct assimp_job *job, uint32_t index, struct texture_request query, struct err *err)
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
    rc = texture_add(job->import->builder, job->import->files, job->import->limits, &query, err);
    free(tga);
    return rc;
}

static void note_image(struct assimp_job *job, uint32_t before, int32_t image)
{
    for (uint32_t i = before; i < job->import->builder->texture_count; i++)
        job->texture_images[i] = image;
}

/* An embedded picture is decoded once for each content, however many materials use it. */
static int find_or_add(struct assimp_job *job, const char *path, struct texture_request query, struct err *err)
{
    const struct import *import = job->import;
    const int embedded = find_embedded(job->scene, path);
    const uint32_t before = import->builder->texture_count;
    int rc, same_pixels = -1;
    if (embedded < 0) {
        query.uri = path;
        rc = texture_add(import->builder, import->files, import->limits, &query, err);
    } else {
        query.image = embedded;
        query.images = job->texture_images;
        rc = texture_find(import->builder, &query, &same_pixels);
        if (rc < 0)
            rc = same_pixels >= 0 ? texture_share(import->builder, import->limits, &query, same_pixels, err)
                                  : add_embedded(job, (uint32_t)embedded, query, err);
    }
    note_image(job, before, embedded);
    return rc;
}

/* Its move, scale and turn, of which the formats have different notions. */
static void find_transform(const struct aiMaterial *material, enum aiTextureType type, struct assimp_texture *out)
{
    static const float IDENTITY[5] = {0, 0, 1, 1, 0};
    float numbers[5];
    unsigned count = 5;
    const bool is_there =
        aiGetMaterialFloatArray(material, "$tex.uvtrafo", (unsigned)type, 0, numbers, &count) == aiReturn_SUCCESS &&
        count == 5;
    out->is_transformed = is_there && memcmp(numbers, IDENTITY, sizeof numbers) != 0;
    if (out->is_transformed)
        out->transform = (struct aiUVTransform){
            .mTranslation = {numbers[0], numbers[1]}, .mScaling = {numbers[2], numbers[3]}, .mRotation = numbers[4]};
}

bool assimp_texture_find(const struct aiMaterial *material, enum aiTextureType type, struct assimp_texture *out)
{
    enum aiTextureMapMode modes[3] = {aiTextureMapMode_Wrap, aiTextureMapMode_Wrap, aiTextureMapMode_Wrap};
    *out = (struct assimp_texture){0};
    if (aiGetMaterialTexture(material, type, 0, &out->path, NULL, NULL, NULL, NULL, modes, NULL) != aiReturn_SUCCESS ||
        out->path.length == 0)
        return false;
    aiGetMaterialIntegerArray(material, "$tex.uvwsrc", (unsigned)type, 0, &out->set, NULL);
    if (out->set < 0 || out->set >= AI_MAX_NUMBER_OF_TEXTURECOORDS)
        out->set = 0;
    out->wrap_s = wrap_of(modes[0]);
    out->wrap_t = wrap_of(modes[1]);
    find_transform(material, type, out);
    return true;
}

int assimp_texture_add(struct assimp_job *job, const struct assimp_texture *texture, enum texture_content content,
                       struct err *err)
{
    const struct texture_request query = {.wrap_s = texture->wrap_s, .wrap_t = texture->wrap_t, .content = content};
    return find_or_add(job, texture->path.data, query, err);
}
