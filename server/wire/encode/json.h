/* json.h - writes JSON text directly into a buffer. Pure. */
#pragma once

#include "anim/model/model.h"
#include "base/buf.h"

#include <stddef.h>

/* Writes a quoted string: UTF-8 unchanged, control characters, quotes and backslashes escaped. NULL is written as null.
 */
void json_put_string(struct buf *out, const char *text, size_t size_bytes);
void json_put_float(struct buf *out, float value); /* a non-finite value fails `out` with BUF_NOT_FINITE */
void json_put_double(struct buf *out, double value);
void json_put_uint(struct buf *out, unsigned long long value);
void json_put_floats(struct buf *out, const float *values, size_t count); /* [1,2,3] */
void json_put_doubles(struct buf *out, const double *values, size_t count);
/* The same, but each number is the exact value of the float as a double reads it (0.25005000829696655 for a float that
 * json_put_floats() writes as 0.25005). Clients that match, round or compare such values as doubles need this. */
void json_put_exact_floats(struct buf *out, const float *values, size_t count);

/* Writes a comma if is_between. */
static inline void json_comma(struct buf *out, bool is_between)
{
    if (is_between)
        buf_put_char(out, ',');
}

/* Writes `format` with values: %u, %llu and %d are whole numbers; %f is a float and %g a double, written as by the
 * functions above; %s and %.*s are quoted strings, and NULL is null. Other conversions do not exist. */
void json_printf(struct buf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The arguments of %.*s for a text of the model. */
#define JSON_STR(model, text) (int)(text).size_bytes, json_text_of(model, text)
const char *json_text_of(const struct model *model, struct str text); /* NULL for an absent text */
