/* ogre_stream.h - reads numbers, texts and chunk headers of Ogre's binary files, little-endian or big-endian. One
 * thread.
 *
 * A file is a header and chunks: an id (u16), the size with the six bytes of this header (u32), the content. Writers of
 * old versions give sizes that are wrong, so a reader goes by what the content consists of, and a chunk ends where an
 * id follows that does not belong into it (OgreSerializer.cpp, OgreMeshSerializerImpl.cpp of Ogre 1.12).
 *
 * The first read beyond the end sets the error, which names file and byte; every read after that gives zeroes, so a
 * reader looks once in each loop. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ogre_stream {
    const char *file; /* for messages: "" for the model itself */
    const uint8_t *bytes;
    size_t size_bytes, at;
    bool is_big_endian;
    struct err *err; /* its code is 0 until something failed */
};

/* A text of the file; not terminated. */
struct ogre_text {
    const char *text;
    size_t size_bytes;
};

/* Its beginning, for "%.*s" in messages. */
#define OGRE_SHORT(line) (int)((line).size_bytes < 100 ? (line).size_bytes : 100), (line).text

/* A chunk's header. */
struct ogre_chunk {
    uint16_t id;
    uint32_t size_bytes; /* as the file says it, with the header */
};

/* Reads the header chunk and the version line behind it, such as "[MeshSerializer_v1.100]". Returns 0 or
 * ERR_NOT_A_MODEL. */
int ogre_open(struct ogre_stream *stream, struct ogre_text *version);

bool ogre_failed(const struct ogre_stream *stream);
/* Sets the error at the byte that is read next; returns ERR_BAD_MODEL. */
int ogre_fail(struct ogre_stream *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

uint8_t ogre_u8(struct ogre_stream *stream);
uint16_t ogre_u16(struct ogre_stream *stream);
uint32_t ogre_u32(struct ogre_stream *stream);
float ogre_f32(struct ogre_stream *stream); /* finite, else an error */
void ogre_f32s(struct ogre_stream *stream, float *out, int count);
bool ogre_bool(struct ogre_stream *stream);
/* Up to the next line feed, which is skipped. */
struct ogre_text ogre_line(struct ogre_stream *stream);
/* `count` items of the stream, which are skipped; NULL when there are fewer. They live as long as the stream's bytes.
 */
const uint8_t *ogre_take(struct ogre_stream *stream, uint64_t count, size_t item_bytes);

/* The id of the chunk that comes next; 0 at the end, or after a failure. */
uint16_t ogre_peek(const struct ogre_stream *stream);
/* Reads the header of the next chunk. */
struct ogre_chunk ogre_enter(struct ogre_stream *stream);
/* Reads the header of the next chunk where it has this id; false, and nothing read, where it has not. */
bool ogre_enter_if(struct ogre_stream *stream, uint16_t id);
/* Skips the next chunk by its size. */
void ogre_skip(struct ogre_stream *stream);

/* Numbers at any place, in the stream's order. */
uint16_t ogre_u16_at(const struct ogre_stream *stream, const uint8_t *p);
uint32_t ogre_u32_at(const struct ogre_stream *stream, const uint8_t *p);
float ogre_f32_at(const struct ogre_stream *stream, const uint8_t *p);
double ogre_f64_at(const struct ogre_stream *stream, const uint8_t *p);

bool ogre_text_is(struct ogre_text text, const char *literal);
