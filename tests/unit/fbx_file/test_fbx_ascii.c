/* Records and values of ASCII files, numbers as they are written, embedded content. */
#include "tests/unit/fbx_file/fbx_bytes.h"
#include "tests/unit/support/check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char TEXT[] = "; FBX 7.5.0 project file\r\n"
                           "Creator: , \"a \"\r\n"
                           "Shading: T\n"
                           "Culling: \"CullingOff\" ; a comment: { } \"\n"
                           "Objects:  {\n"
                           "\tModel: -12, \"Model::&quot;x&lf;&cr;&amp;&quot\", \"Mesh\" {\n"
                           "\t\tVertices: *4 {\n\t\t\ta: 1,-2.5, ; within\n3e2\n,.5\n\t\t} \n"
                           "\t\tEmpty: *0 {\n\t\t} \n"
                           "\t\tBefore: 7, *2 { a: 8,9 }\n"
                           "\t\tOther: *1 { b: 8 }\n"
                           "\t}\n"
                           "\tNext:\n"
                           "}\n"
                           "List: 1,2,3\n ,4,5,U\n"
                           "Last : \"no newline\"";

TEST(fbx_ascii_records_and_values)
{
    struct fbx_reading run;
    fbx_reading_text(&run, TEXT);
    assert_int_equal(run.rc, 0);
    const struct fbx_file *file = &run.file;
    assert_true(file->is_ascii);
    assert_int_equal(file->version, 7500);
    assert_true(fbx_span_is(fbx_child_text(file, FBX_TOP, "Creator"), "a "));
    assert_true(fbx_span_is(fbx_child_text(file, FBX_TOP, "Shading"), "T"));
    assert_true(fbx_span_is(fbx_child_text(file, FBX_TOP, "Culling"), "CullingOff"));
    const uint32_t objects = fbx_child(file, FBX_TOP, "Objects"), model = fbx_child(file, objects, "Model");
    assert_int_equal(fbx_integer(file, model, 0, 0), -12);
    assert_true(fbx_span_is(fbx_text(file, model, 1), "Model::\"x\n\r&amp;&quot"));
    assert_int_equal(file->records[model].offset, strstr(TEXT, "Model:") - TEXT);
    assert_int_equal(fbx_value_count(file, fbx_child(file, objects, "Next")), 0);
    const uint32_t list = fbx_child(file, FBX_TOP, "List");
    assert_int_equal(fbx_value_count(file, list), 6);
    assert_int_equal(fbx_integer(file, list, 4, 0), 5);
    assert_int_equal(fbx_letter(fbx_value(file, list, 5)), 'U');
    assert_true(fbx_span_is(fbx_child_text(file, FBX_TOP, "Last"), "no newline"));
    fbx_reading_fini(&run);
}

static void check_doubles(const struct fbx_file *file, uint32_t record, uint32_t expected_count, const double *expected)
{
    struct err err;
    double *numbers;
    uint32_t count;
    assert_int_equal(fbx_doubles(file, record, &numbers, &count, &err), 0);
    assert_int_equal(count, expected_count);
    for (uint32_t i = 0; i < count; i++)
        CHECK_NEAR(numbers[i], expected[i], 0);
    free(numbers);
}

TEST(fbx_ascii_arrays)
{
    struct fbx_reading run;
    fbx_reading_text(&run, TEXT);
    const struct fbx_file *file = &run.file;
    const uint32_t model = fbx_child(file, fbx_child(file, FBX_TOP, "Objects"), "Model");
    check_doubles(file, fbx_child(file, model, "Vertices"), 4, (double[]){1, -2.5, 300, 0.5});
    assert_int_equal(fbx_value(file, fbx_child(file, model, "Vertices"), 0)->array.count, 4);
    check_doubles(file, fbx_child(file, model, "Empty"), 0, NULL);
    check_doubles(file, fbx_child(file, model, "Before"), 2, (double[]){8, 9}); /* the array is all */
    check_doubles(file, fbx_child(file, model, "Other"), 1, (double[]){8});
    check_doubles(file, fbx_child(file, FBX_TOP, "List"), 5, (double[]){1, 2, 3, 4, 5});
    fbx_reading_fini(&run);
}

/* More values than are kept singly, on several lines, with letters and texts among them. */
TEST(fbx_ascii_long_list)
{
    char text[1024] = "A: {\nKey: ";
    struct fbx_reading run;
    struct err err;
    struct fbx_value *values;
    double *numbers;
    uint32_t count;
    for (int i = 0; i < 20; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d,%d.5,U,s",
                 i == 0       ? ""
                 : i % 4 == 0 ? "\n,"
                              : ",",
                 i, i);
    strcat(text, ",\"end\"\nKeyVer: 4005\n}\n");
    fbx_reading_text(&run, text);
    assert_int_equal(run.rc, 0);
    const uint32_t key = fbx_child(&run.file, fbx_child(&run.file, FBX_TOP, "A"), "Key");
    assert_int_equal(fbx_value_count(&run.file, key), 1);
    assert_int_equal(fbx_value(&run.file, key, 0)->array.count, 81);
    assert_int_equal(fbx_integer(&run.file, fbx_next(&run.file, key, "KeyVer"), 0, 0), 4005);
    assert_int_equal(fbx_values(&run.file, key, &values, &count, &err), 0);
    assert_int_equal(count, 81);
    assert_int_equal(values[76].integer, 19);
    CHECK_NEAR(values[77].real, 19.5, 0);
    assert_int_equal(fbx_letter(&values[78]), 'U');
    assert_true(fbx_span_is(values[80].span, "end"));
    free(values);
    assert_int_equal(fbx_doubles(&run.file, key, &numbers, &count, &err), 0);
    assert_int_equal(count, 40);
    CHECK_NEAR(numbers[39], 19.5, 0);
    free(numbers);
    fbx_reading_fini(&run);
}

static struct fbx_value number_of(const char *word)
{
    char text[600];
    struct fbx_reading run;
    snprintf(text, sizeof text, "A: %s", word);
    fbx_reading_text(&run, text);
    assert_int_equal(run.rc, 0);
    assert_int_equal(fbx_value_count(&run.file, 0), 1);
    const struct fbx_value value = *fbx_value(&run.file, 0, 0);
    fbx_reading_fini(&run);
    return value;
}

TEST(fbx_ascii_whole_numbers)
{
    assert_int_equal(number_of("0").integer, 0);
    assert_int_equal(number_of("+5").integer, 5);
    assert_int_equal(number_of("00012").integer, 12);
    assert_int_equal(number_of("9223372036854775807").integer, INT64_MAX);
    assert_int_equal(number_of("-9223372036854775808").integer, INT64_MIN);
    assert_int_equal(number_of("9223372036854775808").kind, FBX_REAL);
    CHECK_NEAR(number_of("9223372036854775808").real, 0x1p63, 0);
    CHECK_NEAR(number_of("-100000000000000000000").real, -1e20, 0);
    assert_int_equal(number_of("1.0").kind, FBX_REAL);
    assert_int_equal(number_of("12a").kind, FBX_TEXT);
    assert_int_equal(number_of("-").kind, FBX_TEXT);
    assert_int_equal(number_of(".").kind, FBX_TEXT);
    assert_int_equal(number_of("1e").kind, FBX_TEXT);
    assert_int_equal(number_of("1.2.3").kind, FBX_TEXT);
}

TEST(fbx_ascii_file_of_any_system)
{
    struct fbx_reading run;
    fbx_reading_text(&run, "\xef\xbb\xbf\r; FBX  5.1.0 project file\r;another\rModel: 7 ;eight\rKey: 9\r");
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.file.version, 5100);
    assert_int_equal(fbx_child_integer(&run.file, FBX_TOP, "Model", 0), 7);
    assert_int_equal(fbx_child_integer(&run.file, FBX_TOP, "Key", 0), 9);
    fbx_reading_fini(&run);
}

/* The count alone: nothing follows, or the next record. */
TEST(fbx_ascii_array_without_numbers)
{
    struct fbx_reading run;
    fbx_reading_text(&run, "Outer: {\n Vertices: *3\n Edges: *2\n}\nNext: *0 {\n a: \n}\nLast: 1\n");
    assert_int_equal(run.rc, 0);
    const uint32_t outer = fbx_child(&run.file, FBX_TOP, "Outer");
    uint32_t count = 9;
    double *numbers;
    assert_int_equal(fbx_doubles(&run.file, fbx_child(&run.file, outer, "Vertices"), &numbers, &count, &run.err), 0);
    assert_int_equal(count, 0);
    assert_int_equal(fbx_value_count(&run.file, fbx_child(&run.file, outer, "Edges")), 1);
    assert_int_equal(fbx_child_integer(&run.file, FBX_TOP, "Last", 0), 1);
    fbx_reading_fini(&run);
}

TEST(fbx_ascii_numbers_that_are_none)
{
    assert_true(isinf(number_of("1.#INF").real) && number_of("1.#INF00").real > 0);
    assert_true(isinf(number_of("-1.#INF").real) && number_of("-1.#INF").real < 0);
    assert_true(isnan(number_of("-1.#IND").real) && isnan(number_of("1.#QNAN0").real));
    assert_true(isnan(number_of("1.#NAN").real) && isinf(number_of("0.#INF").real) &&
                isinf(number_of("12.50#INF").real));
    assert_int_equal(number_of("1.#").kind, FBX_TEXT);
    assert_int_equal(number_of(".5").kind, FBX_REAL);
    assert_int_equal(number_of("#INF").kind, FBX_TEXT);
    assert_true(isnan(number_of("nan").real) && isnan(number_of("-nan(ind)").real));
    assert_true(isinf(number_of("inf").real) && isinf(number_of("-Infinity").real));
}

/* The shortest and the longest forms of doubles of any size come back bit by bit. */
TEST(fbx_ascii_reals_are_exact)
{
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < 4000; i++) {
        char text[64];
        double real;
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        const uint64_t bits = i % 2 == 0 ? random : (random & 0x800fffffffffffff) | (uint64_t)(1003 + i % 40) << 52;
        memcpy(&real, &bits, sizeof real);
        if (!isfinite(real))
            continue;
        for (int digits = 6; digits <= 17; digits += 11 - i % 2) {
            snprintf(text, sizeof text, i % 3 == 0 ? "%.*f" : "%.*g", i % 3 == 0 ? digits / 2 : digits, real);
            if (strlen(text) > 40)
                continue;
            const struct fbx_value value = number_of(text);
            const double expected = strtod(text, NULL);
            CHECK_NEAR(value.kind == FBX_REAL ? value.real : (double)value.integer, expected, 0);
        }
    }
    CHECK_NEAR(number_of("4.9406564584124654e-324").real, DBL_TRUE_MIN, 0);
    CHECK_NEAR(number_of("1.7976931348623157e308").real, DBL_MAX, 0);
    CHECK_NEAR(number_of("9007199254740993.0").real, 9007199254740992.0, 0);
    CHECK_NEAR(number_of("1e-99999999999").real, 0, 0);
}

/* In a list, too, where most numbers are read another way. */
TEST(fbx_ascii_lists_of_numbers_are_exact)
{
    static const char TEXT_OF_LIST[] =
        "Vertices: *30 { a: 1,-2.5,+3,1e3,007,.5,5.,-0.0 12345678,1234567890123456789,12345678901234567890,\n"
        "0.1234567890123456789,-9223372036854775808,9007199254740993.0,0.707106781186548;, 8 of a comment\n"
        "00000000000000000000001,1.#INF,-12345678.12345678,T,\"5\",0.12345678 7 }";
    const double expected[] = {1,
                               -2.5,
                               3,
                               1000,
                               7,
                               0.5,
                               5,
                               -0.0,
                               12345678,
                               1234567890123456789.0,
                               12345678901234567890.0,
                               0.1234567890123456789,
                               -9223372036854775808.0,
                               9007199254740992.0,
                               0.707106781186548,
                               1,
                               (double)INFINITY,
                               -12345678.12345678,
                               0.12345678,
                               7};
    struct fbx_reading run;
    struct err err;
    double *numbers;
    uint32_t count;
    fbx_reading_text(&run, TEXT_OF_LIST);
    assert_int_equal(run.rc, 0);
    assert_int_equal(fbx_doubles(&run.file, 0, &numbers, &count, &err), 0);
    assert_int_equal(count, sizeof expected / sizeof *expected);
    assert_memory_equal(numbers, expected, sizeof expected);
    free(numbers);
    fbx_reading_fini(&run);
}

static uint32_t bits_of(const char *version, const char *numbers, uint32_t index)
{
    char text[200];
    struct fbx_reading run;
    struct err err;
    uint32_t *bits, count;
    snprintf(text, sizeof text, "; FBX %s project file\nKeyAttrDataFloat: *4 { a: %s }", version, numbers);
    fbx_reading_text(&run, text);
    assert_int_equal(fbx_bits(&run.file, 0, &bits, &count, &err), 0);
    assert_int_equal(count, 4);
    const uint32_t found = bits[index];
    free(bits);
    fbx_reading_fini(&run);
    return found;
}

/* From 7.2 on the bits are written as whole numbers, with and without a sign. */
TEST(fbx_ascii_bits_of_floats)
{
    assert_int_equal(bits_of("7.5.0", "0,218434821,-1090519040,0.5", 1), 0x0d050d05);
    assert_int_equal(bits_of("7.5.0", "0,218434821,-1090519040,0.5", 2), 0xbf000000);
    assert_int_equal(bits_of("7.5.0", "0,218434821,-1090519040,0.5", 3), 0x3f000000);
    assert_int_equal(bits_of("7.1.0", "0,1,-0.5,2.5e-1", 1), 0x3f800000);
    assert_int_equal(bits_of("7.1.0", "0,1,-0.5,2.5e-1", 2), 0xbf000000);
}

static void check_refused(const char *text, const char *part)
{
    struct fbx_reading run;
    fbx_reading_text(&run, text);
    assert_true(fbx_refused(&run, ERR_BAD_MODEL, part));
    fbx_reading_fini(&run);
}

TEST(fbx_ascii_refusals_name_byte_and_record)
{
    char deep[4 * (FBX_DEPTH_MAX + 2) + 1] = "";
    check_refused("A: 1\nB: \"x", "byte 5, record 'B': the quote at byte 9 does not end");
    check_refused("A: {\nB: 1", "byte 0, record 'A': the file ends within the record");
    check_refused("A: 1\n}", "the '}' at byte 5 is out of place");
    check_refused("A: , : 2", "byte 0, record 'A': the ':' at byte 5 is out of place");
    check_refused("A: { \"x\" }", "byte 0, record 'A': the 'x' at byte 6 is out of place");
    check_refused("A: { B C: 1 }", "byte 5, record 'B': the 'C' at byte 7 is out of place");
    check_refused("A: *3 { a: 1,2 ", "byte 0, record 'A': the file ends within the record");
    check_refused("A: *3 { a: 1,2 { ", "the '{' at byte 15 is out of place");
    check_refused("A: *3 { 1,2 }", "byte 0, record 'A': the '1' at byte 8 is out of place");
    check_refused("A: * { a: 1,2 }", "the '{' at byte 5 is out of place");
    for (int i = 0; i <= FBX_DEPTH_MAX; i++)
        strcat(deep, "A:{ ");
    check_refused(deep, "records are nested more than 64 deep");
}

static void check_content(const char *values, const char *expected)
{
    char text[200];
    struct fbx_reading run;
    struct err err;
    struct fbx_span content;
    uint8_t *owned;
    snprintf(text, sizeof text, "Content: %s\n", values);
    fbx_reading_text(&run, text);
    assert_int_equal(fbx_content(&run.file, 0, &content, &owned, &err), 0);
    assert_true(fbx_span_is(content, expected));
    free(owned);
    fbx_reading_fini(&run);
}

static void check_content_text(const char *values, const char *expected)
{
    char text[400];
    struct fbx_reading run;
    snprintf(text, sizeof text, "Content: %s\n", values);
    fbx_reading_text(&run, text);
    assert_true(fbx_span_is(fbx_content_text(&run.file, 0), expected));
    fbx_reading_fini(&run);
}

/* More than FBX_VALUES_MAX values are a list, from the first quote to the last. */
static void check_many_pieces(void)
{
    char values[300] = "\"aA==\"";
    for (int i = 0; i < FBX_VALUES_MAX; i++)
        strcat(values, ",\"aA==\"");
    check_content_text(values, values);
}

TEST(fbx_ascii_content_in_base64)
{
    check_content("", "");
    check_content(", \"\"", "");
    check_content(",\n\t\"aGVsbG8=\"", "hello");
    check_content("\"aGVsbG8gd29ybGQ=\"", "hello world");
    check_content("\"aGVs\n bG8\"", "hello");                    /* white space, no padding */
    check_content("\"aGVsbG\",\n\"8gd29ybGQ=\"", "hello world"); /* cut anywhere */
    check_content("\"aGVsbG8=\",\"IHdvcmxk\"", "hello world");   /* padded singly */
    check_content_text("", "");
    check_content_text(", \"aGVsbG8=\" ", "aGVsbG8=");
    check_content_text("\"aGVs\", 7, \"bG8\", \"\"", "aGVs\", 7, \"bG8");
    check_many_pieces();
    struct fbx_reading run;
    struct fbx_span content;
    uint8_t *owned;
    fbx_reading_text(&run, "Content: \"aGV!\"");
    run.rc = fbx_content(&run.file, 0, &content, &owned, &run.err);
    assert_true(fbx_refused(&run, ERR_BAD_MODEL, "byte 0, record 'Content': its base64 has a character that is none"));
    assert_true(owned == NULL && content.size_bytes == 0);
    fbx_reading_fini(&run);
}

TEST(fbx_binary_content_in_pieces)
{
    struct fbx_bytes bytes;
    struct fbx_reading run;
    struct err err;
    struct fbx_span content;
    uint8_t *owned;
    fbx_bytes_begin(&bytes, 7400, false);
    fbx_bytes_leaf(&bytes, "Content", "R", (size_t)3, "a\0b");
    fbx_bytes_leaf(&bytes, "Content", "RR", (size_t)3, "a\0b", (size_t)1, "c");
    fbx_bytes_end(&bytes);
    fbx_reading_file(&run, bytes.data, bytes.size);
    assert_int_equal(fbx_content(&run.file, 0, &content, &owned, &err), 0);
    assert_true(owned == NULL && fbx_span_equal(content, (struct fbx_span){(const uint8_t *)"a\0b", 3}));
    assert_int_equal(fbx_content(&run.file, 1, &content, &owned, &err), 0);
    assert_true(owned != NULL && fbx_span_equal(content, (struct fbx_span){(const uint8_t *)"a\0bc", 4}));
    free(owned);
    fbx_reading_fini(&run);
}

TEST(fbx_ascii_damaged_everywhere) { fbx_check_damaged(TEXT, sizeof TEXT - 1); }
