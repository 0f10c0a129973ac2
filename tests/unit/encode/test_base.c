/* base: text from outside, buffers with a limit, and the error table. */
#include "base/hex.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "base/mem.h"
#include "base/wrap.h"
#include "tests/unit/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(utf8_sequences_are_those_of_unicode_table_3_7)
{
    static const struct {
        const char *text;
        size_t length;
    } CASES[] = {
        {"a", 1},
        {"\xc3\xa4", 2},
        {"\xe2\x82\xac", 3},
        {"\xf0\x9f\x98\x80", 4},
        {"\xc0\x80", 0},         /* overlong */
        {"\xe0\x9f\xbf", 0},     /* overlong */
        {"\xed\xa0\x80", 0},     /* surrogate */
        {"\xf0\x8f\xbf\xbf", 0}, /* overlong */
        {"\xf4\x90\x80\x80", 0}, /* above U+10FFFF */
        {"\xf5\x80\x80\x80", 0},
        {"\x80", 0},
        {"\xc3", 0},
        {"\xe2\x82", 0},
        {"\xc3(", 0},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_int_equal(utf8_sequence(CASES[i].text, strlen(CASES[i].text)), CASES[i].length);
    assert_int_equal(utf8_sequence("", 0), 0);
}

TEST(utf8_repair_and_cuts_leave_whole_characters)
{
    char text[] = "a\xc3\xa4\xff\xe2\x82z";
    assert_false(utf8_is_valid(text, strlen(text)));
    utf8_repair(text, strlen(text));
    assert_string_equal(text, "a\xc3\xa4???z");
    assert_true(utf8_is_valid(text, strlen(text)));
    assert_int_equal(utf8_cut("a\xe2\x82\xac", 4, 3), 1);
    assert_int_equal(utf8_cut("a\xe2\x82\xac", 4, 5), 4);
    assert_int_equal(utf8_whole("a\xe2\x82\xac", 4), 4);
    assert_int_equal(utf8_whole("a\xe2\x82", 3), 1);
    assert_int_equal(utf8_whole("a\xe2", 2), 1);
    assert_int_equal(utf8_whole("abc", 3), 3);
    assert_int_equal(utf8_whole("", 0), 0);
}

TEST(buf_stops_at_its_limit_and_says_so)
{
    struct buf buf;
    buf_init(&buf, 10);
    buf_put_text(&buf, "0123456");
    assert_false(buf_failed(&buf));
    buf_put_text(&buf, "789a");
    assert_true(buf_failed(&buf));
    assert_int_equal(buf.size_bytes, 7);
    buf_put_char(&buf, 'x');
    assert_int_equal(buf.size_bytes, 7);
    assert_null(buf_reserve(&buf, 1));
    buf_clear(&buf);
    assert_non_null(buf_reserve(&buf, 10));
    assert_null(buf_reserve(&buf, SIZE_MAX));
    buf_fini(&buf);
    assert_int_equal(buf.limit_bytes, 10);
}

TEST(buf_writes_little_endian_and_pads_with_zeros)
{
    struct buf buf;
    buf_init(&buf, 0);
    buf_put_u16(&buf, 0x0102);
    buf_align(&buf, 4);
    buf_put_u32(&buf, 0x01020304);
    buf_put_u64(&buf, UINT64_C(0x0102030405060708));
    buf_put_u32(&buf, 0x3f800000); /* 1 */
    buf_put_f64(&buf, -2.0);
    static const unsigned char EXPECTED[] = {2, 1, 0, 0, 4,    3,    2, 1, 8, 7, 6, 5, 4, 3,
                                             2, 1, 0, 0, 0x80, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0};
    assert_int_equal(buf.size_bytes, sizeof EXPECTED);
    assert_memory_equal(buf.data, EXPECTED, sizeof EXPECTED);
    assert_int_equal(get_u16(buf.data), 0x0102);
    assert_int_equal(get_u32(buf.data + 4), 0x01020304);
    assert_true(get_u64(buf.data + 8) == UINT64_C(0x0102030405060708));
    CHECK_NEAR(get_f32(buf.data + 16), 1, 0);
    CHECK_NEAR(get_f64(buf.data + 20), -2, 0);
    buf_clear(&buf);
    buf_printf(&buf, "%d %s", 42, "names");
    assert_int_equal(buf.size_bytes, 8);
    assert_memory_equal(buf.data, "42 names", 8);
    buf_fini(&buf);
}

TEST(err_messages_are_one_clean_line)
{
    struct err err = {0};
    assert_int_equal(err_set(&err, ERR_BAD_MODEL, "node 'a\nb\xff' has\t%d", 3), ERR_BAD_MODEL);
    assert_string_equal(err.message, "node 'a?b?' has?3");
    assert_int_equal(err.code, ERR_BAD_MODEL);
    assert_int_equal(err_prefix(&err, "%s", "walk.glb"), ERR_BAD_MODEL);
    assert_string_equal(err.message, "walk.glb: node 'a?b?' has?3");
    assert_int_equal(err_set(NULL, ERR_BAD_PATH, "x"), ERR_BAD_PATH);
}

TEST(err_messages_are_cut_between_characters)
{
    char name[2 * ERR_MESSAGE_SIZE] = "";
    for (size_t i = 0; i + 3 < sizeof name; i += 3)
        memcpy(name + i, "\xe2\x82\xac", 4);
    struct err err = {0};
    for (int shift = 0; shift < 3; shift++) {
        err_set(&err, ERR_BAD_MODEL, "%.*s%s", shift, "ab", name);
        const size_t size = strlen(err.message);
        assert_true(size >= ERR_MESSAGE_SIZE - 4 && size < ERR_MESSAGE_SIZE);
        assert_true(utf8_is_valid(err.message, size));
        assert_null(strchr(err.message, '?'));
    }
}

TEST(err_table_is_found_by_code_and_number)
{
    assert_string_equal(err_name(ERR_CLIP_NOT_FOUND), "clip_not_found");
    assert_int_equal(err_http_status(ERR_CLIP_NOT_FOUND), 404);
    assert_int_equal(err_from_number(21), ERR_CLIP_NOT_FOUND);
    assert_int_equal(err_from_number(9999), ERR_INTERNAL);
    assert_string_equal(err_name(-9999), "internal");
    assert_int_equal(err_http_status(-9999), 500);
    assert_true(strlen(err_meaning(ERR_LFS_POINTER)) > 0);
}

TEST(err_numbers_and_names_are_used_once)
{
    static const struct {
        int number;
        const char *name;
    } ROWS[] = {
#define X(symbol, number, http, name, meaning) {number, name},
#include "protocol/errors.def"
#undef X
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        for (size_t j = 0; j < i; j++) {
            assert_int_not_equal(ROWS[i].number, ROWS[j].number);
            assert_string_not_equal(ROWS[i].name, ROWS[j].name);
        }
}

TEST(limits_are_found_by_option)
{
    struct limits limits;
    limits_default(&limits);
    const int url = limits_find("max-url");
    assert_int_equal(url, LIMIT_URL_BYTES);
    assert_true(limits.value[url] == LIMIT_INFO[url].initial);
    assert_int_equal(limits_find(""), -1); /* fixed limits have no option */
    assert_int_equal(limits_find("no-such"), -1);
}

TEST(mem_that_is_refused_stays_what_it_was)
{
    uint32_t *items = NULL;
    assert_true(mem_try_resize(&items, 3, sizeof *items));
    items[2] = 7;
    assert_true(mem_try_resize(&items, 5000, sizeof *items));
    assert_int_equal(items[2], 7);
    const uint32_t *before = items;
    assert_false(mem_try_resize(&items, SIZE_MAX / 2, sizeof *items)); /* more bytes than can be said */
    assert_ptr_equal(items, before);
    assert_int_equal(items[2], 7);
    assert_true(mem_try_resize(&items, 0, sizeof *items));
    assert_non_null(items);
    free(items);
}

TEST(wrap_lines_are_whole_words)
{
    static const struct {
        const char *words;
        size_t columns, bytes;
    } CASES[] = {{"", 5, 0},         {"one", 5, 3},        {"one two", 7, 7},    {"one two", 6, 3},
                 {"one two", 3, 3},  {"longer two", 3, 6}, {"a b c d", 4, 3},    {"a b c d", 5, 5},
                 {"one  two", 4, 4}, {" two", 2, 4},       {"one two ", 100, 8}, {"one", 0, 3}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        if (wrap_line_bytes(CASES[i].words, CASES[i].columns) != CASES[i].bytes)
            fail_msg("'%s' in %zu columns: %zu", CASES[i].words, CASES[i].columns,
                     wrap_line_bytes(CASES[i].words, CASES[i].columns));
}

/* Lines and the blanks between them are the whole text, whatever its blanks are. */
TEST(wrap_loses_nothing)
{
    for (unsigned bits = 0; bits < 1u << 10; bits++)
        for (size_t columns = 0; columns < 12; columns++) {
            char words[11] = {0};
            size_t at = 0, line;
            for (size_t i = 0; i < 10; i++)
                words[i] = (bits >> i & 1) != 0 ? ' ' : 'x';
            while ((line = wrap_line_bytes(words + at, columns)) > 0)
                at += line + (words[at + line] == ' ');
            assert_int_equal(at, 10);
        }
}

static const char *nearest_of(const char *given)
{
    static const char *const NAMES[] = {"t", "width", "height", "background", "clip", "clip_name", "hash"};
    struct nearest nearest = NEAREST_NONE;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        nearest_consider(&nearest, NAMES[i], given, strlen(given));
    return nearest.name;
}

TEST(nearest_name_is_the_one_with_the_fewest_edits)
{
    char much[200];
    assert_string_equal(nearest_of("wdth"), "width");
    assert_string_equal(nearest_of("widht"), "width");
    assert_string_equal(nearest_of("backgroudn"), "background");
    assert_string_equal(nearest_of("Clip"), "clip");
    assert_string_equal(nearest_of("clipname"), "clip_name");
    assert_string_equal(nearest_of("hahs"), "hash");
    assert_null(nearest_of("time"));
    assert_null(nearest_of("foo"));
    assert_null(nearest_of("heXXXX"));
    memset(much, 'x', sizeof much);
    much[sizeof much - 1] = '\0';
    assert_null(nearest_of(much));
}

/* The optimal string alignment distance by its definition. */
static size_t plain_distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    size_t all[32][32];
    for (size_t i = 0; i <= a_bytes; i++)
        for (size_t j = 0; j <= b_bytes; j++) {
            size_t best = i == 0 ? j : j == 0 ? i : all[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (i > 0 && j > 0) {
                best = all[i - 1][j] + 1 < best ? all[i - 1][j] + 1 : best;
                best = all[i][j - 1] + 1 < best ? all[i][j - 1] + 1 : best;
            }
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && all[i - 2][j - 2] + 1 < best)
                best = all[i - 2][j - 2] + 1;
            all[i][j] = best;
        }
    return all[a_bytes][b_bytes];
}

/* nearest_consider() computes only what can be near enough. */
TEST(nearest_names_have_the_plain_distance)
{
    uint32_t random = 1, near_count = 0;
    for (int round = 0; round < 20000; round++) {
        char words[2][24] = {{0}};
        size_t sizes[2];
        for (int w = 0; w < 2; w++) {
            sizes[w] = (random = random * 1664525 + 1013904223) >> 8 & 15;
            for (size_t i = 0; i < sizes[w]; i++)
                words[w][i] = (char)('a' + ((random = random * 1664525 + 1013904223) >> 16 & 1));
        }
        const size_t longer = sizes[0] > sizes[1] ? sizes[0] : sizes[1], most = longer < 6 ? 1 : longer / 3;
        const size_t expected = plain_distance(words[1], sizes[1], words[0], sizes[0]);
        struct nearest nearest = NEAREST_NONE;
        nearest_consider(&nearest, words[0], words[1], sizes[1]);
        assert_int_equal(nearest.name != NULL, expected <= most);
        if (nearest.name != NULL)
            assert_int_equal(nearest.edits, expected);
        near_count += nearest.name != NULL;
    }
    assert_in_range(near_count, 1000, 19000);
}

TEST(hex_numbers)
{
    static const uint64_t NUMBERS[] = {
        0, 1, 9, 10, 15, 16, 0x0123456789abcdef, 0xfedcba9876543210, UINT64_MAX, 0x9a9a9a9aa9a9a9a9};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        char text[17], expected[17];
        hex_put_number(text, NUMBERS[i], 16);
        text[16] = '\0';
        snprintf(expected, sizeof expected, "%016llx", (unsigned long long)NUMBERS[i]);
        assert_string_equal(text, expected);
        hex_put_number(text, NUMBERS[i], 8);
        text[8] = '\0';
        assert_string_equal(text, expected + 8);
    }
}
