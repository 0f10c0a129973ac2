#include "fbx_scan.h"

#include "fbx_layers.h"
#include "fbx_text.h"
#include "fbx_turns.h"

#include "../base/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEADER_BYTES = 27, VERSION_AT = 23, VERSION_64_BITS = 7500, VERSION_MIN = 7000, ITEMS_MAX = 1 << 22 };
static const char MAGIC[] = "Kaydara FBX Binary  "; /* and a NUL */

struct scan {
    const uint8_t *bytes;
    uint64_t size_bytes;
    bool is_64_bits;
    struct fbx_layers layers;
    struct fbx_turns turns;
    struct fbx_losses losses;
};

/* One record: its name, its properties, and where its children begin and it ends. */
struct record {
    const uint8_t *name;
    uint32_t name_bytes;
    const uint8_t *properties;
    uint64_t properties_bytes;
    uint64_t children_at, end;
};

/* The record at *at, which is moved behind it. False at the end of the list, or where the file is broken. */
static bool next_record(const struct scan *scan, uint64_t *at, uint64_t end, struct record *out)
{
    const uint64_t head = scan->is_64_bits ? 25 : 13;
    if (end < head || *at > end - head)
        return false;
    const uint8_t *bytes = scan->bytes + *at;
    const uint64_t record_end = scan->is_64_bits ? get_u64(bytes) : get_u32(bytes);
    const uint64_t properties = scan->is_64_bits ? get_u64(bytes + 16) : get_u32(bytes + 8);
    const uint64_t name_bytes = bytes[head - 1], name_at = *at + head;
    if (record_end == 0 || record_end > end || record_end < name_at + name_bytes ||
        properties > record_end - name_at - name_bytes)
        return false;
    *out = (struct record){
        .name = scan->bytes + name_at,
        .name_bytes = (uint32_t)name_bytes,
        .properties = scan->bytes + name_at + name_bytes,
        .properties_bytes = properties,
        .children_at = name_at + name_bytes + properties,
        .end = record_end,
    };
    *at = record_end;
    return true;
}

static bool is_named(const struct record *record, const char *name)
{
    return record->name_bytes == strlen(name) && memcmp(record->name, name, record->name_bytes) == 0;
}

/* An array property of 4-byte items, inflated where it is compressed; NULL when it is none. */
static uint8_t *read_array(const struct record *record, uint32_t *count)
{
    enum { ARRAY_HEAD = 13 }; /* type, length, encoding, compressed length */
    const uint8_t *p = record->properties;
    if (record->properties_bytes < ARRAY_HEAD || (p[0] != 'i' && p[0] != 'f'))
        return NULL;
    const uint32_t length = get_u32(p + 1), encoding = get_u32(p + 5), stored = get_u32(p + 9);
    const uint64_t room = record->properties_bytes - ARRAY_HEAD;
    if (length > ITEMS_MAX || encoding > 1 || (encoding == 1 ? stored > room : (uint64_t)length * 4 > room))
        return NULL;
    uLongf size_bytes = (uLongf)length * 4;
    uint8_t *items = malloc(size_bytes + 1);
    if (items == NULL)
        return NULL;
    if (encoding == 0) {
        memcpy(items, p + ARRAY_HEAD, size_bytes);
    } else if (uncompress(items, &size_bytes, p + ARRAY_HEAD, stored) != Z_OK || size_bytes != (uLongf)length * 4) {
        free(items);
        return NULL;
    }
    *count = length;
    return items;
}

/* Two keys at least, not all of one value: without that a curve is straight whatever it is called. */
static bool is_moving(const struct record *values)
{
    uint32_t count = 0;
    uint8_t *items = values->properties == NULL ? NULL : read_array(values, &count);
    bool is_equal = items != NULL;
    for (uint32_t i = 1; i < count && is_equal; i++)
        is_equal = memcmp(items, items + 4 * (size_t)i, 4) == 0;
    free(items);
    return !is_equal;
}

/* The 64-bit number that the `index`-th of a record's properties is, of types L and S only. */
static bool get_id(const struct record *record, uint32_t index, int64_t *id)
{
    uint64_t at = 0;
    for (uint32_t i = 0; at < record->properties_bytes; i++) {
        const uint8_t *p = record->properties + at;
        const uint64_t left = record->properties_bytes - at;
        if (p[0] == 'L' && left >= 9) {
            *id = (int64_t)get_u64(p + 1);
            at += 9;
        } else if (p[0] == 'S' && left >= 5 && left - 5 >= get_u32(p + 1)) {
            at += 5 + (uint64_t)get_u32(p + 1);
        } else {
            return false;
        }
        if (i == index)
            return p[0] == 'L';
    }
    return false;
}

static void look_at_curve(struct scan *scan, const struct record *curve)
{
    struct record child, values = {0}, flags = {0};
    for (uint64_t at = curve->children_at; next_record(scan, &at, curve->end, &child);)
        if (is_named(&child, "KeyValueFloat"))
            values = child;
        else if (is_named(&child, "KeyAttrFlags"))
            flags = child;
    if (!is_moving(&values))
        return;
    uint32_t count = 0, all = 0;
    uint8_t *items = flags.properties == NULL ? NULL : read_array(&flags, &count);
    for (uint32_t i = 0; i < count; i++)
        all |= get_u32(items + 4 * (size_t)i);
    if (items == NULL)
        scan->losses.is_uncertain = true;
    free(items);
    fbx_count_curve(&scan->losses, all);
    int64_t id;
    if (get_id(curve, 0, &id))
        fbx_turns_add_curve(&scan->turns, id);
}

/* A curve node's name and class, "R\0\1AnimCurveNode", are its second property. */
static bool is_rotation(const struct record *node)
{
    enum { NAME_AT = 9 + 5 };
    const uint8_t *p = node->properties;
    return node->properties_bytes > NAME_AT + 1 && p[0] == 'L' && p[9] == 'S' && p[NAME_AT] == 'R' &&
           p[NAME_AT + 1] == 0;
}

static void look_at_objects(struct scan *scan, const struct record *objects)
{
    struct record object;
    int64_t id;
    for (uint64_t at = objects->children_at; next_record(scan, &at, objects->end, &object);)
        if (is_named(&object, "AnimationCurve"))
            look_at_curve(scan, &object);
        else if (is_named(&object, "AnimationLayer") && get_id(&object, 0, &id))
            fbx_layers_add(&scan->layers, id);
        else if (is_named(&object, "AnimationCurveNode") && is_rotation(&object) && get_id(&object, 0, &id))
            fbx_turns_add_node(&scan->turns, id);
}

static void look_at_connections(struct scan *scan, const struct record *connections)
{
    struct record connection;
    int64_t child, parent;
    for (uint64_t at = connections->children_at; next_record(scan, &at, connections->end, &connection);)
        if (is_named(&connection, "C") && get_id(&connection, 1, &child) && get_id(&connection, 2, &parent)) {
            fbx_layers_connect(&scan->layers, child, parent);
            fbx_turns_connect(&scan->turns, child, parent);
        }
}

static struct fbx_losses scan_binary(const uint8_t *bytes, size_t size_bytes)
{
    const uint32_t version = get_u32(bytes + VERSION_AT);
    struct scan scan = {.bytes = bytes, .size_bytes = size_bytes, .is_64_bits = version >= VERSION_64_BITS};
    if (version < VERSION_MIN)
        return (struct fbx_losses){.is_uncertain = true};
    struct record record, connections = {0};
    bool has_objects = false;
    for (uint64_t at = HEADER_BYTES; next_record(&scan, &at, size_bytes, &record);) {
        if (is_named(&record, "Connections"))
            connections = record;
        if (!is_named(&record, "Objects"))
            continue;
        has_objects = true;
        look_at_objects(&scan, &record);
    }
    if (connections.properties != NULL)
        look_at_connections(&scan, &connections);
    scan.losses.layered_count = fbx_layers_count(&scan.layers);
    scan.losses.is_uncertain |= !has_objects;
    scan.losses.turning_count = fbx_turns_count(&scan.turns);
    fbx_layers_fini(&scan.layers);
    fbx_turns_fini(&scan.turns);
    return scan.losses;
}

struct fbx_losses fbx_scan(const uint8_t *bytes, size_t size_bytes)
{
    if (size_bytes >= HEADER_BYTES && memcmp(bytes, MAGIC, sizeof MAGIC) == 0)
        return scan_binary(bytes, size_bytes);
    return fbx_scan_text((const char *)bytes, size_bytes);
}
