/* gltf_accessor.c - finds the bytes of an accessor's rows, and reads rows as numbers. */
#include "import/gltf/gltf_accessor.h"

#include "import/gltf/gltf_buffer.h"

#include "base/bytes.h"

#include <math.h>
#include <string.h>

static const struct type_row {
    const char *name;
    enum accessor_type type;
    uint32_t width;
} TYPES[] = {
    {"SCALAR", ACCESSOR_SCALAR, 1}, {"VEC2", ACCESSOR_VEC2, 2}, {"VEC3", ACCESSOR_VEC3, 3},  {"VEC4", ACCESSOR_VEC4, 4},
    {"MAT2", ACCESSOR_MAT2, 4},     {"MAT3", ACCESSOR_MAT3, 9}, {"MAT4", ACCESSOR_MAT4, 16},
};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

static const struct component_row {
    const char *name;
    enum accessor_component component;
    uint32_t number; /* componentType */
    uint32_t bytes;
} COMPONENTS[] = {
    {"BYTE", ACCESSOR_I8, 5120, 1},          {"UNSIGNED_BYTE", ACCESSOR_U8, 5121, 1},
    {"SHORT", ACCESSOR_I16, 5122, 2},        {"UNSIGNED_SHORT", ACCESSOR_U16, 5123, 2},
    {"UNSIGNED_INT", ACCESSOR_U32, 5125, 4}, {"FLOAT", ACCESSOR_F32, 5126, 4},
};
enum { COMPONENT_COUNT = sizeof COMPONENTS / sizeof *COMPONENTS };

/* NULL when the number is not one of the six. */
static const struct component_row *find_component(uint64_t number)
{
    for (int i = 0; i < COMPONENT_COUNT; i++)
        if (COMPONENTS[i].number == number)
            return &COMPONENTS[i];
    return NULL;
}

static int find_types(const cJSON *json, const struct accessor_use *use, struct accessor *accessor, struct err *err)
{
    const uint64_t number = json_count(json, "componentType", 0);
    const struct component_row *component = find_component(number);
    if (component == NULL)
        return err_set(err, ERR_BAD_MODEL, "accessors[%u].componentType is %llu, which is none of glTF's",
                       accessor->index, (unsigned long long)number);
    const char *name = json_text(json, "type");
    const struct type_row *type = NULL;
    for (int i = 0; i < TYPE_COUNT; i++)
        if (strcmp(TYPES[i].name, name) == 0)
            type = &TYPES[i];
    if (type == NULL)
        return err_set(err, ERR_BAD_MODEL, "accessors[%u].type is '%.20s', which is none of glTF's", accessor->index,
                       name);
    if ((use->types & type->type) == 0 || (use->components & component->component) == 0)
        return err_set(err, ERR_BAD_MODEL, "%s cannot be accessors[%u], which is %s of %s", use->where, accessor->index,
                       type->name, component->name);
    accessor->component = component->component;
    accessor->component_type = component->number;
    accessor->component_bytes = component->bytes;
    accessor->width = type->width;
    accessor->row_bytes = type->width * component->bytes;
    accessor->is_normalized = json_is_true(json, "normalized") && component->component != ACCESSOR_F32;
    return 0;
}

/* The rows[count] of `row_bytes` that an accessor, or `part` (".sparse.values") of it, has in its view. *stride is the
 * distance between them; 0 means the view's stride. */
static int find_rows(struct gltf *gltf, const cJSON *json, uint32_t accessor, const char *part, uint32_t count,
                     uint32_t row_bytes, const uint8_t **rows, uint64_t *stride, struct err *err)
{
    const uint32_t view_index = (uint32_t)json_index(json, "bufferView");
    const uint64_t offset = json_count(json, "byteOffset", 0);
    struct gltf_view view;
    uint64_t end;
    if (gltf_view(gltf, view_index, &view, err) < 0)
        return err_prefix(err, "accessors[%u]%s", accessor, part);
    if (*stride == 0)
        *stride = view.stride == 0 ? row_bytes : view.stride;
    if (*stride < row_bytes)
        return err_set(err, ERR_BAD_MODEL,
                       "accessors[%u]%s has rows of %u bytes, but bufferViews[%u] a byteStride of %llu", accessor, part,
                       row_bytes, view_index, (unsigned long long)view.stride);
    if (__builtin_mul_overflow(*stride, (uint64_t)count - 1, &end) || __builtin_add_overflow(end, offset, &end) ||
        __builtin_add_overflow(end, row_bytes, &end) || end > view.size_bytes)
        return err_set(
            err, ERR_BAD_MODEL,
            "accessors[%u]%s needs %u rows of %u bytes, %llu apart from byte %llu on, but bufferViews[%u] has %llu "
            "bytes",
            accessor, part, count, row_bytes, (unsigned long long)*stride, (unsigned long long)offset, view_index,
            (unsigned long long)view.size_bytes);
    *rows = view.bytes + offset;
    return 0;
}

static uint32_t read_unsigned(const uint8_t *bytes, enum accessor_component component)
{
    if (component == ACCESSOR_U8)
        return bytes[0];
    return component == ACCESSOR_U16 ? get_u16(bytes) : get_u32(bytes);
}

static uint32_t sparse_index(const struct accessor *accessor, uint32_t i)
{
    return read_unsigned(accessor->sparse_indices + (uint64_t)i * accessor->sparse_bytes, accessor->sparse_component);
}

static int check_sparse_indices(const struct accessor *accessor, struct err *err)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < accessor->sparse_count; i++) {
        const uint32_t index = sparse_index(accessor, i);
        if (index >= accessor->count)
            return err_set(err, ERR_BAD_MODEL, "accessors[%u].sparse index %u is %u, but the accessor has %u rows",
                           accessor->index, i, index, accessor->count);
        if (i > 0 && index <= before)
            return err_set(err, ERR_BAD_MODEL, "accessors[%u].sparse index %u is %u after %u, expected rising ones",
                           accessor->index, i, index, before);
        before = index;
    }
    return 0;
}

static int find_sparse(struct gltf *gltf, const cJSON *json, struct accessor *accessor, struct err *err)
{
    const cJSON *sparse = json_member(json, "sparse");
    const uint64_t count = json_count(sparse, "count", 0);
    if (count == 0)
        return 0;
    if (count > accessor->count)
        return err_set(err, ERR_BAD_MODEL, "accessors[%u].sparse.count is %llu, but the accessor has %u rows",
                       accessor->index, (unsigned long long)count, accessor->count);
    const cJSON *indices = json_member(sparse, "indices");
    const struct component_row *component = find_component(json_count(indices, "componentType", 0));
    if (component == NULL || (component->component & (ACCESSOR_U8 | ACCESSOR_U16 | ACCESSOR_U32)) == 0)
        return err_set(err, ERR_BAD_MODEL, "accessors[%u].sparse.indices.componentType is no unsigned integer",
                       accessor->index);
    accessor->sparse_count = (uint32_t)count;
    accessor->sparse_component = component->component;
    accessor->sparse_bytes = component->bytes;
    uint64_t index_stride = component->bytes, value_stride = accessor->row_bytes; /* both are tightly packed */
    if (find_rows(gltf, indices, accessor->index, ".sparse.indices", accessor->sparse_count, component->bytes,
                  &accessor->sparse_indices, &index_stride, err) < 0 ||
        find_rows(gltf, json_member(sparse, "values"), accessor->index, ".sparse.values", accessor->sparse_count,
                  accessor->row_bytes, &accessor->sparse_rows, &value_stride, err) < 0)
        return err->code;
    return check_sparse_indices(accessor, err);
}

uint64_t accessor_bytes(const struct accessor *accessor) { return (uint64_t)accessor->count * accessor->row_bytes; }

int accessor_charge(struct gltf *gltf, uint32_t index, uint64_t bytes, struct err *err)
{
    const uint64_t file_bytes = source_files_bytes(gltf->import->files);
    const uint64_t limit = gltf->import->limits->value[LIMIT_ROWS_BYTES] + ACCESSOR_ROWS_PER_BYTE * file_bytes;
    if (bytes > limit || gltf->row_bytes > limit - bytes)
        return err_set(
            err, ERR_MODEL_LIMIT,
            "accessors[%u]: its %llu bytes of rows, with those used before, are more than the %llu that a file "
            "of %llu bytes may have (%s): zeros without a bufferView, or the same rows used many times",
            index, (unsigned long long)bytes, (unsigned long long)limit, (unsigned long long)file_bytes,
            LIMIT_TEXT(gltf->import->limits, LIMIT_ROWS_BYTES));
    gltf->row_bytes += bytes;
    return 0;
}

int accessor_describe(const struct gltf *gltf, uint32_t index, const struct accessor_use *use,
                      struct accessor *accessor, struct err *err)
{
    *accessor = (struct accessor){.index = index};
    const cJSON *json = gltf_item(gltf, GLTF_ACCESSORS, index);
    const uint64_t count = json_count(json, "count", 0);
    if (count == 0 || count > UINT32_MAX)
        return err_set(err, ERR_BAD_MODEL, "accessors[%u].count is %llu, expected 1 to 4294967295", index,
                       (unsigned long long)count);
    accessor->count = (uint32_t)count;
    return find_types(json, use, accessor, err);
}

int accessor_open(struct gltf *gltf, uint32_t index, const struct accessor_use *use, struct accessor *accessor,
                  struct err *err)
{
    const cJSON *json = gltf_item(gltf, GLTF_ACCESSORS, index);
    const bool has_view = json_member(json, "bufferView") != NULL;
    if (accessor_describe(gltf, index, use, accessor, err) < 0 ||
        (has_view && find_rows(gltf, json, index, "", accessor->count, accessor->row_bytes, &accessor->rows,
                               &accessor->stride, err) < 0) ||
        accessor_charge(gltf, index, accessor_bytes(accessor), err) < 0)
        return err->code;
    return find_sparse(gltf, json, accessor, err);
}

/* The bytes of a row, or NULL for zeros. */
static const uint8_t *find_row(const struct accessor *accessor, uint32_t row)
{
    uint32_t low = 0, high = accessor->sparse_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (sparse_index(accessor, middle) < row)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < accessor->sparse_count && sparse_index(accessor, low) == row)
        return accessor->sparse_rows + (uint64_t)low * accessor->row_bytes;
    return accessor->rows == NULL ? NULL : accessor->rows + row * accessor->stride;
}

static double read_component(const uint8_t *bytes, enum accessor_component component, bool is_normalized)
{
    switch (component) {
    case ACCESSOR_I8:
        return is_normalized ? fmax((int8_t)bytes[0] / 127.0, -1.0) : (int8_t)bytes[0];
    case ACCESSOR_U8:
        return is_normalized ? bytes[0] / 255.0 : bytes[0];
    case ACCESSOR_I16:
        return is_normalized ? fmax((int16_t)get_u16(bytes) / 32767.0, -1.0) : (int16_t)get_u16(bytes);
    case ACCESSOR_U16:
        return is_normalized ? get_u16(bytes) / 65535.0 : get_u16(bytes);
    case ACCESSOR_U32:
        return is_normalized ? get_u32(bytes) / 4294967295.0 : get_u32(bytes);
    default:
        return (double)get_f32(bytes);
    }
}

void accessor_row(const struct accessor *accessor, uint32_t row, double *out)
{
    const uint8_t *bytes = find_row(accessor, row);
    const uint32_t step = accessor->component_bytes;
    for (uint32_t i = 0; i < accessor->width; i++)
        out[i] = bytes == NULL ? 0 : read_component(bytes + i * step, accessor->component, accessor->is_normalized);
}

void accessor_row_u32(const struct accessor *accessor, uint32_t row, uint32_t *out)
{
    const uint8_t *bytes = find_row(accessor, row);
    const uint32_t step = accessor->component_bytes;
    for (uint32_t i = 0; i < accessor->width; i++)
        out[i] = bytes == NULL ? 0 : read_unsigned(bytes + i * step, accessor->component);
}

void accessor_floats(const struct accessor *accessor, uint32_t first, uint32_t count, float *out)
{
    const uint32_t width = accessor->width;
    const bool is_plain = accessor->component == ACCESSOR_F32 && accessor->sparse_count == 0 && accessor->rows != NULL;
    const uint8_t *plain = is_plain ? accessor->rows + first * accessor->stride : NULL;
    double values[16];
    if (is_plain && accessor->stride == accessor->row_bytes) { /* floats are as in memory, as in baked models */
        memcpy(out, plain, (size_t)count * accessor->row_bytes);
        return;
    }
    for (uint32_t row = first; row < first + count; row++, out += width) {
        if (!is_plain)
            accessor_row(accessor, row, values);
        for (uint32_t i = 0; i < width; i++)
            out[i] = is_plain ? get_f32(plain + (row - first) * accessor->stride + 4 * (size_t)i) : (float)values[i];
    }
}
