/* mem.h - allocation that ends the process when memory is gone, so that callers need no error path.
 *
 * In the daemon, for sizes that we choose ourselves: sizes that come from outside go through a limit first and use
 * plain malloc(). In the importer, which works on one model under a limit of its own memory, for all sizes. Any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What to call, once, in place of abort() when memory is gone; it must not return. Before other threads start. */
void mem_set_exhausted(void (*exhausted)(void));
/* What the functions below do when memory is gone, for who allocates otherwise. Does not return. */
_Noreturn void mem_exhausted(void);

void *mem_alloc(size_t size_bytes);                /* uninitialised; never NULL */
void *mem_zalloc(size_t count, size_t size_bytes); /* zeroed, overflow-checked; never NULL */
void *mem_realloc(void *p, size_t size_bytes);     /* never NULL */
char *mem_strdup(const char *text);
/* Room for `count` items in place of `items`, twice as many when it must grow; never NULL. */
void *mem_grow(void *items, size_t *capacity, size_t count, size_t item_bytes);
/* For who has an error to return: the array that `array` points at (malloc'ed or NULL) has room for `count` items then.
 * False: memory is gone, or so many bytes cannot be said, and it is what it was. */
bool mem_try_resize(void *array, size_t count, size_t item_bytes);
/* For sizes that come from outside: zeroed room for `count` items instead of `items` (malloc'ed or NULL), unless that
 * has room for so many. NULL, with `items` freed and *capacity 0, when memory is gone. */
void *mem_room(void *items, uint64_t *capacity, uint64_t count, size_t item_bytes);
char *mem_strndup(const char *text, size_t size_bytes); /* adds the NUL */
