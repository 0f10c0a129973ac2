/* mem.h - allocation that ends the process when memory is gone, so that callers need no error path.
 *
 * In the daemon, for sizes that we choose ourselves: sizes that come from outside go through a limit first and use
 * plain malloc(). In the importer, which works on one model under a limit of its own memory, for all sizes. Any thread.
 */
#pragma once

#include <stddef.h>

/* What to call, once, in place of abort() when memory is gone; it must not return. Before other threads start. */
void mem_set_exhausted(void (*exhausted)(void));

void *mem_alloc(size_t size_bytes);                /* uninitialised; never NULL */
void *mem_zalloc(size_t count, size_t size_bytes); /* zeroed, overflow-checked; never NULL */
void *mem_realloc(void *p, size_t size_bytes);     /* never NULL */
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t size_bytes); /* adds the NUL */
