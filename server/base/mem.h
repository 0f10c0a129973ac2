/* mem.h - allocation that ends the process when memory runs out, so that callers need no error path.
 *
 * The daemon uses it only for sizes that it chooses itself. Sizes that come from outside are checked against a limit
 * and allocated with plain malloc(). The importer, which works on one model under its own memory limit, uses it for all
 * sizes. Any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets the function that is called once, instead of abort(), when memory runs out. It must not return. Call this before
 * other threads start. */
void mem_set_exhausted(void (*exhausted)(void));
/* Does what the functions below do when memory runs out. For callers that allocate in other ways. Does not return. */
_Noreturn void mem_exhausted(void);

void *mem_alloc(size_t size_bytes);                /* uninitialised; never NULL */
void *mem_zalloc(size_t count, size_t size_bytes); /* zeroed, overflow-checked; never NULL */
void *mem_realloc(void *p, size_t size_bytes);     /* never NULL */
char *mem_strdup(const char *text);
/* Returns `items` with room for `count` items; never NULL. The room doubles when it must grow. */
void *mem_grow(void *items, size_t *capacity, size_t count, size_t item_bytes);
/* Resizes the array that `array` points at (malloc'ed or NULL) to `count` items. For callers that can return an error.
 * False: memory ran out or the size overflows, and the array is unchanged. */
bool mem_try_resize(void *array, size_t count, size_t item_bytes);
/* For sizes that come from outside: returns zeroed room for `count` items, or `items` itself (malloc'ed or NULL) where
 * it has room enough. NULL when memory runs out; then `items` is freed and *capacity is 0. */
void *mem_reserve(void *items, uint64_t *capacity, uint64_t count, size_t item_bytes);
char *mem_strndup(const char *text, size_t size_bytes); /* adds the NUL */
