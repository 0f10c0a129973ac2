/* assimp_texture.c - textures of assimp's materials: files beside the model and those embedded in it. */
#include "import/assimp/assimp.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static uint32_t wrap_of(enum aiTextureMapMode mode)
{
    return mode == aiTextureMapMode_Clamp || mode == aiTextureMapMode_Decal ? TEXTURE_WRAP_CLAMP
           : mode == aiTextureMapMode_Mirror                                ? TEXTURE_WRAP_MIRROR
                                                                            : TEXTURE_WRAP_REPEAT;
}

/* The embedded texture that a path means: "*3", or the file's name without its folders. -1: none. */
static int find_embedded(const struct aiScene *scene, const char *path)
{
    if (path[0] == '*') {
        char *end;
        const unsigned long index = strtoul(path + 1, &end, 10);
        return end != path + 1 && *end == '\0' && index < scene->mNumTextures ? (int)index : -1;
    }
    const char *name = texture_base_name(path);
    for (uint32_t i = 0; i < scene->mNumTextures && name[0] != '\0'; i++)
        if (strcmp(texture_base_name(scene->mTextures[i]->mFilename.data), name) == 0)
            return (int)i;
    return -1;
}

/* Raw texels as a file for our decoders: an uncompressed 32-bit TGA, rows top first, whose pixels are laid out
 * as struct aiTexel is. NULL when it has no sensible size; the caller's to free. */
static uint8_t *tga_of(const struct aiTexture *texture, size_t *size_bytes)
{
    if (texture->mWidth == 0 || texture->mHeight == 0 || texture->mWidth > UINT16_MAX || texture->mHeight > UINT16_MAX)
        return NULL;
    const size_t pixel_bytes = (size_t)texture->mWidth * texture->mHeight * sizeof(struct aiTexel);
    uint8_t *tga = mem_alloc(18 + pixel_bytes);
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

static int add_embedded(struct assimp_job *job, uint32_t index, struct texture_request *request, struct err *err)
{
    static const uint8_t NOTHING = 0;
    const struct aiTexture *texture = job->scene->mTextures[index];
    const bool is_file = texture->mHeight == 0;
    uint8_t *tga = is_file ? NULL : tga_of(texture, &request->size_bytes);
    request->bytes = is_file ? (const uint8_t *)texture->pcData : tga;
    if (is_file)
        request->size_bytes = texture->mWidth;
    if (request->bytes == NULL) {
        request->bytes = &NOTHING;
        request->size_bytes = 0;
    }
    const int rc = texture_add(job->import, request, err);
    free(tga);
    return rc;
}

/* Translation, scale and rotation of the texture, which formats define differently. */
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
    struct texture_request request = {.wrap_s = texture->wrap_s, .wrap_t = texture->wrap_t, .content = content};
    const int embedded = find_embedded(job->scene, texture->path.data);
    if (embedded < 0) {
        request.uri = texture->path.data;
        return texture_add(job->import, &request, err);
    }
    int found;
    request.image = (uint32_t)embedded + 1;
    if (texture_find(job->import, &request, &found, err) < 0)
        return err->code;
    return found >= 0 ? found : add_embedded(job, (uint32_t)embedded, &request, err);
}
