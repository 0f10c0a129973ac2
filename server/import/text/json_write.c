/* json_write.c - strings and numbers as JSON text. */
#include "import/text/json_write.h"

#include "base/json_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_write_string(struct buf *out, const char *text, size_t size_bytes)
{
    buf_put_char(out, '"');
    for (size_t i = 0; i < size_bytes; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c < 0x20)
            buf_printf(out, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", c);
        else
            buf_put_char(out, (char)c);
    }
    buf_put_char(out, '"');
}

void json_write_int(struct buf *out, int64_t value) { buf_printf(out, "%" PRId64, value); }

/* With the fewest digits, from `digits` on, that read back as the same number. */
static void put_shortest(struct buf *out, double value, int digits, int digits_max, bool is_float)
{
    char text[32] = "null";
    for (; digits <= digits_max && isfinite(value); digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (is_float ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
            break;
    }
    buf_put_text(out, text);
}

void json_write_double(struct buf *out, double value) { put_shortest(out, value, 15, 17, false); }
void json_write_float(struct buf *out, float value) { put_shortest(out, (double)value, 6, 9, true); }

void json_write_number(struct buf *out, const char *text, size_t size_bytes)
{
    enum { NUMBER_BYTES = 400 };
    char copy[NUMBER_BYTES + 1], *end;
    const bool is_number = size_bytes > 0 && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
    if (is_number && json_is_compact(text, size_bytes)) {
        buf_put(out, text, size_bytes);
        return;
    }
    if (size_bytes > NUMBER_BYTES) {
        buf_put_text(out, "null");
        return;
    }
    memcpy(copy, text, size_bytes);
    copy[size_bytes] = '\0';
    const double value = strtod(copy, &end);
    json_write_double(out, end == copy + size_bytes && size_bytes > 0 ? value : (double)NAN);
}
