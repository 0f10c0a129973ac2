/* utf8.h - checks and repairs text that comes from outside. Pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns the length in bytes (1..4) of the UTF-8 sequence at `text`, or 0 when it is not well-formed. Overlong forms,
 * surrogates and values above U+10FFFF are not (Unicode 15, table 3-7). */
size_t utf8_sequence(const char *text, size_t size_bytes);

/* True when terminals and viewers obey the sequence instead of showing it: control characters (C0, DEL, C1), and the
 * marks that change the direction of text (U+202A to U+202E, U+2066 to U+2069), which can make one line look like
 * another. `sequence_bytes` comes from utf8_sequence() and is not 0. *code is set to the code point of sequences up to
 * three bytes. */
bool utf8_is_obeyed(const char *sequence, size_t sequence_bytes, unsigned *code);

/* True when all `size_bytes` bytes are well-formed UTF-8. NUL bytes count as characters. */
bool utf8_is_valid(const char *text, size_t size_bytes);

/* Replaces each byte that is not part of a well-formed sequence by '?', in place. */
void utf8_repair(char *text, size_t size_bytes);

/* Returns the largest n <= limit_bytes at which `text` can be cut without splitting a sequence. */
size_t utf8_cut(const char *text, size_t size_bytes, size_t limit_bytes);

/* Returns the size without an incomplete sequence at the end. */
size_t utf8_whole(const char *text, size_t size_bytes);
