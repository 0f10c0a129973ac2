/* Arbitrary bytes as a text file: with a mark of UTF-16 the result is UTF-8. */
#include "base/utf8.h"
#include "import/text/text_utf8.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *text;
    size_t size_bytes;
    if (!text_to_utf8(data, size, &text, &size_bytes))
        return 0;
    if (text[size_bytes] != 0 || (data[0] != 0xef && !utf8_is_valid((const char *)text, size_bytes)))
        abort();
    free(text);
    return 0;
}
