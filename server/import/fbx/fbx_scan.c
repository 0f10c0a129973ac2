/* fbx_scan.c - looks through the records of a binary FBX file. */
#include "import/fbx/fbx_scan.h"

#include "import/fbx/fbx_connections.h"
#include "import/fbx/fbx_record.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { ITEMS_MAX = 1 << 22 };

struct fbx_scanner {
    struct fbx_file file;
    struct fbx_connections connections;
    struct fbx_findings losses;
};

/* An array property of 4-byte items, inflated where it is compressed; NULL when it is none. */
static uint8_t *read_array(const struct fbx_record *record, uint32_t *count)
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
static bool is_moving(const struct fbx_record *values)
{
    uint32_t count = 0;
    uint8_t *items = values->properties == NULL ? NULL : read_array(values, &count);
    bool is_equal = items != NULL;
    for (uint32_t i = 1; i < count && is_equal; i++)
        is_equal = memcmp(items, items + 4 * (size_t)i, 4) == 0;
    free(items);
    return !is_equal;
}

static bool get_id(const struct fbx_record *record, uint32_t index, int64_t *id)
{
    const uint8_t *at = fbx_long(record, index);
    if (at != NULL)
        *id = (int64_t)get_u64(at);
    return at != NULL;
}

static void look_at_curve(struct fbx_scanner *scan, const struct fbx_record *curve)
{
    struct fbx_record child, values = {0}, flags = {0};
    for (uint64_t at = curve->children_at; fbx_next_record(&scan->file, &at, curve->end, &child);)
        if (fbx_is_named(&child, "KeyValueFloat"))
            values = child;
        else if (fbx_is_named(&child, "KeyAttrFlags"))
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
        fbx_items_add(&scan->connections.curves, id);
}

/* A curve node's name and class, "R\0\1AnimCurveNode", are its second property. */
static bool is_rotation(const struct fbx_record *node)
{
    enum { NAME_AT = 9 + 5 };
    const uint8_t *p = node->properties;
    return node->properties_bytes > NAME_AT + 1 && p[0] == 'L' && p[9] == 'S' && p[NAME_AT] == 'R' &&
           p[NAME_AT + 1] == 0;
}

static void look_at_objects(struct fbx_scanner *scan, const struct fbx_record *objects)
{
    struct fbx_record object;
    int64_t id;
    for (uint64_t at = objects->children_at; fbx_next_record(&scan->file, &at, objects->end, &object);)
        if (fbx_is_named(&object, "AnimationCurve"))
            look_at_curve(scan, &object);
        else if (fbx_is_named(&object, "AnimationLayer") && get_id(&object, 0, &id))
            fbx_items_add(&scan->connections.layers, id);
        else if (fbx_is_named(&object, "AnimationCurveNode") && is_rotation(&object) && get_id(&object, 0, &id))
            fbx_items_add(&scan->connections.rotations, id);
}

static void look_at_connections(struct fbx_scanner *scan, const struct fbx_record *connections)
{
    struct fbx_record connection;
    int64_t child, parent;
    for (uint64_t at = connections->children_at; fbx_next_record(&scan->file, &at, connections->end, &connection);)
        if (fbx_is_named(&connection, "C") && get_id(&connection, 1, &child) && get_id(&connection, 2, &parent))
            fbx_connect(&scan->connections, child, parent);
}

static struct fbx_findings scan_binary(const uint8_t *bytes, size_t size_bytes)
{
    struct fbx_scanner scan = {0};
    if (!fbx_file_open(&scan.file, bytes, size_bytes))
        return (struct fbx_findings){.is_uncertain = true};
    struct fbx_record record, connections = {0};
    bool has_objects = false;
    for (uint64_t at = FBX_HEADER_BYTES; fbx_next_record(&scan.file, &at, size_bytes, &record);) {
        if (fbx_is_named(&record, "Connections"))
            connections = record;
        if (!fbx_is_named(&record, "Objects"))
            continue;
        has_objects = true;
        look_at_objects(&scan, &record);
    }
    if (connections.properties != NULL)
        look_at_connections(&scan, &connections);
    scan.losses.layered_count = fbx_layered_takes(&scan.connections);
    scan.losses.is_uncertain |= !has_objects;
    scan.losses.turning_count = fbx_multi_axis_rotations(&scan.connections);
    fbx_connections_fini(&scan.connections);
    return scan.losses;
}

struct fbx_findings fbx_scan(const uint8_t *bytes, size_t size_bytes)
{
    if (fbx_is_binary(bytes, size_bytes))
        return scan_binary(bytes, size_bytes);
    return fbx_scan_text((const char *)bytes, size_bytes);
}
