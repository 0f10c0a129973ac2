#include "import/obj/obj.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static uint32_t *slot_of(const struct obj_names *names, uint32_t owner, struct obj_word word)
{
    const uint64_t hash = hash64(hash64(HASH64_SEED, &owner, sizeof owner), word.begin, word.length);
    uint32_t *slot = vertex_set_first(&names->set, hash);
    for (; *slot != VERTEX_NONE; slot = vertex_set_next(&names->set, slot)) {
        const struct obj_name *name = &names->items[*slot];
        if (name->owner == owner && name->word.length == word.length &&
            (word.length == 0 || memcmp(name->word.begin, word.begin, word.length) == 0))
            break;
    }
    return slot;
}

uint32_t obj_names_find(const struct obj_names *names, uint32_t owner, struct obj_word word)
{
    return names->count > 0 ? *slot_of(names, owner, word) : OBJ_NONE;
}

/* A set has a fixed size, so it is made anew with the array. */
static void grow(struct obj_names *names)
{
    names->items = mem_grow(names->items, &names->capacity, (size_t)names->count + 1, sizeof *names->items);
    free(names->set.slots);
    vertex_set_init(&names->set, names->capacity);
    for (uint32_t i = 0; i < names->count; i++)
        *slot_of(names, names->items[i].owner, names->items[i].word) = i;
}

uint32_t obj_names_add(struct obj_names *names, uint32_t owner, struct obj_word word)
{
    const uint32_t found = obj_names_find(names, owner, word);
    if (found != OBJ_NONE)
        return found;
    if (names->count == names->capacity)
        grow(names);
    *slot_of(names, owner, word) = names->count;
    names->items[names->count] = (struct obj_name){word, owner};
    return names->count++;
}

void obj_names_fini(struct obj_names *names)
{
    free(names->items);
    free(names->set.slots);
}
