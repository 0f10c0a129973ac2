#include "daemon/packets/model_handles.h"

#include "base/hex.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void model_handles_fini(struct model_handles *handles)
{
    for (uint32_t i = 0; i < handles->size; i++)
        free(handles->list[i].path);
    free(handles->list);
    *handles = (struct model_handles){0};
}

static void set_content(struct model_handle *handle, const uint8_t content_hash[CONTENT_HASH_BYTES])
{
    memcpy(handle->content_hash, content_hash, CONTENT_HASH_BYTES);
    hex_put(handle->hash, content_hash, CONTENT_HASH_BYTES);
    handle->hash[2 * CONTENT_HASH_BYTES] = '\0';
}

/* Returns the index of a free entry. */
static uint32_t find_free(struct model_handles *handles)
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

uint32_t model_handles_add(struct model_handles *handles, const char *path,
                           const uint8_t content_hash[CONTENT_HASH_BYTES])
{
    const uint32_t index = find_free(handles);
    struct model_handle *handle = &handles->list[index];
    *handle = (struct model_handle){.path = mem_strdup(path), .generation = 1};
    set_content(handle, content_hash);
    handles->count++;
    handles->path_bytes += strlen(path) + 1;
    return index + 1;
}

struct model_handle *model_handles_find(const struct model_handles *handles, uint32_t number)
{
    const bool is_one = number > 0 && number <= handles->size && handles->list[number - 1].path != NULL;
    return is_one ? &handles->list[number - 1] : NULL;
}

void model_handles_remove(struct model_handles *handles, uint32_t number)
{
    struct model_handle *handle = model_handles_find(handles, number);
    if (handle == NULL)
        return;
    handles->path_bytes -= strlen(handle->path) + 1;
    handles->count--;
    free(handle->path);
    *handle = (struct model_handle){0};
}

bool model_handle_update(struct model_handle *handle, const uint8_t content_hash[CONTENT_HASH_BYTES])
{
    if (memcmp(content_hash, handle->content_hash, CONTENT_HASH_BYTES) == 0)
        return false;
    set_content(handle, content_hash);
    handle->generation++;
    return true;
}

size_t model_handles_held_bytes(const struct model_handles *handles)
{
    return handles->capacity * sizeof *handles->list + handles->path_bytes;
}
