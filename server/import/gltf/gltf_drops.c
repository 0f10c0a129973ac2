/* gltf_drops.c - what the model does not have of the file, for those who make another file of the model. */
#include "import/gltf/gltf.h"

#include <stdio.h>
#include <string.h>

enum { GLTF_DROP_PATH_SIZE = 160 };

/* Copies the beginning of a text of the file as it may stand in JSON and in messages. */
static void copy_plain(char *out, size_t size, const char *text)
{
    size_t i = 0;
    for (; text[i] != '\0' && i + 1 < size; i++)
        out[i] = text[i] < ' ' || text[i] > '~' || text[i] == '"' || text[i] == '\\' ? '?' : text[i];
    out[i] = '\0';
}

void gltf_drop(struct gltf *gltf, const char *code, const char *what, const char *where)
{
    struct gltf_drop drop = {.code = code, .count = 1};
    copy_plain(drop.what, sizeof drop.what, what);
    for (uint32_t i = 0; i < gltf->drop_count; i++)
        if (strcmp(gltf->drops[i].code, code) == 0 && strcmp(gltf->drops[i].what, drop.what) == 0) {
            gltf->drops[i].count++;
            return;
        }
    if (gltf->drop_count == GLTF_DROPS_MAX)
        return;
    copy_plain(drop.where, sizeof drop.where, where);
    gltf->drops[gltf->drop_count++] = drop;
}

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
            gltf_drop(gltf, "extras", what, where);
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

int gltf_put_drops(struct gltf *gltf, struct err *err)
{
    for (uint32_t i = 0; i < gltf->drop_count; i++) {
        const struct gltf_drop *drop = &gltf->drops[i];
        char json[256], more[40] = "";
        if (drop->count > 1)
            snprintf(more, sizeof more, " and %u more", drop->count - 1);
        const int size = snprintf(json, sizeof json, "\"%s%s%s%s\"", drop->what, drop->where[0] == '\0' ? "" : ": ",
                                  drop->where, more);
        if (import_add_carried(gltf->import, CARRY_NOTHING, i, drop->code, json, (size_t)size, "notes", err) < 0)
            return err->code;
    }
    import_sort_carried(gltf->import);
    return 0;
}
