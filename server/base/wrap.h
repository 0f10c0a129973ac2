/* wrap.h - words into lines. Pure; any thread. */
#pragma once

#include <stddef.h>

/* How many bytes of `words` (ASCII, NUL-terminated, with blanks between) are the next line of at most so many columns:
 * whole words, at least one, however long that is. 0 where nothing is left. The blank behind them is not of the line.
 */
size_t wrap_line_bytes(const char *words, size_t columns);
