/* file_access.h - which files the importer of a model may open: the rules of protocol/file_access.def, enforced by
 * path.
 *
 * An empty file, FILE_ACCESS_MARK, marks a folder that came as a zip. Clients can neither store nor delete hidden
 * names, and upload_store.h lets nothing else into such a folder. The folder is held open, so that another folder that
 * takes its place gives nothing away. All functions but file_access_stage() wait for the file system: work threads. */
#pragma once

#include "base/err.h"
#include "worker/import_files.h"
#include "daemon/config/config.h"
#include "daemon/model/sources.h"

#define FILE_ACCESS_MARK ".posed-zip"

struct file_access {
    enum file_access_kind kind;
    struct file_policy policy;
    char *own;             /* what may be opened: ALONE: the path of the model; FOLDER: of its folder, with a slash
                              behind it; ROOT: "" */
    int fd;                /* where that lies, its own; -1: beneath the root */
    char *place;           /* and what it is called there */
    char *hidden_model;    /* the path of the model, which may be hidden itself; NULL: it may not */
    struct sources *marks; /* what was looked for to find this, or NULL */
};

/* Whether a model of this path is answered at all: 0, or ERR_MODEL_NOT_FOUND, whether or not it is there. */
int file_access_check_model(const struct file_policy *policy, int root_fd, const char *path, struct err *err);

/* Of an upload that lies at `place` beneath stage_fd (duplicated) and will lie at `own`, which has a slash behind it
 * when both are folders. False: no descriptor is left. */
bool file_access_stage(struct file_access *out, const char *own, int stage_fd, const char *place);

/* Of the model at `path`. Returns 0 or an errno, with nothing to free. */
int file_access_find(struct file_access *out, int root_fd, const struct file_policy *policy, const char *path);

/* NULL stays NULL in *own; for copies that live longer. False: no descriptor is left. */
bool file_access_copy(struct file_access *out, const struct file_access *from);
void file_access_fini(struct file_access *access); /* zeroed is fine */

/* Where a path that may be opened lies: returns the folder's descriptor, borrowed, with the path beneath it in `out`;
 * -1: that is too long. */
int file_access_place(const struct file_access *access, int root_fd, const char *path, char out[IMPORT_PATH_SIZE]);

/* root_serve() for what is allowed; for anything else a reply with IMPORT_REFUSED() and nothing else, whether or not
 * there is such a file. */
int file_access_serve(const struct file_access *access, int root_fd, const struct import_file_request *request,
                      struct import_file_reply *reply);

/* What decides whether the model is still what it was: `found`, which becomes the callee's, without what it could not
 * open, and the marks; of folders that were searched with the names that were there (sources_look_into()). NULL: it
 * says that it read what it could not open. */
struct sources *file_access_sources(const struct file_access *access, int root_fd, struct sources *found);

/* Whether all that an import read by this access is still as it was then. */
bool file_access_is_unchanged(const struct file_access *access, int root_fd, const struct sources *sources);

/* Of a model that was imported by the access `stage` and has since moved to where that said it would lie: `sources` as
 * an import from there would have them. NULL: somebody changed one meanwhile, or would find other files there. */
struct sources *file_access_moved(const struct file_access *stage, int root_fd, const struct file_policy *policy,
                                  const struct sources *sources);
