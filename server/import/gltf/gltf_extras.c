/* gltf_extras.c - the extras of nodes, materials and animations (glTF 2.0, 3.2: "extras"), as the file's text without
 * white space. */
#include "import/gltf/gltf.h"

#include "import/gltf_file/json_span.h"

#include <stdio.h>
#include <string.h>

/* wire/export/export.c writes them. */
bool gltf_extra_is_own(enum carry_owner owner, const char *name)
{
    static const char *const OF_ASSET[] = {"model",      "hash",     "format",   "generator",
                                           "frame_rate", "humanoid", "textures", "approximations",
                                           "clip_files", "dropped",  "warnings", "optimized"};
    if (owner == CARRY_MESH)
        return strcmp(name, "targetNames") == 0;
    for (size_t i = 0; i < sizeof OF_ASSET / sizeof *OF_ASSET && owner == CARRY_ASSET; i++)
        if (strcmp(OF_ASSET[i], name) == 0)
            return true;
    return false;
}

/* Adds the markers that posed's own files have in the extras of a clip (protocol/glb.md). Others are plain extras. */
static int read_markers(struct gltf *gltf, uint32_t clip, const cJSON *extras, struct err *err)
{
    const cJSON *list = cJSON_IsObject(extras) ? json_member(extras, "markers") : NULL;
    for (const cJSON *item = cJSON_IsArray(list) ? list->child : NULL; item != NULL; item = item->next) {
        const cJSON *time = cJSON_IsObject(item) ? json_member(item, "time") : NULL;
        const cJSON *name = cJSON_IsObject(item) ? json_member(item, "name") : NULL;
        if (!cJSON_IsNumber(time) || !cJSON_IsString(name))
            continue;
        const struct marker marker = {.clip = clip,
                                      .name = bake_textz(gltf->builder, name->valuestring),
                                      .value = bake_textz(gltf->builder, json_text(item, "value")),
                                      .time_s = time->valuedouble};
        if (import_add_marker(gltf->import, &marker, err) < 0)
            return err->code;
    }
    return 0;
}

/* Adds the extras of all items of one top-level list. `compact` holds one value without white space. */
static int read_list(struct gltf *gltf, enum extra_owner owner, const char *name, const cJSON *list,
                     struct json_span span, struct buf *compact, struct err *err)
{
    struct json_walk walk;
    const cJSON *item;
    struct json_span item_span, extras_span;
    json_walk_init(&walk, list, span);
    for (uint32_t i = 0; json_walk_next(&walk, &item, &item_span); i++) {
        const cJSON *extras = json_member(item, "extras");
        if (!json_span_member(item, item_span, extras, &extras_span))
            continue;
        if (owner == EXTRA_CLIP && read_markers(gltf, i, extras, err) < 0)
            return err->code;
        char where[64];
        snprintf(where, sizeof where, "%s[%u].extras", name, i);
        buf_clear(compact);
        json_span_compact(compact, extras_span);
        if (buf_failed(compact))
            return err_set(err, ERR_IMPORT_MEMORY, "the importer ran out of memory for %s", where);
        if (import_add_extra(gltf->import, owner, i, compact->data, compact->size_bytes, where, err) < 0)
            return err->code;
    }
    return 0;
}

int gltf_read_extras(struct gltf *gltf, struct err *err)
{
    static const enum gltf_list_id LISTS[] = {
        [EXTRA_NODE] = GLTF_NODES, [EXTRA_MATERIAL] = GLTF_MATERIALS, [EXTRA_CLIP] = GLTF_ANIMATIONS};
    const struct json_span root = json_span_of(gltf->json, gltf->json_bytes);
    struct buf compact;
    buf_init(&compact, gltf->json_bytes + 1);
    int rc = 0;
    for (uint32_t owner = 0; owner < sizeof LISTS / sizeof *LISTS && rc == 0; owner++) {
        const char *name = GLTF_LIST_NAMES[LISTS[owner]];
        const cJSON *list = json_member(gltf->root, name);
        struct json_span span;
        if (json_span_member(gltf->root, root, list, &span))
            rc = read_list(gltf, (enum extra_owner)owner, name, list, span, &compact, err);
    }
    buf_fini(&compact);
    import_sort_markers(gltf->import);
    return rc;
}
