/* file_formats.h - every file format that an importer knows, as a table (protocol/formats.def). Pure; any thread. */
#pragma once

#include "base/err.h"

#include <stddef.h>

enum reader {
    READER_GLTF,
    READER_FBX,
    READER_COLLADA,
    READER_THREEMF,
    READER_OGRE,
    READER_MD2,
    READER_PLY,
    READER_STL,
    READER_X3D,
    READER_RADIANCE, /* of environments */
    READER_ASSIMP
};
enum clip_fidelity { CLIPS_EXACT, CLIPS_AT_KEYS, CLIPS_PARTLY, CLIPS_NONE };

/* A row; formats.def says what the fields hold. */
struct file_format {
    const char *extension, *name;
    enum reader reader;
    const char *companion_of, *magic;
    enum clip_fidelity clips;
    const char *fidelity;
};

extern const struct file_format FILE_FORMATS[];
extern const size_t FILE_FORMAT_COUNT;

/* The format that the extension of a path or a bare name says, or NULL: no importer knows it. */
const struct file_format *file_format_of(const char *path);

/* Radiance pictures (.hdr), which are no models but what lights them: the format where the extension says so, or NULL.
 */
const struct file_format *file_format_of_environment(const char *path);

/* For a path whose extension no importer knows: ERR_UNKNOWN_FORMAT, which names the format and what to export instead
 * where protocol/formats_refused.def has it. Returns err->code. */
int file_format_unknown(const char *path, struct err *err);
