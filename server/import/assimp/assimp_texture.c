/* assimp_texture.c - finds the textures of assimp's materials, in files or embedded, and the use of each. */
#include "import/assimp/assimp.h"
#include "import/assimp/assimp_mend.h"
#include "import/source/source_path.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t wrap_of(enum aiTextureMapMode mode)
{
    return mode == aiTextureMapMode_Clamp || mode == aiTextureMapMode_Decal ? TEXTURE_WRAP_CLAMP
           : mode == aiTextureMapMode_Mirror                                ? TEXTURE_WRAP_MIRROR
                                                                            : TEXTURE_WRAP_REPEAT;
}

/* Returns the embedded texture that a path names ("*3", or a file name, compared without folders), or -1. */
static int find_embedded(const struct aiScene *scene, const char *path)
{
    if (path[0] == '*') {
        char *end;
        const unsigned long index = strtoul(path + 1, &end, 10);
        return end != path + 1 && *end == '\0' && index < scene->mNumTextures ? (int)index : -1;
    }
    const char *name = source_path_base_name(path);
    for (uint32_t i = 0; i < scene->mNumTextures && name[0] != '\0'; i++)
        if (strcmp(source_path_base_name(scene->mTextures[i]->mFilename.data), name) == 0)
            return (int)i;
    return -1;
}

/* Writes raw texels as an uncompressed 32-bit TGA for our decoders: top row first, pixels laid out like struct aiTexel.
 * Returns NULL if the size is not plausible. The caller frees the result. */
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

static void set_embedded(struct assimp_job *job, uint32_t index, struct texture_request *request)
{
    static const uint8_t NOTHING = 0;
    const struct aiTexture *texture = job->scene->mTextures[index];
    request->image = index + 1;
    if (texture->mHeight == 0) {
        request->bytes = (const uint8_t *)texture->pcData;
        request->size_bytes = texture->mWidth;
    } else {
        struct assimp_tga *tga = &job->tgas[index];
        if (tga->bytes == NULL && (tga->bytes = tga_of(texture, &tga->size_bytes)) != NULL)
            tga->has_holes = assimp_mdl_mask(job, index, tga->bytes, tga->size_bytes);
        request->bytes = tga->bytes;
        request->size_bytes = tga->size_bytes;
    }
    if (request->bytes == NULL) {
        request->bytes = &NOTHING;
        request->size_bytes = 0;
    }
}

/* AC3D: texrep applies first, then texoff. Its v points up, ours down. For other formats the meaning of the numbers is
 * uncertain; returns false if they are ignored. */
static bool take_transform(const struct assimp_job *job, const float numbers[5], float uv_from_texcoord[6])
{
    if (!assimp_is_format(job, "ac ac3d"))
        return false;
    const float m[6] = {numbers[2], 0, numbers[0], 0, numbers[3], 1 - numbers[3] - numbers[1]};
    for (int i = 0; i < 6; i++)
        if (!isfinite(m[i]))
            return false;
    memcpy(uv_from_texcoord, m, sizeof m);
    return true;
}

/* Reads translation, scale and rotation of the texture, which formats define differently. */
static void find_transform(const struct assimp_job *job, const struct aiMaterial *material, enum aiTextureType type,
                           struct used_texture *out)
{
    static const float IDENTITY[5] = {0, 0, 1, 1, 0};
    float numbers[5];
    unsigned count = 5;
    const bool is_there =
        aiGetMaterialFloatArray(material, "$tex.uvtrafo", (unsigned)type, 0, numbers, &count) == aiReturn_SUCCESS &&
        count == 5;
    out->is_moved_unknown = is_there && memcmp(numbers, IDENTITY, sizeof numbers) != 0 &&
                            !take_transform(job, numbers, out->uv_from_texcoord);
}

static float bump_factor(const struct aiMaterial *material)
{
    float factor = 1;
    unsigned one = 1;
    aiGetMaterialFloatArray(material, AI_MATKEY_BUMPSCALING, &factor, &one);
    return fabsf(factor) <= HEIGHT_FACTOR_MAX ? factor : 1;
}

/* Finds the material's first texture of a type. */
static void find(struct assimp_job *job, const struct aiMaterial *material, enum aiTextureType type,
                 struct aiString *path, struct used_texture *out)
{
    enum aiTextureMapMode modes[3] = {aiTextureMapMode_Wrap, aiTextureMapMode_Wrap, aiTextureMapMode_Wrap};
    if (aiGetMaterialTexture(material, type, 0, path, NULL, NULL, NULL, NULL, modes, NULL) != aiReturn_SUCCESS ||
        path->length == 0)
        return;
    if (assimp_is_format(job, "smd"))
        assimp_mend_smd_name(path->data, path->length);
    int set = 0;
    aiGetMaterialIntegerArray(material, "$tex.uvwsrc", (unsigned)type, 0, &set, NULL);
    *out = (struct used_texture){
        .is_there = true,
        .request = {.wrap_s = wrap_of(modes[0]), .wrap_t = wrap_of(modes[1])},
        .name = path->data,
        .set = set < 0 || set >= AI_MAX_NUMBER_OF_TEXTURECOORDS ? 0 : set,
        .uv_from_texcoord = UV_FROM_TEXCOORD_NONE,
        .height_factor = bump_factor(material),
    };
    find_transform(job, material, type, out);
    const int embedded = find_embedded(job->scene, path->data);
    if (embedded < 0)
        out->request.uri = path->data;
    else
        set_embedded(job, (uint32_t)embedded, &out->request);
}

void assimp_textures_find(struct assimp_job *job, uint32_t material, const char *name, struct assimp_paths *paths,
                          struct material_textures *out)
{
    /* If several types serve one use, the first that the material has counts. */
    static const struct {
        enum texture_use use;
        enum aiTextureType type;
    } TYPES[] = {
        {USE_BASE_COLOR, aiTextureType_BASE_COLOR},
        {USE_BASE_COLOR, aiTextureType_DIFFUSE},
        {USE_NORMALS, aiTextureType_NORMALS},
        {USE_NORMALS, aiTextureType_NORMAL_CAMERA},
        {USE_NORMALS, aiTextureType_HEIGHT},
        {USE_EMISSIVE, aiTextureType_EMISSION_COLOR},
        {USE_EMISSIVE, aiTextureType_EMISSIVE},
        {USE_OCCLUSION, aiTextureType_AMBIENT_OCCLUSION},
        {USE_OCCLUSION, aiTextureType_LIGHTMAP},
        {USE_METALLIC, aiTextureType_METALNESS},
        {USE_ROUGHNESS, aiTextureType_DIFFUSE_ROUGHNESS},
        {USE_OPACITY, aiTextureType_OPACITY},
    };
    *out = (struct material_textures){
        .import = job->import, .mixer = &job->mixer, .texcoords = &job->texcoords[material], .material = name};
    if (job->tgas == NULL)
        job->tgas = mem_zalloc((size_t)job->scene->mNumTextures + 1, sizeof *job->tgas);
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        const enum texture_use use = TYPES[i].use;
        if (!out->uses[use].is_there)
            find(job, job->scene->mMaterials[material], TYPES[i].type, &paths->of[use], &out->uses[use]);
    }
}

void assimp_textures_fini(struct assimp_job *job)
{
    for (uint32_t i = 0; job->tgas != NULL && i < job->scene->mNumTextures; i++)
        free(job->tgas[i].bytes);
    free(job->tgas);
    job->tgas = NULL;
}
