#include "wire/http/reply_compress.h"

#include "base/container_of.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    AT_ONCE_BYTES = 65536, /* compressing this takes about half a millisecond */
    STEP_BYTES = 65536,    /* for a body in memory */
    PIECE_BYTES = 32768,
};

struct compressed_stream {
    struct body_stream base;
    enum coding coding;
    struct encoder *encoder;
    struct reply plain; /* its body is compressed first, then its rest */
    size_t at;          /* offset of the next byte of the body */
    struct buf piece;   /* of the rest */
};

static struct compressed_stream *stream_of(const struct body_stream *base)
{
    return container_of(base, struct compressed_stream, base);
}

static int put_body(struct compressed_stream *stream, struct buf *out, struct err *err)
{
    const size_t left = reply_body_bytes(&stream->plain) - stream->at;
    const size_t part = left < STEP_BYTES ? left : STEP_BYTES;
    const bool is_last = part == left && stream->plain.rest == NULL;
    if (encoder_put(stream->encoder, reply_body(&stream->plain) + stream->at, part, is_last, out, err) < 0)
        return err->code;
    stream->at += part;
    return !is_last;
}

static int put_rest(struct compressed_stream *stream, struct buf *out, struct err *err)
{
    struct body_stream *rest = stream->plain.rest;
    rest->is_stopped = stream->base.is_stopped;
    buf_clear(&stream->piece);
    const int rc = rest->next(rest, &stream->piece, err);
    if (rc < 0 || encoder_put(stream->encoder, stream->piece.data, stream->piece.size_bytes, rc == 0, out, err) < 0)
        return err->code;
    return rc;
}

static int next_piece(struct body_stream *base, struct buf *out, struct err *err)
{
    struct compressed_stream *stream = stream_of(base);
    int rc = 1;
    while (rc > 0 && out->size_bytes < PIECE_BYTES) {
        const bool is_in_body = stream->at < reply_body_bytes(&stream->plain) || stream->plain.rest == NULL;
        rc = is_in_body ? put_body(stream, out, err) : put_rest(stream, out, err);
    }
    if (stream->at == reply_body_bytes(&stream->plain))
        buf_fini(&stream->plain.body);
    return rc;
}

static size_t held_bytes(const struct body_stream *base)
{
    const struct compressed_stream *stream = stream_of(base);
    const struct body_stream *rest = stream->plain.rest;
    return sizeof *stream + encoder_held_bytes(stream->coding) + stream->plain.body.capacity_bytes +
           stream->piece.capacity_bytes + (rest == NULL ? 0 : rest->held_bytes(rest));
}

static void free_stream(struct body_stream *base)
{
    struct compressed_stream *stream = stream_of(base);
    encoder_free(stream->encoder);
    reply_fini(&stream->plain);
    buf_fini(&stream->piece);
    free(stream);
}

static bool is_of_type(const struct reply *reply, const char *start)
{
    return reply->content_type != NULL && strncmp(reply->content_type, start, strlen(start)) == 0;
}

bool reply_is_compressible(const struct reply *reply, uint64_t least_bytes)
{
    /* A page consists of many small files that browsers load once. Smaller files fit into one packet anyway. */
    enum { PAGE_LEAST_BYTES = 1024 };
    const bool is_page = is_of_type(reply, "text/");
    if (!is_page && !is_of_type(reply, "application/json"))
        return false;
    return reply->rest != NULL || reply_body_bytes(reply) >= (is_page ? PAGE_LEAST_BYTES : least_bytes);
}

/* False: out of memory; the reply is unchanged. */
static bool encode_now(struct reply *reply, struct encoder *encoder)
{
    struct buf coded;
    struct err err;
    buf_init(&coded, SIZE_MAX / 4);
    if (encoder_put(encoder, reply_body(reply), reply_body_bytes(reply), true, &coded, &err) < 0) {
        buf_fini(&coded);
        return false;
    }
    buf_fini(&reply->body);
    blob_unref(reply->blob);
    reply->blob = NULL;
    reply->body = coded;
    return true;
}

static void encode_later(struct reply *reply, enum coding coding, struct encoder *encoder)
{
    struct compressed_stream *stream = mem_zalloc(1, sizeof *stream);
    *stream = (struct compressed_stream){
        .base = {.next = next_piece, .held_bytes = held_bytes, .free = free_stream},
        .coding = coding,
        .encoder = encoder,
        .plain = {.body = reply->body, .blob = reply->blob, .rest = reply->rest},
    };
    buf_init(&stream->piece, SIZE_MAX / 4);
    buf_init(&reply->body, 0);
    reply->blob = NULL;
    reply->rest = &stream->base;
    reply->rest_bytes = REPLY_REST_UNKNOWN;
}

void reply_compress(struct reply *reply, enum coding coding, bool can_chunk)
{
    const bool is_now = reply->rest == NULL && reply_body_bytes(reply) <= AT_ONCE_BYTES;
    if (coding == CODING_NONE || (!is_now && !can_chunk))
        return;
    struct encoder *encoder = encoder_new(coding);
    if (encoder == NULL)
        return;
    if (is_now) {
        const bool is_coded = encode_now(reply, encoder);
        encoder_free(encoder);
        if (!is_coded)
            return;
    } else {
        encode_later(reply, coding, encoder);
    }
    reply->content_coding = coding_name(coding);
    reply_compress_etag(reply, coding);
}

void reply_compress_etag(struct reply *reply, enum coding coding)
{
    const char *suffix = coding_suffix(coding);
    const size_t size_bytes = strlen(reply->etag), suffix_bytes = strlen(suffix);
    if (size_bytes < 2 || size_bytes + suffix_bytes >= sizeof reply->etag)
        return;
    char *quote = reply->etag + size_bytes - 1;
    memmove(quote + suffix_bytes, quote, 2);
    memcpy(quote, suffix, suffix_bytes);
}

bool coding_strip_etags(const char *if_none_match, enum coding coding, struct buf *out)
{
    if (if_none_match == NULL || coding == CODING_NONE)
        return false;
    const char *suffix = coding_suffix(coding);
    const size_t suffix_bytes = strlen(suffix);
    if (strstr(if_none_match, suffix) == NULL)
        return false;
    buf_clear(out);
    for (const char *at = if_none_match; *at != '\0';) {
        if (strncmp(at, suffix, suffix_bytes) == 0 && at[suffix_bytes] == '"')
            at += suffix_bytes;
        else
            buf_put_char(out, *at++);
    }
    buf_put_char(out, '\0');
    return true;
}
