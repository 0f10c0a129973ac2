#include "wire/encode/glb_groups.h"

#include "base/hash.h"

#include <stdlib.h>

struct glb_groups *glb_groups_new(void) { return calloc(1, sizeof(struct glb_groups)); }

void glb_groups_free(struct glb_groups *groups)
{
    for (int a = 0; groups != NULL && a < GLB_ARRAY_COUNT; a++)
        buf_fini(&groups->bytes[a]);
    if (groups != NULL)
        free(groups->slots);
    free(groups);
}

uint32_t glb_groups_merged(const struct glb_groups *groups, uint64_t *size_bytes)
{
    *size_bytes = groups->merged_bytes;
    return groups->merged_count;
}

static struct glb_accessor *accessors_of(const struct glb_writer *glb)
{
    return (struct glb_accessor *)(void *)glb->accessors.data;
}

static uint64_t hash_of(enum glb_array array, const void *elements, size_t size_bytes)
{
    return hash64(HASH64_SEED ^ (uint64_t)array, elements, size_bytes);
}

static const char *content_of(const struct glb_writer *glb, const struct glb_accessor *accessor)
{
    return glb->groups->bytes[accessor->array].data + accessor->offset;
}

static bool grow(struct glb_writer *glb)
{
    enum { FIRST_CAPACITY = 256 };
    struct glb_groups *groups = glb->groups;
    const uint32_t capacity = groups->capacity == 0 ? FIRST_CAPACITY : 2 * groups->capacity;
    uint32_t *slots = calloc(capacity, sizeof *slots);
    if (slots == NULL)
        return false;
    for (uint32_t s = 0; s < groups->capacity; s++) {
        if (groups->slots[s] == 0)
            continue;
        const struct glb_accessor *accessor = &accessors_of(glb)[groups->slots[s] - 1];
        const size_t size_bytes = (size_t)accessor->count * glb_array_bytes(accessor->array);
        uint64_t at = hash_of(accessor->array, content_of(glb, accessor), size_bytes);
        while (slots[at & (capacity - 1)] != 0)
            at++;
        slots[at & (capacity - 1)] = groups->slots[s];
    }
    free(groups->slots);
    groups->slots = slots;
    groups->capacity = capacity;
    return true;
}

/* Returns the slot of an equal array, or a free one. Content that was made to collide is not searched for long: then
 * NULL, and the array is stored once more. */
static uint32_t *find(struct glb_writer *glb, enum glb_array array, const void *elements, uint32_t count)
{
    enum { LOOKS_MAX = 64 };
    const size_t size_bytes = (size_t)count * glb_array_bytes(array);
    const uint64_t hash = hash_of(array, elements, size_bytes);
    for (uint64_t at = hash; at < hash + LOOKS_MAX; at++) {
        uint32_t *slot = &glb->groups->slots[at & (glb->groups->capacity - 1)];
        if (*slot == 0)
            return slot;
        const struct glb_accessor *accessor = &accessors_of(glb)[*slot - 1];
        if (accessor->array == array && accessor->count == count &&
            memcmp(content_of(glb, accessor), elements, size_bytes) == 0)
            return slot;
    }
    return NULL;
}

uint32_t glb_groups_add(struct glb_writer *glb, enum glb_array array, const void *elements, uint32_t count)
{
    struct glb_groups *groups = glb->groups;
    struct buf *bytes = &groups->bytes[array];
    const size_t size_bytes = (size_t)count * glb_array_bytes(array);
    if (2 * groups->count >= groups->capacity && !grow(glb)) {
        buf_fail(&glb->packed, BUF_FULL);
        return GLB_NONE;
    }
    uint32_t *slot = find(glb, array, elements, count);
    if (slot != NULL && *slot != 0) {
        groups->merged_count++;
        groups->merged_bytes += size_bytes;
        return *slot - 1;
    }
    struct glb_accessor accessor = {.array = array, .view = GLB_GROUPED, .count = count, .offset = bytes->size_bytes};
    bytes->limit_bytes = glb->bin.limit_bytes;
    groups->total_bytes += size_bytes;
    if (groups->total_bytes <= glb->bin.limit_bytes)
        buf_put(bytes, elements, size_bytes);
    if (buf_failed(bytes) || groups->total_bytes > glb->bin.limit_bytes) {
        buf_fail(&glb->bin, BUF_FULL);
        return GLB_NONE;
    }
    const uint32_t place = glb_put_accessor_of(glb, &accessor, elements);
    if (slot != NULL && place != GLB_NONE) {
        *slot = place + 1;
        groups->count++;
    }
    return place;
}

void glb_end_groups(struct glb_writer *glb)
{
    uint32_t views[GLB_ARRAY_COUNT];
    for (int a = 0; a < GLB_ARRAY_COUNT; a++) {
        struct buf *bytes = &glb->groups->bytes[a];
        const uint32_t element_bytes = glb_array_bytes((enum glb_array)a);
        views[a] = bytes->size_bytes == 0 ? GLB_NONE
                                          : glb_put_view_of(glb, (enum glb_array)a, bytes->data,
                                                            (uint32_t)(bytes->size_bytes / element_bytes));
        buf_fini(bytes);
    }
    for (uint32_t i = 0; i < glb_accessor_count(glb) && !glb_failed(glb); i++)
        if (accessors_of(glb)[i].view == GLB_GROUPED)
            accessors_of(glb)[i].view = views[accessors_of(glb)[i].array];
}
