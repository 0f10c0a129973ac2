/* fbx_array.c - reads all numbers of a record, whatever their form in the file. */
#include "base/bytes.h"
#include "base/mem.h"
#include "import/fbx_file/fbx_internal.h"

#include <libdeflate.h>
#include <math.h>
#include <stdlib.h>

/* The number type that the caller requests. */
struct form {
    size_t item_bytes;
    void (*put)(const struct fbx_file *file, const struct fbx_value *value, uint8_t *out);
};

static void put_double(const struct fbx_file *file, const struct fbx_value *value, uint8_t *out)
{
    (void)file;
    const double real = value->kind == FBX_REAL ? value->real : (double)value->integer;
    memcpy(out, &real, sizeof real);
}

/* Truncates towards 0 and clamps to int64_t; NaN gives 0. */
static int64_t whole(const struct fbx_value *value)
{
    if (value->kind == FBX_INTEGER)
        return value->integer;
    if (isnan(value->real))
        return 0;
    return value->real >= 9223372036854775808.0    ? INT64_MAX
           : value->real <= -9223372036854775808.0 ? INT64_MIN
                                                   : (int64_t)value->real;
}

static void put_int64(const struct fbx_file *file, const struct fbx_value *value, uint8_t *out)
{
    (void)file;
    const int64_t integer = whole(value);
    memcpy(out, &integer, sizeof integer);
}

static void put_int32(const struct fbx_file *file, const struct fbx_value *value, uint8_t *out)
{
    (void)file;
    const int64_t wide = whole(value);
    const int32_t integer = wide > INT32_MAX ? INT32_MAX : wide < INT32_MIN ? INT32_MIN : (int32_t)wide;
    memcpy(out, &integer, sizeof integer);
}

/* ASCII files write the bits of KeyAttrDataFloat as whole numbers from 7.2 on. */
static void put_bits(const struct fbx_file *file, const struct fbx_value *value, uint8_t *out)
{
    enum { VERSION_WHOLE_BITS = 7200 };
    uint32_t bits = value->kind == FBX_INTEGER ? (uint32_t)value->integer : 0;
    if (value->kind == FBX_REAL || (file->is_ascii && file->version < VERSION_WHOLE_BITS)) {
        const float real = (float)(value->kind == FBX_REAL ? value->real : (double)value->integer);
        memcpy(&bits, &real, sizeof bits);
    }
    memcpy(out, &bits, sizeof bits);
}

static void put_value(const struct fbx_file *file, const struct fbx_value *value, uint8_t *out)
{
    (void)file;
    memcpy(out, value, sizeof *value);
}

static const struct form DOUBLES = {sizeof(double), put_double}, INT64S = {sizeof(int64_t), put_int64},
                         INT32S = {sizeof(int32_t), put_int32}, BITS = {sizeof(uint32_t), put_bits},
                         VALUES = {sizeof(struct fbx_value), put_value};

static size_t element_bytes(uint8_t type)
{
    return type == 'd' || type == 'l' ? 8 : type == 'f' || type == 'i' ? 4 : 1;
}

static struct fbx_value element(const struct fbx_file *file, uint8_t type, const uint8_t *p)
{
    struct fbx_value value = {.kind = type == 'd' || type == 'f' ? FBX_REAL : FBX_INTEGER};
    if (type == 'd') {
        const uint64_t bits = fbx_u64(file, p);
        memcpy(&value.real, &bits, sizeof bits);
    } else if (type == 'f') {
        const uint32_t bits = fbx_u32(file, p);
        value.real = (double)get_f32(&(uint32_t){bits});
    } else if (type == 'l') {
        value.integer = (int64_t)fbx_u64(file, p);
    } else {
        value.integer = type == 'i' ? (int32_t)fbx_u32(file, p) : p[0];
    }
    return value;
}

/* A whole array at once: at half of zlib's time. The stream must have exactly this size. */
static bool inflate_array(const struct fbx_file *file, struct fbx_span packed, uint8_t *out, size_t size_bytes)
{
    return libdeflate_zlib_decompress(file->inflater, packed.bytes, packed.size_bytes, out, size_bytes, NULL) ==
           LIBDEFLATE_SUCCESS;
}

/* The unpacked bytes of the array. */
static int unpack(const struct fbx_file *file, uint32_t record, const struct fbx_array *array, uint8_t *out,
                  size_t size_bytes, struct err *err)
{
    if (!array->is_packed) {
        if (array->span.size_bytes < size_bytes)
            return fbx_bad(file, record, err, "its array of %u holds %zu bytes, less than %zu", array->count,
                           array->span.size_bytes, size_bytes);
        memcpy(out, array->span.bytes, size_bytes);
        return 0;
    }
    if (!inflate_array(file, array->span, out, size_bytes))
        return fbx_bad(file, record, err, "its packed array of %u is damaged", array->count);
    return 0;
}

/* Before allocation: of `bytes` for the array, which has unpacked_bytes in the file's own type. */
static int check_size(const struct fbx_file *file, uint32_t record, const struct fbx_array *array,
                      size_t unpacked_bytes, size_t bytes, struct err *err)
{
    enum { DEFLATE_RATIO_MAX = 1032 }; /* of zlib's technical details */
    if (array->is_packed && unpacked_bytes / DEFLATE_RATIO_MAX > array->span.size_bytes)
        return fbx_bad(file, record, err, "its array of %u cannot be in %zu bytes", array->count,
                       array->span.size_bytes);
    if (bytes > file->limits->value[LIMIT_BAKED_BYTES])
        return err_set(err, ERR_MODEL_LIMIT, "byte %llu: an array of %u numbers is larger than %s",
                       (unsigned long long)file->records[record].offset, array->count,
                       LIMIT_TEXT(file->limits, LIMIT_BAKED_BYTES));
    return 0;
}

/* The two conversions that large arrays of curves need. */
static bool convert_wider(const struct fbx_array *array, const struct form *form, const uint8_t *from, uint8_t *out)
{
    const bool is_integer = form == &INT64S && array->type == 'i';
    if (!is_integer && (form != &DOUBLES || array->type != 'f'))
        return false;
    for (uint32_t i = 0; i < array->count; i++) {
        const uint8_t *item = from + 4 * (size_t)i;
        const int64_t integer = (int32_t)get_u32(item);
        const double real = (double)get_f32(item);
        memcpy(out + 8 * (size_t)i, is_integer ? (const void *)&integer : (const void *)&real, 8);
    }
    return true;
}

static void convert(const struct fbx_file *file, const struct fbx_array *array, const struct form *form,
                    const uint8_t *from, uint8_t *out)
{
    const bool is_bits = form == &BITS && array->type == 'f'; /* a double would change some NaNs */
    if (!file->is_big_endian && (is_bits || (form == &DOUBLES && array->type == 'd') ||
                                 (form == &INT64S && array->type == 'l') || (form == &INT32S && array->type == 'i')))
        return; /* no conversion is needed */
    if (!file->is_big_endian && convert_wider(array, form, from, out))
        return;
    const size_t each = element_bytes(array->type);
    for (uint32_t i = 0; i < array->count; i++) {
        const uint8_t type = is_bits ? 'i' : array->type;
        const struct fbx_value value = element(file, type, from + i * each);
        form->put(file, &value, out + i * form->item_bytes);
    }
}

/* The unpacked elements are at the end of *out. The converted ones grow from the start and never overtake them. */
static int read_elements(const struct fbx_file *file, uint32_t record, const struct fbx_array *array,
                         const struct form *form, uint8_t **out, uint32_t *count, struct err *err)
{
    const size_t each = element_bytes(array->type), packed = each * array->count;
    const size_t wanted = form->item_bytes * array->count, larger = wanted > packed ? wanted : packed;
    if (check_size(file, record, array, packed, larger, err) < 0)
        return err->code;
    if (!array->is_packed && array->span.size_bytes < packed) /* before allocation */
        return unpack(file, record, array, NULL, packed, err);
    *out = mem_alloc(larger);
    const uint8_t *from = *out + (larger - packed);
    if (unpack(file, record, array, *out + (larger - packed), packed, err) < 0) {
        free(*out);
        *out = NULL;
        return err->code;
    }
    *count = array->count;
    convert(file, array, form, from, *out);
    if (larger > wanted)
        *out = mem_realloc(*out, wanted);
    return 0;
}

static bool is_wanted(const struct form *form, const struct fbx_value *value)
{
    return form == &VALUES || value->kind == FBX_INTEGER || value->kind == FBX_REAL;
}

/* The requested values of a list, from a binary or an ASCII file. */
static int read_list(const struct fbx_file *file, uint32_t record, const struct fbx_array *list,
                     const struct form *form, uint8_t **out, uint32_t *count, struct err *err)
{
    if (check_size(file, record, list, 0, form->item_bytes * list->count, err) < 0)
        return err->code;
    *out = mem_alloc(form->item_bytes * list->count);
    const uint8_t *at = list->span.bytes, *end = at + list->span.size_bytes;
    for (uint32_t i = 0; i < list->count;) {
        struct fbx_value value;
        if (list->type == 'v') {
            if (!fbx_binary_value(file, &at, end, &value))
                break;
        } else if (!fbx_next_number(&at, end, &value)) {
            const struct fbx_token token = fbx_next_token(&at, end);
            if (token.kind == FBX_TOKEN_END)
                break;
            if (token.kind == FBX_TOKEN_SIGN)
                continue;
            fbx_token_value(NULL, &token, &value);
        }
        if (is_wanted(form, &value))
            form->put(file, &value, *out + form->item_bytes * (*count)++);
        i++;
    }
    return 0;
}

static int read_numbers(const struct fbx_file *file, uint32_t record, const struct form *form, uint8_t **out,
                        uint32_t *count, struct err *err)
{
    *out = NULL;
    *count = 0;
    const uint32_t value_count = fbx_value_count(file, record);
    for (uint32_t i = 0; i < value_count; i++) {
        const struct fbx_value *value = fbx_value(file, record, i);
        if (value->kind == FBX_ARRAY) { /* the first array replaces the values before it */
            free(*out);
            *out = NULL;
            *count = 0;
            if (value->array.count == 0)
                return 0;
            return value->array.type == 'v' || value->array.type == 'a'
                       ? read_list(file, record, &value->array, form, out, count, err)
                       : read_elements(file, record, &value->array, form, out, count, err);
        }
        if (!is_wanted(form, value))
            continue;
        if (*out == NULL)
            *out = mem_alloc(form->item_bytes * value_count);
        form->put(file, value, *out + form->item_bytes * (*count)++);
    }
    return 0;
}

int fbx_doubles(const struct fbx_file *file, uint32_t record, double **out, uint32_t *count, struct err *err)
{
    uint8_t *bytes;
    const int rc = read_numbers(file, record, &DOUBLES, &bytes, count, err);
    *out = (double *)(void *)bytes;
    return rc;
}

int fbx_integers(const struct fbx_file *file, uint32_t record, int64_t **out, uint32_t *count, struct err *err)
{
    uint8_t *bytes;
    const int rc = read_numbers(file, record, &INT64S, &bytes, count, err);
    *out = (int64_t *)(void *)bytes;
    return rc;
}

int fbx_int32s(const struct fbx_file *file, uint32_t record, int32_t **out, uint32_t *count, struct err *err)
{
    uint8_t *bytes;
    const int rc = read_numbers(file, record, &INT32S, &bytes, count, err);
    *out = (int32_t *)(void *)bytes;
    return rc;
}

int fbx_bits(const struct fbx_file *file, uint32_t record, uint32_t **out, uint32_t *count, struct err *err)
{
    uint8_t *bytes;
    const int rc = read_numbers(file, record, &BITS, &bytes, count, err);
    *out = (uint32_t *)(void *)bytes;
    return rc;
}

int fbx_values(const struct fbx_file *file, uint32_t record, struct fbx_value **out, uint32_t *count, struct err *err)
{
    uint8_t *bytes;
    const int rc = read_numbers(file, record, &VALUES, &bytes, count, err);
    *out = (struct fbx_value *)(void *)bytes;
    return rc;
}
