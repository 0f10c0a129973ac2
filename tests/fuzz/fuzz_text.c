/* Any bytes as a text file: UTF-8 comes out when there is a mark of UTF-16; and what COLLADA's <skew> elements take is
 * made blank without touching more. */
#include "base/utf8.h"
#include "import/collada/collada.h"
#include "import/text/text_utf8.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void blank(const uint8_t *data, size_t size)
{
    if (!collada_has_skew(data, size))
        return;
    uint8_t *copy = malloc(size); /* no longer than the bytes, so that one too far is noticed */
    if (copy == NULL)
        abort();
    memcpy(copy, data, size);
    collada_remove_skew(copy, size);
    for (size_t i = 0; i < size; i++)
        if (copy[i] != data[i] && copy[i] != ' ')
            abort();
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *text;
    size_t size_bytes;
    blank(data, size);
    if (!text_to_utf8(data, size, &text, &size_bytes))
        return 0;
    if (text[size_bytes] != 0 || (data[0] != 0xef && !utf8_is_valid((const char *)text, size_bytes)))
        abort();
    free(text);
    return 0;
}
