/* picture_files.h - how answers name the files of pictures. */
#pragma once

#include "base/sheet_spec.h"

#include <stdbool.h>

struct picture_file_kind {
    const char *word; /* of format=, and in entity tags */
    const char *content_type;
    const char *extension; /* of a file's name, without a dot */
    bool loses;            /* quality= says how much */
};

/* By enum sheet_format. No media type is registered for Y4M. */
extern const struct picture_file_kind PICTURE_FILE_KINDS[SHEET_FORMAT_COUNT];
