/* gltf_extras.c - what a file says of nodes, materials and animations beyond glTF (glTF 2.0, 3.2: "extras"): the text
 * of the file, so that numbers keep every digit, without the white space. */
#include "import/text/extras.h"
#include "import/gltf/gltf.h"
#include "import/text/json_span.h"

#include <stdio.h>

struct extras_reader {
    struct gltf *gltf;
    struct extras extras;
    struct buf buf; /* one value without white space */
};

static int add_extra(struct extras_reader *reader, enum extra_owner owner, uint32_t index, const char *list,
                     struct err *err)
{
    char where[64];
    snprintf(where, sizeof where, "%s[%u].extras", list, index);
    if (extras_add(&reader->extras, owner, index, reader->buf.data, reader->buf.size_bytes, where) < 0)
        return gltf_full(reader->gltf, err);
    return 0;
}

/* The extras of all items of one top-level list. */
static int read_list(struct extras_reader *reader, enum extra_owner owner, const char *name, const cJSON *list,
                     struct json_span source, struct err *err)
{
    struct json_walk walk;
    const cJSON *item;
    struct json_span item_source, extras_source;
    json_walk_init(&walk, list, source);
    for (uint32_t i = 0; json_walk_next(&walk, &item, &item_source); i++) {
        if (!json_span_member(item, item_source, json_member(item, "extras"), &extras_source))
            continue;
        buf_clear(&reader->buf);
        json_span_compact(&reader->buf, extras_source);
        if (buf_failed(&reader->buf))
            return err_set(err, ERR_IMPORT_MEMORY, "the importer ran out of memory for the extras of %s[%u]", name, i);
        if (add_extra(reader, owner, i, name, err) < 0)
            return err->code;
    }
    return 0;
}

int gltf_read_extras(struct gltf *gltf, struct err *err)
{
    static const enum gltf_list_id LISTS[] = {
        [EXTRA_NODE] = GLTF_NODES, [EXTRA_MATERIAL] = GLTF_MATERIALS, [EXTRA_CLIP] = GLTF_ANIMATIONS};
    const struct json_span root = json_span_of(gltf->json, gltf->json_bytes);
    struct extras_reader reader = {.gltf = gltf, .extras = {.builder = gltf->builder, .limits = gltf->import->limits}};
    buf_init(&reader.buf, gltf->json_bytes + 1);
    int rc = 0;
    for (uint32_t owner = 0; owner < sizeof LISTS / sizeof *LISTS && rc == 0; owner++) {
        const char *name = GLTF_LIST_NAMES[LISTS[owner]];
        const cJSON *list = json_member(gltf->root, name);
        struct json_span source;
        if (json_span_member(gltf->root, root, list, &source))
            rc = read_list(&reader, (enum extra_owner)owner, name, list, source, err);
    }
    buf_fini(&reader.buf);
    return rc;
}
