#include "wire/encode/glb.h"

#include "wire/encode/draco_pack.h"
#include "wire/encode/glb_groups.h"
#include "wire/encode/json.h"
#include "wire/encode/meshopt.h"

#include <stdlib.h>

enum { ALIGNMENT = 4, HEAD_BYTES = 12, CHUNK_HEAD_BYTES = 8 };
enum { MAGIC = 0x46546c67, VERSION = 2, CHUNK_JSON = 0x4e4f534a, CHUNK_BIN = 0x004e4942 };
enum {
    TARGET_ARRAY = 34962,
    TARGET_ELEMENTS = 34963,
    SIGNED_BYTE = 5120,
    UNSIGNED_BYTE = 5121,
    SIGNED_SHORT = 5122,
    UNSIGNED_SHORT = 5123,
    UNSIGNED_INT = 5125,
    FLOAT = 5126
};

static const struct {
    const char *type;
    uint32_t element_bytes, component, target;
    bool is_normalized, has_bounds;
    enum meshopt_filter filter;
} ARRAYS[GLB_ARRAY_COUNT] = {
    [GLB_POSITION] = {"VEC3", sizeof(struct vec3), FLOAT, TARGET_ARRAY, false, true, MESHOPT_NO_FILTER},
    [GLB_NORMAL] = {"VEC3", sizeof(struct vec3), FLOAT, TARGET_ARRAY, false, false, MESHOPT_NO_FILTER},
    [GLB_TANGENT] = {"VEC4", sizeof(struct vec4), FLOAT, TARGET_ARRAY, false, false, MESHOPT_NO_FILTER},
    [GLB_TEXCOORD] = {"VEC2", sizeof(struct vec2), FLOAT, TARGET_ARRAY, false, false, MESHOPT_NO_FILTER},
    [GLB_SECOND_TEXCOORD] = {"VEC2", sizeof(struct vec2), FLOAT, TARGET_ARRAY, false, false, MESHOPT_NO_FILTER},
    [GLB_COLOR] = {"VEC4", sizeof(struct rgba8), UNSIGNED_BYTE, TARGET_ARRAY, true, false, MESHOPT_NO_FILTER},
    [GLB_INDICES] = {"SCALAR", sizeof(uint32_t), UNSIGNED_INT, TARGET_ELEMENTS, false, false, MESHOPT_NO_FILTER},
    [GLB_JOINTS] = {"VEC4", 4, UNSIGNED_BYTE, TARGET_ARRAY, false, false, MESHOPT_NO_FILTER},
    [GLB_LARGE_JOINTS] = {"VEC4", 4 * sizeof(uint16_t), UNSIGNED_SHORT, TARGET_ARRAY, false, false, MESHOPT_NO_FILTER},
    [GLB_WEIGHTS] = {"VEC4", 4 * sizeof(float), FLOAT, TARGET_ARRAY, false, false, MESHOPT_NO_FILTER},
    [GLB_DELTA] = {"VEC3", sizeof(struct vec3), FLOAT, TARGET_ARRAY, false, true, MESHOPT_NO_FILTER},
    [GLB_NORMAL_DELTA] = {"VEC3", sizeof(struct vec3), FLOAT, TARGET_ARRAY, false, false, MESHOPT_NO_FILTER},
    [GLB_MATRIX] = {"MAT4", sizeof(struct mat4), FLOAT, 0, false, false, MESHOPT_NO_FILTER},
    [GLB_TIME] = {"SCALAR", sizeof(float), FLOAT, 0, false, true, MESHOPT_NO_FILTER},
    [GLB_SCALAR] = {"SCALAR", sizeof(float), FLOAT, 0, false, false, MESHOPT_NO_FILTER},
    [GLB_VEC2] = {"VEC2", 2 * sizeof(float), FLOAT, 0, false, false, MESHOPT_NO_FILTER},
    [GLB_VEC3] = {"VEC3", 3 * sizeof(float), FLOAT, 0, false, false, MESHOPT_NO_FILTER},
    [GLB_VEC4] = {"VEC4", 4 * sizeof(float), FLOAT, 0, false, false, MESHOPT_NO_FILTER},
    [GLB_FLAG] = {"SCALAR", 1, UNSIGNED_BYTE, 0, false, false, MESHOPT_NO_FILTER},
    [GLB_OTHER_INDICES] = {"SCALAR", sizeof(uint32_t), UNSIGNED_INT, TARGET_ELEMENTS, false, false, MESHOPT_NO_FILTER},
    [GLB_FINE_COLOR] = {"VEC4", sizeof(struct rgba16), UNSIGNED_SHORT, TARGET_ARRAY, true, false, MESHOPT_NO_FILTER},
    [GLB_SHORT_POSITION] = {"VEC3", 8, SIGNED_SHORT, TARGET_ARRAY, true, true, MESHOPT_NO_FILTER},
    [GLB_SHORT_DELTA] = {"VEC3", 8, SIGNED_SHORT, TARGET_ARRAY, true, true, MESHOPT_NO_FILTER},
    [GLB_BYTE_NORMAL] = {"VEC3", 4, SIGNED_BYTE, TARGET_ARRAY, true, false, MESHOPT_OCTAHEDRAL},
    [GLB_BYTE_TANGENT] = {"VEC4", 4, SIGNED_BYTE, TARGET_ARRAY, true, false, MESHOPT_OCTAHEDRAL},
    [GLB_BYTE_NORMAL_DELTA] = {"VEC3", 4, SIGNED_BYTE, TARGET_ARRAY, true, false, MESHOPT_NO_FILTER},
    [GLB_SHORT_TEXCOORD] = {"VEC2", 4, UNSIGNED_SHORT, TARGET_ARRAY, true, false, MESHOPT_NO_FILTER},
    [GLB_SECOND_SHORT_TEXCOORD] = {"VEC2", 4, UNSIGNED_SHORT, TARGET_ARRAY, true, false, MESHOPT_NO_FILTER},
    [GLB_SHORT_WEIGHTS] = {"VEC4", 8, UNSIGNED_SHORT, TARGET_ARRAY, true, false, MESHOPT_NO_FILTER},
    [GLB_SHORT_INDICES] = {"SCALAR", 2, UNSIGNED_SHORT, TARGET_ELEMENTS, false, false, MESHOPT_NO_FILTER},
    [GLB_OTHER_SHORT_INDICES] = {"SCALAR", 2, UNSIGNED_SHORT, TARGET_ELEMENTS, false, false, MESHOPT_NO_FILTER},
    [GLB_ROTATION] = {"VEC4", 8, SIGNED_SHORT, 0, true, false, MESHOPT_QUATERNION},
    [GLB_FILTERED_SCALAR] = {"SCALAR", 4, FLOAT, 0, false, false, MESHOPT_EXPONENTIAL},
    [GLB_FILTERED_VEC3] = {"VEC3", 12, FLOAT, 0, false, false, MESHOPT_EXPONENTIAL},
    [GLB_FILTERED_VEC4] = {"VEC4", 16, FLOAT, 0, false, false, MESHOPT_EXPONENTIAL},
};

void glb_clear(struct glb_writer *glb, size_t limit_bytes)
{
    struct buf *const bufs[] = {&glb->bin, &glb->views, &glb->packed, &glb->accessors};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) {
        buf_clear(bufs[i]);
        bufs[i]->limit_bytes = limit_bytes;
    }
    glb->packed.limit_bytes =
        SIZE_MAX / 4; /* the worst case of a stream exceeds its array; such a stream is discarded */
    glb->compression = GLB_PLAIN;
    glb->unpacked_bytes = 0;
    glb->groups = NULL;
}

bool glb_failed(const struct glb_writer *glb)
{
    return buf_failed(&glb->bin) || buf_failed(&glb->views) || buf_failed(&glb->packed) || buf_failed(&glb->accessors);
}

static struct glb_buffer_view *views_of(const struct glb_writer *glb)
{
    return (struct glb_buffer_view *)(void *)glb->views.data;
}

static uint32_t view_count(const struct glb_writer *glb)
{
    return (uint32_t)(glb->views.size_bytes / sizeof(struct glb_buffer_view));
}

uint32_t glb_accessor_count(const struct glb_writer *glb)
{
    return (uint32_t)(glb->accessors.size_bytes / sizeof(struct glb_accessor));
}

/* Begins a view of the bytes appended next. */
static void start_view(struct glb_writer *glb, uint32_t target)
{
    buf_align(&glb->bin, ALIGNMENT);
    const struct glb_buffer_view view = {.offset = glb->bin.size_bytes, .target = target};
    buf_put(&glb->views, &view, sizeof view);
}

static uint32_t end_view(struct glb_writer *glb)
{
    if (glb_failed(glb))
        return GLB_NONE;
    const uint32_t last = view_count(glb) - 1;
    struct glb_buffer_view *view = &views_of(glb)[last];
    view->size_bytes = glb->bin.size_bytes - view->offset;
    return last;
}

static float least(float a, float b) { return b < a ? b : a; }
static float most(float a, float b) { return b > a ? b : a; }

/* Returns an element of an array with bounds. */
static struct vec3 point_of(enum glb_array array, const void *elements, uint32_t i)
{
    const int16_t *places = (const int16_t *)elements + (size_t)i * 4;
    return array == GLB_SHORT_POSITION || array == GLB_SHORT_DELTA ? (struct vec3){places[0], places[1], places[2]}
                                                                   : ((const struct vec3 *)elements)[i];
}

static void widen(struct glb_accessor *accessor, const void *elements)
{
    struct vec3 min = point_of(accessor->array, elements, 0), max = min;
    for (uint32_t i = 1; i < accessor->count; i++) {
        const struct vec3 p = point_of(accessor->array, elements, i);
        min = (struct vec3){least(min.x, p.x), least(min.y, p.y), least(min.z, p.z)};
        max = (struct vec3){most(max.x, p.x), most(max.y, p.y), most(max.z, p.z)};
    }
    accessor->min = min;
    accessor->max = max;
}

static void put_zeros(struct buf *out, size_t size_bytes)
{
    char *zeros = buf_reserve(out, size_bytes);
    if (zeros == NULL)
        return;
    memset(zeros, 0, size_bytes);
    buf_advance(out, size_bytes);
}

static enum meshopt_mode mode_of(enum glb_array array)
{
    return array == GLB_INDICES || array == GLB_SHORT_INDICES               ? MESHOPT_TRIANGLES
           : array == GLB_OTHER_INDICES || array == GLB_OTHER_SHORT_INDICES ? MESHOPT_INDICES
                                                                            : MESHOPT_ATTRIBUTES;
}

/* Compresses the last view, which ends the chunk. */
static void pack_view(struct glb_writer *glb, enum glb_array array, uint32_t count)
{
    enum { JSON_BYTES = 192 }; /* approximate JSON size of a stream in put_view() */
    const uint32_t element_bytes = ARRAYS[array].element_bytes;
    if (glb_failed(glb) || (element_bytes % 4 != 0 && mode_of(array) == MESHOPT_ATTRIBUTES)) /* of strides */
        return;
    struct glb_buffer_view *view = &views_of(glb)[view_count(glb) - 1];
    const size_t size_bytes = (size_t)count * element_bytes;
    meshopt_pack(mode_of(array), glb->bin.data + view->offset, count, element_bytes, &glb->packed);
    if (glb_failed(glb) || glb->packed.size_bytes + JSON_BYTES >= size_bytes)
        return;
    glb->bin.size_bytes = view->offset;
    buf_put(&glb->bin, glb->packed.data, glb->packed.size_bytes);
    view->array = array;
    view->count = count;
    view->unpacked_offset = glb->unpacked_bytes;
    glb->unpacked_bytes += (size_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (glb->unpacked_bytes >
        glb->bin.limit_bytes - glb->bin.size_bytes) /* an unlimited number of zeros compresses to nothing */
        buf_fail(&glb->bin, BUF_FULL);
}

uint32_t glb_array_bytes(enum glb_array array) { return ARRAYS[array].element_bytes; }

uint32_t glb_put_accessor_of(struct glb_writer *glb, struct glb_accessor *accessor, const void *elements)
{
    if (accessor->array == GLB_TIME) { /* times are ascending */
        memcpy(&accessor->min.x, elements, sizeof accessor->min.x);
        memcpy(&accessor->max.x, (const float *)elements + (accessor->count - 1), sizeof accessor->max.x);
    } else if (ARRAYS[accessor->array].has_bounds && elements != NULL) {
        widen(accessor, elements);
    }
    buf_put(&glb->accessors, accessor, sizeof *accessor);
    return glb_failed(glb) ? GLB_NONE : glb_accessor_count(glb) - 1;
}

uint32_t glb_put_view_of(struct glb_writer *glb, enum glb_array array, const void *elements, uint32_t count)
{
    const size_t size_bytes = (size_t)count * ARRAYS[array].element_bytes;
    start_view(glb, ARRAYS[array].target);
    if (elements != NULL)
        buf_put(&glb->bin, elements, size_bytes);
    else
        put_zeros(&glb->bin, size_bytes);
    if (glb->compression == GLB_MESHOPT)
        pack_view(glb, array, count);
    if (glb_failed(glb))
        return GLB_NONE;
    struct glb_buffer_view *view = &views_of(glb)[view_count(glb) - 1];
    view->array = array;
    view->is_shared = glb->groups != NULL && ARRAYS[array].target == TARGET_ARRAY;
    if (view->count == 0)
        meshopt_unfilter(ARRAYS[array].filter, glb->bin.data + view->offset, count, ARRAYS[array].element_bytes);
    return end_view(glb);
}

static bool is_grouped(enum glb_array array) { return mode_of(array) == MESHOPT_ATTRIBUTES && array != GLB_FLAG; }

uint32_t glb_add(struct glb_writer *glb, enum glb_array array, const void *elements, uint32_t count)
{
    struct glb_accessor accessor = {.array = array, .count = count};
    if (glb->groups != NULL && elements != NULL && is_grouped(array))
        return glb_groups_add(glb, array, elements, count);
    accessor.view = glb_put_view_of(glb, array, elements, count);
    return glb_put_accessor_of(glb, &accessor, elements);
}

void glb_start_mesh(struct glb_writer *glb) { glb->first_accessor = glb_accessor_count(glb); }

static enum draco_kind kind_of(enum glb_array array)
{
    switch (array) {
    case GLB_POSITION:
        return DRACO_POSITION;
    case GLB_NORMAL:
        return DRACO_NORMAL;
    case GLB_COLOR:
    case GLB_FINE_COLOR:
        return DRACO_COLOR;
    case GLB_TEXCOORD:
    case GLB_SECOND_TEXCOORD:
        return DRACO_TEXCOORD;
    default:
        return DRACO_OTHER;
    }
}

/* Returns the stream of the accessors from the mesh's first on, or NULL when out of memory. */
static uint8_t *pack_mesh(const struct glb_writer *glb, const struct glb_accessor *accessors, uint32_t count,
                          size_t *size_bytes)
{
    struct draco_attribute *attributes = calloc(count, sizeof *attributes);
    const struct glb_accessor *indices = NULL;
    uint32_t used = 0, vertex_count = 0;
    for (uint32_t i = 0; attributes != NULL && i < count; i++) {
        const struct glb_accessor *at = &accessors[i];
        const char *rows = glb->bin.data + views_of(glb)[at->view].offset;
        if (at->array == GLB_INDICES) {
            indices = at;
            continue;
        }
        attributes[used++] = (struct draco_attribute){rows, kind_of(at->array), ARRAYS[at->array].component,
                                                      ARRAYS[at->array].element_bytes, ARRAYS[at->array].is_normalized};
        vertex_count = at->count;
    }
    uint8_t *stream = NULL;
    if (attributes != NULL && indices != NULL)
        stream = draco_pack(attributes, used, vertex_count,
                            (const uint32_t *)(const void *)(glb->bin.data + views_of(glb)[indices->view].offset),
                            indices->count / 3, size_bytes);
    free(attributes);
    return stream;
}

uint32_t glb_end_mesh(struct glb_writer *glb)
{
    const uint32_t count = glb_accessor_count(glb) - glb->first_accessor;
    if (glb->compression != GLB_DRACO || count == 0 || glb_failed(glb))
        return GLB_NONE;
    struct glb_accessor *accessors = (struct glb_accessor *)(void *)glb->accessors.data + glb->first_accessor;
    const uint32_t first_view = accessors[0].view;
    const uint64_t offset = views_of(glb)[first_view].offset;
    size_t size_bytes = 0;
    uint8_t *stream = pack_mesh(glb, accessors, count, &size_bytes);
    if (stream == NULL)
        buf_fail(&glb->packed, BUF_FULL);
    if (stream == NULL || size_bytes >= glb->bin.size_bytes - offset) {
        free(stream);
        return GLB_NONE;
    }
    glb->bin.size_bytes = offset;
    glb->views.size_bytes = first_view * sizeof(struct glb_buffer_view);
    for (uint32_t i = 0; i < count; i++)
        accessors[i].view = GLB_NONE;
    start_view(glb, 0);
    buf_put(&glb->bin, stream, size_bytes);
    free(stream);
    return end_view(glb);
}

void glb_start_image(struct glb_writer *glb) { start_view(glb, 0); }
uint32_t glb_end_image(struct glb_writer *glb)
{
    const uint32_t last = end_view(glb);
    if (last == GLB_NONE)
        return GLB_NONE;
    struct glb_buffer_view *views = views_of(glb), *own = &views[last];
    own->is_image = true;
    for (uint32_t v = 0; v < last && glb->groups != NULL; v++) {
        if (!views[v].is_image || views[v].size_bytes != own->size_bytes ||
            memcmp(glb->bin.data + views[v].offset, glb->bin.data + own->offset, own->size_bytes) != 0)
            continue;
        glb->bin.size_bytes = own->offset;
        glb->views.size_bytes -= sizeof *own;
        return v;
    }
    return last;
}

void glb_start(struct buf *out)
{
    static const char ROOM[HEAD_BYTES + CHUNK_HEAD_BYTES];
    buf_put(out, ROOM, sizeof ROOM);
}

static void put_accessor(struct buf *out, const struct glb_accessor *accessor)
{
    buf_put_char(out, '{');
    if (accessor->view != GLB_NONE)
        json_printf(out, "\"bufferView\":%u,", accessor->view);
    if (accessor->offset > 0)
        json_printf(out, "\"byteOffset\":%llu,", (unsigned long long)accessor->offset);
    json_printf(out, "\"componentType\":%u", ARRAYS[accessor->array].component);
    if (ARRAYS[accessor->array].is_normalized)
        buf_put_text(out, ",\"normalized\":true");
    json_printf(out, ",\"count\":%u,\"type\":%s", accessor->count, ARRAYS[accessor->array].type);
    if (ARRAYS[accessor->array].has_bounds) {
        const size_t width = accessor->array == GLB_TIME ? 1 : 3;
        buf_put_text(out, ",\"min\":");
        json_put_floats(out, &accessor->min.x, width);
        buf_put_text(out, ",\"max\":");
        json_put_floats(out, &accessor->max.x, width);
    }
    buf_put_char(out, '}');
}

/* Writes a byte range without the closing brace. */
static void put_range(struct buf *out, uint32_t buffer, uint64_t offset, uint64_t size_bytes)
{
    json_printf(out, "{\"buffer\":%u,\"byteOffset\":%llu,\"byteLength\":%llu", buffer, (unsigned long long)offset,
                (unsigned long long)size_bytes);
}

static void put_view(struct buf *out, const struct glb_buffer_view *view)
{
    const uint32_t stride = ARRAYS[view->array].element_bytes;
    if (view->count > 0)
        put_range(out, 1, view->unpacked_offset, (uint64_t)view->count * stride);
    else
        put_range(out, 0, view->offset, view->size_bytes);
    if (view->target != 0)
        json_printf(out, ",\"target\":%u", view->target);
    if (view->is_shared)
        json_printf(out, ",\"byteStride\":%u", stride);
    if (view->count > 0) {
        buf_put_text(out, ",\"extensions\":{\"EXT_meshopt_compression\":");
        put_range(out, 0, view->offset, view->size_bytes);
        json_printf(out, ",\"byteStride\":%u,\"count\":%u,\"mode\":%s", stride, view->count,
                    MESHOPT_MODE_NAMES[mode_of(view->array)]);
        if (ARRAYS[view->array].filter != MESHOPT_NO_FILTER)
            json_printf(out, ",\"filter\":%s", MESHOPT_FILTER_NAMES[ARRAYS[view->array].filter]);
        buf_put_text(out, "}}");
    }
    buf_put_char(out, '}');
}

void glb_put_arrays(const struct glb_writer *glb, struct buf *out)
{
    const struct glb_accessor *accessors = (const struct glb_accessor *)(const void *)glb->accessors.data;
    for (uint32_t i = 0; i < glb_accessor_count(glb) && !buf_failed(out); i++) {
        buf_put_text(out, i == 0 ? ",\"accessors\":[" : ",");
        put_accessor(out, &accessors[i]);
    }
    if (glb_accessor_count(glb) > 0)
        buf_put_char(out, ']');
    for (uint32_t i = 0; i < view_count(glb) && !buf_failed(out); i++) {
        buf_put_text(out, i == 0 ? ",\"bufferViews\":[" : ",");
        put_view(out, &views_of(glb)[i]);
    }
    if (view_count(glb) > 0)
        json_printf(out, "],\"buffers\":[{\"byteLength\":%llu}", (unsigned long long)glb->bin.size_bytes);
    if (glb->unpacked_bytes > 0)
        json_printf(out, ",{\"byteLength\":%llu,\"extensions\":{\"EXT_meshopt_compression\":{\"fallback\":true}}}",
                    (unsigned long long)glb->unpacked_bytes);
    if (view_count(glb) > 0)
        buf_put_char(out, ']');
}

bool glb_finish(const struct glb_writer *glb, struct buf *out)
{
    while (out->size_bytes % ALIGNMENT != 0 && !buf_failed(out))
        buf_put_char(out, ' ');
    const size_t json_bytes = out->size_bytes - HEAD_BYTES - CHUNK_HEAD_BYTES;
    const size_t bin_bytes = (glb->bin.size_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bin_bytes > 0) {
        buf_reserve(out, CHUNK_HEAD_BYTES + bin_bytes); /* one exact allocation */
        buf_put_u32(out, (uint32_t)bin_bytes);
        buf_put_u32(out, CHUNK_BIN);
        buf_put(out, glb->bin.data, glb->bin.size_bytes);
        buf_align(out, ALIGNMENT);
    }
    if (buf_failed(out) || out->size_bytes > UINT32_MAX)
        return false;
    const uint32_t words[] = {MAGIC, VERSION, (uint32_t)out->size_bytes, (uint32_t)json_bytes, CHUNK_JSON};
    memcpy(out->data, words, sizeof words); /* little-endian, like the arrays in memory */
    return true;
}
