/* json_write.h - JSON as the importer writes it: extras of formats that have no JSON of their own. Without white space.
 * Pure; any thread. */
#pragma once

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes that are not UTF-8 are repaired when the model keeps the text (bake_long_text()). */
void json_write_string(struct buf *out, const char *text, size_t size_bytes);
void json_write_int(struct buf *out, int64_t value);
/* With as few digits as read back exactly, as a double or as a float; null for what is not finite. */
void json_write_double(struct buf *out, double value);
void json_write_float(struct buf *out, float value);
/* What a text file has for a number: as it stands where it is one in JSON too, else what strtod() makes of it. */
void json_write_number(struct buf *out, const char *text, size_t size_bytes);
