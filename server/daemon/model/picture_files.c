#include "daemon/model/picture_files.h"

#include "daemon/model/source_access.h"

#include "base/base64.h"

#include <errno.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK_BYTES = 1 << 16 };

/* The bytes that a place has gained so far. */
struct reading {
    struct base64_decode_ctx base64;
    struct base64_bits pieces;
    z_stream inflater;
    struct sha256_ctx sha;
    struct buf *out;
    uint32_t encoding;
    uint64_t skip, left; /* bytes that do not belong to the picture, and that are missing */
};

static int fail(int error, const char *path, struct err *err)
{
    if (err_is_shortage(error))
        return err_set(err, ERR_OVERLOADED, "'%s' cannot be opened now: %s; try again later", path, strerror(error));
    if (err_is_source(error))
        return root_unavailable(path, strerror(error), err);
    return err_set(err, ERR_MODEL_CHANGING,
                   "'%s' is not the file any more that the model was imported from; try again, or ask for textures=png",
                   path);
}

static void take(struct reading *reading, const uint8_t *bytes, size_t size_bytes)
{
    const size_t skipped = reading->skip < size_bytes ? (size_t)reading->skip : size_bytes;
    const size_t rest = size_bytes - skipped, used = reading->left < rest ? (size_t)reading->left : rest;
    sha256_update(&reading->sha, used, bytes + skipped);
    buf_put(reading->out, bytes + skipped, used);
    reading->skip -= skipped;
    reading->left -= used;
}

/* Inflates no more than the picture has, whatever follows. False: the bytes are no stream of deflate. */
static bool take_deflated(struct reading *reading, uint8_t *bytes, size_t size_bytes)
{
    uint8_t inflated[CHUNK_BYTES];
    z_stream *stream = &reading->inflater;
    stream->next_in = bytes;
    stream->avail_in = (unsigned)size_bytes;
    int rc = Z_OK;
    while (rc == Z_OK && reading->left > 0) {
        stream->next_out = inflated;
        stream->avail_out = sizeof inflated;
        rc = inflate(stream, Z_NO_FLUSH);
        take(reading, inflated, sizeof inflated - stream->avail_out);
    }
    return rc == Z_OK || rc == Z_BUF_ERROR; /* Z_BUF_ERROR: it wants more bytes; at the end of the stream it is over */
}

/* False: the bytes are not encoded like this, or over. */
static bool take_stored(struct reading *reading, uint8_t *bytes, size_t size_bytes)
{
    uint8_t decoded[BASE64_DECODE_LENGTH(CHUNK_BYTES)];
    size_t decoded_bytes = 0;
    if (reading->encoding == TEXTURE_DEFLATED)
        return take_deflated(reading, bytes, size_bytes);
    if (reading->encoding == TEXTURE_AS_IT_IS)
        take(reading, bytes, size_bytes);
    else if (reading->encoding == TEXTURE_BASE64_PIECES)
        take(reading, decoded, base64_decode_pieces(&reading->pieces, bytes, size_bytes, decoded));
    else if (base64_decode_update(&reading->base64, &decoded_bytes, decoded, size_bytes, (const char *)bytes))
        take(reading, decoded, decoded_bytes);
    else
        return false;
    return true;
}

/* Returns 0, or an errno; 0 also for a file that is shorter than the place, or not encoded so: the hash differs. */
static int read_place(int fd, const char *path, const struct picture_place *place, struct reading *reading)
{
    uint8_t bytes[CHUNK_BYTES];
    for (uint64_t at = 0; at < place->size_bytes && reading->left > 0 && !buf_failed(reading->out);) {
        const uint64_t left = place->size_bytes - at;
        source_enter();
        const ssize_t n = pread(fd, bytes, left < sizeof bytes ? left : sizeof bytes, (off_t)(place->offset + at));
        const int error = n < 0 ? errno : 0;
        source_leave(error, path);
        if (error == EINTR)
            continue;
        if (error != 0)
            return error;
        if (n == 0 || !take_stored(reading, bytes, (size_t)n))
            return 0;
        at += (uint64_t)n;
    }
    return 0;
}

static int open_place(const struct file_access *access, int root_fd, const char *path, uint64_t size_bytes, int *fd)
{
    struct import_file_request request = {.magic = IMPORT_FILES_MAGIC, .kind = IMPORT_FILE_OPEN};
    struct import_file_reply reply;
    snprintf(request.path, sizeof request.path, "%s", path);
    *fd = file_access_serve(access, root_fd, &request, &reply);
    if (*fd < 0)
        return reply.error != 0 ? reply.error : EIO;
    if (reply.stamp.size_bytes == size_bytes)
        return 0;
    close(*fd);
    return ESTALE; /* of another size: another file */
}

static bool is_base64(uint32_t encoding) { return encoding >= TEXTURE_BASE64 && encoding <= TEXTURE_BASE64_LAST; }

int picture_file_read(const struct file_access *access, int root_fd, const struct model *model, uint32_t index,
                      struct buf *out, struct err *err)
{
    const struct picture_place *place = &model->picture_places[index];
    const struct texture *texture = &model->textures[index];
    const struct source_file *source = &model->source_files[place->source_file];
    const size_t before = out->size_bytes;
    char path[IMPORT_PATH_SIZE];
    uint8_t hash[TEXTURE_HASH_SIZE];
    int fd;
    snprintf(path, sizeof path, "%.*s", (int)source->path.size_bytes, model->text + source->path.offset);
    int error = open_place(access, root_fd, path, source->size_bytes, &fd);
    if (error != 0)
        return fail(error == ESTALE ? 0 : error, path, err);
    struct reading reading = {.out = out,
                              .encoding = place->encoding,
                              .skip = is_base64(place->encoding) ? place->encoding - TEXTURE_BASE64 : 0,
                              .left = texture->file_bytes};
    base64_decode_init(&reading.base64);
    sha256_init(&reading.sha);
    error = inflateInit2(&reading.inflater, -MAX_WBITS) == Z_OK ? read_place(fd, path, place, &reading) : ENOMEM;
    inflateEnd(&reading.inflater);
    close(fd);
    sha256_digest(&reading.sha, sizeof hash, hash);
    if (error == 0 && !buf_failed(out) && memcmp(hash, texture->file_hash, sizeof hash) == 0)
        return 0;
    out->size_bytes = before;
    return buf_failed(out)
               ? err_set(err, ERR_TOO_MANY_FRAMES, "the textures need more than the %zu bytes that one answer may have",
                         out->limit_bytes)
               : fail(error, path, err);
}
