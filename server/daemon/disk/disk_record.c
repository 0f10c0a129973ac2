#include "daemon/disk/disk_record.h"

#include "base/bytes.h"
#include "base/limits.h"
#include "base/mem.h"

#include <string.h>
#include <xxhash.h>

static const char INDEX_MAGIC[8] = "posedix\n", HEAD_MAGIC[8] = "posedmd\n";
enum { SUM_SIZE = 8, SOURCE_FIXED_SIZE = 4 + 4 + 4 * 8 + SOURCE_HASH_SIZE + 4, PATH_BYTES_MAX = 4095 };

/* --- writing --- */

static size_t start(struct buf *out, const char magic[8])
{
    const size_t first = out->size_bytes;
    buf_put(out, magic, 8);
    buf_put_u32(out, DISK_VERSION);
    buf_put_u32(out, 0);
    return first;
}

static void put_sources(struct buf *out, const struct sources *sources)
{
    buf_put_u32(out, sources->count);
    for (uint32_t i = 0; i < sources->count; i++) {
        const struct source *source = &sources->items[i];
        const size_t path_bytes = strlen(source->path);
        buf_put_u32(out, source->role);
        buf_put_u32(out, source->kind);
        buf_put_u64(out, source->stamp.size_bytes);
        buf_put_u64(out, (uint64_t)source->stamp.mtime_ns);
        buf_put_u64(out, (uint64_t)source->stamp.ctime_ns);
        buf_put_u64(out, source->stamp.inode);
        buf_put(out, source->hash, sizeof source->hash);
        buf_put_u32(out, (uint32_t)path_bytes);
        buf_put(out, source->path, path_bytes);
    }
}

static void finish(struct buf *out, size_t first)
{
    const uint32_t size_bytes = (uint32_t)(out->size_bytes - first + SUM_SIZE);
    for (int i = 0; i < 4; i++)
        out->data[first + 12 + (size_t)i] = (char)(size_bytes >> 8 * i);
    buf_put_u64(out, XXH3_64bits(out->data + first, out->size_bytes - first));
}

void disk_index_encode(const struct disk_index *index, struct buf *out)
{
    const size_t first = start(out, INDEX_MAGIC);
    buf_put(out, index->self, sizeof index->self);
    buf_put(out, index->key, sizeof index->key);
    buf_put_u64(out, index->root);
    buf_put_u64(out, (uint64_t)index->recorded_ns);
    put_sources(out, index->sources);
    finish(out, first);
}

void disk_head_encode(const struct disk_head *head, struct buf *out)
{
    const size_t first = start(out, HEAD_MAGIC);
    buf_put(out, head->key, sizeof head->key);
    buf_put_u64(out, head->bake_bytes);
    buf_put_u64(out, head->pixel_offset);
    buf_put_u64(out, head->pixel_bytes);
    buf_put_u64(out, head->core_sum);
    buf_put_u64(out, head->pixel_sum);
    put_sources(out, head->sources);
    finish(out, first);
}

/* --- reading --- */

struct record_cursor {
    const uint8_t *at;
    size_t left;
    bool is_short; /* something was asked for that is not there; it read as zeros */
};

static const uint8_t *take(struct record_cursor *cursor, size_t size)
{
    static const uint8_t zeros[SOURCE_HASH_SIZE];
    if (size > cursor->left) {
        cursor->is_short = true;
        cursor->left = 0;
        return size <= sizeof zeros ? zeros : NULL;
    }
    const uint8_t *bytes = cursor->at;
    cursor->at += size;
    cursor->left -= size;
    return bytes;
}

static uint32_t take_u32(struct record_cursor *cursor) { return get_u32(take(cursor, 4)); }
static uint64_t take_u64(struct record_cursor *cursor) { return get_u64(take(cursor, 8)); }

static int bad(const char *what, struct err *err) { return err_set(err, ERR_BAD_BAKE, "%s", what); }

int disk_record_size(const void *prefix, bool is_index, uint32_t *size_bytes, struct err *err)
{
    const uint8_t *bytes = prefix;
    if (memcmp(bytes, is_index ? INDEX_MAGIC : HEAD_MAGIC, 8) != 0)
        return bad("the first 8 bytes are not those of such a file", err);
    const uint32_t version = get_u32(bytes + 8);
    if (version != DISK_VERSION)
        return err_set(err, ERR_BAD_BAKE, "it has version %u, this program reads %d", version, DISK_VERSION);
    *size_bytes = get_u32(bytes + 12);
    if (*size_bytes < DISK_PREFIX_SIZE + SUM_SIZE || *size_bytes > DISK_RECORD_MAX)
        return bad("the size of the record is out of range", err);
    return 0;
}

static int open_record(const void *bytes, size_t size_bytes, bool is_index, struct record_cursor *out, struct err *err)
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
    *out = (struct record_cursor){.at = (const uint8_t *)bytes + DISK_PREFIX_SIZE, .left = summed - DISK_PREFIX_SIZE};
    return 0;
}

static bool has_hash(enum source_kind kind) { return kind == SOURCE_BYTES || kind == SOURCE_NAMES; }

static int take_source(struct record_cursor *cursor, struct source *out, struct err *err)
{
    static const uint8_t zeros[SOURCE_HASH_SIZE];
    out->role = take_u32(cursor);
    const uint32_t kind = take_u32(cursor);
    out->stamp.size_bytes = take_u64(cursor);
    out->stamp.mtime_ns = (int64_t)take_u64(cursor);
    out->stamp.ctime_ns = (int64_t)take_u64(cursor);
    out->stamp.inode = take_u64(cursor);
    memcpy(out->hash, take(cursor, sizeof out->hash), sizeof out->hash);
    const uint32_t path_bytes = take_u32(cursor);
    if (cursor->is_short || path_bytes == 0 || path_bytes > PATH_BYTES_MAX || path_bytes > cursor->left)
        return bad("a source's path is cut, empty or too long", err);
    const char *path = (const char *)take(cursor, path_bytes);
    if (memchr(path, '\0', path_bytes) != NULL)
        return bad("a source's path holds NUL", err);
    if (kind >= SOURCE_KIND_COUNT || out->role > SOURCE_FOLDER)
        return bad("a source's kind or role is unknown", err);
    out->kind = (enum source_kind)kind;
    out->is_missing = kind == SOURCE_NONE;
    if (!has_hash(out->kind) && memcmp(out->hash, zeros, sizeof zeros) != 0)
        return bad("a source without content has a hash", err);
    out->path = mem_strndup(path, path_bytes);
    return 0;
}

static int take_sources(struct record_cursor *cursor, struct sources **out, struct err *err)
{
    const uint32_t count = take_u32(cursor);
    if (cursor->is_short || count > DISK_SOURCES_MAX || count > cursor->left / SOURCE_FIXED_SIZE)
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
    if (rc < 0) {
        sources_free(sources);
        return rc;
    }
    *out = sources;
    return 0;
}

int disk_index_decode(const void *bytes, size_t size_bytes, struct disk_index *out, struct err *err)
{
    struct record_cursor cursor;
    *out = (struct disk_index){0};
    if (open_record(bytes, size_bytes, true, &cursor, err) < 0)
        return err->code;
    memcpy(out->self, take(&cursor, sizeof out->self), sizeof out->self);
    memcpy(out->key, take(&cursor, sizeof out->key), sizeof out->key);
    out->root = take_u64(&cursor);
    out->recorded_ns = (int64_t)take_u64(&cursor);
    return take_sources(&cursor, &out->sources, err);
}

int disk_head_decode(const void *bytes, size_t size_bytes, struct disk_head *out, struct err *err)
{
    struct record_cursor cursor;
    *out = (struct disk_head){0};
    if (open_record(bytes, size_bytes, false, &cursor, err) < 0)
        return err->code;
    memcpy(out->key, take(&cursor, sizeof out->key), sizeof out->key);
    out->bake_bytes = take_u64(&cursor);
    out->pixel_offset = take_u64(&cursor);
    out->pixel_bytes = take_u64(&cursor);
    out->core_sum = take_u64(&cursor);
    out->pixel_sum = take_u64(&cursor);
    if (out->bake_bytes == 0 || out->bake_bytes > (uint64_t)INT64_MAX / 2 || out->pixel_offset > out->bake_bytes ||
        out->pixel_bytes > out->bake_bytes - out->pixel_offset)
        return bad("the textures do not lie inside the model", err);
    return take_sources(&cursor, &out->sources, err);
}

uint64_t disk_core_sum(const void *bake, const struct disk_head *head)
{
    const uint64_t after = head->pixel_offset + head->pixel_bytes;
    const XXH64_hash_t before = XXH3_64bits(bake, head->pixel_offset);
    return XXH3_64bits_withSeed((const uint8_t *)bake + after, head->bake_bytes - after, before);
}
