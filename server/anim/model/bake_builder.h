/* bake_builder.h - collects the arrays of a model while a file is imported. One thread a builder.
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
    uint64_t limit_bytes; /* of all arrays together, 0 = none; going over it, or out of memory, sets is_failed */
    uint64_t used_bytes;
    int is_failed; /* adds return NULL from then on */
};

void bake_builder_init(struct bake_builder *builder, uint64_t limit_bytes);
void bake_builder_fini(struct bake_builder *builder);

/* Appends `count` zeroed elements to an array; returns the first, or NULL when the builder failed.
 * bake_add_node(b, 1), bake_add_key_time(b, n), ... one per line of model_sections.def. */
#define X(id, singular, plural, type, item_bytes)                                                                      \
    type *bake_add_##singular(struct bake_builder *builder, uint32_t count);
#include "anim/model/model_sections.def"
#undef X

/* Stores text (repaired to UTF-8, NUL bytes become '?', cut to LIMIT_NAME_BYTES with a warning) and returns its
 * place; NULL text gives STR_NONE. */
struct str bake_text(struct bake_builder *builder, const char *text, size_t size_bytes);
struct str bake_textz(struct bake_builder *builder, const char *text); /* NUL-terminated or NULL */
/* The same without a limit of its own: for texts that the caller bounds by their sum. */
struct str bake_long_text(struct bake_builder *builder, const char *text, size_t size_bytes);

/* Adds a warning; the same code and message twice is kept once; at most 100, then one that says "more". */
void bake_warn(struct bake_builder *builder, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The builder's arrays as a model; valid until the next add. */
struct model bake_builder_view(const struct bake_builder *builder);
