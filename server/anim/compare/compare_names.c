/* compare_names.c - names as tools rewrite them, and the pairing of equal ones. */
#include "anim/compare/compare_internal.h"
#include "base/ascii.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { BLENDER_NAME_BYTES = 63 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Returns the length of a name without the number that tools append to a duplicate: "arm.001", "arm_1". */
static size_t base_bytes(const char *name, size_t size)
{
    size_t end = size;
    while (end > 0 && is_digit(name[end - 1]))
        end--;
    const bool has_mark = end > 1 && end < size && (name[end - 1] == '.' || name[end - 1] == '_');
    return has_mark ? end - 1 : size;
}

/* True for the layer that Blender and FBX append to the name of an action: "Layer0", "BaseLayer", "Base Layer". */
static bool is_layer(const char *name, size_t size)
{
    while (size > 0 && is_digit(name[size - 1]))
        size--;
    return (size == 5 && memcmp(name, "Layer", 5) == 0) || (size == 9 && memcmp(name, "BaseLayer", 9) == 0) ||
           (size == 10 && memcmp(name, "Base Layer", 10) == 0);
}

/* Returns the start of the name of an action, without the object and the layer that tools write beside it:
 * "Armature|Dance", "Armature|mixamo.com|Layer0". Sets *size to its length. */
static const char *action_of(const char *name, size_t *size)
{
    const char *end = name + *size, *start = end;
    for (int part = 0; part < 2; part++) {
        while (start > name && start[-1] != '|')
            start--;
        if (start == name || part == 1 || !is_layer(start, (size_t)(end - start)))
            break;
        end = --start; /* the part before the layer */
    }
    *size = (size_t)(end - start);
    return start;
}

/* Writes the name of a node as three.js does (PropertyBinding.sanitizeNodeName). Returns its length in bytes. */
static size_t rewrite(const char *name, size_t size, char out[BLENDER_NAME_BYTES])
{
    size_t count = 0;
    for (size_t i = 0; i < size && count < BLENDER_NAME_BYTES; i++) {
        const char c = name[i];
        if (strchr("[].:/", c) == NULL || c == '\0')
            out[count++] = c == ' ' || (c >= '\t' && c <= '\r') ? '_' : c;
    }
    return count;
}

uint64_t name_key(const struct model *model, struct str name, enum name_level level)
{
    if (name.offset == STR_NONE || name.size_bytes == 0)
        return 0;
    const char *text = model->text + name.offset;
    char rewritten[BLENDER_NAME_BYTES];
    uint64_t key;
    if (level == NAME_EXACT) {
        key = hash64(HASH64_SEED, text, name.size_bytes);
    } else {
        size_t size = level == NAME_BASE ? base_bytes(text, name.size_bytes) : name.size_bytes;
        text = level == NAME_ACTION ? action_of(text, &size) : text;
        key = size == 0 ? 0 : hash64(HASH64_SEED, rewritten, rewrite(text, size, rewritten));
    }
    return key == 0 && level != NAME_ACTION ? 1 : key;
}

static int by_key(const void *left, const void *right)
{
    const struct name_entry *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->side != b->side)
        return a->side < b->side ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

void names_match(struct name_entry *entries, size_t count, int32_t *const partners[COMPARE_SIDES])
{
    if (count > 1)
        qsort(entries, count, sizeof *entries, by_key);
    for (size_t first = 0, end; first < count; first = end) {
        size_t middle = first;
        for (end = first; end < count && entries[end].key == entries[first].key; end++)
            middle += entries[end].side == COMPARE_OLD;
        if (entries[first].key == 0 || middle - first != end - middle)
            continue;
        for (size_t i = first; i < middle; i++) {
            const struct name_entry *old = &entries[i], *new = &entries[i + middle - first];
            partners[COMPARE_OLD][old->index] = (int32_t) new->index;
            partners[COMPARE_NEW][new->index] = (int32_t)old->index;
        }
    }
}
