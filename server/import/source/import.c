/* import.c - shared by the readers of all formats: limits, extras, and the last steps of an import. */
#include "import/source/import.h"

#include "import/source/source_parts.h"

#include "base/json_check.h"
#include "base/mem.h"

#include <nettle/sha2.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int import_full(const struct import *import, struct err *err)
{
    return err_set(err, ERR_MODEL_LIMIT, "the baked model would be larger than %s, or than memory allows",
                   LIMIT_TEXT(import->limits, LIMIT_BAKED_BYTES));
}

int import_check_limit(const struct import *import, enum limit limit, uint64_t have, uint64_t more, const char *where,
                       struct err *err)
{
    const uint64_t most = import->limits->value[limit];
    if (have <= most && more <= most - have)
        return 0;
    const char *option = LIMIT_INFO[limit].option;
    return err_set(err, ERR_MODEL_LIMIT, "%s: the model would have more than %llu %s%s%s", where,
                   (unsigned long long)most, LIMIT_INFO[limit].unit, option[0] != '\0' ? ", --" : "", option);
}

const char *import_file_name(const struct import *import)
{
    const char *slash = strrchr(import->path, '/');
    return slash != NULL ? slash + 1 : import->path;
}

/* Counts JSON of the file that the model keeps as it is. Returns false, with a warning, if it cannot keep it. */
static bool keep_json(struct import *import, const char *json, size_t size_bytes, const char *where)
{
    struct bake_builder *builder = import->builder;
    const uint64_t limit = import->limits->value[LIMIT_EXTRAS_BYTES];
    if (!json_is_compact(json, size_bytes)) {
        bake_warn(builder, "extras_dropped", "%s are not JSON as RFC 8259 has it: they are left out", where);
        return false;
    }
    if (size_bytes > limit || import->extras_bytes > limit - size_bytes) {
        bake_warn(builder, "extras_dropped", "the file has more than %llu bytes of extras: some are left out",
                  (unsigned long long)limit);
        return false;
    }
    import->extras_bytes += size_bytes;
    return true;
}

int import_add_extra(struct import *import, enum extra_owner owner, uint32_t index, const char *json, size_t size_bytes,
                     const char *where, struct err *err)
{
    if (!keep_json(import, json, size_bytes, where))
        return 0;
    const struct str text = bake_long_text(import->builder, json, size_bytes);
    return import_put_extra(import, &(struct extra){.owner = owner, .index = index, .json = text}, err);
}

/* --- carried members --- */

int import_add_carried(struct import *import, enum carry_owner owner, uint32_t index, const char *member,
                       const char *json, size_t size_bytes, const char *where, struct err *err)
{
    if (!keep_json(import, json, size_bytes, where))
        return 0;
    const struct carried made = {.owner = owner,
                                 .index = index,
                                 .member = bake_textz(import->builder, member),
                                 .json = bake_long_text(import->builder, json, size_bytes)};
    return import_put_carried(import, &made, err);
}

static int by_owner_and_member(const void *a, const void *b, void *text)
{
    const struct carried *x = a, *y = b;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    const uint32_t least = x->member.size_bytes < y->member.size_bytes ? x->member.size_bytes : y->member.size_bytes;
    const int order = memcmp((const char *)text + x->member.offset, (const char *)text + y->member.offset, least);
    return order != 0 ? order
                      : (x->member.size_bytes > y->member.size_bytes) - (x->member.size_bytes < y->member.size_bytes);
}

void import_sort_carried(struct import *import)
{
    struct bake_builder *builder = import->builder;
    struct carried *all = builder->carried_members;
    uint32_t kept = 0;
    if (builder->is_failed || builder->carried_count == 0)
        return;
    qsort_r(all, builder->carried_count, sizeof *all, by_owner_and_member, builder->text);
    for (uint32_t i = 0; i < builder->carried_count; i++)
        if (kept == 0 || by_owner_and_member(&all[kept - 1], &all[i], builder->text) != 0)
            all[kept++] = all[i];
    builder->carried_count = kept;
}

/* --- the last steps --- */

/* The depth of the tree of nodes. Parents come before their children in node_order. */
static int check_depth(const struct import *import, struct err *err)
{
    const struct bake_builder *builder = import->builder;
    uint32_t *depths = mem_zalloc(builder->node_count, sizeof *depths);
    int rc = 0;
    for (uint32_t i = 0; i < builder->order_count && rc == 0; i++) {
        const uint32_t n = builder->node_order[i];
        const int32_t parent = builder->nodes[n].parent;
        depths[n] = parent < 0 ? 1 : depths[parent] + 1;
        if (depths[n] > import->limits->value[LIMIT_DEPTH])
            rc = err_set(err, ERR_MODEL_LIMIT, "node %u lies %u levels deep, more than %s", n, depths[n],
                         LIMIT_TEXT(import->limits, LIMIT_DEPTH));
    }
    free(depths);
    return rc;
}

static uint64_t drawn_vertices(const struct bake_builder *builder)
{
    uint64_t count = 0;
    for (uint32_t d = 0; d < builder->draw_count; d++)
        count += builder->primitives[builder->draws[d].primitive].vertex_count;
    return count;
}

/* Readers check limits early, before they allocate; here the limits that all formats share are checked for the whole
 * model. */
static int check_limits(const struct import *import, struct err *err)
{
    const struct bake_builder *builder = import->builder;
    const struct {
        enum limit limit;
        uint64_t count;
    } rows[] = {
        {LIMIT_NODES, builder->node_count},
        {LIMIT_JOINTS, builder->joint_count},
        {LIMIT_CLIPS, builder->clip_count},
        {LIMIT_VERTICES, builder->position_count},
        {LIMIT_INDICES, builder->index_count},
        {LIMIT_WEIGHTS, builder->weight_count},
        {LIMIT_KEYS, builder->key_value_count},
        {LIMIT_TEXTURES, builder->texture_count},
        {LIMIT_DRAWN_VERTICES, drawn_vertices(builder)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].count > import->limits->value[rows[i].limit])
            return err_set(err, ERR_MODEL_LIMIT, "the model has %llu %s, more than %s",
                           (unsigned long long)rows[i].count, LIMIT_INFO[rows[i].limit].unit,
                           LIMIT_TEXT(import->limits, rows[i].limit));
    return check_depth(import, err);
}

/* --- markers --- */

static int by_clip_and_time(const void *a, const void *b)
{
    const struct marker *x = a, *y = b;
    if (x->clip != y->clip)
        return x->clip < y->clip ? -1 : 1;
    return x->time_s < y->time_s ? -1 : x->time_s > y->time_s;
}

int import_add_marker(struct import *import, const struct marker *marker, struct err *err)
{
    struct bake_builder *builder = import->builder;
    const uint64_t limit = import->limits->value[LIMIT_MARKERS];
    if (!isfinite(marker->time_s)) {
        bake_warn(builder, "markers_dropped", "a marker of clip %u has no finite time: it is left out", marker->clip);
        return 0;
    }
    if (builder->marker_count >= limit) {
        bake_warn(builder, "markers_dropped", "the clips have more than %llu markers: some are left out",
                  (unsigned long long)limit);
        return 0;
    }
    return import_put_marker(import, marker, err);
}

void import_sort_markers(struct import *import)
{
    struct bake_builder *builder = import->builder;
    if (builder->marker_count > 1)
        qsort(builder->markers, builder->marker_count, sizeof *builder->markers, by_clip_and_time);
}

/* --- nodes --- */

/* Visits each node once: the walk upwards stops at the first node with a known state. */
void import_hide_nodes(struct import *import, const enum visibility *visibilities)
{
    enum { UNKNOWN, SHOWN, HIDDEN };
    struct node *nodes = import->builder->nodes;
    const uint32_t count = import->builder->node_count;
    uint8_t *states = mem_zalloc((size_t)count + 1, sizeof *states);
    uint32_t *path = mem_alloc(count * sizeof *path);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t length = 0;
        for (int32_t at = (int32_t)n; at >= 0 && states[at] == UNKNOWN; at = nodes[at].parent)
            path[length++] = (uint32_t)at;
        while (length > 0) {
            const uint32_t at = path[--length];
            const int32_t parent = nodes[at].parent;
            const bool is_below = parent >= 0 && states[parent] == HIDDEN && visibilities[at] == VISIBILITY_INHERITED;
            states[at] = visibilities[at] == VISIBILITY_HIDDEN || is_below ? HIDDEN : SHOWN;
            if (states[at] == HIDDEN)
                nodes[at].flags |= visibilities[at] == VISIBILITY_HIDDEN ? NODE_HIDDEN | NODE_HIDES : NODE_HIDDEN;
        }
    }
    free(states);
    free(path);
}

/* --- the end --- */

static void hash_number(struct sha256_ctx *sha, uint64_t value, size_t size_bytes)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size_bytes; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    sha256_update(sha, size_bytes, bytes);
}

/* The first section that an empty model does not count: models without it keep the hashes that they had before it. */
enum { LATER_SECTIONS = 52 };

static void hash_section(struct sha256_ctx *sha, uint32_t id, const void *items, uint32_t count, size_t item_bytes)
{
    if (id >= LATER_SECTIONS && count == 0)
        return;
    hash_number(sha, id, 4);
    hash_number(sha, count, 8);
    if (count > 0)
        sha256_update(sha, count * item_bytes, items);
}

void content_hash(const struct bake_builder *builder, uint8_t out[32])
{
    struct sha256_ctx sha;
    struct bake_builder zeroed = *builder;
    struct model_info info = {0};
    if (builder->info_count > 0) {
        info = builder->infos[0];
        memset(info.content_hash, 0, sizeof info.content_hash);
        zeroed.infos = &info;
    }
    sha256_init(&sha);
#define X(id, singular, plural, type, item_bytes)                                                                      \
    if (id < MODEL_COMPILED_ID)                                                                                        \
        hash_section(&sha, id, zeroed.plural, zeroed.singular##_count, sizeof(type));
#include "anim/model/model_sections.def"
#undef X
    sha256_digest(&sha, SHA256_DIGEST_SIZE, out);
}

int import_finish(struct import *import, struct err *err)
{
    struct bake_builder *builder = import->builder;
    uint8_t hash[sizeof import->info->content_hash];
    source_files_warn(import->files, builder);
    if (import_put_drops(import, err) < 0)
        return err->code;
    if (bake_finish(builder, err) < 0 || check_limits(import, err) < 0)
        return err->code;
    content_hash(builder, hash);
    memcpy(builder->infos[0].content_hash, hash, sizeof hash);
    source_files_record(import->files, builder);
    source_parts_record(import->files, builder);
    return 0;
}
