/* import_files.h - how an importer gets at files: the contract between posed-import and posed.
 *
 * The importer has no directory and may open nothing. It has one end of a SOCK_SEQPACKET socket pair as file
 * descriptor IMPORT_FILES_FD, sends a struct import_file_request and gets a struct import_file_reply, one at a time.
 * A reply without error comes with one descriptor (SCM_RIGHTS) that can only be read: a regular file, or for a
 * folder a memory file of its names. posed opens beneath the model root, follows no link, gives a model only what
 * protocol/file_access.def lets it have, and ends an importer that sends anything else or asks too often. */
#pragma once

#include <stdint.h>

enum { IMPORT_FILES_FD = 3 };
#define IMPORT_FILES_MAGIC UINT32_C(0x4c494650) /* "PFIL" */

enum { IMPORT_PATH_SIZE = 4096, IMPORT_SUFFIX_SIZE = 16 };

/* One import lists so many folders, and none whose names take more bytes (EFBIG). */
enum { IMPORT_FOLDERS_MAX = 64, IMPORT_NAMES_BYTES_MAX = 4 << 20 };

/* Folders beside a model in which files are looked for by their names alone; the first also beside its folder. */
#define IMPORT_SEARCH_FOLDERS "textures", "tex", "maps", "images"

enum import_file_kind {
    IMPORT_FILE_OPEN = 1, /* the file `path` */
    IMPORT_FILE_LIST = 2, /* names in the folder `path` ("." is the root) that end in `suffix`, whatever their case;
                             none that start with a dot; each followed by NUL, in no order */
};

struct import_file_request {
    uint32_t magic;
    uint32_t kind;
    char path[IMPORT_PATH_SIZE]; /* relative to the root, NUL-terminated */
    char suffix[IMPORT_SUFFIX_SIZE];
};

/* What changes when a file's content does. All zero: there is no such file. */
struct stamp {
    uint64_t size_bytes;
    int64_t mtime_ns, ctime_ns;
    uint64_t inode;
};

struct import_file_reply {
    uint32_t magic;
    int32_t error;      /* 0, IMPORT_REFUSED(), or an errno value: ENOENT, ELOOP (a link), EXDEV (outside), ENXIO (not a
                           regular file), EACCES, EFBIG (too many names) */
    struct stamp stamp; /* of a file that may not be read, too */
    uint64_t names_bytes; /* of the list's memory file */
};

/* What a model may not open, by the rows of protocol/file_access.def: such a reply says nothing about what is there. */
enum file_access_kind {
#define X(symbol, model, opens, refusal) symbol,
#include "protocol/file_access.def"
#undef X
    FILE_ACCESS_COUNT
};

/* The error of a reply that refuses: no errno value is as large. */
#define IMPORT_REFUSED(kind) ((int32_t)(0x10000 + (kind)))

/* What is said of the path then. */
static inline const char *import_refusal(enum file_access_kind kind)
{
    static const char *const TEXTS[FILE_ACCESS_COUNT] = {
#define X(symbol, model, opens, refusal) [symbol] = refusal,
#include "protocol/file_access.def"
#undef X
    };
    return TEXTS[kind];
}
