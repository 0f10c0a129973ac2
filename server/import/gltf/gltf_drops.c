/* gltf_drops.c - tells what the model does not have of the file beside the objects that gltf_carried.c reads
 * (import_drop()): what is in parts of objects, objects that nothing uses, and names of buffers. */
#include "import/gltf/gltf.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GLTF_DROP_PATH_SIZE = 160, DEPTH_MAX = 5 /* channels, target, extensions, KHR_animation_pointer, its extras */ };

/* --- parts of objects --- */

/* A part of an object, to which the path leads: "pbrMetallicRoughness.", "" for the object itself. */
struct drop_part {
    const char *path, *where; /* where: the object */
    int depth;
    bool tells_extras, tells_extensions; /* its own, and not only those below it */
};

static void drop_below(struct gltf *gltf, const cJSON *object, const struct drop_part *part);

/* The extensions that are read are written anew; the others go as a whole. */
static void drop_extensions(struct gltf *gltf, const cJSON *extensions, const struct drop_part *part)
{
    const cJSON *item;
    if (!cJSON_IsObject(extensions)) /* items of a list have no names */
        return;
    cJSON_ArrayForEach(item, extensions)
    {
        char path[GLTF_DROP_PATH_SIZE];
        snprintf(path, sizeof path, "%sextensions.%.60s.", part->path, item->string);
        if (gltf_extension_is_read(item->string))
            drop_below(gltf, item, &(struct drop_part){path, part->where, part->depth + 1, true, true});
        else if (part->tells_extensions) {
            snprintf(path, sizeof path, "%s%s%s", part->where, part->path[0] == '\0' ? "" : ".", part->path);
            path[strlen(path) - (part->path[0] != '\0')] = '\0'; /* without the last dot */
            import_drop(gltf->import, "extension", item->string, path);
        }
    }
}

static void drop_below(struct gltf *gltf, const cJSON *object, const struct drop_part *part)
{
    const cJSON *item, *element;
    char path[GLTF_DROP_PATH_SIZE];
    if (part->depth > DEPTH_MAX || !cJSON_IsObject(object))
        return;
    cJSON_ArrayForEach(item, object)
    {
        snprintf(path, sizeof path, "%s%.40s.", part->path, item->string);
        const struct drop_part below = {path, part->where, part->depth + 1, true, true};
        if (strcmp(item->string, "extras") == 0) {
            path[strlen(path) - 1] = '\0';
            if (part->tells_extras)
                import_drop(gltf->import, "extras", path, part->where);
        } else if (strcmp(item->string, "extensions") == 0) {
            drop_extensions(gltf, item, part);
        } else if (cJSON_IsObject(item)) {
            drop_below(gltf, item, &below);
        } else if (cJSON_IsArray(item) && cJSON_IsObject(item->child)) {
            cJSON_ArrayForEach(element, item) drop_below(gltf, element, &below);
        }
    }
}

/* The list's objects keep their extras. Of some lists, gltf_carried.c reads their own extensions. */
static void drop_parts(struct gltf *gltf, const char *name, const struct gltf_list *list, bool tells_extensions)
{
    for (uint32_t i = 0; i < list->count; i++) {
        char where[64];
        snprintf(where, sizeof where, "%s[%u]", name, i);
        drop_below(gltf, list->items[i], &(struct drop_part){"", where, 0, false, tells_extensions});
    }
}

static void drop_primitive_parts(struct gltf *gltf)
{
    for (uint32_t m = 0; m < gltf->lists[GLTF_MESHES].count; m++) {
        const cJSON *primitives = json_member(gltf_item(gltf, GLTF_MESHES, m), "primitives"), *primitive;
        char where[64];
        snprintf(where, sizeof where, "meshes[%u].primitives", m);
        cJSON_ArrayForEach(primitive, primitives)
            drop_below(gltf, primitive, &(struct drop_part){"", where, 0, false, false});
    }
}

/* --- objects that nothing uses --- */

/* Whether something refers to an object of a list, and the model has it. */
enum use { USE_NONE, USE_REFERRED, USE_HAS };

static void mark(uint8_t *uses, int64_t index, enum use use)
{
    if (index >= 0)
        uses[index] = (uint8_t)use;
}

static int64_t light_of(const cJSON *node)
{
    return json_index(json_member(json_member(node, "extensions"), "KHR_lights_punctual"), "light");
}

static void mark_cameras(const struct gltf *gltf, uint8_t *uses)
{
    const struct bake_builder *builder = gltf->builder;
    for (uint32_t n = 0; n < gltf->lists[GLTF_NODES].count; n++)
        mark(uses, json_index(gltf_item(gltf, GLTF_NODES, n), "camera"), USE_REFERRED);
    for (uint32_t c = 0; c < builder->camera_count; c++)
        mark(uses, json_index(gltf_item(gltf, GLTF_NODES, builder->cameras[c].node), "camera"), USE_HAS);
}

static void mark_lights(const struct gltf *gltf, uint8_t *uses)
{
    const struct bake_builder *builder = gltf->builder;
    for (uint32_t n = 0; n < gltf->lists[GLTF_NODES].count; n++)
        mark(uses, light_of(gltf_item(gltf, GLTF_NODES, n)), USE_REFERRED);
    for (uint32_t l = 0; l < builder->light_count; l++)
        mark(uses, light_of(gltf_item(gltf, GLTF_NODES, builder->lights[l].node)), USE_HAS);
}

/* A texture that the model lacks is told with its image and sampler. */
static void mark_images(const struct gltf *gltf, uint8_t *uses)
{
    for (uint32_t t = 0; t < gltf->lists[GLTF_TEXTURES].count; t++)
        mark(uses, gltf_texture_image(gltf_item(gltf, GLTF_TEXTURES, t)), USE_HAS);
}

static void mark_samplers(const struct gltf *gltf, uint8_t *uses)
{
    for (uint32_t t = 0; t < gltf->lists[GLTF_TEXTURES].count; t++)
        mark(uses, json_index(gltf_item(gltf, GLTF_TEXTURES, t), "sampler"), USE_HAS);
}

static void drop_unused(struct gltf *gltf)
{
    const struct {
        const char *list, *unused, *refused;
        void (*mark_used)(const struct gltf *gltf, uint8_t *uses);
        uint32_t count;
    } kinds[] = {
        {"cameras", "camera without a node", "camera that no camera can be", mark_cameras,
         gltf->lists[GLTF_CAMERAS].count},
        {"lights", "light without a node", "light that no light can be", mark_lights, gltf->lights.count},
        {"images", "image that no texture shows", "", mark_images, gltf->lists[GLTF_IMAGES].count},
        {"samplers", "sampler without a texture", "", mark_samplers, gltf->lists[GLTF_SAMPLERS].count},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        uint8_t *uses = mem_zalloc((size_t)kinds[k].count + 1, 1);
        kinds[k].mark_used(gltf, uses);
        for (uint32_t i = 0; i < kinds[k].count; i++) {
            char where[32];
            snprintf(where, sizeof where, "%s[%u]", kinds[k].list, i);
            if (uses[i] != USE_HAS)
                import_drop(gltf->import, "unused", uses[i] == USE_NONE ? kinds[k].unused : kinds[k].refused, where);
        }
        free(uses);
    }
}

/* --- names --- */

/* Accessors, buffer views and buffers are others in every file that is made. */
static void drop_names(struct gltf *gltf)
{
    static const enum gltf_list_id LISTS[] = {GLTF_ACCESSORS, GLTF_BUFFER_VIEWS, GLTF_BUFFERS};
    for (size_t l = 0; l < sizeof LISTS / sizeof *LISTS; l++)
        for (uint32_t i = 0; i < gltf->lists[LISTS[l]].count; i++) {
            const cJSON *item = gltf_item(gltf, LISTS[l], i);
            if (json_member(item, "name") != NULL || json_member(item, "extras") != NULL)
                import_drop(gltf->import, "name", "names and extras", GLTF_LIST_NAMES[LISTS[l]]);
        }
}

void gltf_drop_rest(struct gltf *gltf)
{
    const cJSON *variants = json_member(json_member(gltf->root, "extensions"), "KHR_materials_variants");
    drop_unused(gltf);
    drop_names(gltf);
    drop_parts(gltf, "materials", &gltf->lists[GLTF_MATERIALS], false);
    drop_parts(gltf, "nodes", &gltf->lists[GLTF_NODES], false);
    drop_primitive_parts(gltf);
    drop_parts(gltf, "animations", &gltf->lists[GLTF_ANIMATIONS], true);
    drop_parts(gltf, "cameras", &gltf->lists[GLTF_CAMERAS], false);
    drop_parts(gltf, "lights", &gltf->lights, false);
    drop_parts(gltf, "textures", &gltf->lists[GLTF_TEXTURES], false);
    drop_parts(gltf, "images", &gltf->lists[GLTF_IMAGES], true);
    drop_parts(gltf, "samplers", &gltf->lists[GLTF_SAMPLERS], true);
    drop_below(gltf, variants, &(struct drop_part){"", "KHR_materials_variants", 0, true, true});
}
