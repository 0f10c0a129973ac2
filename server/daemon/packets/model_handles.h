/* model_handles.h - the handles (numbers) of a connection for models, with the path and the last content of each. Loop
 * thread only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONTENT_HASH_BYTES = 32 };

struct model_handle {
    char *path; /* NULL: the number is free */
    uint32_t generation;
    uint8_t content_hash[CONTENT_HASH_BYTES]; /* of that generation */
    char hash[2 * CONTENT_HASH_BYTES + 1];    /* the same in hex */
};

struct model_handles {
    struct model_handle *list; /* number n is list[n - 1] */
    uint32_t size, capacity, count;
    size_t path_bytes; /* of all */
};

/* Zeroed is empty. */
void model_handles_fini(struct model_handles *handles);

/* Assigns the lowest free number, from 1, to a model with this content, as generation 1. */
uint32_t model_handles_add(struct model_handles *handles, const char *path,
                           const uint8_t content_hash[CONTENT_HASH_BYTES]);
/* NULL: no model has the number. */
struct model_handle *model_handles_find(const struct model_handles *handles, uint32_t number);
void model_handles_remove(struct model_handles *handles, uint32_t number);

/* Notes the model's present content. True if it has changed and the generation was incremented. */
bool model_handle_update(struct model_handle *handle, const uint8_t content_hash[CONTENT_HASH_BYTES]);

/* Returns their memory. */
size_t model_handles_held_bytes(const struct model_handles *handles);
