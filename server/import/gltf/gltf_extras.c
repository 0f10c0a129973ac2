/* gltf_extras.c - what a file says of nodes, materials and animations beyond glTF (glTF 2.0, 3.2: "extras"): the text
 * of the file, so that numbers keep every digit, without the white space. */
#include "import/gltf/gltf.h"
#include "import/text/json_span.h"

#include <stdio.h>

/* The extras of all items of one top-level list. `compact` is for one value without white space. */
static int read_list(struct gltf *gltf, enum extra_owner owner, const char *name, const cJSON *list,
                     struct json_span span, struct buf *compact, struct err *err)
{
    struct json_walk walk;
    const cJSON *item;
    struct json_span item_span, extras_span;
    json_walk_init(&walk, list, span);
    for (uint32_t i = 0; json_walk_next(&walk, &item, &item_span); i++) {
        if (!json_span_member(item, item_span, json_member(item, "extras"), &extras_span))
            continue;
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
    return rc;
}
