#include "tests/unit/support/check.h"

#include "import/source/source_path.h"

#include <stdlib.h>
#include <string.h>

static bool is_plain(const char *model, const char *reference, const char *expected)
{
    char *plain = source_path_plain(model, reference);
    const bool is_same = strcmp(plain, expected) == 0;
    if (!is_same)
        print_error("'%s': '%s', expected '%s'\n", reference, plain, expected);
    free(plain);
    return is_same;
}

TEST(source_path_of_references)
{
    static const struct {
        const char *model, *reference, *path;
    } ROWS[] = {
        {"a/b.dae", "tex/skin.png", "tex/skin.png"},
        {"a/b.dae", "C:\\art\\skin.png", "C:\\art\\skin.png"},
        {"a/b.dae", "file:///C:/my%20art/skin.png", "C:/my art/skin.png"},
        {"a/b.dae", "FILE:///home/me/skin.png", "/home/me/skin.png"},
        {"a/b.dae", "file://localhost/home/skin.png", "/home/skin.png"},
        {"a/b.dae", "file://tex/skin.png", "tex/skin.png"},
        {"a/b.dae", "file://./tex/skin.png", "./tex/skin.png"},
        {"a/b.dae", "file:tex/skin%2ePNG", "tex/skin.PNG"},
        {"a/b.dae", "file://", ""},
        {"a/b.dae", "file://c:\\skin.png", "c:\\skin.png"},
        {"a/b.dae", "file:///a%00b.png", "/a%00b.png"},
        {"a/b.dae", "filed.png", "filed.png"},
        {"a/b.dae", "//tex/skin.png", "//tex/skin.png"},
        {"a/b.Blend", "//tex\\skin.png", "tex\\skin.png"},
        {"a/b.blend", "//../skin.png", "../skin.png"},
        {"a/b.blend", "/home/me/skin.png", "/home/me/skin.png"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        assert_true(is_plain(ROWS[i].model, ROWS[i].reference, ROWS[i].path));
}

TEST(source_path_percent_escapes)
{
    assert_null(source_path_decoded("skin.png"));
    assert_null(source_path_decoded("100%.png"));
    assert_null(source_path_decoded("100%2.png"));
    assert_null(source_path_decoded("a%00.png"));
    char *decoded = source_path_decoded("my%20%c3%A4%.png");
    assert_string_equal(decoded, "my \xc3\xa4%.png");
    free(decoded);
}

TEST(source_path_base_names)
{
    assert_string_equal(source_path_base_name("skin.png"), "skin.png");
    assert_string_equal(source_path_base_name("C:\\a/b\\skin.png"), "skin.png");
    assert_string_equal(source_path_base_name("a/"), "");
}
