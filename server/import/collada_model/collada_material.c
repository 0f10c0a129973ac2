/* collada_material.c - converts materials to metallic-roughness ones, in the file's order. */
#include "import/collada_model/collada_effect.h"
#include "import/collada_model/collada_image.h"
#include "import/collada_model/collada_model.h"
#include "import/texture/material_values.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One material while it is read. */
struct one {
    struct collada_effect effect;
    struct collada_picture pictures[TEXTURE_USE_COUNT];
    struct material_textures textures;
    struct texcoord_sets texcoords; /* places in names */
    const char *names[TEXTURE_USE_COUNT];
    uint32_t name_count;
};

/* --- textures --- */

/* Returns the number of a texture's coordinate name; equal names within a material share a number. */
static int64_t set_of(struct one *one, const char *name)
{
    for (uint32_t i = 0; i < one->name_count; i++)
        if (strcmp(one->names[i], name) == 0)
            return i;
    one->names[one->name_count] = name;
    return one->name_count++;
}

static void find_textures(struct collada_model *model, struct texture_mixer *mixer, const char *name, struct one *one)
{
    one->textures = (struct material_textures){
        .import = model->import, .mixer = mixer, .texcoords = &one->texcoords, .material = name};
    for (int use = 0; use < TEXTURE_USE_COUNT; use++) {
        const struct collada_sampled *sampled = &one->effect.textures[use];
        if (sampled->path == NULL)
            continue;
        struct collada_picture *picture = &one->pictures[use];
        struct used_texture *used = &one->textures.uses[use];
        collada_picture_read(&model->collada.xml, sampled->image, sampled->path, picture);
        *used = (struct used_texture){
            .is_there = true,
            .request = {.wrap_s = sampled->wrap_s, .wrap_t = sampled->wrap_t, .mag_filter = sampled->mag_filter},
            .name = picture->uri,
            .set = set_of(one, sampled->texcoord),
            .uv_from_texcoord = UV_FROM_TEXCOORD_NONE,
            .is_moved_unknown = sampled->is_moved,
            .height_factor = 1,
        };
        collada_picture_request(picture, sampled->image, model->archive, &used->request);
    }
}

/* --- factors --- */

static void set_factors(const struct collada_effect *effect, struct material *to)
{
    /* A constant material is unlit, so its colour is its emission. */
    material_set_color(to, effect->is_constant && effect->has_emission ? effect->emission : effect->diffuse);
    material_set_opacity(to, (float)effect->opacity);
    material_set_emission(to, effect->emission, 1);
    to->metallic = 0;
    to->roughness = effect->has_highlight ? classic_roughness(effect->specular, (float)effect->shininess) : 1;
}

static int fill(struct one *one, struct material *to, struct err *err)
{
    to->flags =
        (one->effect.is_double_sided ? MATERIAL_DOUBLE_SIDED : 0) | (one->effect.is_constant ? MATERIAL_UNLIT : 0);
    if (material_textures_surface(&one->textures, to, err) < 0)
        return err->code;
    set_factors(&one->effect, to);
    if (material_textures_roughness(&one->textures, to, err) < 0 ||
        material_textures_opacity(&one->textures, to, err) < 0)
        return err->code;
    return 0;
}

/* --- all of them --- */

static int read_material(struct collada_model *model, struct texture_mixer *mixer, uint32_t element, struct err *err)
{
    const struct xml *xml = &model->collada.xml;
    struct collada_material *out = &model->materials[model->material_count];
    struct material to = MATERIAL_PLAIN;
    struct one one = {.texcoords = TEXCOORD_SETS_NONE};
    char where[300];
    const char *name = xml_get(xml, element, "name"), *id = collada_id(xml, element);
    snprintf(where, sizeof where, "material '%.200s'", id);
    collada_effect_read(xml, element, &one.effect);
    find_textures(model, mixer, where, &one);
    int rc = fill(&one, &to, err);
    for (int use = 0; use < TEXTURE_USE_COUNT; use++)
        collada_picture_fini(&one.pictures[use]);
    if (rc < 0)
        return rc;
    *out = (struct collada_material){.element = element};
    for (int place = 0; place < 2; place++)
        if (one.texcoords.sets[place] >= 0)
            out->texcoords[place] = one.names[one.texcoords.sets[place]];
    to.name = bake_textz(model->builder, name != NULL && name[0] != '\0' ? name : id);
    model->material_count++;
    return import_put_material(model->import, &to, err);
}

int collada_read_materials(struct collada_model *model, struct err *err)
{
    const struct xml *xml = &model->collada.xml;
    struct texture_mixer mixer;
    size_t capacity = 0;
    int rc = 0;
    texture_mixer_init(&mixer, model->builder, model->import->limits);
    for (uint32_t l = xml_child(xml, 0, "library_materials"); l != XML_NONE && rc == 0;
         l = xml_next(xml, l, "library_materials"))
        for (uint32_t e = xml_child(xml, l, "material"); e != XML_NONE && rc == 0; e = xml_next(xml, e, "material")) {
            model->materials =
                mem_grow(model->materials, &capacity, (size_t)model->material_count + 1, sizeof *model->materials);
            rc = read_material(model, &mixer, e, err);
        }
    if (rc == 0)
        texture_mixer_end(&mixer);
    else
        texture_mixer_fini(&mixer);
    return rc;
}

int32_t collada_default_material(struct collada_model *model, struct err *err)
{
    struct collada_effect effect;
    struct material material = MATERIAL_PLAIN;
    if (model->default_material >= 0)
        return model->default_material;
    collada_effect_default(&effect);
    for (int i = 0; i < 3; i++)
        effect.diffuse[i] = 1;
    material.flags |= MATERIAL_DOUBLE_SIDED;
    set_factors(&effect, &material);
    if (import_put_material(model->import, &material, err) < 0)
        return err->code;
    model->default_material = (int32_t)model->builder->material_count - 1;
    return model->default_material;
}
