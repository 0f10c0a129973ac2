#include "daemon/packets/handles.h"

#include "base/hex.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void handles_fini(struct handles *handles)
{
    for (uint32_t i = 0; i < handles->size; i++)
        free(handles->list[i].path);
    free(handles->list);
    *handles = (struct handles){0};
}

static void set_content(struct handle *handle, const uint8_t content_hash[CONTENT_HASH_BYTES])
{
    memcpy(handle->content_hash, content_hash, CONTENT_HASH_BYTES);
    hex_put(handle->hash, content_hash, CONTENT_HASH_BYTES);
    handle->hash[2 * CONTENT_HASH_BYTES] = '\0';
}

/* The place of a free number. */
static uint32_t find_free(struct handles *handles)
{
    for (uint32_t i = 0; handles->count < handles->size && i < handles->size; i++)
        if (handles->list[i].path == NULL)
            return i;
    if (handles->size == handles->capacity) {
        handles->capacity = handles->capacity == 0 ? 4 : handles->capacity * 2;
        handles->list = mem_realloc(handles->list, handles->capacity * sizeof *handles->list);
    }
    return handles->size++;
}

uint32_t handles_add(struct handles *handles, const char *path, const uint8_t content_hash[CONTENT_HASH_BYTES])
{
    const uint32_t place = find_free(handles);
    struct handle *handle = &handles->list[place];
    *handle = (struct handle){.path = mem_strdup(path), .generation = 1};
    set_content(handle, content_hash);
    handles->count++;
    handles->path_bytes += strlen(path) + 1;
    return place + 1;
}

struct handle *handles_find(const struct handles *handles, uint32_t number)
{
    const bool is_one = number > 0 && number <= handles->size && handles->list[number - 1].path != NULL;
    return is_one ? &handles->list[number - 1] : NULL;
}

void handles_remove(struct handles *handles, uint32_t number)
{
    struct handle *handle = handles_find(handles, number);
    if (handle == NULL)
        return;
    handles->path_bytes -= strlen(handle->path) + 1;
    handles->count--;
    free(handle->path);
    *handle = (struct handle){0};
}

bool handle_see(struct handle *handle, const uint8_t content_hash[CONTENT_HASH_BYTES])
{
    if (memcmp(content_hash, handle->content_hash, CONTENT_HASH_BYTES) == 0)
        return false;
    set_content(handle, content_hash);
    handle->generation++;
    return true;
}

size_t handles_held_bytes(const struct handles *handles)
{
    return handles->capacity * sizeof *handles->list + handles->path_bytes;
}
