/* sources.h - the files from which a model was imported, and checks whether they are unchanged.
 *
 * A list never changes after it was made. Comparing stamps takes microseconds. Comparing contents reads the files, and
 * recognizes files that were only touched, copied back or checked out again. Any thread. */
#pragma once

#include "anim/model/model.h"
#include "daemon/model/root.h"

#include <stdbool.h>
#include <stdint.h>

enum { SOURCE_HASH_SIZE = 32 };

/* The kind of object at a path, as an importer sees it. The files of the disk cache contain these numbers. */
enum source_kind {
    SOURCE_NONE = 0,  /* nothing */
    SOURCE_BYTES = 1, /* a file; hash: SHA-256 of its bytes */
    SOURCE_NAMES = 2, /* a folder; hash: SHA-256 of its names, sorted, each with its NUL; of SOURCE_SEARCHED, only of
                         relevant names (searched_names.h) */
    SOURCE_TOO_LARGE = 3,  /* a file above LIMIT_FILE_BYTES, which is never read */
    SOURCE_UNREADABLE = 4, /* an unreadable file */
    SOURCE_OTHER = 5,      /* a link, device, pipe or socket */
    SOURCE_KIND_COUNT
};

struct source {
    char *path;    /* under the root */
    uint32_t role; /* SOURCE_MODEL, ... */
    bool is_missing;
    struct stamp stamp; /* zero when missing */
    /* After source_read(), of searched folders also after sources_look_into(); else SOURCE_NONE and zero: */
    enum source_kind kind;
    uint8_t hash[SOURCE_HASH_SIZE]; /* zero for the kinds without */
};

struct sources {
    uint32_t count;
    struct source items[];
};

struct sources *sources_new(uint32_t count); /* zeroed; paths are heap and the list's */
void sources_free(struct sources *sources);  /* NULL is fine */

/* Returns the files as the importer recorded them, without kinds and hashes. NULL if a path is invalid. */
struct sources *sources_of_model(const struct model *model);

/* Returns the model file among them, or NULL. */
const struct source *sources_find_model(const struct sources *sources);

static inline bool source_is_folder(const struct source *source)
{
    return source->role == SOURCE_FOLDER || source->role == SOURCE_SEARCHED;
}

/* Fills kind and hash of each searched folder that still matches its stamp, for at most IMPORT_FOLDERS_MAX. For a list
 * that is not shared yet. */
void sources_look_into(int root_fd, struct sources *sources);

/* True if the object at `path` beneath the folder matches the source's stamp, or is still missing. */
bool source_is_unchanged(int folder_fd, const char *path, const struct source *source);
/* Checks the same for every file, at its own path. A searched folder may have another stamp if its hash is known and
 * unchanged. */
bool sources_are_unchanged(int root_fd, const struct sources *sources);

/* Reads the object at source->path and fills kind, hash, stamp and is_missing. `sources`: the list of a searched
 * folder; NULL for anything else. False if it changed during the read, or if the read failed for a reason that says
 * nothing about it (no descriptors, an I/O error). */
bool source_read(int root_fd, uint64_t max_file_bytes, const struct sources *sources, struct source *source);
/* Returns the files of `then` in their present state. NULL if one is unreadable, or not the same. */
struct sources *sources_read(int root_fd, uint64_t max_file_bytes, const struct sources *then,
                             bool (*is_same)(const struct source *now, const struct source *then));
