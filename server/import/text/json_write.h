/* json_write.h - writes JSON for extras of formats that are not JSON themselves, without white space. Pure; any
 * thread. */
#pragma once

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* bake_long_text() repairs bytes that are not UTF-8 when the model stores the text. */
void json_write_string(struct buf *out, const char *text, size_t size_bytes);
void json_write_int(struct buf *out, int64_t value);
/* Writes the fewest digits that read back exactly as a double or as a float; null if the value is not finite. */
void json_write_double(struct buf *out, double value);
void json_write_float(struct buf *out, float value);
/* Writes a number from a text file: copies valid JSON, else parses with strtod() and prints. */
void json_write_number(struct buf *out, const char *text, size_t size_bytes);
