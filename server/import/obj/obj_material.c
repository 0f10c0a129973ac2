/* obj_material.c - converts the libraries' materials to metallic-roughness ones. */
#include "import/obj/obj.h"

#include "base/mem.h"
#include "import/polygons/polygon_mesh.h"
#include "import/source/source_search.h"
#include "import/texture/material_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Models of illum. Those above are of ray tracing, with highlights. */
enum { ILLUMINATION_CONSTANT = 0, ILLUMINATION_DIFFUSE = 1 };

static bool is_absolute(struct obj_word file)
{
    return file.begin[0] == '/' || file.begin[0] == '\\' || memchr(file.begin, ':', file.length) != NULL;
}

/* The path of a map: relative to the library, or as written if that is found at an earlier place. Heap. */
static char *uri_of(struct obj *obj, const struct mtl_map *map)
{
    char *as_written = mem_strndup(map->file.begin, map->file.length);
    if (map->folder[0] == '\0' || is_absolute(map->file))
        return as_written;
    const size_t folder_bytes = strlen(map->folder);
    char *beside = mem_alloc(folder_bytes + map->file.length + 1);
    memcpy(beside, map->folder, folder_bytes);
    memcpy(beside + folder_bytes, as_written, map->file.length + 1);
    const char *const uris[] = {beside, as_written};
    const size_t best = source_search_best(obj->import, uris, 2, SOURCE_TEXTURE);
    free(best == 0 ? as_written : beside);
    return best == 0 ? beside : as_written;
}

static void find_textures(struct obj *obj, const struct mtl_material *from, struct material_textures *textures,
                          char *uris[TEXTURE_USE_COUNT])
{
    for (int use = 0; use < TEXTURE_USE_COUNT; use++) {
        const struct mtl_map *map = &from->maps[use];
        uris[use] = NULL;
        if (map->file.length == 0)
            continue;
        uris[use] = uri_of(obj, map);
        const uint32_t wrap = map->is_clamped ? TEXTURE_WRAP_CLAMP : TEXTURE_WRAP_REPEAT;
        textures->uses[use] = (struct used_texture){
            .is_there = true,
            .request = {.uri = uris[use], .wrap_s = wrap, .wrap_t = wrap},
            .name = uris[use],
            .height_factor = map->height_factor,
        };
        memcpy(textures->uses[use].uv_from_texcoord, map->uv_from_texcoord, sizeof map->uv_from_texcoord);
    }
}

static float roughness_of(const struct mtl_material *from)
{
    if (from->roughness >= 0)
        return fraction((double)from->roughness);
    const bool has_highlight = from->illumination < 0 || from->illumination > ILLUMINATION_DIFFUSE;
    return has_highlight ? classic_roughness(from->specular, from->exponent) : 1;
}

/* A picture is multiplied by the colour, but black stands for a picture in its place. */
static void set_numbers(const struct mtl_material *from, struct material *to)
{
    const bool is_textured = to->textures[TEXTURE_BASE_COLOR].texture >= 0;
    for (int k = 0; k < 3; k++)
        to->base_color[k] = is_textured && is_black(from->color) ? 1 : linear_from_srgb(from->color[k]);
    /* Programs that mean the opposite number write 0. */
    material_set_opacity(to, from->opacity > 0 && from->opacity <= 1 ? from->opacity : 1);
    to->metallic = fraction((double)from->metallic);
    to->roughness = roughness_of(from);
    material_set_emission(to, from->emission, 1);
}

static int add_material(struct obj *obj, uint32_t index, struct texture_mixer *mixer, struct err *err)
{
    char where[32], *uris[TEXTURE_USE_COUNT];
    const struct mtl_material *from = &obj->library[index];
    const struct obj_word name = obj->materials.items[index].word;
    struct texcoord_sets texcoords = TEXCOORD_SETS_NONE;
    struct material to = MATERIAL_PLAIN;
    struct material_textures textures = {
        .import = obj->import, .mixer = mixer, .texcoords = &texcoords, .material = where};
    snprintf(where, sizeof where, "material %u", index);
    to.name = bake_text(obj->import->builder, name.begin, name.length);
    to.flags = MATERIAL_DOUBLE_SIDED; /* nothing in the format says that backs are not seen */
    if (from->illumination >= 0 && from->illumination < ILLUMINATION_DIFFUSE)
        to.flags |= MATERIAL_UNLIT;
    find_textures(obj, from, &textures, uris);
    int rc = material_textures_surface(&textures, &to, err);
    set_numbers(from, &to);
    if (rc == 0)
        rc = material_textures_roughness(&textures, &to, err);
    if (rc == 0)
        rc = material_textures_opacity(&textures, &to, err);
    for (int use = 0; use < TEXTURE_USE_COUNT; use++)
        free(uris[use]);
    return rc < 0 ? rc : import_put_material(obj->import, &to, err);
}

static void warn_of_missing(const struct obj *obj)
{
    uint32_t count = 0, first = 0;
    for (uint32_t m = 0; m < obj->materials.count; m++)
        if (!obj->library[m].is_defined && count++ == 0)
            first = m;
    const struct obj_word name = count > 0 ? obj->materials.items[first].word : (struct obj_word){.begin = ""};
    if (count > 0)
        bake_warn(obj->import->builder, "material_missing",
                  "materials that are in no library are drawn white: %u, the first of them '%.*s'", count,
                  obj_shown(name), name.begin);
}

int obj_add_materials(struct obj *obj, struct err *err)
{
    struct texture_mixer mixer;
    int rc = 0;
    obj_read_libraries(obj);
    warn_of_missing(obj);
    texture_mixer_init(&mixer, obj->import->builder, obj->import->limits);
    for (uint32_t m = 0; m < obj->materials.count && rc == 0; m++)
        rc = add_material(obj, m, &mixer, err);
    if (rc == 0)
        texture_mixer_end(&mixer);
    texture_mixer_fini(&mixer);
    for (uint32_t r = 0; r < obj->run_count && rc == 0; r++)
        if (obj->runs[r].material == OBJ_NONE) {
            rc = polygon_mesh_add_material(obj->import, -1, err);
            break;
        }
    return rc < 0 ? rc : 0;
}

int import_obj(struct import *import, struct err *err)
{
    static const struct obj_word NO_NAME = {.begin = ""};
    const char *bytes = (const char *)import->bytes;
    struct obj obj = {.import = import,
                      .text = {bytes, bytes + import->size_bytes, 0},
                      .object = OBJ_NONE,
                      .group = NO_NAME,
                      .material = NO_NAME,
                      .smoothing = OBJ_NONE};
    int rc = obj_read(&obj, err);
    if (rc == 0)
        rc = obj_add_materials(&obj, err);
    if (rc == 0)
        rc = obj_add_parts(&obj, err);
    free(obj.points);
    free(obj.colors);
    free(obj.texcoords);
    free(obj.normals);
    free(obj.corners);
    free(obj.starts);
    free(obj.runs);
    obj_names_fini(&obj.objects);
    obj_names_fini(&obj.parts);
    obj_names_fini(&obj.materials);
    obj_names_fini(&obj.libraries);
    obj_names_fini(&obj.library_paths);
    free(obj.library);
    for (uint32_t i = 0; i < obj.kept_count; i++)
        free(obj.kept[i]);
    free(obj.kept);
    return rc == 0 && import->builder->is_failed ? import_full(import, err) : rc;
}
