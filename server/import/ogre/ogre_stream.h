/* ogre_stream.h - reads numbers, texts and chunk headers of Ogre's binary files, little-endian or big-endian. One
 * thread.
 *
 * A file is a header and chunks. A chunk has an id (u16), a size (u32) that includes this six-byte header, and content.
 * Old writers give wrong sizes, so a reader follows the structure of the content. A chunk ends before an id that cannot
 * occur inside it (OgreSerializer.cpp, OgreMeshSerializerImpl.cpp of Ogre 1.12).
 *
 * The first read beyond the end sets the error, which names file and byte. All later reads return zero, so a reader
 * checks the error once per loop iteration. */
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
    struct err *err; /* its code is 0 until a failure */
};

/* A text in the file's bytes, without a terminator. */
struct ogre_text {
    const char *text;
    size_t size_bytes;
};

/* The beginning of a text, for "%.*s" in messages. */
#define OGRE_SHORT(line) (int)((line).size_bytes < 100 ? (line).size_bytes : 100), (line).text

/* A chunk's header. */
struct ogre_chunk {
    uint16_t id;
    uint32_t size_bytes; /* as in the file, with the header */
};

/* Reads the header chunk and the version line after it, such as "[MeshSerializer_v1.100]". Returns 0 or
 * ERR_NOT_A_MODEL. */
int ogre_open(struct ogre_stream *stream, struct ogre_text *version);

bool ogre_failed(const struct ogre_stream *stream);
/* Sets the error at the current byte and returns ERR_BAD_MODEL. */
int ogre_fail(struct ogre_stream *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

uint8_t ogre_u8(struct ogre_stream *stream);
uint16_t ogre_u16(struct ogre_stream *stream);
uint32_t ogre_u32(struct ogre_stream *stream);
float ogre_f32(struct ogre_stream *stream);                        /* finite, else an error */
void ogre_f32s(struct ogre_stream *stream, float *out, int count); /* finite or not */
bool ogre_bool(struct ogre_stream *stream);
/* Reads up to the next line feed and skips that. */
struct ogre_text ogre_line(struct ogre_stream *stream);
/* Skips `count` items and returns a pointer to them; NULL if there are fewer. They live as long as the stream's
 * bytes. */
const uint8_t *ogre_take(struct ogre_stream *stream, uint64_t count, size_t item_bytes);

/* Returns the id of the next chunk; 0 at the end or after a failure. */
uint16_t ogre_peek(const struct ogre_stream *stream);
/* Reads the header of the next chunk. */
struct ogre_chunk ogre_enter(struct ogre_stream *stream);
/* Reads the header of the next chunk if it has this id; else reads nothing and returns false. */
bool ogre_enter_if(struct ogre_stream *stream, uint16_t id);
/* Skips the next chunk by its size. */
void ogre_skip(struct ogre_stream *stream);

/* Read numbers at any address, in the stream's byte order. */
uint16_t ogre_u16_at(const struct ogre_stream *stream, const uint8_t *p);
uint32_t ogre_u32_at(const struct ogre_stream *stream, const uint8_t *p);
float ogre_f32_at(const struct ogre_stream *stream, const uint8_t *p);
double ogre_f64_at(const struct ogre_stream *stream, const uint8_t *p);

bool ogre_text_is(struct ogre_text text, const char *literal);
