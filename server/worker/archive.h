/* archive.h - a zip's files as the importer hands them over: the contract between posed-import and posed.
 *
 * The result file then is a struct archive_header, `count` struct archive_entry, the names and the bytes, without gaps
 * and in this order; numbers are the machine's own. posed believes none of it (daemon/upload/archive.h). */
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
    uint64_t data_offset; /* in the data: likewise */
    uint64_t size_bytes;
};
