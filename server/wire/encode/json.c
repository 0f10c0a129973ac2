#include "wire/encode/json.h"

#include "wire/encode/number.h"

#include <stdarg.h>
#include <string.h>

/* The longest escape: \u001f */
enum { ESCAPE_SIZE = 6, TEXT_CHUNK = 1024, FLOAT_CHUNK = 64 };

static char *put_escaped(char *out, unsigned char c)
{
    static const char HEX[] = "0123456789abcdef", PLAIN[] = "\n\r\t\"\\", LETTERS[] = "nrt\"\\";
    const char *place = c == '\0' ? NULL : strchr(PLAIN, c);
    *out++ = '\\';
    if (place != NULL) {
        *out++ = LETTERS[place - PLAIN];
        return out;
    }
    memcpy(out, "u00", 3);
    out[3] = HEX[c >> 4];
    out[4] = HEX[c & 15];
    return out + 5;
}

static void put_chunk(struct buf *out, const char *text, size_t size_bytes)
{
    char *start = buf_reserve(out, size_bytes * ESCAPE_SIZE);
    if (start == NULL)
        return;
    char *at = start;
    for (size_t i = 0; i < size_bytes; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c == '"' || c == '\\')
            at = put_escaped(at, c);
        else
            *at++ = (char)c;
    }
    buf_advance(out, (size_t)(at - start));
}

void json_put_string(struct buf *out, const char *text, size_t size_bytes)
{
    if (text == NULL) {
        buf_put_text(out, "null");
        return;
    }
    buf_put_char(out, '"');
    for (size_t i = 0; i < size_bytes; i += TEXT_CHUNK)
        put_chunk(out, text + i, size_bytes - i < TEXT_CHUNK ? size_bytes - i : TEXT_CHUNK);
    buf_put_char(out, '"');
}

const char *json_text_of(const struct model *model, struct str text)
{
    return text.offset == STR_NONE ? NULL : text.size_bytes == 0 ? "" : model->text + text.offset;
}

/* Callers reject non-finite values with a message that names them. A value that a caller missed fails the whole answer.
 */
static void take_number(struct buf *out, size_t size_bytes)
{
    if (size_bytes == 0)
        buf_fail(out, BUF_NOT_FINITE);
    buf_advance(out, size_bytes);
}

void json_put_float(struct buf *out, float value)
{
    char *to = buf_reserve(out, NUMBER_SIZE);
    if (to != NULL)
        take_number(out, number_put_float(to, value));
}

void json_put_double(struct buf *out, double value)
{
    char *to = buf_reserve(out, NUMBER_SIZE);
    if (to != NULL)
        take_number(out, number_put_double(to, value));
}

void json_put_uint(struct buf *out, unsigned long long value)
{
    char text[NUMBER_SIZE] = "";
    buf_put(out, text, (size_t)(number_put_uint(text, value) - text));
}

/* One reservation per chunk, because a palette consists of many floats. */
void json_put_floats(struct buf *out, const float *values, size_t count)
{
    buf_put_char(out, '[');
    for (size_t i = 0; i < count; i += FLOAT_CHUNK) {
        const size_t end = count - i < FLOAT_CHUNK ? count : i + FLOAT_CHUNK;
        char *start = buf_reserve(out, FLOAT_CHUNK * (NUMBER_SIZE + 1));
        if (start == NULL)
            return;
        char *at = start;
        bool is_good = true;
        for (size_t j = i; j < end; j++) {
            const size_t size_bytes = number_put_float(at, values[j]);
            is_good = is_good && size_bytes > 0;
            at += size_bytes;
            *at++ = ',';
        }
        buf_advance(out, (size_t)(at - start));
        if (!is_good)
            buf_fail(out, BUF_NOT_FINITE);
    }
    if (count > 0 && !buf_failed(out))
        out->size_bytes--; /* the last comma */
    buf_put_char(out, ']');
}

void json_put_doubles(struct buf *out, const double *values, size_t count)
{
    buf_put_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        json_comma(out, i > 0);
        json_put_double(out, values[i]);
    }
    buf_put_char(out, ']');
}

void json_put_exact_floats(struct buf *out, const float *values, size_t count)
{
    buf_put_char(out, '[');
    for (size_t i = 0; i < count && !buf_failed(out); i++) {
        json_comma(out, i > 0);
        json_put_double(out, (double)values[i]);
    }
    buf_put_char(out, ']');
}

void json_printf(struct buf *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    for (const char *at = format;;) {
        const size_t plain_bytes = strcspn(at, "%");
        buf_put(out, at, plain_bytes);
        at += plain_bytes;
        if (*at == '\0')
            break;
        switch (*++at) {
        case 'u':
            json_put_uint(out, va_arg(values, unsigned));
            break;
        case 'l': /* %llu */
            json_put_uint(out, va_arg(values, unsigned long long));
            at += 2;
            break;
        case 'd': {
            const int64_t value = va_arg(values, int);
            if (value < 0)
                buf_put_char(out, '-');
            json_put_uint(out, (uint64_t)(value < 0 ? -value : value));
            break;
        }
        case 'f':
            json_put_float(out, (float)va_arg(values, double));
            break;
        case 'g':
            json_put_double(out, va_arg(values, double));
            break;
        case 's': {
            const char *text = va_arg(values, const char *);
            json_put_string(out, text, text == NULL ? 0 : strlen(text));
            break;
        }
        default: { /* %.*s */
            const unsigned size_bytes = (unsigned)va_arg(values, int);
            json_put_string(out, va_arg(values, const char *), size_bytes);
            at += 2;
            break;
        }
        }
        at++;
    }
    va_end(values);
}
