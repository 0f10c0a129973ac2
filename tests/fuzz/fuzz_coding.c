/* An Accept-Encoding header, an If-None-Match header and a body, separated by NULs. No crash. A coding is only used if
 * the header has its name or a star. The coded body, in pieces of a size that its first byte gives, decodes to the same
 * bytes. A tag in a list of tags is found again after its coding was added and removed. */
#include "wire/request/accept.h"
#include "wire/http/reply_compress.h"
#include "wire/http/http_response.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool is_true)
{
    if (!is_true)
        abort();
}

static size_t decode(enum coding coding, const struct buf *coded, char *out, size_t capacity)
{
    if (coding == CODING_ZSTD)
        return ZSTD_decompress(out, capacity, coded->data, coded->size_bytes);
    z_stream stream = {.next_in = (Bytef *)coded->data,
                       .avail_in = (uInt)coded->size_bytes,
                       .next_out = (Bytef *)out,
                       .avail_out = (uInt)capacity};
    expect(inflateInit2(&stream, 15 + 16) == Z_OK);
    expect(inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0);
    inflateEnd(&stream);
    return capacity - stream.avail_out;
}

static void check_body(enum coding coding, const char *body, size_t size_bytes)
{
    const size_t step = size_bytes == 0 ? 1 : 1 + (unsigned char)body[0];
    struct encoder *encoder = encoder_new(coding);
    struct buf coded;
    struct err err;
    buf_init(&coded, 0);
    expect(encoder != NULL);
    for (size_t at = 0;; at += step) {
        const size_t left = size_bytes - at, part = left < step ? left : step;
        expect(encoder_put(encoder, body + at, part, part == left, &coded, &err) == 0);
        if (part == left)
            break;
    }
    char *back = malloc(size_bytes + 1);
    expect(back != NULL && decode(coding, &coded, back, size_bytes + 1) == size_bytes);
    expect(size_bytes == 0 || memcmp(back, body, size_bytes) == 0);
    free(back);
    buf_fini(&coded);
    encoder_free(encoder);
}

static void check_tags(const char *tags, enum coding coding)
{
    struct reply reply;
    struct buf plain;
    reply_init(&reply);
    buf_init(&plain, 0);
    memcpy(reply.etag, "\"a-b-json\"", sizeof "\"a-b-json\"");
    const bool was_named = http_etag_matches(tags, reply.etag);
    const bool has_changed = coding_strip_etags(tags, coding, &plain);
    expect(!has_changed || strlen(plain.data) <= strlen(tags));
    expect(!was_named || http_etag_matches(has_changed ? plain.data : tags, reply.etag));
    reply_compress_etag(&reply, coding);
    expect(!http_etag_matches(tags, reply.etag) || http_etag_matches(has_changed ? plain.data : tags, "\"a-b-json\"") ||
           http_etag_is_any(tags));
    buf_fini(&plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + 2);
    expect(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    memset(copy + size, 0, 2);
    const char *end = copy + size, *accepts = copy, *tags = accepts + strlen(accepts);
    tags += tags < end;
    const char *body = tags + strlen(tags);
    body += body < end;
    const enum coding coding = accept_coding(accepts);
    expect(coding < CODING_COUNT);
    expect(coding == CODING_NONE || strcasestr(accepts, coding_name(coding)) != NULL || strchr(accepts, '*') != NULL);
    if (coding != CODING_NONE)
        check_body(coding, body, (size_t)(end - body));
    check_tags(tags, coding);
    free(copy);
    return 0;
}
