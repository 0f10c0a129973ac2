/* bake_builder.c - growing arrays, texts and warnings. */
#include "anim/model/bake_builder.h"

#include "base/limits.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bake_builder_init(struct bake_builder *builder, uint64_t limit_bytes)
{
    *builder = (struct bake_builder){.limit_bytes = limit_bytes};
}

void bake_builder_fini(struct bake_builder *builder)
{
#define X(id, singular, plural, type, item_bytes) free(builder->plural);
#include "anim/model/model_sections.def"
#undef X
    bake_builder_init(builder, builder->limit_bytes);
}

struct model bake_builder_view(const struct bake_builder *builder)
{
    return (struct model){
#define X(id, singular, plural, type, item_bytes)                                                                      \
    .plural = builder->plural, .singular##_count = builder->singular##_count,
#include "anim/model/model_sections.def"
#undef X
    };
}

/* One array of the builder, independent of its element type. */
struct array {
    void *items;
    uint32_t count, capacity;
    size_t item_bytes;
};

/* Doubles the capacity, so that on average many small adds copy each element once. */
static bool reserve(struct array *array, uint32_t needed)
{
    if (needed <= array->capacity)
        return true;
    uint64_t capacity = array->capacity < 16 ? 16 : 2 * (uint64_t)array->capacity;
    if (capacity < needed)
        capacity = needed;
    if (capacity > UINT32_MAX)
        capacity = UINT32_MAX;
    void *items = realloc(array->items, (size_t)capacity * array->item_bytes);
    if (items == NULL)
        return false;
    array->items = items;
    array->capacity = (uint32_t)capacity;
    return true;
}

/* Returns the first of `count` new zeroed elements, or NULL when the builder has failed. */
static void *add(struct bake_builder *builder, struct array *array, uint32_t count)
{
    const uint64_t added_bytes = (uint64_t)count * array->item_bytes;
    const uint64_t free_bytes = builder->limit_bytes == 0 ? UINT64_MAX : builder->limit_bytes;
    /* UINT32_MAX itself stays unused: as an offset it means none. */
    const bool is_over = count >= UINT32_MAX - array->count || builder->used_bytes > free_bytes ||
                         added_bytes > free_bytes - builder->used_bytes;
    /* Reserves at least one element, so that adding none does not look like a failure. */
    if (builder->is_failed || is_over || !reserve(array, array->count + (count == 0 ? 1 : count))) {
        builder->is_failed = 1;
        return NULL;
    }
    char *first = (char *)array->items + (size_t)array->count * array->item_bytes;
    memset(first, 0, (size_t)added_bytes);
    array->count += count;
    builder->used_bytes += added_bytes;
    return first;
}

#define X(id, singular, plural, type, item_bytes)                                                                      \
    type *bake_add_##singular(struct bake_builder *builder, uint32_t count)                                            \
    {                                                                                                                  \
        struct array array = {builder->plural, builder->singular##_count, builder->singular##_capacity, sizeof(type)}; \
        void *first = add(builder, &array, count);                                                                     \
        builder->plural = array.items;                                                                                 \
        builder->singular##_count = array.count;                                                                       \
        builder->singular##_capacity = array.capacity;                                                                 \
        return first;                                                                                                  \
    }
#include "anim/model/model_sections.def"
#undef X

enum { TEXT_QUOTED = 40 };

struct str bake_long_text(struct bake_builder *builder, const char *text, size_t size_bytes)
{
    const struct str none = {.offset = STR_NONE};
    if (text == NULL)
        return none;
    if (size_bytes >= UINT32_MAX) {
        builder->is_failed = 1;
        return none;
    }
    const struct str str = {.offset = builder->text_byte_count, .size_bytes = (uint32_t)size_bytes};
    char *copy = bake_add_text_byte(builder, str.size_bytes);
    if (copy == NULL)
        return none;
    memcpy(copy, text, size_bytes);
    utf8_repair(copy, size_bytes);
    for (size_t i = 0; i < size_bytes; i++)
        if (copy[i] == '\0')
            copy[i] = '?';
    return str;
}

struct str bake_text(struct bake_builder *builder, const char *text, size_t size_bytes)
{
    /* Answers repeat a name for each joint of its node, so a few bytes must not expand to megabytes. */
    const size_t size_max = (size_t)LIMIT_INFO[LIMIT_NAME_BYTES].initial;
    if (text != NULL && size_bytes > size_max) {
        bake_warn(builder, "text_cut", "a text of %zu bytes that begins with '%.*s' is cut to %zu", size_bytes,
                  TEXT_QUOTED, text, size_max);
        size_bytes = utf8_cut(text, size_bytes, size_max);
    }
    return bake_long_text(builder, text, size_bytes);
}

struct str bake_textz(struct bake_builder *builder, const char *text)
{
    return bake_text(builder, text, text == NULL ? 0 : strlen(text));
}

enum { WARNINGS_MAX = 100 };

static bool is_text(const struct bake_builder *builder, struct str str, const char *text, size_t size_bytes)
{
    return str.offset != STR_NONE && str.size_bytes == size_bytes &&
           memcmp(builder->text + str.offset, text, size_bytes) == 0;
}

static void add_warning(struct bake_builder *builder, const char *code, const char *message, size_t size_bytes)
{
    for (uint32_t i = 0; i < builder->warning_count; i++)
        if (is_text(builder, builder->warnings[i].code, code, strlen(code)) &&
            is_text(builder, builder->warnings[i].message, message, size_bytes))
            return;
    const struct warning warning = {bake_textz(builder, code), bake_text(builder, message, size_bytes)};
    struct warning *added = bake_add_warning(builder, 1);
    if (added != NULL)
        *added = warning;
}

void bake_warn(struct bake_builder *builder, const char *code, const char *format, ...)
{
    static const char MORE[] = "there are more warnings than are kept";
    char message[512];
    va_list args;
    va_start(args, format);
    const int size = vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (size < 0 || builder->is_failed || builder->warning_count > WARNINGS_MAX)
        return;
    if (builder->warning_count == WARNINGS_MAX) {
        add_warning(builder, "more", MORE, sizeof MORE - 1);
        return;
    }
    /* Cuts before the end of the buffer, so that the whole character at the cut is visible. */
    const size_t kept = utf8_cut(message, strlen(message), sizeof message - 8);
    /* Repairs the message as storing it will, so that an equal stored one is found. */
    utf8_repair(message, kept);
    add_warning(builder, code, message, kept);
}
