#include "wire/encode/json.h"
#include "tests/unit/support/check.h"

#include <cjson/cJSON.h>

#include <stdlib.h>
#include <string.h>

static void check_text(struct buf *out, const char *expected)
{
    assert_false(buf_failed(out));
    assert_int_equal(out->size_bytes, strlen(expected));
    assert_memory_equal(out->data, expected, out->size_bytes);
    buf_fini(out);
}

TEST(json_escapes_what_it_must)
{
    struct buf out = {0};
    json_put_string(&out, "a\"b\\c\n\r\t\x01\x1f/\x7f\xc3\xa9\xf0\x9f\x98\x80", 18);
    check_text(&out, "\"a\\\"b\\\\c\\n\\r\\t\\u0001\\u001f/\x7f\xc3\xa9\xf0\x9f\x98\x80\"");
    json_put_string(&out, "a\0b", 3);
    check_text(&out, "\"a\\u0000b\"");
}

TEST(json_tells_null_from_empty)
{
    const struct model model = {.text = "xyz"};
    struct buf out = {0};
    json_put_string(&out, NULL, 0);
    json_put_string(&out, "", 0);
    static const struct str texts[] = {
        {.offset = STR_NONE}, {.offset = 3, .size_bytes = 0}, {.offset = 1, .size_bytes = 2}};
    for (size_t i = 0; i < 3; i++)
        json_printf(&out, "%.*s", JSON_STR(&model, texts[i]));
    check_text(&out, "null\"\"null\"\"\"yz\"");
}

TEST(json_strings_of_every_size_read_back)
{
    char text[3000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(1 + i % 127);
    for (size_t size = 0; size < sizeof text; size += 31) {
        struct buf out = {0};
        json_put_string(&out, text, size);
        cJSON *json = cJSON_ParseWithLength(out.data, out.size_bytes);
        assert_non_null(json);
        assert_int_equal(strlen(json->valuestring), size);
        assert_memory_equal(json->valuestring, text, size);
        cJSON_Delete(json);
        buf_fini(&out);
    }
}

TEST(json_float_lists_of_every_size)
{
    float values[200];
    for (int i = 0; i < 200; i++)
        values[i] = (float)i * 0.37f - 20;
    for (int count = 0; count <= 200; count++) {
        struct buf out = {0};
        json_put_floats(&out, values, (size_t)count);
        cJSON *json = cJSON_ParseWithLength(out.data, out.size_bytes);
        assert_int_equal(cJSON_GetArraySize(json), count);
        int i = 0;
        for (const cJSON *item = json->child; item != NULL; item = item->next, i++)
            assert_true((float)item->valuedouble == values[i]);
        cJSON_Delete(json);
        buf_fini(&out);
    }
}

TEST(json_numbers)
{
    struct buf out = {0};
    json_put_uint(&out, 0);
    buf_put_char(&out, ' ');
    json_put_uint(&out, 18446744073709551615ull);
    buf_put_char(&out, ' ');
    json_put_float(&out, 0.1f);
    buf_put_char(&out, ' ');
    json_put_double(&out, 0.1);
    check_text(&out, "0 18446744073709551615 0.1 0.1");
}

TEST(json_stops_at_the_buffers_limit)
{
    float values[100] = {0};
    struct buf out;
    buf_init(&out, 3000);
    for (int i = 0; i < 100; i++)
        json_put_floats(&out, values, 100);
    assert_true(buf_failed(&out));
    assert_true(out.size_bytes <= 3000);
    buf_fini(&out);
}

TEST(json_fails_at_what_is_not_finite)
{
    const float floats[100] = {[70] = -INFINITY};
    for (int how = 0; how < 4; how++) {
        struct buf out;
        buf_init(&out, 0);
        if (how == 0)
            json_put_float(&out, NAN);
        else if (how == 1)
            json_put_double(&out, HUGE_VAL);
        else if (how == 2)
            json_put_floats(&out, floats, 100);
        else
            json_put_exact_floats(&out, floats, 100);
        const size_t size_bytes = out.size_bytes;
        json_put_uint(&out, 1);
        assert_int_equal(out.size_bytes, size_bytes);
        assert_int_equal(out.failure, BUF_NOT_FINITE);
        buf_fini(&out);
    }
}

TEST(json_exact_floats_are_the_floats_own_value_as_a_double)
{
    struct buf out;
    buf_init(&out, 0);
    json_put_exact_floats(&out, (const float[]){0.25005f, -1.5f, 0.0f}, 3);
    buf_put_char(&out, '\0');
    assert_string_equal(out.data, "[0.25005000829696655,-1.5,0]");
    buf_fini(&out);
}
