/* How posectl prints texts from outside. */
#include "clients/cli/output/text.h"
#include "tests/unit/support/check.h"

#include <string.h>

/* The text, and its forms for a terminal, for XML and for JSON. */
static const struct {
    const char *text, *printable, *xml, *json;
} ROWS[] = {
    {"plain", "plain", "plain", "plain"},
    {"\x1b[31m\x07\x7f", "\\x1b[31m\\x07\\x7f", "\\x1b[31m\\x07\\x7f", "\\u001b[31m\\u0007\\u007f"},
    {"a\nb\tc\r", "a\\nb\\tc\\r", "a b c\\r", "a\nb\tc\r"},
    {"\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "\\u0080\\u009b\\u009f\xc2\xa0", "\\u0080\\u009b\\u009f\xc2\xa0",
     "\\u0080\\u009b\\u009f\xc2\xa0"},
    {"\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf", "\xe2\x80\xa9\\u202a\\u202e\xe2\x80\xaf",
     "\xe2\x80\xa9\\u202a\\u202e\xe2\x80\xaf", "\xe2\x80\xa9\\u202a\\u202e\xe2\x80\xaf"},
    {"\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", "\xe2\x81\xa5\\u2066\\u2069\xe2\x81\xaa",
     "\xe2\x81\xa5\\u2066\\u2069\xe2\x81\xaa", "\xe2\x81\xa5\\u2066\\u2069\xe2\x81\xaa"},
    {"\xff\x9b\xe2\x80", "\\xff\\x9b\\xe2\\x80", "\\xff\\x9b\\xe2\\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"},
    {"\xf0\x9f\x98\x80 <&>\"'", "\xf0\x9f\x98\x80 <&>\"'", "\xf0\x9f\x98\x80 &lt;&amp;&gt;&quot;&#39;",
     "\xf0\x9f\x98\x80 <&>\"'"},
    {"\xef\xbf\xbe\xef\xbf\xbf", "\xef\xbf\xbe\xef\xbf\xbf", "??", "\xef\xbf\xbe\xef\xbf\xbf"},
    {"\u061c\u200e\u200f\u200d", "\\u061c\\u200e\\u200f\u200d", "\\u061c\\u200e\\u200f\u200d",
     "\\u061c\\u200e\\u200f\u200d"},
};

TEST(what_a_terminal_obeys_is_shown_as_an_escape)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct text printable = {0}, xml = {0}, json = {0}, column = {0};
        text_put_printable(&printable, ROWS[i].text);
        text_put_xml(&xml, ROWS[i].text);
        text_put_json(&json, ROWS[i].text, strlen(ROWS[i].text));
        assert_string_equal(printable.at, ROWS[i].printable);
        assert_string_equal(xml.at, ROWS[i].xml);
        assert_string_equal(json.at, ROWS[i].json);
        text_put_column(&column, ROWS[i].text, 40);
        assert_int_equal(text_columns(column.at), 40);
        text_free(&printable);
        text_free(&xml);
        text_free(&json);
        text_free(&column);
    }
}

TEST(nothing_is_an_empty_text)
{
    struct text out = {0};
    text_put_printable(&out, NULL);
    text_put_column(&out, NULL, 3);
    assert_string_equal(out.at, "   ");
    text_put_json(&out, "a\0b", 3);
    assert_string_equal(out.at, "   a\\u0000b");
    text_free(&out);
}
