/* archive.h - how the importer passes on the files of a zip: the contract between posed-import and posed.
 *
 * For a zip, the result file is a struct archive_header, `count` struct archive_entry, the names and the bytes, in this
 * order and without gaps. Numbers are in the machine's own form. posed trusts none of it (daemon/upload/archive.h). */
#pragma once

#include <stdint.h>

#define ARCHIVE_MAGIC "posedpk\n"

struct archive_header {
    char magic[8];
    uint32_t count;
    uint32_t names_bytes;
    uint64_t data_bytes;
};

struct archive_entry {
    uint32_t name_offset; /* in the names: where the one before ended */
    uint32_t name_bytes;  /* without a NUL */
    uint64_t data_offset; /* in the data: where the one before ended */
    uint64_t size_bytes;
};
