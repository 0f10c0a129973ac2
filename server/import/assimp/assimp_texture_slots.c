/* assimp_texture_slots.c - which of a material's textures goes where: normal maps out of height maps, metallic and
 * roughness packed into one, opacity into alpha. */
#include "import/assimp/assimp.h"

#include <math.h>
#include <string.h>

/* A larger factor of a bump map is an error of the file and is ignored. */
static const float BUMP_FACTOR_MAX = 100;

/* AC3D: texrep, then texoff, where v points up; ours points down. What the numbers of other formats mean is not certain
 * enough. False: they are not taken. */
static bool take_transform(const struct assimp_job *job, const struct aiUVTransform *from, float uv_from_texcoord[6])
{
    if (!assimp_is_format(job, "ac ac3d"))
        return false;
    const float m[6] = {
        from->mScaling.x, 0, from->mTranslation.x, 0, from->mScaling.y, 1 - from->mScaling.y - from->mTranslation.y};
    for (int i = 0; i < 6; i++)
        if (!isfinite(m[i]))
            return false;
    memcpy(uv_from_texcoord, m, sizeof m);
    return true;
}

/* Puts a texture into its slot, unless its coordinates would be a third set. */
static void place(struct assimp_job *job, uint32_t material, const struct assimp_texture *from, int texture,
                  struct material_texture *to)
{
    const int set = texcoord_place(&job->texcoords[material], from->set);
    if (set < 0) {
        bake_warn(job->import->builder, "texcoords_beyond_two",
                  "material %u lays its textures by more than two sets of coordinates: '%s' is left out", material,
                  from->path.data);
        return;
    }
    if (from->is_transformed && !take_transform(job, &from->transform, to->uv_from_texcoord))
        bake_warn(job->import->builder, "texture_transform_ignored",
                  "material %u moves, scales or turns '%s', which is not drawn so", material, from->path.data);
    to->texture = texture;
    to->texcoord_set = (uint32_t)set;
}

static bool is_found(const struct assimp_job *job, int texture)
{
    return texture >= 0 && job->import->builder->textures[texture].state == TEXTURE_FOUND;
}

static bool is_same(const struct assimp_texture *a, const struct assimp_texture *b)
{
    return strcmp(a->path.data, b->path.data) == 0;
}

/* The first of these types that the material has. */
static bool find(const struct assimp_job *job, uint32_t material, const enum aiTextureType *types, size_t count,
                 struct assimp_texture *out)
{
    for (size_t i = 0; i < count; i++)
        if (assimp_texture_find(job->scene->mMaterials[material], types[i], out))
            return true;
    return false;
}
#define FIND(job, material, types, out) find(job, material, types, sizeof(types) / sizeof *(types), out)

static const enum aiTextureType BASE_TYPES[] = {aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE};

/* The material's texture of these types into a slot, where it has one. */
static int add(struct assimp_job *job, uint32_t material, const enum aiTextureType *types, size_t count,
               enum texture_content content, struct material_texture *to, struct err *err)
{
    struct assimp_texture found;
    if (!find(job, material, types, count, &found))
        return 0;
    const int texture = assimp_texture_add(job, &found, content, err);
    if (texture < 0)
        return texture;
    place(job, material, &found, texture, to);
    return 0;
}

/* The factor of the heights; in OBJ it is a property of the texture. */
static float bump_factor(const struct aiMaterial *material, enum aiTextureType type)
{
    float factor = 1;
    unsigned one = 1;
    if (aiGetMaterialFloatArray(material, "$tex.bumpmult", (unsigned)type, 0, &factor, &one) != aiReturn_SUCCESS) {
        one = 1;
        aiGetMaterialFloatArray(material, AI_MATKEY_BUMPSCALING, &factor, &one);
    }
    return fabsf(factor) <= BUMP_FACTOR_MAX ? factor : 1;
}

/* A map of heights as one of normals. */
static int mix_heights(struct assimp_job *job, enum aiTextureType type, uint32_t material, int *texture,
                       struct err *err)
{
    const float height = NORMAL_MAP_HEIGHT * bump_factor(job->scene->mMaterials[material], type);
    const struct texture_mix mix = {.kind = MIX_HEIGHTS, .a = *texture, .b = -1, .factors = {height}};
    *texture = texture_mix(&job->mixer, &mix, err);
    return *texture < 0 ? *texture : 0;
}

/* Files use the same slots for normals and heights, so the picture itself must tell them apart. */
static int add_normals(struct assimp_job *job, uint32_t material, struct material *to, struct err *err)
{
    static const enum aiTextureType TYPES[] = {aiTextureType_NORMALS, aiTextureType_NORMAL_CAMERA,
                                               aiTextureType_HEIGHT};
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        struct assimp_texture found;
        if (!assimp_texture_find(job->scene->mMaterials[material], TYPES[i], &found))
            continue;
        int texture = assimp_texture_add(job, &found, TEXTURE_DATA, err);
        if (texture < 0)
            return texture;
        if (is_found(job, texture) && !texture_is_normal_map(job->import->builder, texture) &&
            mix_heights(job, TYPES[i], material, &texture, err) < 0)
            return err->code;
        place(job, material, &found, texture, &to->textures[TEXTURE_NORMAL]);
        return 0;
    }
    return 0;
}

/* Exporters use the diffuse texture for the ambient colour, which assimp takes for a light map; and a picture with
 * colours is light, not occlusion. */
static int add_occlusion(struct assimp_job *job, uint32_t material, struct material *to, struct err *err)
{
    static const enum aiTextureType TYPES[] = {aiTextureType_AMBIENT_OCCLUSION, aiTextureType_LIGHTMAP};
    struct assimp_texture base, found;
    if (!FIND(job, material, TYPES, &found) || (FIND(job, material, BASE_TYPES, &base) && is_same(&base, &found)))
        return 0;
    const int texture = assimp_texture_add(job, &found, TEXTURE_DATA, err);
    if (texture < 0)
        return texture;
    if (!is_found(job, texture) || texture_is_grey(job->import->builder, texture))
        place(job, material, &found, texture, &to->textures[TEXTURE_OCCLUSION]);
    else
        texture_mixer_drop(&job->mixer, texture);
    return 0;
}

int assimp_surface_textures(struct assimp_job *job, uint32_t material, struct material *to, struct err *err)
{
    static const enum aiTextureType EMISSIVE_TYPES[] = {aiTextureType_EMISSION_COLOR, aiTextureType_EMISSIVE};
    if (add(job, material, BASE_TYPES, 2, TEXTURE_COLORS, &to->textures[TEXTURE_BASE_COLOR], err) < 0 ||
        add_normals(job, material, to, err) < 0 ||
        add(job, material, EMISSIVE_TYPES, 2, TEXTURE_COLORS, &to->textures[TEXTURE_EMISSIVE], err) < 0)
        return err->code;
    return add_occlusion(job, material, to, err);
}

/* A part of a mix: *texture is -1 where the material has none, or it is not there. */
static int find_part(struct assimp_job *job, uint32_t material, enum aiTextureType type, struct assimp_texture *out,
                     int *texture, struct err *err)
{
    *texture = -1;
    if (!assimp_texture_find(job->scene->mMaterials[material], type, out))
        return 0;
    const int added = assimp_texture_add(job, out, TEXTURE_DATA, err);
    if (added < 0)
        return added;
    if (is_found(job, added))
        *texture = added;
    else
        texture_mixer_drop(&job->mixer, added);
    return 0;
}

int assimp_roughness_texture(struct assimp_job *job, uint32_t material, struct material *to, struct err *err)
{
    struct material_texture *slot = &to->textures[TEXTURE_METALLIC_ROUGHNESS];
    struct assimp_texture metallic, roughness;
    int a, b;
    if (find_part(job, material, aiTextureType_METALNESS, &metallic, &a, err) < 0 ||
        find_part(job, material, aiTextureType_DIFFUSE_ROUGHNESS, &roughness, &b, err) < 0)
        return err->code;
    if (a < 0 && b < 0)
        return 0;
    int texture = a;
    /* One picture for both that is not grey is packed as in glTF. */
    if (!(a >= 0 && b >= 0 && is_same(&metallic, &roughness) && !texture_is_grey(job->import->builder, a))) {
        const struct texture_mix mix = {
            .kind = MIX_METALLIC_ROUGHNESS, .a = a, .b = b, .factors = {to->metallic, to->roughness}};
        texture = texture_mix(&job->mixer, &mix, err);
        if (texture < 0)
            return texture;
    }
    place(job, material, a >= 0 ? &metallic : &roughness, texture, slot);
    if (slot->texture >= 0)
        to->metallic = to->roughness = 1;
    return 0;
}

/* How much of a picture is see-through. */
struct coverage {
    uint64_t texels, clear, veiled; /* clear: alpha below a half; veiled: neither 0 nor 1, or nearly */
};

static struct coverage coverage_of(const struct bake_builder *builder, int texture)
{
    const struct texture *picture = &builder->textures[texture];
    struct coverage out = {.texels = (uint64_t)picture->width * picture->height};
    for (uint64_t i = 0; i < out.texels; i++) {
        const uint8_t alpha = builder->pixels[picture->pixel_first + 4 * i + 3];
        out.clear += alpha < 128;
        out.veiled += alpha > 24 && alpha < 232;
    }
    return out;
}

/* True when part of the picture, not all, is see-through: a grille, hair, leaves. */
static bool has_holes(const struct coverage *coverage)
{
    /* Nearly all: then the alpha channel means something else, gloss for instance. */
    return coverage->clear > coverage->texels / 1000 && coverage->clear < coverage->texels - coverage->texels / 20;
}

/* `is_meant`: the file says that the texture's alpha is opacity. */
static void set_alpha_mode(const struct assimp_job *job, bool is_meant, struct material *to)
{
    const int texture = to->textures[TEXTURE_BASE_COLOR].texture;
    if (to->alpha_mode != ALPHA_OPAQUE || !is_found(job, texture))
        return;
    const struct coverage coverage = coverage_of(job->import->builder, texture);
    if (is_meant && coverage.veiled > coverage.texels / 4)
        to->alpha_mode = ALPHA_BLEND;
    else if (has_holes(&coverage))
        to->alpha_mode = ALPHA_MASK;
}

int assimp_opacity_texture(struct assimp_job *job, uint32_t material, struct material *to, struct err *err)
{
    static const enum aiTextureType TYPES[] = {aiTextureType_OPACITY};
    struct material_texture *slot = &to->textures[TEXTURE_BASE_COLOR];
    struct assimp_texture base, opacity;
    const bool has_base = FIND(job, material, BASE_TYPES, &base);
    const bool is_alpha = has_base && FIND(job, material, TYPES, &opacity) && is_same(&base, &opacity);
    int part = -1;
    if (!is_alpha && find_part(job, material, TYPES[0], &opacity, &part, err) < 0)
        return err->code;
    /* With different coordinates, or without a base picture, the two cannot be mixed. */
    const bool is_mixed = part >= 0 && (!has_base || (is_found(job, slot->texture) && base.set == opacity.set));
    if (is_mixed) {
        const struct texture_mix mix = {.kind = MIX_OPACITY, .a = slot->texture, .b = part};
        const int texture = texture_mix(&job->mixer, &mix, err);
        if (texture < 0)
            return texture;
        place(job, material, &opacity, texture, slot);
    } else if (part >= 0) {
        texture_mixer_drop(&job->mixer, part);
    }
    set_alpha_mode(job, is_alpha || is_mixed, to);
    return 0;
}
