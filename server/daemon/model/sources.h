/* sources.h - the files that an imported model was made from, and whether they are still the same.
 *
 * A list never changes after it was made. Comparing stamps takes microseconds. Comparing content reads the files, and
 * finds that a file was only touched, copied back or checked out again. Any thread. */
#pragma once

#include "anim/model/model.h"
#include "daemon/model/root.h"

#include <stdbool.h>
#include <stdint.h>

enum { SOURCE_HASH_SIZE = 32 };

/* What lies at a path, as far as an importer can tell. The numbers are those of the disk cache's files. */
enum source_kind {
    SOURCE_NONE = 0,  /* nothing */
    SOURCE_BYTES = 1, /* a file; hash: SHA-256 of its bytes */
    SOURCE_NAMES = 2, /* a folder; hash: SHA-256 of its names, sorted, each with its NUL; of SOURCE_SEARCHED, of those
                         that were looked for (searched_names.h) */
    SOURCE_TOO_LARGE = 3,  /* a file above LIMIT_FILE_BYTES, which is never read */
    SOURCE_UNREADABLE = 4, /* a file that may not be read */
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

/* As the importer recorded them; kinds and hashes are not known. NULL when a path is not one. */
struct sources *sources_of_model(const struct model *model);

/* The model file among them, or NULL. */
const struct source *sources_find_model(const struct sources *sources);

static inline bool source_is_folder(const struct source *source)
{
    return source->role == SOURCE_FOLDER || source->role == SOURCE_SEARCHED;
}

/* Of each searched folder that is still as its stamp says: which of the names that were looked for are there, into its
 * kind and hash; of at most IMPORT_FOLDERS_MAX. For a list that nobody else has yet. */
void sources_look_into(int root_fd, struct sources *sources);

/* True when what lies at `path` beneath the folder is as the source's stamp says, or still missing. */
bool source_is_unchanged(int folder_fd, const char *path, const struct source *source);
/* The same of every file, at its own path. A searched folder may have another stamp when its hash is known and still
 * the same. */
bool sources_are_unchanged(int root_fd, const struct sources *sources);

/* Reads what lies at source->path now and fills kind, hash, stamp and is_missing. `sources`: the list that a searched
 * folder belongs to; NULL for anything else. False when it changed while it was read, or could not be read for a reason
 * that says nothing about it (no descriptors, an I/O error). */
bool source_read(int root_fd, uint64_t max_file_bytes, const struct sources *sources, struct source *source);
/* The files of `then` as they are now. NULL when one could not be read, or is not the same. */
struct sources *sources_read(int root_fd, uint64_t max_file_bytes, const struct sources *then,
                             bool (*is_same)(const struct source *now, const struct source *then));
