/* json.h - JSON text written straight into a buffer. Pure. Output only. */
#pragma once

#include "anim/model/model.h"
#include "base/buf.h"

#include <stddef.h>

/* A quoted string: UTF-8 as it is, control characters, quote and backslash escaped. `text` NULL: null. */
void json_put_string(struct buf *out, const char *text, size_t size_bytes);
void json_put_str(struct buf *out, const struct model *model, struct str text);
void json_put_float(struct buf *out, float value); /* not finite: `out` fails, with BUF_NOT_FINITE */
void json_put_double(struct buf *out, double value);
void json_put_uint(struct buf *out, unsigned long long value);
void json_put_floats(struct buf *out, const float *values, size_t count); /* [1,2,3] */
/* The same, but each number is the float's exact value as a double reads it (0.25005000829696655 for the float that
 * json_put_floats() writes as 0.25005): for values that clients match, round or compare as doubles. */
void json_put_exact_floats(struct buf *out, const float *values, size_t count);
