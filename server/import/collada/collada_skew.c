/* collada_skew.c - finds <skew> elements in the bytes of a file and puts spaces in their place. */
#include "import/collada/collada.h"

#include <string.h>

static const char START[] = "<skew", END[] = "</skew";

/* Where `word` is in the text from `at` on; size_bytes when it is not there. */
static size_t find(const uint8_t *text, size_t size_bytes, size_t at, const char *word)
{
    const uint8_t *found = at < size_bytes ? memmem(text + at, size_bytes - at, word, strlen(word)) : NULL;
    return found == NULL ? size_bytes : (size_t)(found - text);
}

/* The byte after a name: <skewer> is another element. */
static bool is_name_end(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n' || byte == '/' || byte == '>';
}

static size_t find_skew(const uint8_t *text, size_t size_bytes, size_t at)
{
    for (at = find(text, size_bytes, at, START); at < size_bytes; at = find(text, size_bytes, at + 1, START)) {
        const size_t behind = at + sizeof START - 1;
        if (behind < size_bytes && is_name_end(text[behind]))
            return at;
    }
    return size_bytes;
}

/* Behind the element that starts at `at`; `at` itself when it does not end. */
static size_t element_end(const uint8_t *text, size_t size_bytes, size_t at)
{
    const size_t start_tag_end = find(text, size_bytes, at, ">");
    if (start_tag_end == size_bytes)
        return at;
    if (text[start_tag_end - 1] == '/')
        return start_tag_end + 1;
    const size_t end_tag = find(text, size_bytes, start_tag_end, END);
    const size_t end = find(text, size_bytes, end_tag, ">");
    return end == size_bytes ? at : end + 1;
}

bool collada_has_skew(const uint8_t *text, size_t size_bytes) { return find_skew(text, size_bytes, 0) < size_bytes; }

void collada_remove_skew(uint8_t *text, size_t size_bytes)
{
    for (size_t at = find_skew(text, size_bytes, 0); at < size_bytes; at = find_skew(text, size_bytes, at)) {
        const size_t end = element_end(text, size_bytes, at);
        if (end == at)
            return;
        memset(text + at, ' ', end - at);
        at = end;
    }
}
