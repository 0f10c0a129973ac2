/* file_access.h - decides which files the importer of a model may open: enforces the rules of protocol/file_access.def
 * by path.
 *
 * An empty file, FILE_ACCESS_MARK, marks a folder that came as a zip. Clients can neither store nor delete hidden
 * names, and upload_store.h lets nothing else into such a folder. An access holds the folder open, so that another
 * folder in its place reveals nothing. All functions except file_access_stage() wait for the file system: work
 * threads. */
#pragma once

#include "base/err.h"
#include "worker/import_files.h"
#include "daemon/config/config.h"
#include "daemon/model/sources.h"

#define FILE_ACCESS_MARK ".posed-zip"

struct file_access {
    enum file_access_kind kind;
    struct file_policy policy;
    char *own;   /* the readable path: ALONE: of the model; FOLDER: of its folder, with a trailing slash; ROOT: "" */
    int fd;      /* owned: the folder that contains it; -1: the root */
    char *place; /* its name there */
    char *hidden_model;    /* the path of a model that may be hidden itself; NULL: it may not */
    struct sources *marks; /* the marks checked to determine this, or NULL */
};

/* Checks whether the server may answer about a model of this path. Returns 0, or ERR_MODEL_NOT_FOUND, whether or not
 * the model exists. */
int file_access_check_model(const struct file_policy *policy, int root_fd, const char *path, struct err *err);

/* Fills *out for an upload that is at `place` beneath stage_fd (duplicated) and will be at `own`, which has a trailing
 * slash if both are folders. False: no descriptor is left. */
bool file_access_stage(struct file_access *out, const char *own, int stage_fd, const char *place);

/* Fills *out for the model at `path`. Returns 0, or an errno with nothing to free. */
int file_access_find(struct file_access *out, int root_fd, const struct file_policy *policy, const char *path);

/* Copies an access for longer use; a NULL in *own stays NULL. False: no descriptor is left. */
bool file_access_copy(struct file_access *out, const struct file_access *from);
void file_access_fini(struct file_access *access); /* zeroed is fine */

/* Finds the location of a path that may be opened: returns the folder's descriptor, borrowed, with the path beneath it
 * in `out`; -1: the path is too long. */
int file_access_place(const struct file_access *access, int root_fd, const char *path, char out[IMPORT_PATH_SIZE]);

/* Serves an allowed request by root_serve(). Answers any other with only IMPORT_REFUSED(), whether or not the file
 * exists. */
int file_access_serve(const struct file_access *access, int root_fd, const struct import_file_request *request,
                      struct import_file_reply *reply);

/* Returns the files that decide whether the model is unchanged: `found`, which it takes, without files that the
 * importer could not open, plus the marks. Searched folders have the names that were there (sources_look_into()). NULL:
 * the importer claims to have read a file that it could not open. */
struct sources *file_access_sources(const struct file_access *access, int root_fd, struct sources *found);

/* True if all files that an import read by this access are unchanged. */
bool file_access_is_unchanged(const struct file_access *access, int root_fd, const struct sources *sources);

/* For a model that was imported by the access `stage` and has since moved to its announced place: returns `sources` as
 * an import from there would have them. NULL: a file has changed meanwhile, or that import would find other files. */
struct sources *file_access_moved(const struct file_access *stage, int root_fd, const struct file_policy *policy,
                                  const struct sources *sources);
