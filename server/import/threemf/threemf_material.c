/* threemf_material.c - converts the appearance of triangles to the builder's materials and textures. */
#include "import/threemf/threemf.h"

#include "base/hash.h"
#include "base/mem.h"
#include "import/mesh/vertex_set.h"
#include "import/texture/material_values.h"
#include "import/texture/texture.h"
#include "import/texture/texture_mix.h"

#include <stdlib.h>
#include <string.h>

/* The key by which equal materials are shared; no padding. */
struct key {
    float color[4];
    uint32_t base, finish, texture, is_specular;
};

struct threemf_materials {
    struct key *keys; /* [count] */
    int32_t *indices; /* the builder's */
    struct vertex_set set;
    uint32_t count, set_capacity;
    size_t key_capacity, index_capacity;
};

struct threemf_materials *threemf_materials_new(void) { return mem_zalloc(1, sizeof(struct threemf_materials)); }

void threemf_materials_free(struct threemf_materials *materials)
{
    free(materials->keys);
    free(materials->indices);
    free(materials->set.slots);
    free(materials);
}

/* --- textures --- */

static int add_missing_texture(struct threemf *threemf, const struct threemf_group *group, struct err *err)
{
    struct import *import = threemf->import;
    bake_warn(import->builder, "texture_missing", "texture '%.200s': it is not in the package", group->path);
    if (import_check_limit(import, LIMIT_TEXTURES, import->builder->texture_count, 1, "the materials", err) < 0)
        return err->code;
    const struct texture texture = {.uri = bake_textz(import->builder, ""),
                                    .state = TEXTURE_MISSING,
                                    .wrap_s = group->wrap[0],
                                    .wrap_t = group->wrap[1],
                                    .reserved = TEXTURE_IS_MIXED};
    const int index = (int)import->builder->texture_count;
    return import_put_texture(import, &texture, err) < 0 ? err->code : index;
}

/* Returns the builder's texture, which it reads from its part if it is new, or ERR_MODEL_LIMIT. */
static int add_texture(struct threemf *threemf, const struct threemf_group *group, struct err *err)
{
    const int64_t entry = threemf_find_entry(threemf, group->path);
    if (entry < 0)
        return add_missing_texture(threemf, group, err);
    struct texture_request request = {.name = group->path,
                                      .wrap_s = group->wrap[0],
                                      .wrap_t = group->wrap[1],
                                      .content = TEXTURE_COLORS,
                                      .image = (uint32_t)entry + 1};
    if (group->is_nearest) {
        request.mag_filter = TEXTURE_MAG_NEAREST;
        request.min_filter = TEXTURE_MIN_NEAREST_MIPMAP_NEAREST;
    }
    int texture;
    if (texture_find(threemf->import, &request, &texture, err) < 0)
        return err->code;
    if (texture >= 0)
        return texture;
    struct err why = {0};
    uint8_t *bytes = zip_reader_load(threemf->zip, entry, &request.size_bytes, &why);
    static const uint8_t NOTHING[1] = {0};
    request.bytes = bytes != NULL ? bytes : NOTHING;
    texture = texture_add(threemf->import, &request, err);
    free(bytes);
    return texture;
}

static bool has_clear_texels(const struct bake_builder *builder, int index)
{
    const struct texture *texture = &builder->textures[index];
    for (uint64_t i = 0; texture->state == TEXTURE_FOUND && i < (uint64_t)texture->width * texture->height; i++)
        if (builder->pixels[texture->pixel_first + 4 * i + 3] != 255)
            return true;
    return false;
}

static int find_texture(struct threemf *threemf, const struct threemf_paint *paint, struct err *err)
{
    struct threemf_group *group = &threemf->groups[paint->texture];
    if (group->texture < 0)
        group->texture = add_texture(threemf, group, err);
    if (group->texture >= 0 && paint->is_covering && has_clear_texels(threemf->import->builder, group->texture))
        bake_warn(threemf->import->builder, "material_approximated",
                  "texture '%.200s' lies over other colours, which are not seen where it is clear", group->path);
    return group->texture;
}

/* --- materials --- */

static float within_one(double value) { return value > 0 ? value < 1 ? (float)value : 1 : 0; }

/* pbspecular: the nearest metallic-roughness material (materials.md). */
static void set_specular(const struct threemf_finish *finish, struct material *to)
{
    struct specular_glossiness gloss = {.glossiness = within_one(1 - finish->roughness)};
    for (int i = 0; i < 3; i++) {
        gloss.diffuse[i] = to->base_color[i];
        gloss.specular[i] = linear_from_srgb((float)finish->specular[i] / 255);
    }
    gloss.diffuse[3] = to->base_color[3];
    const struct metallic_roughness nearest = specular_glossiness_to_metallic_roughness(&gloss);
    memcpy(to->base_color, nearest.base_color, sizeof nearest.base_color);
    to->metallic = nearest.metallic;
    to->roughness = nearest.roughness;
}

static int add_material(struct threemf *threemf, const struct threemf_paint *paint, const struct key *key,
                        struct err *err)
{
    struct bake_builder *builder = threemf->import->builder;
    struct material to = MATERIAL_PLAIN;
    if (key->base != THREEMF_NONE)
        to.name = threemf->bases[key->base].name;
    memcpy(to.base_color, key->color, sizeof to.base_color);
    if (key->color[3] < 1)
        to.alpha_mode = ALPHA_BLEND;
    if (key->texture != THREEMF_NONE) {
        to.textures[TEXTURE_BASE_COLOR].texture = find_texture(threemf, paint, err);
        if (to.textures[TEXTURE_BASE_COLOR].texture < 0)
            return err->code;
    }
    if (key->finish != THREEMF_NONE && key->is_specular != 0) {
        set_specular(&threemf->finishes[key->finish], &to);
    } else if (key->finish != THREEMF_NONE) {
        to.metallic = within_one(threemf->finishes[key->finish].metallic);
        to.roughness = within_one(threemf->finishes[key->finish].roughness);
    }
    const int index = (int)builder->material_count;
    return import_put_material(threemf->import, &to, err) < 0 ? err->code : index;
}

/* Room for one more in the set. */
static void grow(struct threemf_materials *materials)
{
    if (materials->count < materials->set_capacity)
        return;
    free(materials->set.slots);
    materials->set_capacity = 2 * materials->count + 64;
    vertex_set_init(&materials->set, materials->set_capacity);
    for (uint32_t i = 0; i < materials->count; i++) {
        uint32_t *slot =
            vertex_set_first(&materials->set, hash64(HASH64_SEED, &materials->keys[i], sizeof(struct key)));
        while (*slot != VERTEX_NONE)
            slot = vertex_set_next(&materials->set, slot);
        *slot = i;
    }
}

int threemf_material_of(struct threemf *threemf, const struct threemf_paint *paint, bool is_by_vertex, struct err *err)
{
    struct threemf_materials *materials = threemf->materials;
    struct key key = {.color = {1, 1, 1, 1},
                      .base = paint->base,
                      .finish = paint->finish,
                      .texture = paint->texture,
                      .is_specular = paint->is_specular};
    if (!paint->is_there)
        return -1;
    for (int i = 0; i < 4 && !is_by_vertex; i++)
        key.color[i] = (float)paint->colors[0][i];
    grow(materials);
    uint32_t *slot = vertex_set_first(&materials->set, hash64(HASH64_SEED, &key, sizeof key));
    while (*slot != VERTEX_NONE && memcmp(&materials->keys[*slot], &key, sizeof key) != 0)
        slot = vertex_set_next(&materials->set, slot);
    if (*slot != VERTEX_NONE)
        return materials->indices[*slot];
    const int index = add_material(threemf, paint, &key, err);
    if (index < 0)
        return index;
    materials->keys = mem_grow(materials->keys, &materials->key_capacity, materials->count + 1, sizeof key);
    materials->indices =
        mem_grow(materials->indices, &materials->index_capacity, materials->count + 1, sizeof *materials->indices);
    materials->keys[materials->count] = key;
    materials->indices[materials->count] = index;
    *slot = materials->count++;
    return index;
}
