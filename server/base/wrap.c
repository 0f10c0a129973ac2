#include "base/wrap.h"

#include <string.h>

size_t wrap_line_bytes(const char *words, size_t columns)
{
    const size_t blanks = strspn(words, " "); /* blanks in a row, less the one that the caller has skipped */
    size_t line = blanks + strcspn(words + blanks, " ");
    while (words[line] == ' ') {
        const size_t next = line + 1 + strcspn(words + line + 1, " ");
        if (next > columns)
            break;
        line = next;
    }
    return line;
}
