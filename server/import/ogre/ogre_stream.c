/* ogre_stream.c - decodes numbers, texts and chunk headers of Ogre's binary files. */
#include "import/ogre/ogre_stream.h"

#include "base/bytes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { HEADER_ID = 0x1000, HEADER_ID_SWAPPED = 0x0010, CHUNK_HEADER_BYTES = 6, LINE_BYTES_MAX = 65536 };

static const uint8_t ZEROES[8];

bool ogre_failed(const struct ogre_stream *stream) { return stream->err->code != 0; }

int ogre_fail(struct ogre_stream *stream, const char *format, ...)
{
    char text[ERR_MESSAGE_SIZE];
    va_list args;
    if (ogre_failed(stream))
        return stream->err->code;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    err_set(stream->err, ERR_BAD_MODEL, "byte %zu: %s", stream->at, text);
    if (stream->file[0] != '\0')
        err_prefix(stream->err, "'%s'", stream->file);
    return stream->err->code;
}

const uint8_t *ogre_take(struct ogre_stream *stream, uint64_t count, size_t item_bytes)
{
    const size_t left = stream->size_bytes - stream->at;
    if (ogre_failed(stream))
        return NULL;
    if (count > left / item_bytes) {
        ogre_fail(stream, "the file ends within %llu items of %zu bytes", (unsigned long long)count, item_bytes);
        return NULL;
    }
    const uint8_t *taken = stream->bytes + stream->at;
    stream->at += (size_t)count * item_bytes;
    return taken;
}

/* --- numbers --- */

uint16_t ogre_u16_at(const struct ogre_stream *stream, const uint8_t *p)
{
    const uint16_t value = get_u16(p);
    return stream->is_big_endian ? __builtin_bswap16(value) : value;
}

uint32_t ogre_u32_at(const struct ogre_stream *stream, const uint8_t *p)
{
    const uint32_t value = get_u32(p);
    return stream->is_big_endian ? __builtin_bswap32(value) : value;
}

float ogre_f32_at(const struct ogre_stream *stream, const uint8_t *p)
{
    const uint32_t bits = ogre_u32_at(stream, p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double ogre_f64_at(const struct ogre_stream *stream, const uint8_t *p)
{
    uint64_t bits = get_u64(p);
    bits = stream->is_big_endian ? __builtin_bswap64(bits) : bits;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static const uint8_t *take_number(struct ogre_stream *stream, size_t size_bytes)
{
    const uint8_t *taken = ogre_take(stream, 1, size_bytes);
    return taken != NULL ? taken : ZEROES;
}

uint8_t ogre_u8(struct ogre_stream *stream) { return *take_number(stream, 1); }
uint16_t ogre_u16(struct ogre_stream *stream) { return ogre_u16_at(stream, take_number(stream, 2)); }
uint32_t ogre_u32(struct ogre_stream *stream) { return ogre_u32_at(stream, take_number(stream, 4)); }
bool ogre_bool(struct ogre_stream *stream) { return ogre_u8(stream) != 0; }

float ogre_f32(struct ogre_stream *stream)
{
    const float value = ogre_f32_at(stream, take_number(stream, 4));
    if (isfinite(value))
        return value;
    stream->at -= 4;
    ogre_fail(stream, "the number is not finite");
    return 0;
}

void ogre_f32s(struct ogre_stream *stream, float *out, int count)
{
    for (int i = 0; i < count; i++)
        out[i] = ogre_f32_at(stream, take_number(stream, 4));
}

/* --- texts and chunks --- */

struct ogre_text ogre_line(struct ogre_stream *stream)
{
    const char *text = (const char *)stream->bytes + stream->at;
    const size_t left = stream->size_bytes - stream->at;
    const char *end = ogre_failed(stream) ? NULL : memchr(text, '\n', left < LINE_BYTES_MAX ? left : LINE_BYTES_MAX);
    if (end == NULL) {
        ogre_fail(stream, "a text without its end");
        return (struct ogre_text){"", 0};
    }
    size_t size = (size_t)(end - text);
    stream->at += size + 1;
    while (size > 0 && text[size - 1] == '\r')
        size--;
    return (struct ogre_text){text, size};
}

uint16_t ogre_peek(const struct ogre_stream *stream)
{
    if (ogre_failed(stream) || stream->size_bytes - stream->at < CHUNK_HEADER_BYTES)
        return 0;
    return ogre_u16_at(stream, stream->bytes + stream->at);
}

struct ogre_chunk ogre_enter(struct ogre_stream *stream)
{
    const uint16_t id = ogre_u16(stream);
    return (struct ogre_chunk){id, ogre_u32(stream)};
}

bool ogre_enter_if(struct ogre_stream *stream, uint16_t id)
{
    if (ogre_peek(stream) != id)
        return false;
    ogre_enter(stream);
    return true;
}

void ogre_skip(struct ogre_stream *stream)
{
    const struct ogre_chunk chunk = ogre_enter(stream);
    if (chunk.size_bytes < CHUNK_HEADER_BYTES)
        ogre_fail(stream, "chunk 0x%04x says that it has %u bytes", chunk.id, chunk.size_bytes);
    else
        ogre_take(stream, chunk.size_bytes - CHUNK_HEADER_BYTES, 1);
}

int ogre_open(struct ogre_stream *stream, struct ogre_text *version)
{
    const uint16_t id = ogre_u16(stream);
    *version = (struct ogre_text){"", 0};
    stream->is_big_endian = id == HEADER_ID_SWAPPED;
    if (id != HEADER_ID && id != HEADER_ID_SWAPPED) {
        stream->err->code = 0;
        return err_set(stream->err, ERR_NOT_A_MODEL, "%s%sno binary file of Ogre's: it does not begin with 0x1000",
                       stream->file, stream->file[0] != '\0' ? ": " : "");
    }
    *version = ogre_line(stream);
    return stream->err->code;
}

bool ogre_text_is(struct ogre_text text, const char *literal)
{
    return text.size_bytes == strlen(literal) && memcmp(text.text, literal, text.size_bytes) == 0;
}
