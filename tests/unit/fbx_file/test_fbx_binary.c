/* Records and values of binary files: both sizes of records, both byte orders, and errors. */
#include "tests/unit/fbx_file/fbx_bytes.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    uint32_t version;
    bool is_big_endian;
} FORMS[] = {{7400, false}, {7500, false}, {6100, true}, {7700, true}};
enum { FORM_COUNT = sizeof FORMS / sizeof *FORMS };

static void make(struct fbx_bytes *bytes, uint32_t version, bool is_big_endian)
{
    fbx_bytes_begin(bytes, version, is_big_endian);
    fbx_bytes_open(bytes, "Objects", "");
    fbx_bytes_leaf(bytes, "Numbers", "YCZILFD", -2, 1, -3, -70000, -5000000000LL, 0.5, -0.1);
    fbx_bytes_open(bytes, "Model", "SNR", "hip", (size_t)3, "\0\1M", (size_t)2, "\xff\0");
    fbx_bytes_leaf(bytes, "Empty", "");
    fbx_bytes_close(bytes);
    fbx_bytes_leaf(bytes, "Numbers", "I", 7);
    fbx_bytes_close(bytes);
    fbx_bytes_leaf(bytes, "Last", "S", "");
    fbx_bytes_end(bytes);
}

TEST(fbx_binary_values_of_every_type_and_layout)
{
    for (int form = 0; form < FORM_COUNT; form++) {
        struct fbx_bytes bytes;
        struct fbx_reading run;
        make(&bytes, FORMS[form].version, FORMS[form].is_big_endian);
        fbx_reading_file(&run, bytes.data, bytes.size);
        assert_int_equal(run.rc, 0);
        const struct fbx_file *file = &run.file;
        assert_int_equal(file->version, FORMS[form].version);
        assert_int_equal(file->is_big_endian, FORMS[form].is_big_endian);
        assert_false(file->is_ascii);
        const uint32_t objects = fbx_child(file, FBX_TOP, "Objects"), first = fbx_child(file, objects, "Numbers");
        assert_int_equal(fbx_value_count(file, first), 7);
        assert_int_equal(fbx_integer(file, first, 0, 0), -2);
        assert_int_equal(fbx_integer(file, first, 1, 0), 1);
        assert_int_equal(fbx_integer(file, first, 2, 0), -3);
        assert_int_equal(fbx_integer(file, first, 3, 0), -70000);
        assert_int_equal(fbx_integer(file, first, 4, 0), -5000000000LL);
        CHECK_NEAR(fbx_real(file, first, 5, 0), 0.5, 0);
        CHECK_NEAR(fbx_real(file, first, 6, 0), -0.1, 0);
        assert_int_equal(fbx_integer(file, fbx_next(file, first, "Numbers"), 0, 0), 7);
        const uint32_t model = fbx_next(file, first, NULL);
        assert_true(fbx_is(file, model, "Model"));
        assert_true(fbx_span_is(fbx_text(file, model, 0), "hip"));
        assert_true(fbx_span_equal(fbx_text(file, model, 1), (struct fbx_span){(const uint8_t *)"\0\1M", 3}));
        assert_int_equal(fbx_value(file, model, 2)->kind, FBX_BYTES);
        assert_true(fbx_is(file, fbx_child(file, model, NULL), "Empty"));
        assert_int_equal(file->records[objects].offset, 27);
        assert_true(fbx_is(file, fbx_next(file, objects, NULL), "Last"));
        fbx_reading_fini(&run);
    }
}

TEST(fbx_binary_what_is_not_there)
{
    struct fbx_bytes bytes;
    struct fbx_reading run;
    make(&bytes, 7400, false);
    fbx_reading_file(&run, bytes.data, bytes.size);
    const struct fbx_file *file = &run.file;
    const uint32_t numbers = fbx_child(file, fbx_child(file, FBX_TOP, "Objects"), "Numbers");
    assert_int_equal(fbx_child(file, FBX_NONE, "Objects"), FBX_NONE); /* a missing parent is not the top level */
    assert_int_equal(fbx_child(file, FBX_TOP, "objects"), FBX_NONE);
    assert_int_equal(fbx_next(file, FBX_NONE, NULL), FBX_NONE);
    assert_false(fbx_is(file, FBX_NONE, "Objects"));
    assert_int_equal(fbx_integer(file, numbers, 7, 42), 42);
    assert_int_equal(fbx_integer(file, FBX_NONE, 0, 42), 42);
    CHECK_NEAR(fbx_real(file, fbx_child(file, FBX_TOP, "Last"), 0, 42), 42, 0); /* a text is no number */
    assert_int_equal(fbx_text(file, numbers, 0).size_bytes, 0);
    assert_int_equal(fbx_integer(file, numbers, 6, 42), 0); /* -0.1 towards 0 */
    assert_int_equal(fbx_child_integer(file, fbx_child(file, FBX_TOP, "Objects"), "Numbers", 0), -2);
    fbx_reading_fini(&run);
}

/* Maya has written records that end at 0: they have values and no children. */
TEST(fbx_binary_record_that_ends_at_zero)
{
    struct fbx_bytes bytes;
    struct fbx_reading run;
    fbx_bytes_begin(&bytes, 7400, false);
    fbx_bytes_open(&bytes, "A", "");
    fbx_bytes_open(&bytes, "B", "I", 5);
    const size_t at = bytes.open[bytes.depth];
    fbx_bytes_close(&bytes);
    memset(bytes.data + at, 0, 4);
    fbx_bytes_leaf(&bytes, "C", "I", 6);
    fbx_bytes_close(&bytes);
    fbx_bytes_end(&bytes);
    fbx_reading_file(&run, bytes.data, bytes.size);
    assert_int_equal(run.rc, 0);
    const uint32_t a = fbx_child(&run.file, FBX_TOP, "A");
    assert_int_equal(fbx_child_integer(&run.file, a, "B", 0), 5);
    assert_int_equal(fbx_child_integer(&run.file, a, "C", 0), 6);
    fbx_reading_fini(&run);
}

/* The records of zeros that end a list may be missing, and so may the footer. */
TEST(fbx_binary_without_closing_records)
{
    struct fbx_bytes bytes;
    struct fbx_reading run;
    fbx_bytes_begin(&bytes, 7500, false);
    fbx_bytes_open(&bytes, "A", "");
    fbx_bytes_leaf(&bytes, "B", "I", 5);
    bytes.has_children[bytes.depth] = false;
    fbx_bytes_close(&bytes);
    fbx_bytes_leaf(&bytes, "C", "");
    fbx_reading_file(&run, bytes.data, bytes.size);
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.file.record_count, 3);
    fbx_reading_fini(&run);
}

static void check_refused(const struct fbx_bytes *bytes, const char *part)
{
    struct fbx_reading run;
    fbx_reading_file(&run, bytes->data, bytes->size);
    assert_true(fbx_refused(&run, ERR_BAD_MODEL, part));
    fbx_reading_fini(&run);
}

TEST(fbx_binary_refusals_name_byte_and_record)
{
    struct fbx_bytes bytes;
    make(&bytes, 7400, false);
    bytes.data[27] = 0xff; /* where Objects ends */
    bytes.data[28] = 0xff;
    check_refused(&bytes, "byte 27, record 'Objects': it ends at byte 65535, which is behind the end of the file");
    make(&bytes, 7400, false);
    bytes.data[47]++; /* where Numbers ends */
    bytes.data[48] = 0x10;
    check_refused(&bytes, "record 'Numbers': it ends at byte");
    make(&bytes, 7400, false);
    bytes.data[47] = 60;
    check_refused(&bytes, "which is before its values end");
    make(&bytes, 7400, false);
    bytes.data[55] = 0xff; /* the bytes of its values */
    bytes.data[56] = 0xff;
    check_refused(&bytes, "its values end behind byte");
    make(&bytes, 7400, false);
    bytes.data[67] = '?'; /* the type of the first value */
    check_refused(&bytes, "byte 47, record 'Numbers': value 0, at byte 67, is broken or of an unknown type");
}

TEST(fbx_binary_depth_is_limited)
{
    struct fbx_bytes bytes;
    for (int levels = FBX_DEPTH_MAX; levels <= FBX_DEPTH_MAX + 1; levels++) {
        struct fbx_reading run;
        fbx_bytes_begin(&bytes, 7400, false);
        for (int i = 0; i <= levels; i++)
            fbx_bytes_open(&bytes, "A", "");
        for (int i = 0; i <= levels; i++)
            fbx_bytes_close(&bytes);
        fbx_reading_file(&run, bytes.data, bytes.size);
        if (levels == FBX_DEPTH_MAX)
            assert_int_equal(run.rc, 0);
        else
            assert_true(fbx_refused(&run, ERR_BAD_MODEL, "records are nested more than 64 deep"));
        fbx_reading_fini(&run);
    }
}

TEST(fbx_binary_damaged_everywhere)
{
    for (int form = 0; form < FORM_COUNT; form++) {
        struct fbx_bytes bytes;
        make(&bytes, FORMS[form].version, FORMS[form].is_big_endian);
        fbx_check_damaged(bytes.data, bytes.size);
    }
}

TEST(fbx_file_neither_binary_nor_ascii)
{
    static const char *const TEXTS[] = {"", " ; only a comment", "\"quote\"", "{", "word", "word word:", "Kaydara FBX"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        struct fbx_reading run;
        fbx_reading_text(&run, TEXTS[i]);
        assert_true(fbx_refused(&run, ERR_NOT_A_MODEL, "the file is no FBX file"));
        fbx_reading_fini(&run);
    }
}
