/* fbx_file.c - reads a binary or ASCII file, and provides the functions with which both readers build records. */
#include "import/fbx_file/fbx_file.h"

#include "base/mem.h"
#include "import/fbx_file/fbx_internal.h"

#include <libdeflate.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL_CHUNK_BYTES = 65536, SHOWN_NAME_BYTES = 40 };

struct fbx_pool {
    struct fbx_pool *next;
    size_t used, size_bytes;
    uint8_t bytes[];
};

uint8_t *fbx_pool_take(struct fbx_file *file, size_t size_bytes)
{
    struct fbx_pool *pool = file->pool;
    if (pool == NULL || pool->size_bytes - pool->used < size_bytes) {
        const size_t chunk = size_bytes > POOL_CHUNK_BYTES ? size_bytes : POOL_CHUNK_BYTES;
        pool = mem_alloc(sizeof *pool + chunk);
        *pool = (struct fbx_pool){.next = file->pool, .size_bytes = chunk};
        file->pool = pool;
    }
    uint8_t *taken = pool->bytes + pool->used;
    pool->used += size_bytes;
    return taken;
}

void fbx_pool_free(struct fbx_pool *pool)
{
    while (pool != NULL) {
        struct fbx_pool *next = pool->next;
        free(pool);
        pool = next;
    }
}

/* Makes space for one more element. mem_realloc() ends the process if memory is exhausted. */
static void *grown(void *items, uint64_t *capacity, uint64_t count, size_t item_bytes)
{
    if (count < *capacity)
        return items;
    *capacity = *capacity < 64 ? 64 : *capacity + *capacity / 2;
    return mem_realloc(items, *capacity * item_bytes);
}

uint32_t fbx_add_record(struct fbx_file *file, struct fbx_levels *levels, struct fbx_span name, uint64_t offset,
                        struct err *err)
{
    if (file->record_count >= FBX_TOP) {
        err_set(err, ERR_MODEL_LIMIT, "the file has more records than %u", FBX_TOP);
        return FBX_NONE;
    }
    const uint32_t record = file->record_count++;
    file->records = grown(file->records, &file->record_capacity, record, sizeof *file->records);
    file->records[record] = (struct fbx_record){name, file->value_count, 0, FBX_NONE, FBX_NONE, offset};
    struct fbx_level *level = &levels->stack[levels->depth];
    if (level->last != FBX_NONE)
        file->records[level->last].next = record;
    else if (level->record != FBX_NONE)
        file->records[level->record].first_child = record;
    else
        file->first = record;
    level->last = record;
    return record;
}

int fbx_open_level(struct fbx_file *file, struct fbx_levels *levels, uint32_t record, uint64_t end, struct err *err)
{
    if (levels->depth == FBX_DEPTH_MAX)
        return fbx_bad(file, record, err, "records are nested more than %d deep", FBX_DEPTH_MAX);
    levels->stack[++levels->depth] = (struct fbx_level){record, FBX_NONE, end};
    return 0;
}

struct fbx_value *fbx_add_value(struct fbx_file *file, uint32_t record)
{
    file->values = grown(file->values, &file->value_capacity, file->value_count, sizeof *file->values);
    file->records[record].value_count++;
    return &file->values[file->value_count++];
}

void fbx_set_list(struct fbx_file *file, uint32_t record, struct fbx_array list)
{
    file->value_count = file->records[record].value_first;
    file->records[record].value_count = 0;
    *fbx_add_value(file, record) = (struct fbx_value){.kind = FBX_ARRAY, .array = list};
}

int fbx_bad(const struct fbx_file *file, uint32_t record, struct err *err, const char *what, ...)
{
    char text[ERR_MESSAGE_SIZE / 2];
    va_list list;
    va_start(list, what);
    vsnprintf(text, sizeof text, what, list);
    va_end(list);
    if (record >= file->record_count)
        return err_set(err, ERR_BAD_MODEL, "%s", text);
    const struct fbx_record *at = &file->records[record];
    const int shown = at->name.size_bytes < SHOWN_NAME_BYTES ? (int)at->name.size_bytes : SHOWN_NAME_BYTES;
    return err_set(err, ERR_BAD_MODEL, "byte %llu, record '%.*s': %s", (unsigned long long)at->offset, shown,
                   (const char *)at->name.bytes, text);
}

/* A word before a colon, as ASCII files begin after their comments. */
static bool is_ascii(const uint8_t *bytes, size_t size_bytes)
{
    const uint8_t *end = bytes + size_bytes, *at = fbx_pass_mark(bytes, end);
    const struct fbx_token name = fbx_next_token(&at, end);
    const struct fbx_token colon = fbx_next_token(&at, end);
    return name.kind == FBX_TOKEN_WORD && colon.kind == FBX_TOKEN_SIGN && colon.text.bytes[0] == ':';
}

bool fbx_file_is_fbx(const uint8_t *bytes, size_t size_bytes)
{
    return fbx_binary_is(bytes, size_bytes) || is_ascii(bytes, size_bytes);
}

/* Files of version 5000 state 3000 in the binary header, and ASCII files may begin without a version. */
static void read_version(struct fbx_file *file)
{
    enum { VERSION_ASSUMED = 7400, VERSION_OBJECTS = 6000 };
    const uint32_t header = fbx_child(file, FBX_TOP, "FBXHeaderExtension");
    const int64_t version = fbx_child_integer(file, header, "FBXVersion", 0);
    const bool is_better = file->version == 0 ? version > 0 && version <= UINT32_MAX
                                              : version > file->version && version < VERSION_OBJECTS;
    if (is_better)
        file->version = (uint32_t)version;
    else if (file->version == 0)
        file->version = VERSION_ASSUMED;
}

int fbx_file_read(struct fbx_file *file, const uint8_t *bytes, size_t size_bytes, const struct limits *limits,
                  struct err *err)
{
    *file = (struct fbx_file){.bytes = bytes, .size_bytes = size_bytes, .limits = limits, .first = FBX_NONE};
    file->is_ascii = !fbx_binary_is(bytes, size_bytes);
    if (file->is_ascii && !is_ascii(bytes, size_bytes))
        return err_set(err, ERR_NOT_A_MODEL,
                       "the file is no FBX file: it begins neither like a binary nor like an "
                       "ASCII one");
    if (!file->is_ascii && (file->inflater = libdeflate_alloc_decompressor()) == NULL)
        mem_exhausted();
    if ((file->is_ascii ? fbx_ascii_read(file, err) : fbx_binary_read(file, err)) < 0)
        return err->code;
    if (file->record_count > 0)
        file->records = mem_realloc(file->records, file->record_count * sizeof *file->records);
    if (file->value_count > 0)
        file->values = mem_realloc(file->values, file->value_count * sizeof *file->values);
    read_version(file);
    return 0;
}

void fbx_file_fini(struct fbx_file *file)
{
    free(file->records);
    free(file->values);
    fbx_pool_free(file->pool);
    libdeflate_free_decompressor(file->inflater);
    *file = (struct fbx_file){.first = FBX_NONE};
}
