/* protocol/http.md agrees with protocol/pictures/views.def. Run from the project's root. */
#include "base/picture/view.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(http_document_has_every_view)
{
    char *text = document_read("protocol/http.md"), needle[64], words[256] = "";
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
    assert_string_equal(view_list_joint(list), "weights or skeleton");
}
