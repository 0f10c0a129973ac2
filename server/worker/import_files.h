/* import_files.h - how an importer gets files: the contract between posed-import and posed.
 *
 * The importer has no directory and may open nothing. It has one end of a SOCK_SEQPACKET socket pair as file descriptor
 * IMPORT_FILES_FD, sends a struct import_file_request and gets a struct import_file_reply, one at a time. A reply
 * without an error comes with one read-only descriptor (SCM_RIGHTS): a regular file, or for a folder a memory file with
 * its names. posed opens only beneath the model root, follows no links, gives a model only what
 * protocol/file_access.def allows, and ends an importer that sends anything else or asks too often. */
#pragma once

#include <stdint.h>

enum { IMPORT_FILES_FD = 3 };
#define IMPORT_FILES_MAGIC UINT32_C(0x4c494650) /* "PFIL" */

enum { IMPORT_PATH_SIZE = 4096, IMPORT_SUFFIX_SIZE = 16 };

/* An import may list this many folders. A folder with more bytes of names gives EFBIG. */
enum { IMPORT_FOLDERS_MAX = 64, IMPORT_NAMES_BYTES_MAX = 4 << 20 };

/* Folders that are searched for files by name: beside a model, and beside the model's folder. */
#define IMPORT_SEARCH_FOLDERS       "textures", "tex", "maps", "images"
#define IMPORT_SEARCH_FOLDERS_ABOVE "textures", "materials/textures"
/* A picture that is nowhere may be a file with another of these extensions, in this order. */
#define IMPORT_PICTURE_EXTENSIONS "png", "jpg", "jpeg", "tga", "webp", "bmp", "dds", "tif", "tiff"

enum import_file_kind {
    IMPORT_FILE_OPEN = 1, /* the file `path` */
    IMPORT_FILE_LIST = 2, /* names in the folder `path` ("." is the root) that end in `suffix`, ignoring case, without
                             names that start with a dot; each followed by NUL, in no order */
};

/* The first message in the socket of an importer from a fork server: its order. */
enum import_order_kind {
    IMPORT_ORDER_MODEL = 1,   /* import the model `text` */
    IMPORT_ORDER_ATTEMPT = 2, /* try the forbidden call `text` (sandbox_contract.h) */
};

struct import_order {
    uint32_t magic;
    uint32_t kind;
    char text[IMPORT_PATH_SIZE]; /* NUL-terminated */
};

struct import_file_request {
    uint32_t magic;
    uint32_t kind;
    char path[IMPORT_PATH_SIZE]; /* relative to the root, NUL-terminated */
    char suffix[IMPORT_SUFFIX_SIZE];
};

/* The metadata that change with a file's content. All zero: the file does not exist. */
struct stamp {
    uint64_t size_bytes;
    int64_t mtime_ns, ctime_ns;
    uint64_t inode;
};

struct import_file_reply {
    uint32_t magic;
    int32_t error;      /* 0, IMPORT_REFUSED(), or an errno value: ENOENT, ELOOP (a link), EXDEV (outside), ENXIO (not a
                           regular file), EACCES, EFBIG (too many names) */
    struct stamp stamp; /* also set for a file that may not be read */
    uint64_t names_bytes; /* size of a list's memory file */
};

/* The rows of protocol/file_access.def, which say what a model may not open. Such a reply does not reveal whether the
 * file exists. */
enum file_access_kind {
#define X(symbol, model, opens, refusal) symbol,
#include "protocol/file_access.def"
#undef X
    FILE_ACCESS_COUNT
};

/* The error of a reply that refuses access. It is larger than any errno value. */
#define IMPORT_REFUSED(kind) ((int32_t)(0x10000 + (kind)))

/* Returns the text of the refusal for the path. */
static inline const char *import_refusal(enum file_access_kind kind)
{
    static const char *const TEXTS[FILE_ACCESS_COUNT] = {
#define X(symbol, model, opens, refusal) [symbol] = refusal,
#include "protocol/file_access.def"
#undef X
    };
    return TEXTS[kind];
}
