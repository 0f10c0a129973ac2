/* gltf_index.c - reads the indices of a primitive, and converts strips, fans and loops to lists. */
#include "import/gltf/gltf_primitive.h"
#include "import/mesh/mesh_arrays.h"

#include <stdio.h>

enum primitive_mode {
    MODE_POINTS,
    MODE_LINES,
    MODE_LINE_LOOP,
    MODE_LINE_STRIP,
    MODE_TRIANGLES,
    MODE_TRIANGLE_STRIP,
    MODE_TRIANGLE_FAN,
    MODE_COUNT
};

/* The source of indices: an accessor, or 0, 1, 2, ... for a primitive without one. */
struct index_source {
    struct accessor accessor;
    bool is_counting;
    uint32_t count;
};

static uint32_t index_at(const struct index_source *source, uint32_t i)
{
    if (source->is_counting)
        return i;
    uint32_t index;
    accessor_row_u32(&source->accessor, i, &index);
    return index;
}

/* To graphics hardware, the largest value of the type means "start a new strip"; glTF forbids it (glTF 2.0,
 * 3.7.2.1). */
static uint32_t restart_index(enum accessor_component component)
{
    return component == ACCESSOR_U8 ? UINT8_MAX : component == ACCESSOR_U16 ? UINT16_MAX : UINT32_MAX;
}

static int check_indices(const struct primitive_reader *reader, const struct index_source *source, struct err *err)
{
    for (uint32_t i = 0; i < source->count; i++) {
        const uint32_t index = index_at(source, i);
        if (index == restart_index(source->accessor.component))
            return err_set(err, ERR_BAD_MODEL, "%s: index %u is %u, a primitive restart, which glTF forbids",
                           reader->where, i, index);
        if (index >= reader->out.vertex_count)
            return err_set(err, ERR_BAD_MODEL, "%s: index %u is %u, but there are %u vertices", reader->where, i, index,
                           reader->out.vertex_count);
    }
    return 0;
}

static int open_source(const struct primitive_reader *reader, struct index_source *source, struct err *err)
{
    if (reader->draco != NULL) {
        *source = (struct index_source){0};
        primitive_draco_indices(reader, &source->accessor);
        source->count = source->accessor.count;
        return check_indices(reader, source, err); /* positions may be an accessor's */
    }
    const int64_t index = json_index(reader->json, "indices");
    *source = (struct index_source){.is_counting = index < 0, .count = reader->out.vertex_count};
    if (index < 0)
        return 0;
    char where[sizeof reader->where + 16];
    snprintf(where, sizeof where, "%s.indices", reader->where);
    const struct accessor_use use = {where, ACCESSOR_SCALAR, ACCESSOR_U8 | ACCESSOR_U16 | ACCESSOR_U32};
    if (accessor_open(reader->gltf, (uint32_t)index, &use, &source->accessor, err) < 0)
        return err->code;
    source->count = source->accessor.count;
    /* Checked before the loop over the indices, because an accessor without a view may have billions of rows at no
     * cost. */
    if (import_check_limit(reader->gltf->import, LIMIT_INDICES, reader->gltf->builder->index_count, source->count,
                           reader->where, err) < 0)
        return err->code;
    return check_indices(reader, source, err);
}

/* The number of list indices for `count` indices of a mode; *used is the number of indices in complete elements. */
static uint64_t unrolled_count(enum primitive_mode mode, uint32_t count, uint32_t *used)
{
    *used = count;
    switch (mode) {
    case MODE_LINES:
        return *used = count - count % 2;
    case MODE_TRIANGLES:
        return *used = count - count % 3;
    case MODE_LINE_LOOP:
        *used = count < 2 ? 0 : count;
        return 2 * (uint64_t)*used;
    case MODE_LINE_STRIP:
        *used = count < 2 ? 0 : count;
        return *used == 0 ? 0 : 2 * ((uint64_t)count - 1);
    case MODE_TRIANGLE_STRIP:
    case MODE_TRIANGLE_FAN:
        *used = count < 3 ? 0 : count;
        return *used == 0 ? 0 : 3 * ((uint64_t)count - 2);
    default:
        return count;
    }
}

/* The position in the source of the i-th list index (glTF 2.0, 3.7.2.1: equations of the topology types). */
static uint32_t place_of(enum primitive_mode mode, uint32_t i, uint32_t count)
{
    const uint32_t line = i / 2, triangle = i / 3, corner = i % 3;
    switch (mode) {
    case MODE_LINE_LOOP:
        return (line + i % 2) % count;
    case MODE_LINE_STRIP:
        return line + i % 2;
    case MODE_TRIANGLE_STRIP: /* p, p + 1 + p % 2, p + 2 - p % 2: every second triangle is reversed */
        if (corner == 0)
            return triangle;
        return corner == 1 ? triangle + 1 + triangle % 2 : triangle + 2 - triangle % 2;
    case MODE_TRIANGLE_FAN: /* p + 1, p + 2, 0 */
        return corner == 2 ? 0 : triangle + 1 + corner;
    default:
        return i;
    }
}

int primitive_read_indices(struct primitive_reader *reader, struct err *err)
{
    struct gltf *gltf = reader->gltf;
    const uint64_t number = json_count(reader->json, "mode", MODE_TRIANGLES);
    if (number >= MODE_COUNT)
        return err_set(err, ERR_BAD_MODEL, "%s.mode is %llu, which is none of glTF's", reader->where,
                       (unsigned long long)number);
    /* A Draco mesh contains triangles, even if it was made from strips. */
    const bool is_draco = reader->draco != NULL;
    if (is_draco && number != MODE_TRIANGLES && number != MODE_TRIANGLE_STRIP)
        return err_set(err, ERR_BAD_MODEL, "%s.mode is %llu, but a Draco mesh holds triangles", reader->where,
                       (unsigned long long)number);
    const enum primitive_mode mode = is_draco ? MODE_TRIANGLES : (enum primitive_mode)number;
    reader->out.topology = mode == MODE_POINTS     ? TOPOLOGY_POINTS
                           : mode < MODE_TRIANGLES ? TOPOLOGY_LINES
                                                   : TOPOLOGY_TRIANGLES;
    struct index_source source;
    if (open_source(reader, &source, err) < 0)
        return err->code;
    uint32_t used;
    const uint64_t count = unrolled_count(mode, source.count, &used);
    if (used < source.count)
        bake_warn(gltf->builder, "indices_trimmed", "%s: the last %u of %u indices make no whole element",
                  reader->where, source.count - used, source.count);
    uint32_t *indices = mesh_add_indices(gltf->import, &reader->out, count, reader->where, err);
    if (indices == NULL)
        return err->code;
    for (uint32_t i = 0; i < (uint32_t)count; i++)
        indices[i] = index_at(&source, place_of(mode, i, source.count));
    return 0;
}
