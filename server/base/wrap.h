/* wrap.h - breaks words into lines. Pure; any thread. */
#pragma once

#include <stddef.h>

/* Returns the size in bytes of the next line: as many whole words of `words` as fit in `columns`, but at least one. 0:
 * no word is left. words: ASCII, NUL-terminated, with blanks between. A line does not include the blank behind its last
 * word. */
size_t wrap_line_bytes(const char *words, size_t columns);
