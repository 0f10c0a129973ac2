/* json.h - JSON text written straight into a buffer. Pure. Output only. */
#pragma once

#include "anim/model/model.h"
#include "base/buf.h"

#include <stddef.h>

/* A quoted string: UTF-8 as it is, control characters, quote and backslash escaped. `text` NULL: null. */
void json_put_string(struct buf *out, const char *text, size_t size_bytes);
void json_put_float(struct buf *out, float value); /* not finite: `out` fails, with BUF_NOT_FINITE */
void json_put_double(struct buf *out, double value);
void json_put_uint(struct buf *out, unsigned long long value);
void json_put_floats(struct buf *out, const float *values, size_t count); /* [1,2,3] */
void json_put_doubles(struct buf *out, const double *values, size_t count);
/* The same, but each number is the float's exact value as a double reads it (0.25005000829696655 for the float that
 * json_put_floats() writes as 0.25005): for values that clients match, round or compare as doubles. */
void json_put_exact_floats(struct buf *out, const float *values, size_t count);

/* A comma, where something stands before. */
static inline void json_comma(struct buf *out, bool is_between)
{
    if (is_between)
        buf_put_char(out, ',');
}

/* Text as it stands, with values in it: %u, %llu, %d: whole numbers; %f: a float, %g: a double, as the functions above
 * write them; %s and %.*s: a quoted string, NULL: null. No other conversions. */
void json_printf(struct buf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The arguments of a %.*s for a text of the model. */
#define JSON_STR(model, text) (int)(text).size_bytes, json_text_of(model, text)
const char *json_text_of(const struct model *model, struct str text); /* NULL: there is none */
