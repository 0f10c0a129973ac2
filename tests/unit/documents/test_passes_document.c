/* protocol/http.md agrees with protocol/pictures/passes.def. Run from the project's root. */
#include "base/picture/pass.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(http_document_has_every_pass)
{
    static const char *const TYPES[] = {[PASS_U8] = "uint8", [PASS_I32] = "int32", [PASS_F32] = "float32"};
    static const char *const UNITS[] = {
#define X(symbol, word, components, type, picture, unit, what) unit,
#include "protocol/pictures/passes.def"
#undef X
    };
    char *text = document_read("protocol/http.md"), needle[96], words[256] = "";
    const char *table = strstr(text, "\n### Passes\n");
    assert_non_null(table);
    for (int p = 0; p < PASS_COUNT; p++) {
        const struct pass_info *pass = &PASS_INFO[p];
        snprintf(needle, sizeof needle, "\n| %s | %u %s | %s | ", pass->word, pass->components, TYPES[pass->type],
                 UNITS[p]);
        if (strstr(table, needle) == NULL)
            fail_msg("http.md lacks: %s", needle);
        const size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, "%s`%s`", p == 0 ? "\n| `passes` | " : ", ", pass->word);
    }
    if (strstr(text, words) == NULL)
        fail_msg("http.md should list the passes as: %s", words);
    free(text);
}

TEST(passes_have_sizes_and_a_list)
{
    char list[PASS_LIST_SIZE];
    assert_int_equal(pass_pixel_bytes(PASS_ALL), 4 + 4 + 12 + 12 + 4 * 4 + 8 + 8);
    assert_int_equal(pass_only(1u << PASS_DEPTH), PASS_DEPTH);
    assert_int_equal(pass_only(0), PASS_COUNT);
    assert_int_equal(pass_only(3), PASS_COUNT);
    assert_string_equal(pass_list_words(list),
                        "color, depth, normal, position, node, mesh, material, joint, uv and motion");
}
