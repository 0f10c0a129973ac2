/* collada_faces.c - converts the lists of a primitive element to faces: polygons stay, strips and fans become
 * triangles, line strips become lines. */
#include "import/collada_mesh/collada_mesh.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct face_reader {
    struct collada_part *part;
    const struct xml *xml;
    const struct limits *limits;
    struct bake_builder *builder;
    size_t corner_count, corner_capacity, start_capacity;
    uint32_t small_count;   /* faces of fewer than three corners */
    uint32_t trimmed_count; /* corners that make no whole face */
    struct err *err;
};

/* Adds a face of these corners of the file; corners NULL: of first .. first + count - 1. */
static int add_face(struct face_reader *reader, const uint32_t *corners, uint32_t first, uint32_t count)
{
    struct collada_part *part = reader->part;
    const uint64_t limit = reader->limits->value[LIMIT_INDICES];
    if (part->topology == TOPOLOGY_TRIANGLES && count < 3) {
        reader->small_count++;
        return 0;
    }
    if (reader->corner_count + count > limit || reader->corner_count + count >= UINT32_MAX)
        return err_set(reader->err, ERR_MODEL_LIMIT, "it has more corners than %s",
                       LIMIT_TEXT(reader->limits, LIMIT_INDICES));
    part->corners =
        mem_grow(part->corners, &reader->corner_capacity, reader->corner_count + count, sizeof *part->corners);
    part->starts = mem_grow(part->starts, &reader->start_capacity, (size_t)part->face_count + 2, sizeof *part->starts);
    for (uint32_t i = 0; i < count; i++)
        part->corners[reader->corner_count + i] = corners != NULL ? corners[i] : first + i;
    reader->corner_count += count;
    part->starts[++part->face_count] = (uint32_t)reader->corner_count;
    return 0;
}

/* Faces of `size` corners each. */
static int add_runs(struct face_reader *reader, uint32_t first, uint32_t count, uint32_t size)
{
    for (uint32_t at = 0; count - at >= size; at += size) {
        if (add_face(reader, NULL, first + at, size) < 0)
            return reader->err->code;
    }
    reader->trimmed_count += count % size;
    return 0;
}

/* Every second triangle of a strip has the opposite winding. */
static int add_strip(struct face_reader *reader, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i + 2 < count; i++) {
        const uint32_t odd = i % 2, at = first + i;
        const uint32_t corners[3] = {at, at + 1 + odd, at + 2 - odd};
        if (add_face(reader, corners, 0, 3) < 0)
            return reader->err->code;
    }
    reader->trimmed_count += count < 3 ? count : 0;
    return 0;
}

static int add_fan(struct face_reader *reader, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i + 2 < count; i++) {
        const uint32_t corners[3] = {first, first + i + 1, first + i + 2};
        if (add_face(reader, corners, 0, 3) < 0)
            return reader->err->code;
    }
    reader->trimmed_count += count < 3 ? count : 0;
    return 0;
}

static int add_line_strip(struct face_reader *reader, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (add_face(reader, NULL, first + i, 2) < 0)
            return reader->err->code;
    }
    reader->trimmed_count += count == 1;
    return 0;
}

/* Adds the list of one <p>: corners first .. first + count - 1. */
static int add_list(struct face_reader *reader, uint32_t first, uint32_t count)
{
    const struct xml *xml = reader->xml;
    const uint32_t element = reader->part->element;
    if (xml_is(xml, element, "triangles"))
        return add_runs(reader, first, count, 3);
    if (xml_is(xml, element, "lines"))
        return add_runs(reader, first, count, 2);
    if (xml_is(xml, element, "tristrips"))
        return add_strip(reader, first, count);
    if (xml_is(xml, element, "trifans"))
        return add_fan(reader, first, count);
    if (xml_is(xml, element, "linestrips"))
        return add_line_strip(reader, first, count);
    return add_face(reader, NULL, first, count);
}

/* Reads a <p>: *first and *count are the corners it adds. */
static int read_list(struct face_reader *reader, uint32_t p, uint32_t *first, uint32_t *count)
{
    struct collada_part *part = reader->part;
    *first = (uint32_t)(part->indices.count / part->stride);
    if (indices_read(reader->xml, p, &part->indices, reader->err) < 0)
        return reader->err->code;
    const size_t extra = part->indices.count % part->stride;
    part->indices.count -= extra;
    reader->trimmed_count += extra > 0;
    if (part->indices.count >= UINT32_MAX)
        return err_set(reader->err, ERR_MODEL_LIMIT, "it has too many indices");
    *count = (uint32_t)(part->indices.count / part->stride) - *first;
    return 0;
}

/* <polylist>: <vcount> says how many corners each face has. */
static int read_polylist(struct face_reader *reader)
{
    const struct xml *xml = reader->xml;
    struct collada_part *part = reader->part;
    struct index_list counts = {0};
    uint32_t first, corner_count = 0, at = 0;
    const uint32_t p = xml_child(xml, part->element, "p"), vcount = xml_child(xml, part->element, "vcount");
    int rc = p == XML_NONE || vcount == XML_NONE ? 0 : read_list(reader, p, &first, &corner_count);
    if (rc == 0 && p != XML_NONE && vcount != XML_NONE)
        rc = indices_read(xml, vcount, &counts, reader->err);
    for (size_t i = 0; i < counts.count && rc == 0; i++) {
        if (counts.items[i] > corner_count - at)
            rc = err_set(reader->err, ERR_BAD_MODEL, "face %zu has %u corners, and the <p> on line %u has %u left", i,
                         counts.items[i], xml_line(xml, p), corner_count - at);
        else
            rc = add_face(reader, NULL, at, counts.items[i]);
        at += rc == 0 ? counts.items[i] : 0;
    }
    free(counts.items);
    return rc;
}

static int read_lists(struct face_reader *reader)
{
    const struct xml *xml = reader->xml;
    uint32_t first, count;
    for (uint32_t e = xml_child(xml, reader->part->element, NULL); e != XML_NONE; e = xml_next(xml, e, NULL)) {
        const bool has_holes = xml_is(xml, e, "ph");
        const uint32_t p = has_holes ? xml_child(xml, e, "p") : e;
        if (!xml_is(xml, p, "p"))
            continue;
        if (has_holes)
            bake_warn(reader->builder, "holes_filled", "the polygon with holes on line %u is drawn without them",
                      xml_line(xml, e));
        if (read_list(reader, p, &first, &count) < 0 || (count > 0 && add_list(reader, first, count) < 0))
            return reader->err->code;
    }
    return 0;
}

int collada_faces_read(struct collada_part *part, const struct xml *xml, const struct limits *limits,
                       struct bake_builder *builder, struct err *err)
{
    struct face_reader reader = {.part = part, .xml = xml, .limits = limits, .builder = builder, .err = err};
    const bool is_line = xml_is(xml, part->element, "lines") || xml_is(xml, part->element, "linestrips");
    part->topology = is_line ? TOPOLOGY_LINES : TOPOLOGY_TRIANGLES;
    part->starts = mem_zalloc(2, sizeof *part->starts);
    reader.start_capacity = 2;
    const int rc = xml_is(xml, part->element, "polylist") ? read_polylist(&reader) : read_lists(&reader);
    if (rc < 0)
        return rc;
    const char *count = xml_get(xml, part->element, "count");
    if (part->face_count == 0 && reader.small_count == 0 && count != NULL && strspn(count, "0 ") != strlen(count))
        return err_set(err, ERR_BAD_MODEL, "it has a count of %.20s and no faces", count);
    if (reader.small_count + reader.trimmed_count > 0)
        bake_warn(builder, "indices_trimmed", "the <%s> on line %u has faces or lines that are not whole",
                  xml->text + xml->elements[part->element].tag, xml_line(xml, part->element));
    return 0;
}
