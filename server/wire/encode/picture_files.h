/* picture_files.h - the names and types of picture files in answers. */
#pragma once

#include "base/picture/sheet_spec.h"

#include <stdbool.h>

struct picture_file_kind {
    const char *word; /* value of format=; also in entity tags */
    const char *content_type;
    const char *extension; /* file name extension without a dot */
    bool loses;            /* lossy: quality= controls the loss */
};

/* Indexed by enum sheet_format. Y4M has no registered media type. */
extern const struct picture_file_kind PICTURE_FILE_KINDS[SHEET_FORMAT_COUNT];
