/* protocol/http.md says what protocol/views.def says. Run from the project's root. */
#include "../../server/base/view.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(http_document_has_every_view)
{
    char *text = calloc(1, 1 << 18), needle[64], words[256] = "";
    FILE *file = fopen("protocol/http.md", "rb");
    if (file == NULL || text == NULL)
        fail_msg("cannot open protocol/http.md: run the tests in the project's root");
    assert_in_range(fread(text, 1, (1 << 18) - 1, file), 1, (1 << 18) - 2);
    fclose(file);
    const char *table = strstr(text, "\n### Views\n");
    assert_non_null(table);
    for (int v = 0; v < VIEW_COUNT; v++) {
        snprintf(needle, sizeof needle, "\n| %s | ", VIEW_INFO[v].word);
        if (strstr(table, needle) == NULL)
            fail_msg("http.md has no view '%s'", VIEW_INFO[v].word);
        const size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, "%s`%s`", v == 0 ? "\n| `view` | " : ", ", VIEW_INFO[v].word);
    }
    if (strstr(text, words) == NULL)
        fail_msg("http.md should list the views as: %s", words);
    free(text);
}

TEST(views_are_listed_for_messages)
{
    char list[VIEW_LIST_SIZE];
    assert_string_equal(view_list(true, list), "weights or skeleton");
    assert_memory_equal(view_list(false, list), "lit, weights, ", 14);
    assert_non_null(strstr(list, " or onion"));
}
