#include "wire/http/coding.h"

#include "base/mem.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

/* The fastest level of each: it halves JSON of floats, and higher levels take several times as long. Each pending
 * response has an encoder, so a small window saves memory. */
enum {
    LEVEL = 1,
    GZIP_WINDOW_BITS = 15 + 16, /* 16 selects a gzip header (zlib.h) */
    GZIP_MEMORY = 8,
    ZSTD_WINDOW_BITS = 17,
    STEP_BYTES = 16384,
};
/* From zlib.h and ZSTD_sizeof_CCtx(). */
enum { GZIP_HELD_BYTES = 1 << 18, ZSTD_HELD_BYTES = 1000000 };

struct encoder {
    enum coding coding;
    z_stream gzip;
    ZSTD_CCtx *zstd;
};

const char *coding_name(enum coding coding)
{
    static const char *const NAMES[CODING_COUNT] = {
        [CODING_NONE] = "identity", [CODING_GZIP] = "gzip", [CODING_ZSTD] = "zstd"};
    return NAMES[coding];
}

const char *coding_suffix(enum coding coding)
{
    static const char *const SUFFIXES[CODING_COUNT] = {
        [CODING_NONE] = "", [CODING_GZIP] = "-gzip" ZLIB_VERSION, [CODING_ZSTD] = "-zstd" ZSTD_VERSION_STRING};
    return SUFFIXES[coding];
}

size_t encoder_held_bytes(enum coding coding) { return coding == CODING_GZIP ? GZIP_HELD_BYTES : ZSTD_HELD_BYTES; }

struct encoder *encoder_new(enum coding coding)
{
    struct encoder *encoder = mem_zalloc(1, sizeof *encoder);
    encoder->coding = coding;
    if (coding == CODING_GZIP &&
        deflateInit2(&encoder->gzip, LEVEL, Z_DEFLATED, GZIP_WINDOW_BITS, GZIP_MEMORY, Z_DEFAULT_STRATEGY) == Z_OK)
        return encoder;
    if (coding == CODING_ZSTD && (encoder->zstd = ZSTD_createCCtx()) != NULL &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(encoder->zstd, ZSTD_c_compressionLevel, LEVEL)) &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(encoder->zstd, ZSTD_c_windowLog, ZSTD_WINDOW_BITS)))
        return encoder;
    ZSTD_freeCCtx(encoder->zstd);
    free(encoder);
    return NULL;
}

void encoder_free(struct encoder *encoder)
{
    if (encoder == NULL)
        return;
    if (encoder->coding == CODING_GZIP)
        deflateEnd(&encoder->gzip);
    ZSTD_freeCCtx(encoder->zstd); /* NULL is fine */
    free(encoder);
}

static int put_gzip(struct encoder *encoder, const char *bytes, size_t size_bytes, bool is_last, struct buf *out)
{
    z_stream *gzip = &encoder->gzip;
    do {
        const size_t part = size_bytes < UINT_MAX ? size_bytes : UINT_MAX;
        gzip->next_in = (z_const Bytef *)(uintptr_t)bytes;
        gzip->avail_in = (uInt)part;
        bytes += part;
        size_bytes -= part;
        do {
            char *to = buf_reserve(out, STEP_BYTES);
            if (to == NULL)
                return -1;
            gzip->next_out = (Bytef *)to;
            gzip->avail_out = STEP_BYTES;
            if (deflate(gzip, is_last && size_bytes == 0 ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
                return -1;
            buf_advance(out, STEP_BYTES - gzip->avail_out);
        } while (gzip->avail_out == 0);
    } while (size_bytes > 0);
    return 0;
}

static int put_zstd(struct encoder *encoder, const char *bytes, size_t size_bytes, bool is_last, struct buf *out)
{
    ZSTD_inBuffer in = {.src = bytes, .size = size_bytes};
    size_t left;
    do {
        ZSTD_outBuffer to = {.dst = buf_reserve(out, STEP_BYTES), .size = STEP_BYTES};
        if (to.dst == NULL)
            return -1;
        left = ZSTD_compressStream2(encoder->zstd, &to, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return -1;
        buf_advance(out, to.pos);
    } while (is_last ? left > 0 : in.pos < in.size);
    return 0;
}

int encoder_put(struct encoder *encoder, const void *bytes, size_t size_bytes, bool is_last, struct buf *out,
                struct err *err)
{
    const int rc = encoder->coding == CODING_GZIP ? put_gzip(encoder, bytes, size_bytes, is_last, out)
                                                  : put_zstd(encoder, bytes, size_bytes, is_last, out);
    return rc < 0 ? err_set(err, ERR_NO_MEMORY, "no memory to code the response as %s", coding_name(encoder->coding))
                  : 0;
}
