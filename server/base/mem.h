/* mem.h - allocation for sizes that we choose ourselves: they abort when memory is gone, so callers
 * need no error path. Sizes that come from outside go through a limit first and use plain malloc(). */
#pragma once

#include <stddef.h>

void *mem_alloc(size_t size_bytes);                /* uninitialised; never NULL */
void *mem_zalloc(size_t count, size_t size_bytes); /* zeroed, overflow-checked; never NULL */
void *mem_realloc(void *p, size_t size_bytes);     /* never NULL */
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t size_bytes); /* adds the NUL */
