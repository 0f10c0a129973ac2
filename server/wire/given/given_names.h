/* given_names.h - names of a request that are looked for among many names of a model, all at once. Private to
 * wire. Pure; any thread. */
#pragma once

#include "anim/model/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct given_name {
    const char *text;
    size_t size_bytes;
    uint32_t place; /* in the request */
};

/* Sorts the names, for the search. */
void given_names_sort(struct given_name *names, uint32_t count);

/* Returns the range of the sorted names that are this text: *first, and how many. */
uint32_t given_names_find(const struct given_name *names, uint32_t count, const char *text, size_t size_bytes,
                          uint32_t *first);
