#include "import/gltf_file/gltf_json.h"
#include "tests/unit/support/check.h"

#include <string.h>

static int parse(const char *text, size_t size, cJSON **root, struct err *err)
{
    return json_parse((const uint8_t *)text, size, 4, root, err);
}

static bool is_refused(const char *text, int code, const char *part)
{
    cJSON *root = NULL;
    struct err err = {0};
    const int rc = parse(text, strlen(text), &root, &err);
    cJSON_Delete(root);
    if (rc == code && strstr(err.message, part) != NULL)
        return true;
    print_error("'%s' gave %d '%s'\n", text, rc, err.message);
    return false;
}

TEST(gltf_json_takes_what_json_is)
{
    cJSON *root;
    struct err err = {0};
    static const char TEXT[] = "\xef\xbb\xbf \n{\"a\":[1,{\"b\":[2.5e1]}],\"\\u00e4\":true}\t\n\0\0";
    assert_int_equal(parse(TEXT, sizeof TEXT, &root, &err), 0);
    assert_int_equal(cJSON_GetArraySize(json_member(root, "a")), 2);
    assert_true(json_is_true(root, "\xc3\xa4"));
    assert_null(json_member(root, "A"));
    cJSON_Delete(root);
}

TEST(gltf_json_refuses_the_rest)
{
    assert_true(is_refused("", ERR_NOT_A_MODEL, "not a glTF"));
    assert_true(is_refused("[1]", ERR_NOT_A_MODEL, "not a glTF"));
    assert_true(is_refused("version https://git", ERR_NOT_A_MODEL, "not a glTF"));
    assert_true(is_refused("{\"a\":1}garbage", ERR_BAD_MODEL, "line 1, column 8"));
    assert_true(is_refused("{\"a\":1", ERR_BAD_MODEL, "broken"));
    assert_true(is_refused("{\n\"a\":1,\n\"b\" 2}", ERR_BAD_MODEL, "line 3"));
    assert_true(is_refused("{\"a\":\"x}", ERR_BAD_MODEL, "without its end"));
    assert_true(is_refused("{\"a\":\"\x01\"}", ERR_BAD_MODEL, "control character"));
    assert_true(is_refused("{\"a\":[[[[1]]]]}", ERR_BAD_MODEL, "deeper than 4"));
    assert_true(is_refused("{\"a\":\"\\ud800\"}", ERR_BAD_MODEL, "broken"));
}

TEST(gltf_json_depth_counts_no_brackets_in_texts)
{
    cJSON *root;
    struct err err = {0};
    static const char TEXT[] = "{\"a\":\"[[[[[[[[[\\\"[[[[\",\"b\":[[[1]]]}";
    assert_int_equal(parse(TEXT, sizeof TEXT - 1, &root, &err), 0);
    cJSON_Delete(root);
}

TEST(gltf_json_nul_in_the_middle)
{
    cJSON *root = NULL;
    struct err err = {0};
    assert_int_equal(parse("{\"a\"\0:1}", 8, &root, &err), ERR_BAD_MODEL);
    assert_int_equal(parse("{\"a\0\":1}", 8, &root, &err), ERR_BAD_MODEL);
}

TEST(gltf_json_escaped_nul_does_not_cut_a_text)
{
    cJSON *root;
    struct err err = {0};
    static const char TEXT[] = "{\"a\":\"x\\u0000y\",\"b\":\"\\\\u0000\"}";
    assert_int_equal(parse(TEXT, sizeof TEXT - 1, &root, &err), 0);
    assert_string_equal(json_text(root, "a"), "x?y");
    assert_string_equal(json_text(root, "b"), "\\u0000");
    cJSON_Delete(root);
}
