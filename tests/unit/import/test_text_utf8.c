/* Byte order marks, and the conversion of the text after them. */
#include "tests/unit/support/check.h"

#include "base/utf8.h"
#include "import/text/text_utf8.h"

#include <stdlib.h>
#include <string.h>

static void expect(const char *bytes, size_t given, const char *text)
{
    uint8_t *out = NULL;
    size_t size = 0;
    assert_true(text_to_utf8((const uint8_t *)bytes, given, &out, &size));
    assert_int_equal(size, strlen(text));
    assert_memory_equal(out, text, size + 1);
    free(out);
}

TEST(text_utf8_worked_bytes)
{
    expect("\xef\xbb\xbf"
           "ply",
           6, "ply");
    expect("\xff\xfe"
           "a\0\xe4\0\xa8\x9a\x3d\xd8\x00\xde",
           12, "a\xc3\xa4\xe9\xaa\xa8\xf0\x9f\x98\x80");
    expect("\xfe\xff"
           "\0a\0\xe4\x9a\xa8\xd8\x3d\xde\x00",
           12, "a\xc3\xa4\xe9\xaa\xa8\xf0\x9f\x98\x80");
    expect("\xff\xfe"
           "a\0b",
           5, "a"); /* the odd byte is dropped */
    expect("\xff\xfe"
           "\x3d\xd8"
           "a\0",
           6,
           "\xef\xbf\xbd"
           "a");
    expect("\xff\xfe"
           "\x00\xde",
           4, "\xef\xbf\xbd");
    expect("\xff\xfe", 2, "");
}

TEST(text_utf8_leaves_text_without_a_mark)
{
    static const char *const TEXTS[] = {"", "\xff", "\xef\xbb", "AC3Db", "\376a"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        uint8_t *out;
        size_t size;
        assert_false(text_to_utf8((const uint8_t *)TEXTS[i], strlen(TEXTS[i]), &out, &size));
    }
}

/* Every pair of bytes as a unit, also as the first or second half of a pair: the result is UTF-8 and within its room.
 */
TEST(text_utf8_any_unit)
{
    for (uint32_t unit = 0; unit < 65536; unit++) {
        const uint8_t bytes[] = {0xff, 0xfe, (uint8_t)unit, (uint8_t)(unit >> 8),
                                 0x3d, 0xd8, (uint8_t)unit, (uint8_t)(unit >> 8)};
        for (size_t given = 2; given <= sizeof bytes; given++) {
            uint8_t *copy = malloc(given), *out;
            size_t size;
            memcpy(copy, bytes, given);
            assert_true(text_to_utf8(copy, given, &out, &size));
            assert_true(utf8_is_valid((const char *)out, size));
            free(out);
            free(copy);
        }
    }
}
