/* All numbers of a record: packed and plain arrays of every type, long lists, damaged ones. */
#include "tests/unit/fbx_file/fbx_bytes.h"
#include "tests/unit/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double REALS[] = {1.5, -2.75, 3e300, 0};
static const float FLOATS[] = {1.5f, -2.75f, 3e30f, 0};
static const int64_t LONGS[] = {1, -2, INT64_MAX, INT64_MIN};
static const int32_t INTS[] = {1, -2, INT32_MAX, INT32_MIN};
static const uint8_t BYTES[] = {0, 1, 1, 200};

static void make(struct fbx_bytes *bytes, uint32_t version, bool is_big_endian, bool is_packed)
{
    fbx_bytes_begin(bytes, version, is_big_endian);
    fbx_bytes_leaf(bytes, "Objects", "");
    fbx_bytes_leaf(bytes, "d", "d", &(struct fbx_numbers){REALS, 4, is_packed});
    fbx_bytes_leaf(bytes, "f", "f", &(struct fbx_numbers){FLOATS, 4, is_packed});
    fbx_bytes_leaf(bytes, "l", "l", &(struct fbx_numbers){LONGS, 4, is_packed});
    fbx_bytes_leaf(bytes, "i", "i", &(struct fbx_numbers){INTS, 4, is_packed});
    fbx_bytes_leaf(bytes, "b", "b", &(struct fbx_numbers){BYTES, 4, is_packed});
    fbx_bytes_leaf(bytes, "c", "c", &(struct fbx_numbers){BYTES, 4, is_packed});
    fbx_bytes_leaf(bytes, "none", "d", &(struct fbx_numbers){REALS, 0, is_packed});
    fbx_bytes_end(bytes);
}

static void check_doubles(const struct fbx_file *file, const char *name, double a, double b, double c, double d)
{
    const double expected[4] = {a, b, c, d};
    struct err err;
    double *numbers;
    uint32_t count;
    assert_int_equal(fbx_doubles(file, fbx_child(file, FBX_TOP, name), &numbers, &count, &err), 0);
    assert_int_equal(count, 4);
    assert_memory_equal(numbers, expected, sizeof expected);
    free(numbers);
}

static void check_int64s(const struct fbx_file *file, const char *name, int64_t a, int64_t b, int64_t c, int64_t d)
{
    const int64_t expected[4] = {a, b, c, d};
    struct err err;
    int64_t *numbers;
    uint32_t count;
    assert_int_equal(fbx_integers(file, fbx_child(file, FBX_TOP, name), &numbers, &count, &err), 0);
    assert_int_equal(count, 4);
    assert_memory_equal(numbers, expected, sizeof expected);
    free(numbers);
}

static void check_int32s(const struct fbx_file *file, const char *name, int32_t a, int32_t b, int32_t c, int32_t d)
{
    const int32_t expected[4] = {a, b, c, d};
    struct err err;
    int32_t *numbers;
    uint32_t count;
    assert_int_equal(fbx_int32s(file, fbx_child(file, FBX_TOP, name), &numbers, &count, &err), 0);
    assert_int_equal(count, 4);
    assert_memory_equal(numbers, expected, sizeof expected);
    free(numbers);
}

TEST(fbx_array_of_every_type)
{
    for (int form = 0; form < 8; form++) {
        struct fbx_bytes bytes;
        struct fbx_reading run;
        make(&bytes, (form & 1) != 0 ? 7500 : 7400, (form & 2) != 0, (form & 4) != 0);
        fbx_reading_file(&run, bytes.data, bytes.size);
        assert_int_equal(run.rc, 0);
        check_doubles(&run.file, "d", 1.5, -2.75, 3e300, 0);
        check_doubles(&run.file, "f", 1.5, -2.75, (double)3e30f, 0);
        check_doubles(&run.file, "l", 1, -2, 0x1p63, -0x1p63);
        check_doubles(&run.file, "i", 1, -2, INT32_MAX, INT32_MIN);
        check_doubles(&run.file, "b", 0, 1, 1, 200);
        check_int64s(&run.file, "d", 1, -2, INT64_MAX, 0);
        check_int64s(&run.file, "l", 1, -2, INT64_MAX, INT64_MIN);
        check_int64s(&run.file, "i", 1, -2, INT32_MAX, INT32_MIN);
        check_int64s(&run.file, "c", 0, 1, 1, 200);
        check_int32s(&run.file, "f", 1, -2, INT32_MAX, 0);
        check_int32s(&run.file, "l", 1, -2, INT32_MAX, INT32_MIN);
        check_int32s(&run.file, "i", 1, -2, INT32_MAX, INT32_MIN);
        fbx_reading_fini(&run);
    }
}

TEST(fbx_array_bits_are_those_of_the_floats)
{
    const uint32_t packed[4] = {0x0d050d05, 0x7f800001, 0x3f800000, 0}; /* one is a signalling NaN */
    struct fbx_bytes bytes;
    struct fbx_reading run;
    struct err err;
    uint32_t *bits, count;
    fbx_bytes_begin(&bytes, 7400, true);
    fbx_bytes_leaf(&bytes, "KeyAttrDataFloat", "f", &(struct fbx_numbers){packed, 4, true});
    fbx_bytes_end(&bytes);
    fbx_reading_file(&run, bytes.data, bytes.size);
    assert_int_equal(fbx_bits(&run.file, fbx_child(&run.file, FBX_TOP, NULL), &bits, &count, &err), 0);
    assert_int_equal(count, 4);
    assert_memory_equal(bits, packed, sizeof packed);
    free(bits);
    fbx_reading_fini(&run);
}

TEST(fbx_array_empty_or_missing)
{
    struct fbx_bytes bytes;
    struct fbx_reading run;
    struct err err;
    double *numbers = (double *)&bytes;
    uint32_t count = 9;
    make(&bytes, 7400, false, true);
    fbx_reading_file(&run, bytes.data, bytes.size);
    assert_int_equal(fbx_doubles(&run.file, fbx_child(&run.file, FBX_TOP, "none"), &numbers, &count, &err), 0);
    assert_true(numbers == NULL && count == 0);
    numbers = (double *)&bytes;
    count = 9;
    assert_int_equal(fbx_doubles(&run.file, FBX_NONE, &numbers, &count, &err), 0);
    assert_true(numbers == NULL && count == 0);
    fbx_reading_fini(&run);
}

/* The first record's array: 27 bytes of header, 13 + 1 of the record, a type, then count, encoding, size. */
enum { COUNT_AT = 27 + 14 + 1, SIZE_AT = COUNT_AT + 8, DATA_AT = SIZE_AT + 4 };

static void check_damage(bool is_packed, size_t at, uint8_t value, int code, const char *part)
{
    struct fbx_bytes bytes;
    struct fbx_reading run;
    struct err err = {0};
    double *numbers;
    uint32_t count;
    fbx_bytes_begin(&bytes, 7400, false);
    fbx_bytes_leaf(&bytes, "d", "d", &(struct fbx_numbers){REALS, 4, is_packed});
    fbx_bytes_end(&bytes);
    bytes.data[at] = value;
    fbx_reading_file(&run, bytes.data, bytes.size);
    assert_int_equal(run.rc, 0);
    run.rc = fbx_doubles(&run.file, 0, &numbers, &count, &err);
    run.err = err;
    assert_true(fbx_refused(&run, code, part));
    assert_true(numbers == NULL && count == 0);
    fbx_reading_fini(&run);
}

TEST(fbx_array_damaged)
{
    check_damage(true, DATA_AT + 5, 0x55, ERR_BAD_MODEL, "byte 27, record 'd': its packed array of 4 is damaged");
    check_damage(true, COUNT_AT, 3, ERR_BAD_MODEL, "its packed array of 3 is damaged");
    check_damage(true, COUNT_AT, 5, ERR_BAD_MODEL, "its packed array of 5 is damaged");
    check_damage(true, COUNT_AT + 3, 0x40, ERR_BAD_MODEL, "cannot be in");
    check_damage(false, COUNT_AT, 5, ERR_BAD_MODEL, "its array of 5 holds 32 bytes, less than 40");
    check_damage(false, COUNT_AT + 3, 0x40, ERR_MODEL_LIMIT, "is larger than --max-model");
}

/* As small as deflate can make an array, and read as numbers of twice its size. */
TEST(fbx_array_of_equal_numbers_is_read_wider)
{
    enum { COUNT = 80000 };
    static int32_t flags[COUNT];
    struct fbx_bytes bytes;
    struct fbx_reading run;
    struct err err = {0};
    int64_t *numbers;
    uint32_t count;
    for (int i = 0; i < COUNT; i++)
        flags[i] = 0x408;
    fbx_bytes_begin(&bytes, 7400, false);
    fbx_bytes_leaf(&bytes, "KeyAttrFlags", "i", &(struct fbx_numbers){flags, COUNT, true});
    fbx_bytes_end(&bytes);
    fbx_reading_file(&run, bytes.data, bytes.size);
    assert_int_equal(fbx_integers(&run.file, 0, &numbers, &count, &err), 0);
    assert_int_equal(count, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(numbers[i], 0x408);
    free(numbers);
    fbx_reading_fini(&run);
}

TEST(fbx_array_long_list_of_binary_values)
{
    struct fbx_bytes bytes;
    struct fbx_reading run;
    struct err err;
    double *numbers;
    struct fbx_value *values;
    uint32_t count;
    fbx_bytes_begin(&bytes, 6100, false);
    fbx_bytes_leaf(&bytes, "Key", "LDCCDDLDCCDDLDCCDDLDCCDDLDCCDDLDCCDD", 1LL, 0.5, 'U', 's', 0.25, 0.125, 2LL, 0.5,
                   'U', 's', 0.25, 0.125, 3LL, 0.5, 'U', 's', 0.25, 0.125, 4LL, 0.5, 'U', 's', 0.25, 0.125, 5LL, 0.5,
                   'U', 's', 0.25, 0.125, 6LL, 0.5, 'U', 's', 0.25, 0.0625);
    fbx_bytes_end(&bytes);
    fbx_reading_file(&run, bytes.data, bytes.size);
    assert_int_equal(run.rc, 0);
    assert_int_equal(fbx_value_count(&run.file, 0), 1);
    assert_int_equal(fbx_value(&run.file, 0, 0)->kind, FBX_ARRAY);
    assert_int_equal(fbx_value(&run.file, 0, 0)->array.count, 36);
    assert_int_equal(fbx_doubles(&run.file, 0, &numbers, &count, &err), 0);
    assert_int_equal(count, 36);
    CHECK_NEAR(numbers[30], 6, 0);
    CHECK_NEAR(numbers[35], 0.0625, 0);
    free(numbers);
    assert_int_equal(fbx_values(&run.file, 0, &values, &count, &err), 0);
    assert_int_equal(count, 36);
    assert_int_equal(fbx_letter(&values[2]), 'U');
    assert_int_equal(values[30].integer, 6);
    CHECK_NEAR(values[35].real, 0.0625, 0);
    free(values);
    fbx_reading_fini(&run);
}

TEST(fbx_array_damaged_everywhere)
{
    struct fbx_bytes bytes;
    make(&bytes, 7400, false, true);
    fbx_check_damaged(bytes.data, bytes.size);
    make(&bytes, 7500, true, false);
    fbx_check_damaged(bytes.data, bytes.size);
}
