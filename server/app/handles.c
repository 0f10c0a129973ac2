#include "handles.h"

#include "../base/mem.h"

#include <stdlib.h>
#include <string.h>

void handles_fini(struct handles *handles)
{
    for (uint32_t i = 0; i < handles->size; i++)
        free(handles->list[i].path);
    free(handles->list);
    *handles = (struct handles){0};
}

static void put_hex(const uint8_t *bytes, char *out)
{
    static const char DIGITS[] = "0123456789abcdef";
    for (int i = 0; i < CONTENT_HASH_BYTES; i++) {
        out[2 * i] = DIGITS[bytes[i] >> 4];
        out[2 * i + 1] = DIGITS[bytes[i] & 15];
    }
    out[2 * CONTENT_HASH_BYTES] = '\0';
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
    put_hex(content_hash, handle->hash);
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
    char hash[sizeof handle->hash];
    put_hex(content_hash, hash);
    if (memcmp(hash, handle->hash, sizeof hash) == 0)
        return false;
    memcpy(handle->hash, hash, sizeof hash);
    handle->generation++;
    return true;
}

size_t handles_held_bytes(const struct handles *handles)
{
    return handles->capacity * sizeof *handles->list + handles->path_bytes;
}
