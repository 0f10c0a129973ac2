#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static void (*on_exhausted)(void);

void mem_set_exhausted(void (*exhausted)(void)) { on_exhausted = exhausted; }

void mem_exhausted(void)
{
    if (on_exhausted != NULL)
        on_exhausted();
    abort();
}

static void *must(void *p)
{
    if (p == NULL)
        mem_exhausted();
    return p;
}

void *mem_alloc(size_t size_bytes) { return must(malloc(size_bytes == 0 ? 1 : size_bytes)); }

void *mem_zalloc(size_t count, size_t size_bytes)
{
    return must(calloc(count == 0 ? 1 : count, size_bytes == 0 ? 1 : size_bytes));
}

void *mem_realloc(void *p, size_t size_bytes) { return must(realloc(p, size_bytes == 0 ? 1 : size_bytes)); }

void *mem_grow(void *items, size_t *capacity, size_t count, size_t item_bytes)
{
    if (count <= *capacity)
        return items;
    *capacity = 2 * count + 16;
    return mem_realloc(items, *capacity * item_bytes);
}

bool mem_try_resize(void *array, size_t count, size_t item_bytes)
{
    void *items;
    memcpy(&items, array, sizeof items);
    void *resized = count > SIZE_MAX / item_bytes ? NULL : realloc(items, count == 0 ? 1 : count * item_bytes);
    if (resized == NULL)
        return false;
    memcpy(array, &resized, sizeof resized);
    /* cppcheck-suppress memleak ; *array has it */
    return true;
}

char *mem_strdup(const char *text) { return mem_strndup(text, strlen(text)); }

char *mem_strndup(const char *text, size_t size_bytes)
{
    char *copy = mem_alloc(size_bytes + 1);
    memcpy(copy, text, size_bytes);
    copy[size_bytes] = '\0';
    return copy;
}

void *mem_reserve(void *items, uint64_t *capacity, uint64_t count, size_t item_bytes)
{
    if (count <= *capacity && items != NULL)
        return items;
    free(items);
    items = calloc(count + 1, item_bytes);
    *capacity = items != NULL ? count : 0;
    return items;
}
