/* gltf_drops.c - names and extras that the model does not have (import_drop()): those of parts of materials, and of the
 * lists of data. */
#include "import/gltf/gltf.h"

#include <stdio.h>
#include <string.h>

enum { GLTF_DROP_PATH_SIZE = 160 };

/* Of the parts of a material, and of their textures: exports write these parts anew. */
static void drop_extras_below(struct gltf *gltf, const cJSON *object, const char *path, const char *where, int depth)
{
    enum { DEPTH_MAX = 3 }; /* extensions, KHR_materials_clearcoat, clearcoatTexture */
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        char deeper[GLTF_DROP_PATH_SIZE];
        if (!cJSON_IsObject(item) || strcmp(item->string, "extras") == 0)
            continue;
        if (strcmp(path, "extensions.") == 0 && !gltf_extension_is_read(item->string))
            continue; /* carried as a whole, or dropped as a whole */
        snprintf(deeper, sizeof deeper, "%s%.40s.", path, item->string);
        if (json_member(item, "extras") != NULL) {
            char what[GLTF_DROP_PATH_SIZE + 8];
            snprintf(what, sizeof what, "%sextras", deeper);
            import_drop(gltf->import, "extras", what, where);
        }
        if (depth < DEPTH_MAX)
            drop_extras_below(gltf, item, deeper, where, depth + 1);
    }
}

void gltf_drop_material_parts(struct gltf *gltf)
{
    for (uint32_t i = 0; i < gltf->lists[GLTF_MATERIALS].count; i++) {
        char where[32];
        snprintf(where, sizeof where, "materials[%u]", i);
        drop_extras_below(gltf, gltf_item(gltf, GLTF_MATERIALS, i), "", where, 1);
    }
}

/* Accessors, buffer views and buffers are others in every file that is made. */
void gltf_drop_names(struct gltf *gltf)
{
    static const enum gltf_list_id LISTS[] = {GLTF_ACCESSORS, GLTF_BUFFER_VIEWS, GLTF_BUFFERS};
    for (size_t l = 0; l < sizeof LISTS / sizeof *LISTS; l++)
        for (uint32_t i = 0; i < gltf->lists[LISTS[l]].count; i++) {
            const cJSON *item = gltf_item(gltf, LISTS[l], i);
            if (json_member(item, "name") != NULL || json_member(item, "extras") != NULL)
                import_drop(gltf->import, "name", "names and extras", GLTF_LIST_NAMES[LISTS[l]]);
        }
}
