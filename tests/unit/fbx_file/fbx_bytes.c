/* fbx_bytes.c - the writer, and the readers' runs over what it wrote. */
#include "tests/unit/fbx_file/fbx_bytes.h"

#include "tests/fuzz/support/fbx_walk.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void put(struct fbx_bytes *bytes, const void *from, size_t size)
{
    assert_true(size <= sizeof bytes->data - bytes->size);
    memcpy(bytes->data + bytes->size, from, size);
    bytes->size += size;
}

/* A number of `size` bytes in the file's order, at `at`. */
static void set_number(const struct fbx_bytes *bytes, uint8_t *at, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        at[bytes->is_big_endian ? size - 1 - i : i] = (uint8_t)(number >> (8 * i));
}

static void put_number(struct fbx_bytes *bytes, uint64_t number, size_t size)
{
    uint8_t out[8];
    set_number(bytes, out, number, size);
    put(bytes, out, size);
}

static size_t word(const struct fbx_bytes *bytes) { return bytes->version >= 7500 ? 8 : 4; }

void fbx_bytes_begin(struct fbx_bytes *bytes, uint32_t version, bool is_big_endian)
{
    *bytes = (struct fbx_bytes){.version = version, .is_big_endian = is_big_endian};
    put(bytes, "Kaydara FBX Binary  \0\x1a", 22);
    put_number(bytes, is_big_endian, 1);
    put_number(bytes, version, 4);
}

static uint64_t bits_of(double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static uint64_t bits_of_float(double real)
{
    const float single = (float)real;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

static void put_array(struct fbx_bytes *bytes, char type, const struct fbx_numbers *array)
{
    const size_t each = type == 'd' || type == 'l' ? 8 : type == 'f' || type == 'i' ? 4 : 1;
    static uint8_t plain[320000];
    uint8_t packed[8192];
    uLongf packed_size = sizeof packed;
    assert_true(array->count * each <= sizeof plain);
    for (uint32_t i = 0; i < array->count; i++) {
        uint64_t number = 0;
        memcpy(&number, (const uint8_t *)array->numbers + i * each, each); /* the machine is little-endian */
        set_number(bytes, plain + i * each, number, each);
    }
    assert_int_equal(compress(packed, &packed_size, plain, array->count * each), Z_OK);
    put_number(bytes, array->count, 4);
    put_number(bytes, array->is_packed, 4);
    put_number(bytes, array->is_packed ? packed_size : array->count * each, 4);
    put(bytes, array->is_packed ? packed : plain, array->is_packed ? packed_size : array->count * each);
}

static void put_value(struct fbx_bytes *bytes, char type, va_list *list)
{
    static const char SIZES[] = "Y2C1Z1I4";
    const char written = type == 'N' ? 'S' : type;
    put(bytes, &written, 1);
    if (strchr("YCZI", type) != NULL) {
        put_number(bytes, (uint64_t)va_arg(*list, int), (size_t)(strchr(SIZES, type)[1] - '0'));
    } else if (type == 'L') {
        put_number(bytes, (uint64_t)va_arg(*list, long long), 8);
    } else if (type == 'F' || type == 'D') {
        const double real = va_arg(*list, double);
        put_number(bytes, type == 'D' ? bits_of(real) : bits_of_float(real), type == 'D' ? 8 : 4);
    } else if (type == 'S') {
        const char *text = va_arg(*list, const char *);
        put_number(bytes, strlen(text), 4);
        put(bytes, text, strlen(text));
    } else if (type == 'N' || type == 'R') {
        const size_t size = va_arg(*list, size_t);
        put_number(bytes, size, 4);
        put(bytes, va_arg(*list, const char *), size);
    } else {
        put_array(bytes, type, va_arg(*list, const struct fbx_numbers *));
    }
}

void fbx_bytes_open(struct fbx_bytes *bytes, const char *name, const char *types, ...)
{
    static const uint8_t ZEROS[24];
    const size_t at = bytes->size;
    va_list list;
    assert_true(bytes->depth + 1 < sizeof bytes->open / sizeof *bytes->open);
    bytes->has_children[bytes->depth] = true;
    bytes->open[++bytes->depth] = at;
    bytes->has_children[bytes->depth] = false;
    put(bytes, ZEROS, 3 * word(bytes));
    put_number(bytes, strlen(name), 1);
    put(bytes, name, strlen(name));
    const size_t values_at = bytes->size;
    va_start(list, types);
    for (size_t i = 0; types[i] != '\0'; i++)
        put_value(bytes, types[i], &list);
    va_end(list);
    set_number(bytes, bytes->data + at + word(bytes), strlen(types), word(bytes));
    set_number(bytes, bytes->data + at + 2 * word(bytes), bytes->size - values_at, word(bytes));
}

void fbx_bytes_close(struct fbx_bytes *bytes)
{
    static const uint8_t ZEROS[25];
    if (bytes->has_children[bytes->depth])
        put(bytes, ZEROS, 3 * word(bytes) + 1);
    set_number(bytes, bytes->data + bytes->open[bytes->depth--], bytes->size, word(bytes));
}

void fbx_bytes_end(struct fbx_bytes *bytes)
{
    static const uint8_t ZEROS[25];
    put(bytes, ZEROS, 3 * word(bytes) + 1);
    put(bytes, "footer", 6);
}

static void start(struct fbx_reading *run, const void *bytes, size_t size_bytes)
{
    *run = (struct fbx_reading){0};
    limits_default(&run->limits);
    run->limits.value[LIMIT_BAKED_BYTES] = 1 << 20;
    run->copy = malloc(size_bytes > 0 ? size_bytes : 1);
    assert_non_null(run->copy);
    memcpy(run->copy, bytes, size_bytes);
}

void fbx_reading_file(struct fbx_reading *run, const void *bytes, size_t size_bytes)
{
    start(run, bytes, size_bytes);
    run->rc = fbx_file_read(&run->file, run->copy, size_bytes, &run->limits, &run->err);
}

void fbx_reading_text(struct fbx_reading *run, const char *text) { fbx_reading_file(run, text, strlen(text)); }

void fbx_reading_scene(struct fbx_reading *run, const void *bytes, size_t size_bytes)
{
    start(run, bytes, size_bytes);
    run->import =
        (struct import){.path = "test.fbx", .bytes = run->copy, .size_bytes = size_bytes, .limits = &run->limits};
    run->rc = fbx_scene_read(&run->scene, &run->import, &run->err);
}

void fbx_reading_fini(struct fbx_reading *run)
{
    fbx_file_fini(&run->file);
    fbx_scene_fini(&run->scene);
    free(run->copy);
}

bool fbx_refused(const struct fbx_reading *run, int code, const char *part)
{
    if (run->rc == code && run->err.code == code && strstr(run->err.message, part) != NULL)
        return true;
    print_message("expected %s with '%s', got %d with '%s'\n", err_name(code), part, run->rc, run->err.message);
    return false;
}

static void check_one(const uint8_t *bytes, size_t size_bytes)
{
    uint8_t *copy = malloc(size_bytes > 0 ? size_bytes : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size_bytes);
    fbx_walk(copy, size_bytes);
    free(copy);
}

void fbx_check_damaged(const void *bytes, size_t size_bytes)
{
    static const uint8_t CHANGES[] = {0x01, 0x80, 0xff, 0x20};
    uint8_t *copy = malloc(size_bytes);
    assert_non_null(copy);
    memcpy(copy, bytes, size_bytes);
    for (size_t size = 0; size <= size_bytes; size++)
        check_one(bytes, size);
    for (size_t at = 0; at < size_bytes; at++) {
        for (size_t c = 0; c < sizeof CHANGES; c++) {
            copy[at] ^= CHANGES[c];
            check_one(copy, size_bytes);
            copy[at] ^= CHANGES[c];
        }
    }
    free(copy);
}
