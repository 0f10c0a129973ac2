/* file_formats.h - the table of all file formats that an importer reads (protocol/formats.def). Pure; any thread. */
#pragma once

#include "base/err.h"

#include <stddef.h>

enum reader {
    READER_GLTF,
    READER_FBX,
    READER_COLLADA,
    READER_BVH,
    READER_OBJ,
    READER_THREEMF,
    READER_OGRE,
    READER_MD2,
    READER_PLY,
    READER_STL,
    READER_X3D,
    READER_RADIANCE, /* environments */
    READER_ASSIMP
};
enum clip_fidelity { CLIPS_EXACT, CLIPS_AT_KEYS, CLIPS_PARTLY, CLIPS_NONE };

/* A row of the table; formats.def describes the fields. */
struct file_format {
    const char *extension, *name;
    enum reader reader;
    const char *companion_of, *magic;
    enum clip_fidelity clips;
    const char *fidelity;
};

extern const struct file_format FILE_FORMATS[];
extern const size_t FILE_FORMAT_COUNT;

/* Returns the format for the extension of a path or a bare name, or NULL when no importer knows it. */
const struct file_format *file_format_of(const char *path);

/* Returns the format of Radiance pictures (.hdr) when the path has that extension, else NULL. They light models and are
 * not models themselves. */
const struct file_format *file_format_of_environment(const char *path);

/* Sets ERR_UNKNOWN_FORMAT for a path whose extension no importer knows. Where protocol/formats_refused.def has the
 * format, the message names it and what to export instead. Returns err->code. */
int file_format_unknown(const char *path, struct err *err);
