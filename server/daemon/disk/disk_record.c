/* disk_record.c - encodes and decodes the records at the start of the disk cache's files. */
#include "daemon/disk/disk_record.h"

#include "base/bytes.h"
#include "base/limits.h"
#include "base/mem.h"

#include <string.h>
#include <xxhash.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are little-endian, as the structs in memory");

/* The start of every record. */
struct prefix {
    char magic[8];
    uint32_t version, size_bytes;
};
/* A source without the bytes of its path, which follow. */
struct source_fields {
    uint32_t role, kind;
    struct stamp stamp;
    uint8_t hash[SOURCE_HASH_SIZE];
    uint32_t path_bytes;
};
/* The size of a record's own fields: the members of its struct before the sources. */
enum {
    INDEX_BYTES = offsetof(struct disk_index, sources),
    HEAD_BYTES = offsetof(struct disk_head, sources),
    SOURCE_BYTES_MIN = offsetof(struct source_fields, path_bytes) + sizeof(uint32_t),
    SUM_SIZE = 8,
    PATH_BYTES_MAX = 4095,
};
_Static_assert(sizeof(struct prefix) == DISK_PREFIX_SIZE && INDEX_BYTES == 80 && HEAD_BYTES == 104 &&
                   SOURCE_BYTES_MIN == 76,
               "no padding between fields");

static const char MAGICS[2][9] = {"posedmd\n", "posedix\n"}; /* [is_index] */

/* --- writing --- */

static void put_record(struct buf *out, bool is_index, const void *fields, size_t fields_bytes,
                       const struct sources *sources)
{
    const size_t first = out->size_bytes;
    struct prefix prefix = {.version = DISK_VERSION};
    memcpy(prefix.magic, MAGICS[is_index], sizeof prefix.magic);
    buf_put(out, &prefix, sizeof prefix);
    buf_put(out, fields, fields_bytes);
    buf_put_u32(out, sources->count);
    for (uint32_t i = 0; i < sources->count; i++) {
        const struct source *source = &sources->items[i];
        struct source_fields put = {.role = source->role,
                                    .kind = source->kind,
                                    .stamp = source->stamp,
                                    .path_bytes = (uint32_t)strlen(source->path)};
        memcpy(put.hash, source->hash, sizeof put.hash);
        buf_put(out, &put, SOURCE_BYTES_MIN);
        buf_put(out, source->path, put.path_bytes);
    }
    prefix.size_bytes = (uint32_t)(out->size_bytes - first + SUM_SIZE);
    memcpy(out->data + first, &prefix, sizeof prefix);
    buf_put_u64(out, XXH3_64bits(out->data + first, out->size_bytes - first));
}

void disk_index_encode(const struct disk_index *index, struct buf *out)
{
    put_record(out, true, index, INDEX_BYTES, index->sources);
}

void disk_head_encode(const struct disk_head *head, struct buf *out)
{
    put_record(out, false, head, HEAD_BYTES, head->sources);
}

/* --- reading --- */

static int bad(const char *what, struct err *err) { return err_set(err, ERR_BAD_BAKE, "%s", what); }

int disk_record_size(const void *bytes, bool is_index, uint32_t *size_bytes, struct err *err)
{
    struct prefix prefix;
    memcpy(&prefix, bytes, sizeof prefix);
    if (memcmp(prefix.magic, MAGICS[is_index], sizeof prefix.magic) != 0)
        return bad("the first 8 bytes are not those of such a file", err);
    if (prefix.version != DISK_VERSION)
        return err_set(err, ERR_BAD_BAKE, "it has version %u, this program reads %d", prefix.version, DISK_VERSION);
    *size_bytes = prefix.size_bytes;
    if (*size_bytes < DISK_PREFIX_SIZE + SUM_SIZE || *size_bytes > DISK_RECORD_MAX)
        return bad("the size of the record is out of range", err);
    return 0;
}

/* The unread rest of a record. */
struct record_cursor {
    const uint8_t *at;
    size_t left;
};

static bool take(struct record_cursor *cursor, void *out, size_t size)
{
    if (size > cursor->left)
        return false;
    memcpy(out, cursor->at, size);
    cursor->at += size;
    cursor->left -= size;
    return true;
}

static bool has_hash(uint32_t kind) { return kind == SOURCE_BYTES || kind == SOURCE_NAMES; }

static int take_source(struct record_cursor *cursor, struct source *out, struct err *err)
{
    static const uint8_t zeros[SOURCE_HASH_SIZE];
    struct source_fields got;
    if (!take(cursor, &got, SOURCE_BYTES_MIN) || got.path_bytes == 0 || got.path_bytes > PATH_BYTES_MAX ||
        got.path_bytes > cursor->left)
        return bad("a source's path is cut, empty or too long", err);
    if (memchr(cursor->at, '\0', got.path_bytes) != NULL)
        return bad("a source's path holds NUL", err);
    if (got.kind >= SOURCE_KIND_COUNT || got.role > SOURCE_SEARCHED)
        return bad("a source's kind or role is unknown", err);
    if (!has_hash(got.kind) && memcmp(got.hash, zeros, sizeof zeros) != 0)
        return bad("a source without content has a hash", err);
    *out = (struct source){.path = mem_strndup((const char *)cursor->at, got.path_bytes),
                           .role = got.role,
                           .is_missing = got.kind == SOURCE_NONE,
                           .stamp = got.stamp,
                           .kind = (enum source_kind)got.kind};
    memcpy(out->hash, got.hash, sizeof out->hash);
    cursor->at += got.path_bytes;
    cursor->left -= got.path_bytes;
    return 0;
}

static int take_sources(struct record_cursor *cursor, struct sources **out, struct err *err)
{
    uint32_t count;
    if (!take(cursor, &count, sizeof count) || count > DISK_SOURCES_MAX || count > cursor->left / SOURCE_BYTES_MIN)
        return bad("there are more sources than the record holds", err);
    struct sources *sources = sources_new(count);
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = take_source(cursor, &sources->items[i], err);
    if (rc == 0 && cursor->left != 0)
        rc = bad("bytes follow the last source", err);
    const struct source *model = rc == 0 ? sources_find_model(sources) : NULL;
    if (rc == 0 && (model == NULL || model->kind != SOURCE_BYTES))
        rc = bad("the model file is not among the sources", err);
    if (rc == 0)
        *out = sources;
    else
        sources_free(sources);
    return rc;
}

/* Fills the fields, and checks everything but them. */
static int take_record(const void *bytes, size_t size_bytes, bool is_index, void *fields, size_t fields_bytes,
                       struct sources **sources, struct err *err)
{
    uint32_t said = 0;
    if (size_bytes < DISK_PREFIX_SIZE + SUM_SIZE)
        return bad("the record is cut", err);
    if (disk_record_size(bytes, is_index, &said, err) < 0)
        return err->code;
    if (said != size_bytes)
        return bad("the record is cut or longer than it says", err);
    const size_t summed = size_bytes - SUM_SIZE;
    if (XXH3_64bits(bytes, summed) != get_u64((const uint8_t *)bytes + summed))
        return bad("the record's checksum is wrong", err);
    struct record_cursor cursor = {.at = (const uint8_t *)bytes + DISK_PREFIX_SIZE, .left = summed - DISK_PREFIX_SIZE};
    return take(&cursor, fields, fields_bytes) ? take_sources(&cursor, sources, err) : bad("the record is cut", err);
}

int disk_index_decode(const void *bytes, size_t size_bytes, struct disk_index *out, struct err *err)
{
    *out = (struct disk_index){0};
    return take_record(bytes, size_bytes, true, out, INDEX_BYTES, &out->sources, err);
}

int disk_head_decode(const void *bytes, size_t size_bytes, struct disk_head *out, struct err *err)
{
    *out = (struct disk_head){0};
    if (take_record(bytes, size_bytes, false, out, HEAD_BYTES, &out->sources, err) < 0)
        return err->code;
    const bool is_inside = out->bake_bytes != 0 && out->bake_bytes <= (uint64_t)INT64_MAX / 2 &&
                           out->pixel_offset <= out->bake_bytes &&
                           out->pixel_bytes <= out->bake_bytes - out->pixel_offset;
    if (is_inside && out->is_limited <= 1)
        return 0;
    sources_free(out->sources);
    *out = (struct disk_head){0};
    return bad(is_inside ? "whether something was left out is neither 0 nor 1"
                         : "the textures do not lie inside the model",
               err);
}

uint64_t disk_core_sum(const void *bake, const struct disk_head *head)
{
    const uint64_t after = head->pixel_offset + head->pixel_bytes;
    const XXH64_hash_t before = XXH3_64bits(bake, head->pixel_offset);
    return XXH3_64bits_withSeed((const uint8_t *)bake + after, head->bake_bytes - after, before);
}
