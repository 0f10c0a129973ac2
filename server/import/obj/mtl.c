/* mtl.c - reads material libraries: the numbers and maps of the materials that polygons use. A statement whose values
 * are none is skipped: a library never makes a model unreadable. */
#include "import/obj/obj.h"

#include "base/mem.h"
#include "import/source/source_path.h"
#include "import/source/source_search.h"
#include "import/text/text_utf8.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- statements --- */

static const struct {
    const char *keyword;
    size_t member;
    uint32_t count;
} NUMBERS[] = {
    {"Kd", offsetof(struct mtl_material, color), 3},           {"Ks", offsetof(struct mtl_material, specular), 3},
    {"Ke", offsetof(struct mtl_material, emission), 3},        {"Ns", offsetof(struct mtl_material, exponent), 1},
    {"d", offsetof(struct mtl_material, opacity), 1},          {"Tr", offsetof(struct mtl_material, opacity), 1},
    {"Pr", offsetof(struct mtl_material, roughness), 1},       {"Pm", offsetof(struct mtl_material, metallic), 1},
    {"illum", offsetof(struct mtl_material, illumination), 1},
};

static const struct {
    const char *keyword;
    enum texture_use use;
    bool is_normal_map; /* counts before maps of heights */
} MAPS[] = {
    {"map_Kd", USE_BASE_COLOR, false}, {"map_Ke", USE_EMISSIVE, false},     {"map_emissive", USE_EMISSIVE, false},
    {"map_d", USE_OPACITY, false},     {"map_opacity", USE_OPACITY, false}, {"map_Pr", USE_ROUGHNESS, false},
    {"map_Pm", USE_METALLIC, false},   {"norm", USE_NORMALS, true},         {"map_Bump", USE_NORMALS, false},
    {"bump", USE_NORMALS, false},
};

/* What the materials of models cannot say, or say in another way. */
static const char *const WITHOUT_EFFECT[] = {"Ka",     "Ni",      "Tf",       "sharpness", "Pc",     "Pcr",
                                             "Ps",     "aniso",   "anisor",   "map_Ka",    "map_Ks", "map_Ns",
                                             "map_Ps", "map_aat", "map_Disp", "disp",      "decal",  "refl"};

/* Sets a member from as many numbers as it has. One number of a colour is all three. */
static bool read_numbers(struct obj_text *text, float *member, uint32_t count)
{
    double values[3];
    const uint32_t found = obj_numbers(text, values, count);
    for (uint32_t k = 0; k < found; k++)
        if (!isfinite((float)values[k]))
            return false;
    for (uint32_t k = 0; found > 0 && k < count; k++)
        member[k] = (float)values[k < found ? k : 0];
    return found > 0;
}

static bool read_number_statement(struct obj_text *text, struct obj_word keyword, struct mtl_material *material)
{
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        if (!obj_is(keyword, NUMBERS[i].keyword))
            continue;
        float *member = (float *)(void *)((char *)material + NUMBERS[i].member);
        struct obj_text ahead = *text;
        if (obj_is(obj_next_word(&ahead), "-halo")) /* less opaque towards the middle, by this number there */
            *text = ahead;
        if (!read_numbers(text, member, NUMBERS[i].count))
            return false;
        if (obj_is(keyword, "Tr"))
            *member = 1 - *member;
        return true;
    }
    return false;
}

static bool read_map_statement(struct obj_text *text, struct obj_word keyword, const char *folder,
                               struct mtl_material *material)
{
    for (size_t i = 0; i < sizeof MAPS / sizeof *MAPS; i++) {
        if (!obj_is(keyword, MAPS[i].keyword))
            continue;
        struct mtl_map *map = &material->maps[MAPS[i].use];
        if (map->is_normal_map && !MAPS[i].is_normal_map)
            return true;
        *map = (struct mtl_map){.folder = folder, .is_normal_map = MAPS[i].is_normal_map};
        mtl_read_map(obj_rest(text), map);
        return true;
    }
    return false;
}

static bool is_without_effect(struct obj_word keyword)
{
    for (size_t i = 0; i < sizeof WITHOUT_EFFECT / sizeof *WITHOUT_EFFECT; i++)
        if (obj_is(keyword, WITHOUT_EFFECT[i]))
            return true;
    return false;
}

/* --- a library --- */

static void read_library(struct obj *obj, struct obj_text text, const char *folder, const char *where)
{
    struct mtl_material *material = NULL; /* NULL: before the first, or one that no polygon uses */
    struct obj_skipped skipped = {0};
    struct obj_word keyword;
    bool is_first = true;
    while (obj_next_line(&text, &keyword)) {
        if (obj_is(keyword, "newmtl")) {
            const uint32_t found = obj_names_find(&obj->materials, 0, obj_rest(&text));
            material = found == OBJ_NONE ? NULL : &obj->library[found];
            is_first = false;
            if (material != NULL)
                material->is_defined = true;
        } else if (material == NULL
                       ? is_first
                       : !read_number_statement(&text, keyword, material) &&
                             !read_map_statement(&text, keyword, folder, material) && !is_without_effect(keyword))
            obj_skip(&skipped, &text, keyword);
    }
    obj_warn_of_skipped(obj->import, &skipped, where);
}

static void keep(struct obj *obj, void *text)
{
    obj->kept = mem_grow(obj->kept, &obj->kept_capacity, (size_t)obj->kept_count + 1, sizeof *obj->kept);
    obj->kept[obj->kept_count++] = text;
}

/* The path from the model's folder to that of the file: "../mats/", or "". Both are normalised. */
static char *folder_from(const char *model, const char *file)
{
    size_t shared = 0, above = 0;
    for (size_t i = 0; model[i] != '\0' && model[i] == file[i]; i++)
        shared = model[i] == '/' ? i + 1 : shared;
    for (const char *at = model + shared; (at = strchr(at, '/')) != NULL; at++)
        above++;
    const char *slash = strrchr(file + shared, '/');
    const size_t below = slash != NULL ? (size_t)(slash + 1 - (file + shared)) : 0;
    char *folder = mem_zalloc(3 * above + below + 1, 1);
    for (size_t i = 0; i < above; i++)
        memcpy(folder + 3 * i, "../", 3);
    memcpy(folder + 3 * above, file + shared, below);
    return folder;
}

/* A file under several names is read once. */
static void read_found(struct obj *obj, const struct source_bytes *found)
{
    char model[SOURCE_PATH_SIZE];
    struct err err;
    const struct obj_word path = {found->path, strlen(found->path)};
    const uint32_t known = obj->library_paths.count;
    if (obj_names_add(&obj->library_paths, 0, path) < known)
        return;
    uint8_t *own;
    struct obj_text text = {(const char *)found->bytes, (const char *)found->bytes + found->size_bytes, 0};
    size_t size_bytes;
    if (text_to_utf8(found->bytes, found->size_bytes, &own, &size_bytes)) {
        text = (struct obj_text){(char *)own, (char *)own + size_bytes, 0};
        keep(obj, own);
    }
    if (source_path_of_model(obj->import->path, model, &err) < 0)
        return;
    char *folder = folder_from(model, found->path);
    keep(obj, folder);
    read_library(obj, text, folder, found->path);
}

/* --- all libraries --- */

/* The length of the first file in a list of files: up to a blank behind ".mtl". */
static size_t first_file(struct obj_word list)
{
    static const char ENDING[] = ".mtl";
    enum { ENDING_BYTES = sizeof ENDING - 1 };
    for (size_t at = 0; at + ENDING_BYTES < list.length; at++)
        if (strncasecmp(list.begin + at, ENDING, ENDING_BYTES) == 0 && strchr(" \t", list.begin[at + ENDING_BYTES]))
            return at + ENDING_BYTES;
    return list.length;
}

/* `search`: source_search() or source_search_guess(). */
static bool read_file(struct obj *obj, struct obj_word name,
                      int (*search)(struct import *import, const char *path, enum source_role role,
                                    struct source_bytes *out, struct err *err),
                      struct err *err)
{
    struct source_bytes found;
    char *path = mem_strndup(name.begin, name.length);
    const bool is_found = search(obj->import, path, SOURCE_COMPANION, &found, err) == 0;
    free(path);
    if (is_found)
        read_found(obj, &found);
    return is_found;
}

/* Programs rename models without their libraries: NAME.mtl beside NAME.obj stands for one that is missing. */
static void read_instead(struct obj *obj, struct obj_word name, const struct err *why)
{
    struct err err;
    const char *model = import_file_name(obj->import), *dot = strrchr(model, '.');
    const int stem = dot != NULL ? (int)(dot - model) : (int)strlen(model);
    char path[SOURCE_PATH_SIZE];
    snprintf(path, sizeof path, "%.*s.mtl", stem, model);
    const bool is_found = read_file(obj, (struct obj_word){path, strlen(path)}, source_search_guess, &err);
    bake_warn(obj->import->builder, "companion_missing", "'%.*s': %s%s%s%s", obj_shown(name), name.begin, why->message,
              is_found ? "; '" : "", is_found ? path : "", is_found ? "' is taken" : "");
}

/* The value of one mtllib: a file whose name may have blanks, or several files. */
static void read_files(struct obj *obj, struct obj_word list)
{
    struct err err;
    const bool is_one = first_file(list) == list.length;
    if (list.length == 0 || read_file(obj, list, source_search, &err))
        return;
    while (list.length > 0) {
        const struct obj_word name = {list.begin, first_file(list)};
        if (is_one || !read_file(obj, name, source_search, &err))
            read_instead(obj, name, &err);
        list.begin += name.length;
        list.length -= name.length;
        for (; list.length > 0 && strchr(" \t", *list.begin) != NULL; list.length--)
            list.begin++;
    }
}

void obj_read_libraries(struct obj *obj)
{
    static const struct mtl_material PLAIN = {
        .color = {1, 1, 1}, .opacity = 1, .roughness = -1, .metallic = -1, .illumination = -1};
    obj->library = mem_alloc(obj->materials.count * sizeof *obj->library);
    for (uint32_t m = 0; m < obj->materials.count; m++)
        obj->library[m] = PLAIN;
    for (uint32_t i = 0; i < obj->libraries.count; i++)
        read_files(obj, obj->libraries.items[i].word);
}
