/* bake_builder.h - collects the arrays of a model while a file is imported. One thread per builder.
 *
 * bake_finish() (anim/bake/bake.h) completes and checks them, bake_encode() makes a block of them. */
#pragma once

#include "anim/model/model.h"

#include <stdbool.h>
#include <stddef.h>

/* Collects the arrays of a model. Element pointers are valid until the next add to the same array.
 * Builder arrays are named as in struct model: builder.nodes, builder.node_count. */
struct bake_builder {
#define X(id, singular, plural, type, item_bytes)                                                                      \
    type *plural;                                                                                                      \
    uint32_t singular##_count, singular##_capacity;
#include "anim/model/model_sections.def"
#undef X
    uint64_t limit_bytes; /* total of all arrays, 0 = none; exceeding it, or running out of memory, sets is_failed */
    uint64_t used_bytes;
    int is_failed; /* all later adds return NULL */
};

void bake_builder_init(struct bake_builder *builder, uint64_t limit_bytes);
void bake_builder_fini(struct bake_builder *builder);

/* Appends `count` zeroed elements to an array. Returns the first, or NULL when the builder has failed. bake_add_node(b,
 * 1), bake_add_key_time(b, n), ...: one function per line of model_sections.def. */
#define X(id, singular, plural, type, item_bytes)                                                                      \
    type *bake_add_##singular(struct bake_builder *builder, uint32_t count);
#include "anim/model/model_sections.def"
#undef X

/* Stores text and returns its place; NULL text gives STR_NONE. It is repaired to UTF-8, NUL bytes become '?', and it is
 * cut to LIMIT_NAME_BYTES with a warning. */
struct str bake_text(struct bake_builder *builder, const char *text, size_t size_bytes);
struct str bake_textz(struct bake_builder *builder, const char *text); /* NUL-terminated or NULL */
/* The same without a length limit, for texts whose sum the caller bounds. */
struct str bake_long_text(struct bake_builder *builder, const char *text, size_t size_bytes);

/* Adds a warning, unless the same code and message exist already. After 100 warnings it adds one that says "more". */
void bake_warn(struct bake_builder *builder, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the builder's arrays as a model; valid until the next add. */
struct model bake_builder_view(const struct bake_builder *builder);
