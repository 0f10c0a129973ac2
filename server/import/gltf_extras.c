/* gltf_extras.c - what a file says of nodes, materials and animations beyond glTF (glTF 2.0, 3.2: "extras"): the text
 * of the file, so that numbers keep every digit, without the white space. */
#include "gltf.h"
#include "json_source.h"

#include "../anim/json_check.h"

struct extras_reading {
    struct gltf *gltf;
    struct buf buf; /* one value without white space */
    uint64_t bytes; /* of all that were taken */
};

static int add_extra(struct extras_reading *reading, enum extra_owner owner, uint32_t index, const char *where,
                     struct err *err)
{
    struct bake_builder *builder = reading->gltf->builder;
    const struct buf *buf = &reading->buf;
    const uint64_t limit = reading->gltf->import->limits->value[LIMIT_EXTRAS_BYTES];
    /* cJSON takes more than JSON is. */
    if (!json_check(buf->data, buf->size_bytes)) {
        bake_warn(builder, "extras_dropped", "%s[%u].extras is not JSON as RFC 8259 has it: it is left out", where,
                  index);
        return 0;
    }
    if (reading->bytes + buf->size_bytes > limit) {
        bake_warn(builder, "extras_dropped", "the file has more than %llu bytes of extras: some are left out",
                  (unsigned long long)limit);
        return 0;
    }
    reading->bytes += buf->size_bytes;
    const struct str text = bake_long_text(builder, buf->data, buf->size_bytes);
    struct extra *extra = bake_add_extra(builder, 1);
    if (extra == NULL)
        return gltf_full(reading->gltf, err);
    *extra = (struct extra){.owner = owner, .index = index, .json = text};
    return 0;
}

/* The extras of all items of one top-level list. */
static int read_list(struct extras_reading *reading, enum extra_owner owner, const char *name, const cJSON *list,
                     struct json_source source, struct err *err)
{
    struct json_walk walk;
    const cJSON *item;
    struct json_source item_source, extras_source;
    json_walk_init(&walk, list, source);
    for (uint32_t i = 0; json_walk_next(&walk, &item, &item_source); i++) {
        if (!json_source_member(item, item_source, json_member(item, "extras"), &extras_source))
            continue;
        buf_clear(&reading->buf);
        json_source_put(&reading->buf, extras_source);
        if (buf_failed(&reading->buf))
            return err_set(err, ERR_IMPORT_MEMORY, "the importer ran out of memory for the extras of %s[%u]", name, i);
        if (add_extra(reading, owner, i, name, err) < 0)
            return err->code;
    }
    return 0;
}

int gltf_read_extras(struct gltf *gltf, struct err *err)
{
    static const enum gltf_list_id LISTS[] = {
        [EXTRA_NODE] = GLTF_NODES, [EXTRA_MATERIAL] = GLTF_MATERIALS, [EXTRA_CLIP] = GLTF_ANIMATIONS};
    const struct json_source root = json_source_of(gltf->json, gltf->json_bytes);
    struct extras_reading reading = {.gltf = gltf};
    buf_init(&reading.buf, gltf->json_bytes + 1);
    int rc = 0;
    for (uint32_t owner = 0; owner < sizeof LISTS / sizeof *LISTS && rc == 0; owner++) {
        const char *name = GLTF_LIST_NAMES[LISTS[owner]];
        const cJSON *list = json_member(gltf->root, name);
        struct json_source source;
        if (json_source_member(gltf->root, root, list, &source))
            rc = read_list(&reading, (enum extra_owner)owner, name, list, source, err);
    }
    buf_fini(&reading.buf);
    return rc;
}
