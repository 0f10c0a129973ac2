/* upload_internal.h - the structs that uploads.c (all uploads) and upload.c (the course of one) share. Private to them.
 */
#pragma once

#include "base/buf.h"
#include "daemon/threads/work.h"
#include "daemon/upload/upload.h"
#include "daemon/upload/upload_store.h"
#include "daemon/upload/upload_unpack.h"

#include <limits.h>

struct uploads {
    uv_loop_t *loop;
    const struct config *config;
    struct import_pool *imports;
    struct upload_store store;
    struct upload *all;
    uint32_t count, delete_count;
    bool is_off; /* uploads are off, because everybody could change models */
    bool is_ending;
};

enum upload_state {
    UPLOAD_RECEIVING, /* bytes arrive and are written */
    UPLOAD_OPENING,   /* only for a zip: an importer unpacks it */
    UPLOAD_UNPACKING, /* only for a zip: its files are written to a folder in the stage */
    UPLOAD_IMPORTING, /* the importer reads the staged model */
    UPLOAD_PUBLISHING,
    UPLOAD_OVER, /* ended or abandoned; the stage is being removed */
};

struct upload {
    struct uploads *uploads;
    struct http_sink sink;
    enum upload_state stage;
    char *name;       /* under the store, as the client sent it */
    const char *base; /* its last part */
    char *target;     /* the published path under the store: the name, for a zip without ".zip" */
    const char *item; /* its last part, which is also its name in the stage */
    bool is_zip;
    int archive_fd;                     /* of a zip, or -1 */
    char model_path[ARCHIVE_PATH_SIZE]; /* for a zip: the model's path in its folder */
    char published_path[PATH_MAX];      /* the final path of the imported file, under the root */
    struct file_access access;          /* the importer's access to the stage */
    struct imported_model *imported;    /* the result of the import, or NULL */
    struct buf waiting;                 /* bytes for the next piece of work */
    struct buf writing;                 /* bytes of the current work */
    bool is_working, is_whole, is_full, is_new, is_current;
    struct upload_stage files; /* of the work thread while is_working */
    int fd;                    /* of the work thread while is_working; -1 before the first piece of work */
    struct err err;            /* the first error; code 0: none yet */
    struct work work;
    void (*run)(struct upload *upload); /* the current work */
    struct import_job import;
    void (*has_capacity)(void *user);
    void *capacity_user;
    upload_done *done;
    void *user;
    struct upload *prev, *next;
};

/* Frees it and removes it from the count. */
void upload_free(struct upload *upload);
/* Implements take() of upload->sink. */
int upload_take(struct http_sink *sink, const char *bytes, size_t size_bytes, struct err *err);
