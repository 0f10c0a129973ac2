/* formats.h - which file is which format, and whether its content can be that. Pure; any thread.
 * The table is protocol/formats.def. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum reader { READER_GLTF, READER_ASSIMP };

struct file_format {
    const char *ending; /* lower case, without its dot */
    const char *name;
    enum reader reader;
    const char *companion_of; /* an ending, or "" */
    const char *magic;        /* as formats.def describes, "" = no check */
    const char *fidelity;
};

extern const struct file_format FORMATS[];
extern const size_t FORMAT_COUNT;

/* The format that the path's ending says, or NULL. */
const struct file_format *format_of_path(const char *path);

/* True for the small text file that Git LFS leaves in place of one it has not fetched. */
bool format_is_lfs_pointer(const uint8_t *bytes, size_t size_bytes);

/* Before any reader sees the bytes. Returns 0, ERR_EMPTY_FILE (no bytes, or white space only),
 * ERR_LFS_POINTER or ERR_NOT_A_MODEL (the format's magic is not there). */
int format_check(const struct file_format *format, const uint8_t *bytes, size_t size_bytes, struct err *err);
