/* gltf_extras.c - what a file says of nodes, materials and animations beyond glTF (glTF 2.0, 3.2: "extras"). */
#include "gltf.h"

#include <string.h>

static int add_extra(struct gltf *gltf, enum extra_owner owner, uint32_t index, const char *json, uint64_t *bytes,
                     struct err *err)
{
    struct bake_builder *builder = gltf->builder;
    const size_t size = strlen(json);
    const uint64_t limit = gltf->import->limits->value[LIMIT_EXTRAS_BYTES];
    if (*bytes + size > limit) {
        bake_warn(builder, "extras_dropped", "the file has more than %llu bytes of extras: some are left out",
                  (unsigned long long)limit);
        return 0;
    }
    *bytes += size;
    const struct str text = bake_text(builder, json, size);
    struct extra *extra = bake_add_extra(builder, 1);
    if (extra == NULL)
        return gltf_full(gltf, err);
    *extra = (struct extra){.owner = owner, .index = index, .json = text};
    return 0;
}

int gltf_read_extras(struct gltf *gltf, struct err *err)
{
    static const enum gltf_list_id LISTS[] = {
        [EXTRA_NODE] = GLTF_NODES, [EXTRA_MATERIAL] = GLTF_MATERIALS, [EXTRA_CLIP] = GLTF_ANIMATIONS};
    uint64_t bytes = 0;
    for (uint32_t owner = 0; owner < sizeof LISTS / sizeof *LISTS; owner++)
        for (uint32_t i = 0; i < gltf->lists[LISTS[owner]].count; i++) {
            const cJSON *extras = json_member(gltf_item(gltf, LISTS[owner], i), "extras");
            if (extras == NULL)
                continue;
            /* cJSON writes its own tree, so whatever it took comes out as JSON, and without white space. */
            char *json = cJSON_PrintUnformatted(extras);
            if (json == NULL)
                return err_set(err, ERR_IMPORT_MEMORY, "the importer ran out of memory for the extras of %s[%u]",
                               GLTF_LIST_NAMES[LISTS[owner]], i);
            const int rc = add_extra(gltf, (enum extra_owner)owner, i, json, &bytes, err);
            cJSON_free(json);
            if (rc < 0)
                return rc;
        }
    return 0;
}
