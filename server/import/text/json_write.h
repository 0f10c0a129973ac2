/* json_write.h - JSON as the importer writes it: extras of formats that have no JSON of their own. Without white space.
 * Pure; any thread. */
#pragma once

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes that are not UTF-8 are repaired when the model keeps the text (bake_long_text()). */
void json_write_string(struct buf *out, const char *text, size_t size_bytes);
void json_write_int(struct buf *out, int64_t value);
/* With the fewest digits that read back exactly, as a double or as a float; null when the value is not finite. */
void json_write_double(struct buf *out, double value);
void json_write_float(struct buf *out, float value);
/* A number as a text file has it: copied where it is valid JSON, else parsed by strtod() and printed. */
void json_write_number(struct buf *out, const char *text, size_t size_bytes);
