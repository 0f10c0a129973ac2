#include "tests/unit/support/check.h"

#include "base/json_check.h"
#include "import/text/json_write.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static bool is_buf(struct buf *buf, const char *text)
{
    const bool is = buf->size_bytes == strlen(text) && memcmp(buf->data, text, buf->size_bytes) == 0;
    buf_clear(buf);
    return is;
}

TEST(json_write_numbers_read_back)
{
    static const double DOUBLES[] = {0.1, 1.0 / 3, 5e-324, DBL_MAX, -1e22, 123456789012345678.0, 2.5};
    static const float FLOATS[] = {0.1f, 1.0f / 3, 1e-45f, FLT_MAX, -7};
    struct buf buf;
    buf_init(&buf, 0);
    for (size_t i = 0; i < sizeof DOUBLES / sizeof *DOUBLES; i++) {
        buf_clear(&buf);
        json_write_double(&buf, DOUBLES[i]);
        assert_true(json_is_compact(buf.data, buf.size_bytes));
        buf_put_char(&buf, '\0');
        assert_true(strtod(buf.data, NULL) == DOUBLES[i]);
    }
    for (size_t i = 0; i < sizeof FLOATS / sizeof *FLOATS; i++) {
        buf_clear(&buf);
        json_write_float(&buf, FLOATS[i]);
        assert_true(json_is_compact(buf.data, buf.size_bytes));
        buf_put_char(&buf, '\0');
        assert_true(strtof(buf.data, NULL) == FLOATS[i]);
    }
    buf_clear(&buf);
    json_write_float(&buf, 0.1f);
    assert_true(is_buf(&buf, "0.1"));
    json_write_double(&buf, (double)NAN);
    json_write_float(&buf, HUGE_VALF);
    assert_true(is_buf(&buf, "nullnull"));
    json_write_int(&buf, INT64_MIN);
    assert_true(is_buf(&buf, "-9223372036854775808"));
    buf_fini(&buf);
}

TEST(json_write_of_numbers_as_written)
{
    static const char *const ROWS[][2] = {{"1.10", "1.10"},   {"12345678901234567890", "12345678901234567890"},
                                          {"1e400", "1e400"}, {"007", "7"},
                                          {".5", "0.5"},      {"1.", "1"},
                                          {"+2", "2"},        {"", "null"},
                                          {"T", "null"},      {"1.#INF", "null"},
                                          {"nan", "null"},    {"true", "null"},
                                          {"\"a\"", "null"},  {"0x10", "16"}};
    struct buf buf;
    buf_init(&buf, 0);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        json_write_number(&buf, ROWS[i][0], strlen(ROWS[i][0]));
        if (!is_buf(&buf, ROWS[i][1]))
            fail_msg("'%s' is not '%s'", ROWS[i][0], ROWS[i][1]);
    }
    buf_fini(&buf);
}

TEST(json_write_strings)
{
    struct buf buf;
    buf_init(&buf, 0);
    json_write_string(&buf, "a\"\\\n\0\x1f\xc3\xa9", 8);
    assert_true(is_buf(&buf, "\"a\\\"\\\\\\u000a\\u0000\\u001f\xc3\xa9\""));
    buf_fini(&buf);
}
