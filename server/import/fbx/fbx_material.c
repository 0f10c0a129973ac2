#include "import/fbx/fbx_material.h"

#include "base/mem.h"
#include "import/fbx/fbx_shading.h"
#include "import/fbx/fbx_texture.h"
#include "import/texture/material_values.h"

#include <math.h>
#include <string.h>

struct material_reader {
    struct fbx *fbx;
    struct fbx_textures textures;
    struct texture_mixer mixer;
    bool is_by_blender;
};

/* The state of reading one material. */
struct one {
    struct fbx_shading shading;
    struct fbx_texture found[TEXTURE_USE_COUNT];
    struct material_textures textures;
    struct texcoord_sets texcoords; /* indices in uv_sets */
    struct fbx_span uv_sets[TEXTURE_USE_COUNT];
    uint32_t uv_set_count;
};

/* --- textures --- */

/* The number of a texture coordinate set. Textures of one material that name the same set share it. */
static int64_t set_of(struct one *one, struct fbx_span name)
{
    for (uint32_t i = 0; i < one->uv_set_count; i++)
        if (fbx_span_equal(one->uv_sets[i], name))
            return i;
    one->uv_sets[one->uv_set_count] = name;
    return one->uv_set_count++;
}

static void find_textures(struct material_reader *reader, const char *name, struct one *one)
{
    const struct fbx_shading *shading = &one->shading;
    one->textures = (struct material_textures){
        .import = reader->fbx->import, .mixer = &reader->mixer, .texcoords = &one->texcoords, .material = name};
    for (int use = 0; use < TEXTURE_USE_COUNT; use++) {
        if (shading->textures[use] == FBX_NONE)
            continue;
        struct fbx_texture *found = &one->found[use];
        if (shading->texture_counts[use] > 1)
            bake_warn(reader->fbx->builder, "texture_layers_ignored",
                      "%s: of %u textures for one property the first is drawn", name, shading->texture_counts[use]);
        fbx_texture_read(&reader->textures, shading->textures[use], name, found);
        if (!found->used.is_there)
            continue;
        found->used.set = set_of(one, found->uv_set);
        found->used.height_factor = fabsf(shading->height_factor) <= HEIGHT_FACTOR_MAX ? shading->height_factor : 1;
        found->used.is_gloss = shading->is_gloss;
        one->textures.uses[use] = found->used;
    }
}

/* The layers that became the two that a primitive has. */
static struct fbx_material_uvs uvs_of(const struct one *one)
{
    struct fbx_material_uvs uvs = {.names = {fbx_span_of(""), fbx_span_of("")}};
    for (int place = 0; place < 2; place++) {
        uvs.is_used[place] = one->texcoords.sets[place] >= 0;
        if (uvs.is_used[place])
            uvs.names[place] = one->uv_sets[one->texcoords.sets[place]];
    }
    return uvs;
}

/* --- factors --- */

static void set_color(const struct fbx_shading *shading, struct material *to)
{
    material_set_color(to, shading->color);
    for (int i = 0; i < 3; i++)
        to->base_color[i] *= shading->color_weight;
    /* Wholly invisible is what exporters write that mean the opposite number. */
    material_set_opacity(to, shading->opacity > 0 && shading->opacity <= 1 ? shading->opacity : 1);
}

/* The weight of physical materials is of light, and a texture stands in the colour's place. Of the others it is of the
 * colour. */
static void set_emission(const struct fbx_shading *shading, struct material *to)
{
    const bool is_white = shading->is_emission_physical && to->textures[TEXTURE_EMISSIVE].texture >= 0;
    const float weight = shading->emission_weight > 0 ? fminf(shading->emission_weight, EMISSION_MAX) : 0;
    float color[3];
    for (int i = 0; i < 3; i++)
        color[i] = is_white ? 1 : shading->is_emission_physical ? shading->emission[i] : weight * shading->emission[i];
    material_set_emission(to, color, shading->is_emission_physical ? weight : 1);
}

/* If the file specifies the alpha mode, the image does not decide it. */
static void set_alpha(const struct fbx_shading *shading, struct material *to)
{
    if (shading->alpha_mode == ALPHA_UNKNOWN)
        return;
    to->alpha_mode = shading->alpha_mode;
    to->alpha_cutoff = shading->alpha_cutoff;
    to->base_color[3] = fminf(fmaxf(shading->opacity, 0), 1);
}

static int fill(struct one *one, struct material *to, struct err *err)
{
    const struct fbx_shading *shading = &one->shading;
    to->flags = shading->flags;
    to->metallic = shading->metallic;
    to->roughness = shading->roughness;
    if (material_textures_surface(&one->textures, to, err) < 0)
        return err->code;
    set_color(shading, to);
    set_emission(shading, to);
    to->normal_scale = shading->normal_scale;
    to->occlusion_strength = shading->occlusion_strength;
    if (material_textures_roughness(&one->textures, to, err) < 0 ||
        material_textures_opacity(&one->textures, to, err) < 0)
        return err->code;
    set_alpha(shading, to);
    return 0;
}

/* --- all of them --- */

static int read_material(struct material_reader *reader, uint32_t object, struct err *err)
{
    struct fbx *fbx = reader->fbx;
    struct material to = MATERIAL_PLAIN;
    struct one one = {.texcoords = TEXCOORD_SETS_NONE};
    fbx_shading_read(&fbx->scene, object, reader->is_by_blender, &one.shading);
    find_textures(reader, FBX_OBJECT_TEXT(&fbx->scene, object), &one);
    int rc = fill(&one, &to, err);
    for (int use = 0; use < TEXTURE_USE_COUNT; use++)
        fbx_texture_fini(&one.found[use]);
    if (rc == 0) {
        to.name = fbx_name(fbx, object);
        fbx->material_of[object] = (int32_t)fbx->builder->material_count;
        fbx->material_uvs[fbx->builder->material_count] = uvs_of(&one);
        rc = import_put_material(fbx->import, &to, err);
    }
    return rc;
}

int fbx_read_materials(struct fbx *fbx, struct err *err)
{
    const struct fbx_scene *scene = &fbx->scene;
    struct material_reader reader = {.fbx = fbx, .is_by_blender = fbx_is_by_blender(fbx)};
    uint32_t count = 0;
    fbx->material_of = mem_alloc(scene->object_count * sizeof *fbx->material_of);
    for (uint32_t object = 0; object < scene->object_count; object++) {
        fbx->material_of[object] = -1;
        count += fbx_object_is(scene, object, "Material", NULL);
    }
    fbx->material_uvs = mem_zalloc((size_t)count + 1, sizeof *fbx->material_uvs);
    fbx_textures_init(&reader.textures, fbx);
    texture_mixer_init(&reader.mixer, fbx->builder, fbx->import->limits);
    int rc = 0;
    for (uint32_t object = 0; object < scene->object_count && rc == 0; object++)
        if (fbx_object_is(scene, object, "Material", NULL))
            rc = read_material(&reader, object, err);
    if (rc == 0)
        texture_mixer_end(&reader.mixer);
    else
        texture_mixer_fini(&reader.mixer);
    fbx_textures_fini(&reader.textures);
    return rc;
}
