/* wrap.h - words into lines. Pure; any thread. */
#pragma once

#include <stddef.h>

/* Returns the size in bytes of the next line: the whole words at the beginning of `words` that fit `columns`, at least
 * one. words: ASCII, NUL-terminated, with blanks between. The line has no blank behind its last word. 0: none is left.
 */
size_t wrap_line_bytes(const char *words, size_t columns);
