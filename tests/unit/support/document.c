#include "tests/unit/support/document.h"

#include "tests/unit/support/check.h"

#include <stdio.h>
#include <stdlib.h>

enum { DOCUMENT_MAX = 1 << 20 };

char *document_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("cannot open '%s': run the tests in the project's root", path);
    char *text = calloc(1, DOCUMENT_MAX);
    assert_non_null(text);
    assert_in_range(fread(text, 1, DOCUMENT_MAX - 1, file), 1, DOCUMENT_MAX - 2);
    fclose(file);
    return text;
}
